// SPDX-License-Identifier: Apache-2.0
// Every call that can be stopped, with images to work on.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "skerry/columns.hpp"
#include "skerry/contacts.hpp"
#include "skerry/engine.hpp"
#include "skerry/error.hpp"
#include "skerry/max_tree.hpp"
#include "skerry/measure.hpp"
#include "skerry/outline.hpp"
#include "skerry/region_values.hpp"
#include "skerry/relabel.hpp"
#include "skerry/threshold.hpp"

namespace skerry::test {

inline std::int64_t side_of_images() {
  const char* const given = std::getenv("SKERRY_STOP_SIDE");
  return given == nullptr ? 150 : std::atoll(given);
}

// Images of all calls: noise, its labels, a few large regions, and regions of one pixel each.
struct pictures {
  std::int64_t side = side_of_images();
  std::vector<std::uint8_t> noise;
  std::vector<float> reals;
  std::vector<std::uint32_t> labels, places;
  std::vector<std::int32_t> bands;
  max_tree tree;
  attribute_table areas;

  pictures() {
    std::minstd_rand random(5);
    const auto count = static_cast<std::size_t>(side * side);
    noise.resize(count), reals.resize(count), labels.resize(count), places.resize(count), bands.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      noise[i] = static_cast<std::uint8_t>(random() >> 8);
      reals[i] = static_cast<float>(random());
      places[i] = static_cast<std::uint32_t>(count - i);
      bands[i] = static_cast<std::int32_t>(i / count / 4 + static_cast<std::size_t>(noise[i] > 250 ? 0 : 7));
    }
    engine on = engine::cpu();
    label(on, view(noise), {8, foreground::above(150)}, mutable_image(labels.data(), size()));
    build(on, view(reals), {.connectivity = 8}, tree);
    measure(on, tree, {}, areas);
  }
  [[nodiscard]] extent size() const { return {side, side}; }
  template <class Pixel>
  [[nodiscard]] image_view view(const std::vector<Pixel>& pixels) const {
    return {pixels.data(), size()};
  }
};

inline const pictures& shown() {
  static const pictures all;
  return all;
}

// A call whose answer is a number that shows what it found.
struct stoppable_call {
  std::string name;
  std::function<std::uint64_t(engine&)> run;
};

inline std::uint64_t labelled(engine& on, const label_options& options, const image_view& image) {
  static std::vector<std::uint32_t> out;
  out.resize(static_cast<std::size_t>(image.size.pixels()));
  const std::uint64_t count = label(on, image, options, mutable_image(out.data(), image.size));
  return count * 31 + out.back();
}

inline std::uint64_t measured(engine& on, const label_options& options, const measure_options& features) {
  feature_table table;
  std::uint64_t rows = 0;
  try {
    rows = measure(on, shown().view(shown().noise), options, features, table);
  } catch (const cancelled&) {
    EXPECT_EQ(table.size(), 0U);
    throw;
  }
  return rows * 31 + table.components.back().area;
}

inline std::vector<stoppable_call> calls_of_labels() {
  const label_options bright{8, foreground::above(150)};
  label_options joined{8}, filled = bright, large = bright, near{8};
  joined.joining = joining::equal();
  near.joining = joining::within(9);
  filled.selection.fill_holes = true;
  large.selection.largest = 5;
  const auto noise = [] { return shown().view(shown().noise); };
  return {
      {"label", [=](engine& on) { return labelled(on, bright, noise()); }},
      {"label equal", [=](engine& on) { return labelled(on, joined, noise()); }},
      {"label delta", [=](engine& on) { return labelled(on, near, noise()); }},
      {"label holes", [=](engine& on) { return labelled(on, filled, noise()); }},
      {"label largest", [=](engine& on) { return labelled(on, large, noise()); }},
      {"label turned",
       [=](engine& on) {
         image_view turned = noise();
         std::swap(turned.strides.x, turned.strides.y);
         return labelled(on, bright, turned);
       }},
      {"count equal", [=](engine& on) { return count_components(on, shown().view(shown().places), joined); }},
      {"runs",
       [=](engine& on) {
         std::vector<labelled_run> runs;
         const std::uint64_t count = label_runs(on, noise(), bright, runs);
         return count * 31 + runs.size();
       }},
      {"otsu", [=](engine& on) { return static_cast<std::uint64_t>(otsu_threshold(on, shown().view(shown().reals))); }},
      {"measure", [=](engine& on) { return measured(on, bright, {.moments = true}); }},
      {"measure intensity",
       [=](engine& on) { return measured(on, bright, {.moments = true, .intensity = shown().view(shown().reals)}); }},
  };
}

