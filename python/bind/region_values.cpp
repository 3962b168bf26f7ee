// SPDX-License-Identifier: Apache-2.0
#include "skerry/region_values.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include "bind/engine.hpp"
#include "bind/given_labels.hpp"
#include "bind/long_call.hpp"

namespace skerry::python {
namespace {

// A label image and an image, held while a call reads them without the GIL.
struct held_regions {
  held_image labels, image;
  region_pixels asked;

  held_regions(nb::handle given_labels, nb::handle given_image, nb::handle index, nb::handle background)
      : labels(given_labels, "labels"),
        image(given_image, "image"), asked{labels.view(), image.view(), background_from(background),
                                           index_from(index)} {}

  template <class Call>
  auto run(nb::handle threads, Call call) const {
    engine& on = engine_of_thread(threads);
    return run_unlocked(on, {labels.size().pixels(), pace::values}, [&] { return call(on, asked); });
  }

  [[nodiscard]] nb::object labels_of(std::vector<label_bits> found) const {
    return array_of_labels(std::move(found), is_signed(labels.view().type));
  }
};

nb::tuple places_of(const std::vector<placed_value>& found) {
  std::vector<double> values;
  std::vector<std::int64_t> places;
  for (const placed_value& each : found) {
    values.push_back(each.value);
    places.insert(places.end(), {each.z, each.y, each.x});
  }
  return nb::make_tuple(array_of(std::move(values)), array_of(std::move(places)));
}

// Labels, then values and places (z, y, x) of the minima, and of the maxima.
nb::tuple extrema_of(nb::handle labels, nb::handle image, nb::handle index, nb::handle background, nb::handle threads) {
  const held_regions held(labels, image, index, background);
  region_extrema found =
      held.run(threads, [](engine& on, const region_pixels& asked) { return find_extrema(on, asked); });
  return nb::make_tuple(held.labels_of(std::move(found.labels)), places_of(found.min), places_of(found.max));
}

// Labels, then counts, region by region.
nb::tuple histograms_of(nb::handle labels, nb::handle image, const std::vector<double>& edges, nb::handle index,
                        nb::handle background, nb::handle threads) {
  const held_regions held(labels, image, index, background);
  region_histograms found =
      held.run(threads, [&](engine& on, const region_pixels& asked) { return count_histograms(on, asked, edges); });
  return nb::make_tuple(held.labels_of(std::move(found.labels)), array_of(std::move(found.counts), dtype::i64));
}

// Labels, then values, region by region.
nb::tuple quantiles_of(nb::handle labels, nb::handle image, const std::vector<double>& fractions, nb::handle index,
                       nb::handle background, nb::handle threads) {
  const held_regions held(labels, image, index, background);
  region_quantiles found =
      held.run(threads, [&](engine& on, const region_pixels& asked) { return find_quantiles(on, asked, fractions); });
  return nb::make_tuple(held.labels_of(std::move(found.labels)), array_of(std::move(found.values)));
}

}  // namespace

void bind_region_values(nb::module_& module) {
  module.def("extrema", &extrema_of, nb::arg("labels").none(), nb::arg("image").none(), nb::arg("index").none(),
             nb::arg("background").none(), nb::arg("threads").none());
  module.def("histograms", &histograms_of, nb::arg("labels").none(), nb::arg("image").none(), nb::arg("edges").none(),
             nb::arg("index").none(), nb::arg("background").none(), nb::arg("threads").none());
  module.def("quantiles", &quantiles_of, nb::arg("labels").none(), nb::arg("image").none(), nb::arg("fractions").none(),
             nb::arg("index").none(), nb::arg("background").none(), nb::arg("threads").none());
}

}  // namespace skerry::python
