// SPDX-License-Identifier: Apache-2.0
#include "bind/label.hpp"

#include <nanobind/stl/string.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "bind/arguments.hpp"
#include "bind/array.hpp"
#include "bind/engine.hpp"
#include "bind/long_call.hpp"
#include "bind/without_gil.hpp"
#include "skerry/measure.hpp"
#include "skerry/threshold.hpp"

namespace skerry::python {
namespace {

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

foreground range_from(nb::handle within) {
  if (PySequence_Check(within.ptr()) == 0 || nb::len(within) != 2)
    bad_type("within", text_of(within) + " is not a pair (low, high)");
  const double low = real_number(within[0], "within"), high = real_number(within[1], "within");
  if (!(low <= high)) bad_value("within", text_of(within) + " has no low <= high");
  return foreground::within(low, high);
}

double threshold_from(nb::handle number, const char* name) {
  const double threshold = real_number(number, name);
  if (threshold != threshold) bad_value(name, "is NaN");
  return threshold;
}

// Integers of 64 bits are exact.
foreground except_from(nb::handle background) {
  if (PyIndex_Check(background.ptr()) == 0) return foreground::except(threshold_from(background, "background"));
  const nb::object integer = integer_from(background, "background");
  int beyond = 0;  // on which side of the integers of 64 bits
  const long long number = PyLong_AsLongLongAndOverflow(integer.ptr(), &beyond);
  if (beyond < 0) bad_value("background", text_of(integer) + " is not in -2^63…2^64 - 1");
  if (beyond == 0) return foreground::except(static_cast<std::int64_t>(number));
  return foreground::except(whole_number(integer, "background", 0, no_limit));
}

struct foreground_keywords {
  nb::handle threshold, above, at_least, within, background;
};

void choose_foreground(component_choice& chosen, const foreground_keywords& keywords) {
  const auto& [threshold, above, at_least, within, background] = keywords;
  int given = 0;
  for (const nb::handle each : {threshold, above, at_least, within, background}) given += each.is_none() ? 0 : 1;
  if (given > 1) bad_value("threshold", "give one of threshold, above, at_least, within and background");
  if (nb::isinstance<nb::str>(threshold)) {
    if (nb::cast<std::string>(threshold) != "otsu") bad_value("threshold", text_of(threshold) + " is not 'otsu'");
    chosen.by_otsu = true;
  } else if (!threshold.is_none()) {
    chosen.rule = foreground::above(threshold_from(threshold, "threshold"));
  } else if (!above.is_none()) {
    chosen.rule = foreground::above(threshold_from(above, "above"));
  } else if (!at_least.is_none()) {
    chosen.rule = foreground::at_least(threshold_from(at_least, "at_least"));
  } else if (!within.is_none()) {
    chosen.rule = range_from(within);
  } else if (!background.is_none()) {
    chosen.rule = except_from(background);
  }
}

joining joining_from(bool equal, nb::handle delta) {
  if (delta.is_none()) return equal ? joining::equal() : joining::foreground();
  if (equal) bad_value("delta", "give it or equal, not both");
  const double most = real_number(delta, "delta");
  if (!(most >= 0)) bad_value("delta", text_of(delta) + " is not at least 0");
  return joining::within(most);
}

// One bool for each axis of an image, or one for all.
void choose_periodic(component_choice& chosen, nb::handle given) {
  chosen.periodic_everywhere = PySequence_Check(given.ptr()) == 0;
  chosen.periodic.clear();
  if (chosen.periodic_everywhere) return chosen.periodic.push_back(flag_from(given, "periodic"));
  for (const nb::handle axis : given) chosen.periodic.push_back(flag_from(axis, "periodic"));
  if (chosen.periodic.empty() || chosen.periodic.size() > 3)
    bad_value("periodic", text_of(given) + " is not one bool for each axis");
}

void make_choice(component_choice* place, nb::handle connectivity, nb::handle threshold, nb::handle above,
                 nb::handle at_least, nb::handle within, bool fill_holes, nb::handle min_area, nb::handle max_area,
                 bool clear_border, nb::handle largest, nb::handle background, bool equal, nb::handle delta,
                 nb::handle periodic) {
  component_choice chosen;
  if (!connectivity.is_none())
    chosen.connectivity = static_cast<int>(whole_number(connectivity, "connectivity", 1, 26));
  choose_foreground(chosen, {threshold, above, at_least, within, background});
  chosen.joins = joining_from(equal, delta);
  choose_periodic(chosen, periodic);
  selection& keep = chosen.selection;
  keep.fill_holes = fill_holes;
  keep.min_area = whole_number(min_area, "min_area", 0, no_limit);
  if (!max_area.is_none()) keep.max_area = whole_number(max_area, "max_area", 0, no_limit);
  if (keep.min_area > keep.max_area)
    bad_value("min_area", std::to_string(keep.min_area) + " is above max_area " + std::to_string(keep.max_area));
  keep.clear_border = clear_border;
  keep.largest = largest.is_none() ? 0 : whole_number(largest, "largest", 1, no_limit);
  new (place) component_choice(chosen);
}

dtype smallest_for(std::uint64_t count) {
  if (count <= 0xff) return dtype::u8;
  if (count <= 0xffff) return dtype::u16;
  return count <= 0xffffffff ? dtype::u32 : dtype::u64;
}

std::uint64_t run(engine& on, const image_view& image, const component_choice& chosen, const label_outputs& outputs,
                  const std::string& name) {
  return naming("labels", name, [&] { return label(on, {image, chosen.options_for(on, image)}, outputs); });
}

// Labels where they shall be, or in an array made when their number is known: of the type that is asked for, else of the
// smallest one that holds them.
nb::tuple label_array(nb::handle image, const component_choice& chosen, nb::handle type, nb::handle out,
                      nb::handle threads) {
  const held_image held(image, "image");
  const bool makes = out.is_none();
  if (!makes && !type.is_none()) bad_value("dtype", "out has its own");
  const std::optional<dtype> wanted = type.is_none() ? std::nullopt : std::optional(dtype_from(type, "dtype"));
  nb::object labels = nb::borrow(out);
  std::optional<held_image> written;
  label_outputs outputs;
  if (makes) {
    outputs.labels_for = [&](std::uint64_t count) {
      const with_gil locked;
      labels = held.empty_like(wanted.value_or(smallest_for(count)));
      return written.emplace(labels, "out", held_image::access::write).writable();
    };
  } else {
    outputs.labels = written.emplace(out, "out", held_image::access::write).writable();
    check_out(outputs.labels, held.view());
  }
  engine& on = engine_for_components(held, threads);
  const std::uint64_t count = run_unlocked(on, {held.size().pixels(), chosen.pace_of_call()}, [&] {
    return run(on, held.view(), chosen, outputs, makes ? "dtype" : "out");
  });
  return nb::make_tuple(labels, count);
}

std::uint64_t count_of(nb::handle image, const component_choice& chosen, nb::handle threads) {
  const held_image held(image, "image", held_image::access::read_anywhere);
  check_choice(chosen, held.is_on_device());
  engine& on = engine_for_components(held, threads);
  return run_unlocked(on, {held.size().pixels(), chosen.pace_of_call()},
                      [&] { return count_components(on, held.view(), chosen.options_for(on, held.view())); });
}

}  // namespace

void check_choice(const component_choice& chosen, bool on_device) {
  if (chosen.by_otsu && on_device) bad_value("threshold", "'otsu' needs an image in host memory; give a number");
}

void check_out(const image_view& out, const image_view& image) {
  const dtype type = out.type;
  if (type == dtype::boolean || type == dtype::f16 || type == dtype::f32 || type == dtype::f64)
    bad_type("out", std::string("dtype ") + name_of(type) + " is not an integer type");
  if (out.size != image.size) bad_value("out", "its shape is not that of image");
}

label_options component_choice::options_for(const image_view& image) const {
  label_options options{connectivity, rule, selection};
  if (connectivity == 0) options.connectivity = all_neighbours(image.size.rank);
  options.joining = joins;
  const auto rank = static_cast<std::size_t>(image.size.rank);
  if (!periodic_everywhere && periodic.size() != rank)
    throw invalid_argument("periodic: " + std::to_string(periodic.size()) + " bools for an image of " +
                           std::to_string(rank) + " axes");
  bool* const axes[] = {&options.periodic.z, &options.periodic.y, &options.periodic.x};
  for (std::size_t axis = 0; axis < rank; ++axis) *axes[3 - rank + axis] = periodic[periodic_everywhere ? 0 : axis];
  return options;
}

label_options component_choice::options_for(engine& on, const image_view& image) const {
  label_options options = options_for(image);
  if (by_otsu) options.foreground = foreground::above(otsu_threshold(on, image));
  return options;
}

void bind_label(nb::module_& module) {
  nb::class_<component_choice>(module, "Choice")
      .def("__init__", &make_choice, nb::arg("connectivity").none(), nb::arg("threshold").none(),
           nb::arg("above").none(), nb::arg("at_least").none(), nb::arg("within").none(), nb::arg("fill_holes"),
           nb::arg("min_area").none(), nb::arg("max_area").none(), nb::arg("clear_border"), nb::arg("largest").none(),
           nb::arg("background").none(), nb::arg("equal"), nb::arg("delta").none(), nb::arg("periodic").none());
  module.def("label", &label_array, nb::arg("image").none(), nb::arg("choice"), nb::arg("dtype").none(),
             nb::arg("out").none(), nb::arg("threads").none());
  module.def("count", &count_of, nb::arg("image").none(), nb::arg("choice"), nb::arg("threads").none());
}

}  // namespace skerry::python