inline std::uint64_t built(engine& on, const image_view& image) {
  max_tree tree;
  try {
    build(on, image, {.connectivity = 8}, tree);
  } catch (const cancelled&) {
    EXPECT_EQ(tree.nodes(), 0U);
    throw;
  }
  return tree.nodes();
}

inline std::vector<stoppable_call> calls_of_trees() {
  const auto filtered = [](const std::function<void(const mutable_image&)>& write) {
    static std::vector<float> out;
    out.resize(shown().reals.size());
    write(mutable_image(out.data(), shown().size()));
    return static_cast<std::uint64_t>(out[out.size() / 3]);
  };
  std::vector<stoppable_call> calls = {
      {"tree u8", [](engine& on) { return built(on, shown().view(shown().noise)); }},
      {"tree f32", [](engine& on) { return built(on, shown().view(shown().reals)); }},
      {"attributes",
       [](engine& on) {
         attribute_table table;
         measure(on, shown().tree, {.geometry = true, .moments = true, .levels = true}, table);
         return std::uint64_t{table.area[table.size() / 2]};
       }},
      {"area filter",
       [=](engine& on) {
         return filtered([&](const mutable_image& out) { area_filter(on, shown().tree, shown().areas, 20, out); });
       }},
      {"h-maxima",
       [=](engine& on) {
         return filtered([&](const mutable_image& out) { extrema_filter(on, shown().tree, 20, out); });
       }},
  };
  for (const filter_rule rule : {filter_rule::min, filter_rule::max, filter_rule::subtractive})
    calls.push_back({"filter by rule " + std::to_string(static_cast<int>(rule)), [=](engine& on) {
                       static const std::vector<std::uint8_t> keep(shown().tree.nodes(), 1);
                       return filtered([&](const mutable_image& out) { filter(on, shown().tree, keep, {rule}, out); });
                     }});
  return calls;
}

template <class Labels>
void add_calls_of_regions(const std::string& what, Labels labels, std::vector<stoppable_call>& calls) {
  const auto add = [&](const std::string& name, auto run) { calls.push_back({name + " of " + what, run}); };
  add("regions", [=](engine& on) {
    region_table table;
    measure_regions(on, {labels(), {}, {.moments = true, .intensity = shown().view(shown().reals)}}, table);
    return table.size() * 31 + table.features.components.back().area;
  });
  add("contacts", [=](engine& on) {
    contact_table table;
    const std::uint64_t count = contacts(on, {labels(), 8, {}, true}, table);
    return count * 31 + table.surfaces.size();
  });
  add("relabel", [=](engine& on) {
    static std::vector<std::uint32_t> out;
    out.resize(shown().noise.size());
    return relabel(on, labels(), {}, mutable_image(out.data(), shown().size())).size() * 31 + out.back();
  });
  add("quantiles", [=](engine& on) {
    const region_quantiles found = find_quantiles(on, {labels(), shown().view(shown().reals)}, {0.25, 0.5});
    return static_cast<std::uint64_t>(found.values.back());
  });
  add("many quantiles", [=](engine& on) {
    const std::vector<double> tenths{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};
    return static_cast<std::uint64_t>(
        find_quantiles(on, {labels(), shown().view(shown().reals)}, tenths).values.back());
  });
  add("histograms", [=](engine& on) {
    return count_histograms(on, {labels(), shown().view(shown().reals)}, {0, 1e6, 1e8}).counts.back();
  });
  add("extrema", [=](engine& on) {
    return static_cast<std::uint64_t>(find_extrema(on, {labels(), shown().view(shown().reals)}).max.back().value);
  });
  for (const double simplify : {0.0, 1.5})
    add(simplify == 0 ? "outline" : "outline, simplified", [=](engine& on) {
      outline_table table;
      outline_request asked{labels(), 4};
      asked.simplify = simplify;
      const std::uint64_t count = outline(on, asked, table);
      return count * 31 + table.vertices.size();
    });
  for (const std::string& group : column_groups())
    add("columns " + group, [=](engine& on) {
      column_table table;
      column_request asked;
      asked.columns = {group};
      asked.intensity = shown().view(shown().noise);
      try {
        return measure_columns(on, labels(), asked, table);
      } catch (const cancelled&) {
        EXPECT_TRUE(table.columns.empty());
        throw;
      }
    });
}

inline std::vector<stoppable_call> all_calls() {
  std::vector<stoppable_call> calls = calls_of_labels();
  for (const stoppable_call& each : calls_of_trees()) calls.push_back(each);
  add_calls_of_regions(
      "labels", [] { return shown().view(shown().labels); }, calls);
  add_calls_of_regions(
      "one large region", [] { return shown().view(shown().bands); }, calls);
  add_calls_of_regions(
      "pixels", [] { return shown().view(shown().places); }, calls);
  return calls;
}

}  // namespace skerry::test
