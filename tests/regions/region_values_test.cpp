// SPDX-License-Identifier: Apache-2.0
// Extrema, histograms and quantiles of regions: every engine against the reference, and the reference against numbers of SciPy's and
// NumPy's.
#include "skerry/region_values.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "core/portable.hpp"
#include "regions/given.hpp"
#include "skerry/error.hpp"
#include "support/placed_image.hpp"
#include "support/values.hpp"

namespace skerry::test {
namespace {

constexpr double nan_of_tests = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity_of_tests = std::numeric_limits<double>::infinity();

// The same numbers, and the same zeros; any two NaN are the same.
void expect_numbers(const std::vector<double>& got, const std::vector<double>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (std::isnan(want[i])) EXPECT_TRUE(std::isnan(got[i])) << i << ": " << got[i];
    else
      EXPECT_TRUE(got[i] == want[i] && std::signbit(got[i]) == std::signbit(want[i]))
          << i << ": " << got[i] << " instead of " << want[i];
  }
}

void expect_places(const std::vector<placed_value>& got, const std::vector<placed_value>& want) {
  ASSERT_EQ(got.size(), want.size());
  std::vector<double> got_values, want_values;
  for (std::size_t i = 0; i < want.size(); ++i) {
    got_values.push_back(got[i].value);
    want_values.push_back(want[i].value);
    EXPECT_TRUE(got[i].z == want[i].z && got[i].y == want[i].y && got[i].x == want[i].x)
        << i << ": at " << got[i].z << ", " << got[i].y << ", " << got[i].x << " instead of " << want[i].z << ", "
        << want[i].y << ", " << want[i].x;
  }
  expect_numbers(got_values, want_values);
}

region_extrema extrema_everywhere(const region_pixels& asked) {
  const region_extrema want = find_extrema(each_engine().front().on, asked);
  ask_every_engine([&](engine& on) {
    const region_extrema got = find_extrema(on, asked);
    EXPECT_EQ(got.labels, want.labels);
    expect_places(got.min, want.min);
    expect_places(got.max, want.max);
  });
  return want;
}

region_histograms histograms_everywhere(const region_pixels& asked, const std::vector<double>& edges) {
  const region_histograms want = count_histograms(each_engine().front().on, asked, edges);
  ask_every_engine([&](engine& on) {
    const region_histograms got = count_histograms(on, asked, edges);
    EXPECT_EQ(got.labels, want.labels);
    EXPECT_EQ(got.bins, want.bins);
    EXPECT_EQ(got.counts, want.counts);
  });
  return want;
}

region_quantiles quantiles_everywhere(const region_pixels& asked, const std::vector<double>& fractions) {
  const region_quantiles want = find_quantiles(each_engine().front().on, asked, fractions);
  ask_every_engine([&](engine& on) {
    const region_quantiles got = find_quantiles(on, asked, fractions);
    EXPECT_EQ(got.labels, want.labels);
    EXPECT_EQ(got.quantiles, want.quantiles);
    expect_numbers(got.values, want.values);
  });
  return want;
}

TEST(find_extrema, finds_the_first_of_equal_values) {
  const std::vector<i32> labels = {5, 5, 2, 0, 5, 2, 2, 5};
  const std::vector<float> values = {3, 1, 8, -9, 1, 4, 8, 3};
  region_pixels asked{image_view(labels.data(), {2, 4}), image_view(values.data(), {2, 4})};
  region_extrema got = extrema_everywhere(asked);
  EXPECT_EQ(got.labels, (std::vector<label_bits>{2, 5}));
  expect_places(got.min, {{4, 0, 1, 1}, {1, 0, 0, 1}});
  expect_places(got.max, {{8, 0, 0, 2}, {3, 0, 0, 0}});
  asked.index = {7, 5, 7};
  got = extrema_everywhere(asked);
  expect_places(got.min, {{nan_of_tests, -1, -1, -1}, {1, 0, 0, 1}, {nan_of_tests, -1, -1, -1}});
}

TEST(find_extrema, takes_nan_for_both_and_zeros_for_equal) {
  const std::vector<u8> labels = {1, 1, 1, 2, 2, 2};
  const std::vector<double> values = {4, nan_of_tests, nan_of_tests, 0.0, -0.0, -0.0};
  const region_extrema got = extrema_everywhere({image_view(labels.data(), {1, 6}), image_view(values.data(), {1, 6})});
  expect_places(got.min, {{nan_of_tests, 0, 0, 1}, {0.0, 0, 0, 3}});
  expect_places(got.max, {{nan_of_tests, 0, 0, 1}, {0.0, 0, 0, 3}});
}

TEST(find_extrema, compares_64_bit_integers_exactly) {
  const std::vector<u8> labels(3, 1);
  constexpr u64 top = std::numeric_limits<u64>::max();
  const std::vector<u64> values = {top - 1, top, top - 2};
  const region_extrema got = extrema_everywhere({image_view(labels.data(), {1, 3}), image_view(values.data(), {1, 3})});
  EXPECT_EQ(got.min[0].x, 2);
  EXPECT_EQ(got.max[0].x, 1);
}

TEST(count_histograms, has_numpys_bins) {
  const std::vector<u8> labels = {1, 1, 1, 1, 1, 3, 3, 0};
  const std::vector<double> values = {0, 0.5, 1, 2, 2.5, nan_of_tests, 1.9999, 1};
  region_pixels asked{image_view(labels.data(), {2, 4}), image_view(values.data(), {2, 4})};
  region_histograms got = histograms_everywhere(asked, equal_bins(0, 2, 4));
  EXPECT_EQ(got.counts, (std::vector<std::uint64_t>{1, 1, 1, 1, 0, 0, 0, 1}));
  got = histograms_everywhere(asked, {0, 0.5, 0.5, 2.25, 2.5});  // a bin without width, and the last one closed
  EXPECT_EQ(got.counts, (std::vector<std::uint64_t>{1, 0, 3, 1, 0, 0, 1, 0}));
  asked.index = {3, 2};
  EXPECT_EQ(histograms_everywhere(asked, {1, 2}).counts, (std::vector<std::uint64_t>{1, 0}));
}

TEST(count_histograms, has_limits_between_neighbouring_numbers) {
  // Each limit, and the numbers beside it: a bin that is found by a division alone would be wrong for some.
  const std::vector<double> edges = equal_bins(-0.7, 1.3, 29);
  std::vector<double> values;
  for (const double edge : edges) {
    values.push_back(std::nextafter(edge, -infinity_of_tests));
    values.push_back(edge);
    values.push_back(std::nextafter(edge, infinity_of_tests));
  }
  const std::vector<u8> labels(values.size(), 1);
  const extent size(1, static_cast<i64>(values.size()));
  const region_histograms got =
      histograms_everywhere({image_view(labels.data(), size), image_view(values.data(), size)}, edges);
  for (std::size_t bin = 0; bin < got.bins; ++bin) EXPECT_EQ(got.counts[bin], bin + 1 == got.bins ? 4u : 3u) << bin;
}

TEST(count_histograms, has_bins_wider_than_all_numbers) {
  const std::vector<std::uint8_t> labels = {1, 1, 1, 1};
  const std::vector<double> values = {1e308, -1e308, 0, 1.7e308};
  ask_every_engine([&](engine& on) {
    const region_histograms got = count_histograms(
        on, {image_view(labels.data(), {1, 4}), image_view(values.data(), {1, 4})}, {-1.7e308, 0, 1.7e308});
    EXPECT_EQ(got.counts, (std::vector<std::uint64_t>{1, 3}));
  });
}

TEST(find_quantiles, has_numpys_interpolation) {
  const std::vector<u8> labels = {1, 1, 1, 1, 2, 2, 7, 0};
  const std::vector<double> values = {10, 1, 4, 2, 5, 8, 3, 9};
  region_pixels asked{image_view(labels.data(), {2, 4}), image_view(values.data(), {2, 4})};
  region_quantiles got = quantiles_everywhere(asked, {0.5, 0, 1, 0.25, 0.9});
  expect_numbers(got.values, {3, 1, 10, 1.75, 10 - 6 * (1 - (3 * 0.9 - 2)),  //
                              6.5, 5, 8, 5.75, 8 - 3 * (1 - 0.9),            //
                              3, 3, 3, 3, 3});
  asked.index = {7, 9};
  expect_numbers(quantiles_everywhere(asked, {0.5}).values, {3, nan_of_tests});
  EXPECT_TRUE(quantiles_everywhere(asked, {}).values.empty());
}

TEST(find_quantiles, of_infinities_and_nan) {
  const std::vector<u8> labels = {1, 1, 2, 2, 3, 3, 3};
  const std::vector<float> values = {INFINITY, INFINITY, 1, NAN, 1, 2, INFINITY};
  const region_quantiles got =
      quantiles_everywhere({image_view(labels.data(), {1, 7}), image_view(values.data(), {1, 7})}, {0.5, 0.75});
  expect_numbers(got.values, {infinity_of_tests, infinity_of_tests, nan_of_tests, nan_of_tests, 2, nan_of_tests});
}

TEST(region_values, of_every_type_layout_and_size) {
  std::uint32_t seed = 0;
  for (const dtype type : intensity_types)
    for (const layout arrangement : all_layouts)
      for (const extent& size :
           {extent(7, 70), extent(3, 4, 5), extent(1, 1), extent(66, 1), extent(0, 5), extent(2, 0)}) {
        ++seed;
        SCOPED_TRACE(std::string(name_of(type)) + ", " + name_of(arrangement) + ", " + std::to_string(seed));
        const dtype of_labels = given_types[seed % std::size(given_types)];
        const placed_image labels(of_labels, size, all_layouts[seed % std::size(all_layouts)],
                                  random_values(edge_values(of_labels), size, 1 + seed % 3, seed));
        const placed_image image(type, size, arrangement, random_values(edge_values(type), size, 1 + seed % 2, seed));
        region_pixels asked{labels.view(), image.view()};
        if (seed % 3 != 0) asked.background = seed % 3 == 1 ? background::none() : background::equal_to(1);
        if (seed % 4 == 0) asked.index = {1, 2, 127, 1, ~u64{0}, 0};
        extrema_everywhere(asked);
        histograms_everywhere(asked, equal_bins(-3, 130, 1 + seed % 40));
        std::vector<double> fractions = {0.5, 0.1, 0.98, 0.5};
        for (std::uint32_t i = 0; i < seed % 12; ++i) fractions.push_back(i / 11.0);
        quantiles_everywhere(asked, fractions);
        ASSERT_FALSE(HasFailure());
      }
}

TEST(region_values, of_many_regions) {
  std::mt19937 random(3);
  const extent size(60, 90);
  std::vector<u16> labels;
  std::vector<i32> values;
  for (i64 i = 0; i < size.pixels(); ++i) {
    labels.push_back(static_cast<u16>(random() % 500));
    values.push_back(static_cast<i32>(random() % 2000) - 1000);
  }
  const region_pixels asked{image_view(labels.data(), size), image_view(values.data(), size)};
  extrema_everywhere(asked);
  histograms_everywhere(asked, equal_bins(-900, 900, 17));
  quantiles_everywhere(asked, {0.5, 0.25, 0.75});
}

TEST(region_values, refuse_what_they_cannot_count) {
  engine& on = each_engine()[1].on;
  const std::vector<double> pixels(8);
  const image_view labels(pixels.data(), dtype::u8, {2, 3}), image(pixels.data(), dtype::u8, {2, 3});
  const auto refusal = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const invalid_argument& error) {
      return error.what();
    }
    return "nothing was refused";
  };
  const auto of_image = [&](const image_view& given) {
    return refusal([&] { (void)find_extrema(on, {labels, given}); });
  };
  EXPECT_EQ(of_image(image_view(pixels.data(), dtype::bit, {2, 3})),
            "image: dtype bit is not supported; give booleans");
  EXPECT_EQ(of_image(image_view(pixels.data(), dtype::u8, {3, 2})),
            "image: size 3 x 2 is not that of the labels, 2 x 3");
  EXPECT_EQ(of_image({}), "image: size 0 x 0 is not that of the labels, 2 x 3");
  const auto of_edges = [&](const std::vector<double>& edges) {
    return refusal([&] { (void)count_histograms(on, {labels, image}, edges); });
  };
  EXPECT_EQ(of_edges({1}), "edges: 1 limits are not 2…2^20 + 1");
  EXPECT_EQ(of_edges({1, 3, 2}), "edges: limit 2 is below the one before it");
  EXPECT_EQ(of_edges({1, infinity_of_tests}), "edges: limit 1 is not finite");
  const auto of_fraction = [&](double fraction) {
    return refusal([&] { (void)find_quantiles(on, {labels, image}, {0.5, fraction}); });
  };
  EXPECT_EQ(of_fraction(1.5), "fractions: number 1 is not in 0…1");
  EXPECT_EQ(of_fraction(nan_of_tests), "fractions: number 1 is not in 0…1");
  EXPECT_EQ(of_fraction(1), "nothing was refused");
  const std::string no_range = "low: it is not below high, or their distance is not finite";
  EXPECT_EQ(refusal([] { (void)equal_bins(2, 2, 3); }), no_range);
  EXPECT_EQ(refusal([] { (void)equal_bins(-1.7e308, 1.7e308, 3); }), no_range);
  EXPECT_EQ(refusal([] { (void)equal_bins(0, 1, 0); }), "bins: 0 is not in 1…2^20");
}

}  // namespace
}  // namespace skerry::test
