// SPDX-License-Identifier: Apache-2.0
// Components of equal or of near values, of all but one value, and across the borders of periodic axes.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "skerry/error.hpp"
#include "support/compare.hpp"
#include "support/engines.hpp"
#include "support/mask.hpp"
#include "support/values.hpp"

namespace skerry::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

void expect_joined(const question& asked) {
  const reference::answer want = expected_answer(asked);
  for (named_engine* each : engines_to_ask()) {
    SCOPED_TRACE(each->name);
    expect_all_ways(each->on, asked, want);
  }
}

template <class Pixel>
void expect_labels(const std::vector<Pixel>& pixels, const extent& size, const label_options& options,
                   const std::vector<std::uint64_t>& want) {
  for (named_engine* each : engines_to_ask()) {
    SCOPED_TRACE(each->name);
    std::vector<std::uint64_t> labels(pixels.size(), 77);
    label(each->on, image_view(pixels.data(), size), options, {labels.data(), size});
    EXPECT_TRUE(same_labels(labels, want, size));
  }
}

label_options joined(int connectivity, const joining& how, const foreground& rule = {},
                     const periodic_axes& periodic = {}) {
  label_options options = with_connectivity(connectivity, rule);
  options.joining = how;
  options.periodic = periodic;
  return options;
}

using bytes = std::vector<std::uint8_t>;
using labels = std::vector<std::uint64_t>;

// ---- what the rules say ---------------------------------------------------------------------------------------------

TEST(label_joining, equal_values_are_components) {
  const bytes image = {1, 1, 2, 2,  //
                       2, 1, 1, 2,  //
                       0, 2, 1, 0};
  expect_labels(image, extent(3, 4), joined(4, joining::equal()), {1, 1, 2, 2, 3, 1, 1, 2, 0, 4, 1, 0});
  expect_labels(image, extent(3, 4), joined(8, joining::equal()), {1, 1, 2, 2, 3, 1, 1, 2, 0, 3, 1, 0});
  expect_labels(image, extent(3, 4), joined(4, joining::equal(), foreground::all()),
                {1, 1, 2, 2, 3, 1, 1, 2, 4, 5, 1, 6});
  expect_labels(image, extent(3, 4), joined(4, joining::foreground(), foreground::except(2)),
                {1, 1, 0, 0, 0, 1, 1, 0, 2, 0, 1, 1});
}

TEST(label_joining, differences_add_up_from_neighbour_to_neighbour) {
  expect_labels<std::uint8_t>({1, 2, 3, 5, 6, 4}, extent(1, 6), joined(4, joining::within(1)), {1, 1, 1, 2, 2, 3});
  expect_labels<std::uint8_t>({1, 2, 3, 5, 6, 4}, extent(1, 6), joined(4, joining::within(1.99)), {1, 1, 1, 2, 2, 3});
  expect_labels<std::uint8_t>({1, 2, 3, 5, 6, 4}, extent(1, 6), joined(4, joining::within(2)), {1, 1, 1, 1, 1, 1});
  // Two runs side by side are of one component, around the row below: as runs they are one.
  const bytes around = {1, 9, 3, 5};
  expect_labels(around, extent(2, 2), joined(4, joining::within(4)), {1, 1, 1, 1});
  for (named_engine* each : engines_to_ask()) {
    std::vector<labelled_run> runs;
    label_runs(each->on, image_view(around.data(), extent(2, 2)), joined(4, joining::within(4)), runs);
    EXPECT_EQ(runs, (std::vector<labelled_run>{{0, 0, 2, 1}, {1, 0, 2, 1}}));
  }
}

TEST(label_joining, whole_numbers_of_64_bits_are_not_rounded) {
  constexpr std::uint64_t large = std::uint64_t{1} << 53, last = ~std::uint64_t{0};
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(), least = -most - 1;
  expect_labels<std::uint64_t>({large, large + 1, large + 1, last - 1, last}, extent(1, 5), joined(4, joining::equal()),
                               {1, 2, 2, 3, 4});
  expect_labels<std::uint64_t>({large, large + 1, large + 3, last - 1, last}, extent(1, 5),
                               joined(4, joining::within(1)), {1, 1, 2, 3, 3});
  expect_labels<std::int64_t>({least, most, least, -1, most}, extent(1, 5), joined(4, joining::within(0x1p63)),
                              {1, 2, 3, 3, 3});
  expect_labels<std::int64_t>({least, most}, extent(1, 2), joined(4, joining::within(0x1p64 - 2048)), {1, 2});
  expect_labels<std::int64_t>({least, most}, extent(1, 2), joined(4, joining::within(0x1p64)), {1, 1});
  expect_labels<std::uint64_t>({large, large + 1, last}, extent(1, 3),
                               joined(4, joining::foreground(), foreground::except(0x1p53)), {0, 1, 1});
  expect_labels<std::uint64_t>({0, 1, last}, extent(1, 3), joined(4, joining::foreground(), foreground::except(0x1p64)),
                               {1, 1, 1});
}

TEST(label_joining, a_background_can_be_any_integer_of_64_bits) {
  constexpr std::uint64_t large = std::uint64_t{1} << 53, last = ~std::uint64_t{0};
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(), least = -most - 1;
  const auto without = [](auto value) { return joined(4, joining::equal(), foreground::except(value)); };
  const std::vector<std::uint64_t> wide = {large, large + 1, large + 2, last - 1, last};
  for (std::size_t i = 0; i < wide.size(); ++i) {
    std::vector<std::uint64_t> labels;
    for (std::size_t k = 0, label = 0; k < wide.size(); ++k) labels.push_back(k == i ? 0 : ++label);
    expect_labels<std::uint64_t>(wide, extent(1, 5), without(wide[i]), labels);
  }
  expect_labels<std::int64_t>({least, least + 1, -1, most - 1, most}, extent(1, 5), without(least), {0, 1, 2, 3, 4});
  expect_labels<std::int64_t>({least, least + 1, -1, most - 1, most}, extent(1, 5), without(least + 1),
                              {1, 0, 2, 3, 4});
  expect_labels<std::int64_t>({least, least + 1, -1, most - 1, most}, extent(1, 5), without(most), {1, 2, 3, 4, 0});
  expect_labels<std::int64_t>({least, -1, most}, extent(1, 3), without(last), {1, 2, 3});
  expect_labels<std::int64_t>({-5, 5, 0}, extent(1, 3), without(-5), {0, 1, 2});
  expect_labels<std::uint8_t>({0, 255, 3}, extent(1, 3), without(most), {0 + 1, 2, 3});
  // Numbers that no double is.
  expect_labels<double>({0x1p53, 0x1p64, 1}, extent(1, 3), without(large + 1), {1, 2, 3});
  expect_labels<float>({0x1p53F, 0x1p64F, 1}, extent(1, 3), without(last), {1, 2, 3});
  expect_labels<double>({0x1p53, 0x1p64, 1}, extent(1, 3), without(large), {0, 1, 2});
}

TEST(label_joining, special_numbers) {
  expect_labels<double>({0.0, -0.0, not_a_number, not_a_number, infinity, infinity, -infinity, 1}, extent(1, 8),
                        joined(4, joining::equal(), foreground::all()), {1, 1, 0, 0, 2, 2, 3, 4});
  constexpr float beyond = std::numeric_limits<float>::infinity(), none = std::numeric_limits<float>::quiet_NaN();
  expect_labels<float>({0.0F, -0.0F, none, 0.0F, beyond, beyond, -beyond, 1}, extent(1, 8),
                       joined(4, joining::within(1e300), foreground::all()), {1, 1, 0, 2, 3, 3, 4, 5});
  expect_labels<double>({1, not_a_number, infinity, 5, -infinity}, extent(1, 5),
                        joined(4, joining::within(infinity), foreground::all()), {1, 0, 2, 2, 2});
  expect_labels<double>({-infinity, 3, infinity, not_a_number}, extent(1, 4),
                        joined(4, joining::foreground(), foreground::except(infinity)), {1, 1, 0, 0});
  expect_labels<double>({0.0, -0.0, 1}, extent(1, 3), joined(4, joining::equal(), foreground::except(-0.0)), {0, 0, 1});
}

// Rounded differences of these are the limit itself.
TEST(label_joining, differences_of_floats_are_not_rounded) {
  for (const double sign : {1.0, -1.0}) {
    expect_labels<double>({sign, -sign * 0x1p-60}, extent(1, 2), joined(4, joining::within(1)), {1, 2});
    expect_labels<double>({sign, sign * 0x1p-60}, extent(1, 2), joined(4, joining::within(1)), {1, 1});
    expect_labels<double>({sign * 0x1p-60, -sign}, extent(1, 2), joined(4, joining::within(1)), {1, 2});
    const auto one = static_cast<float>(sign);
    expect_labels<float>({one, -one * 0x1p-40F}, extent(1, 2), joined(4, joining::within(1)), {1, 2});
    expect_labels<float>({one, -one * 0x1p-40F}, extent(1, 2), joined(4, joining::within(1 + 0x1p-40)), {1, 1});
    expect_labels<float>({one, one * 0x1p-40F}, extent(1, 2), joined(4, joining::within(1)), {1, 1});
  }
  constexpr float most = std::numeric_limits<float>::max();
  expect_labels<float>({most, -most}, extent(1, 2), joined(4, joining::within(2 * double{most})), {1, 1});
  expect_labels<float>({most, -most}, extent(1, 2), joined(4, joining::within(1.9 * double{most})), {1, 2});
  expect_labels<float>({0.1F, 0.2F}, extent(1, 2), joined(4, joining::within(0.1)), {1, 2});
  expect_labels<double>({std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest()}, extent(1, 2),
                        joined(4, joining::within(std::numeric_limits<double>::max())), {1, 2});
}

TEST(label_joining, periodic_axes_wrap_around) {
  const bytes image = {1, 0, 0, 1,  //
                       0, 0, 1, 0,  //
                       0, 0, 0, 0,  //
                       0, 1, 0, 0};
  const auto of = [](int connectivity, bool y, bool x) {
    return joined(connectivity, joining::foreground(), foreground::nonzero(), {.y = y, .x = x});
  };
  const extent size(4, 4);
  expect_labels(image, size, of(4, false, true), {1, 0, 0, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 3, 0, 0});
  expect_labels(image, size, of(8, false, true), {1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0});
  expect_labels(image, size, of(8, true, false), {1, 0, 0, 2, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1, 0, 0});
  expect_labels(image, size, of(8, true, true), {1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0});
  // The corners of a volume.
  const bytes corners = {1, 0, 0, 0, 0, 0, 0, 1};
  expect_labels(corners, extent(2, 2, 2), joined(18, joining::foreground(), {}, {true, true, true}),
                {1, 0, 0, 0, 0, 0, 0, 2});
  expect_labels(corners, extent(2, 2, 2), joined(26, joining::foreground(), {}, {true, true, true}),
                {1, 0, 0, 0, 0, 0, 0, 1});
}

TEST(label_joining, coordinates_and_borders_of_periodic_images) {
  const bytes image = {0, 0, 0, 0,  //
                       1, 0, 0, 1,  //
                       0, 0, 0, 0};
  for (named_engine* each : engines_to_ask()) {
    SCOPED_TRACE(each->name);
    label_options options = joined(4, joining::foreground(), {}, {.x = true});
    feature_table table;
    const image_view view(image.data(), extent(3, 4));
    options.selection.clear_border = true;  // y has a border, x has none
    EXPECT_EQ(measure(each->on, view, options, {}, table), 1U);
    EXPECT_EQ(table.components.at(0).area, 2U);
    EXPECT_EQ(table.column("bbox-1").at(0), 0);
    EXPECT_EQ(table.column("bbox-3").at(0), 4);
    EXPECT_EQ(table.column("centroid-1").at(0), 1.5);
    options.periodic = {.y = true};
    EXPECT_EQ(count_components(each->on, view, options), 0U);
  }
}

// ---- what is refused ------------------------------------------------------------------------------------------------

void expect_refused(std::string_view start, const extent& size, const label_options& options) {
  const bytes pixels(64, 1);
  for (named_engine& each : each_engine()) try {
      count_components(each.on, image_view(pixels.data(), size), options);
      ADD_FAILURE() << start << " was accepted";
    } catch (const invalid_argument& error) {
      EXPECT_EQ(std::string_view(error.what()).substr(0, start.size()), start) << error.what();
    }
}

TEST(label_joining, what_makes_no_sense_is_refused) {
  const extent plane(8, 8);
  for (const double delta : {-1.0, -infinity, not_a_number})
    expect_refused("joining: delta", plane, joined(4, joining::within(delta)));
  expect_refused("joining: unknown", plane, joined(4, {static_cast<joining::rule>(3), 0}));
  expect_refused("foreground: unknown", plane, with_connectivity(4, {static_cast<foreground::rule>(5), 0, 0}));
  expect_refused("foreground: low is NaN", plane, with_connectivity(4, foreground::except(not_a_number)));
  expect_refused("foreground: high is more", plane, with_connectivity(4, {foreground::rule::except, 1, 2}));
  expect_refused("foreground: high is more", plane, with_connectivity(4, {foreground::rule::except, 1, not_a_number}));
  expect_refused("periodic:", plane, joined(4, joining::equal(), {}, {.z = true}));
  label_options holes = joined(4, joining::equal());
  holes.selection.fill_holes = true;
  expect_refused("selection: fill_holes needs joining", plane, holes);
  holes.joining = joining::foreground();
  holes.periodic.x = true;
  expect_refused("selection: fill_holes needs an image without periodic", plane, holes);
}

// ---- against the reference ------------------------------------------------------------------------------------------

class random_choice {
 public:
  explicit random_choice(std::uint32_t seed) : draw_(seed) {}
  std::uint32_t below(std::uint32_t count) { return draw_() % count; }
  template <class List>
  auto of(const List& list) {
    return list[below(static_cast<std::uint32_t>(std::size(list)))];
  }

 private:
  std::mt19937 draw_;
};

extent small_size(random_choice& choose) {
  const auto side = [&](std::uint32_t most) { return std::int64_t{1} + choose.below(most); };
  const bool wide = choose.below(8) == 0;
  if (choose.below(2) == 0) return {side(9), side(wide ? 140 : 12)};
  return {side(5), side(5), side(wide ? 70 : 7)};
}

// Few values, so that many neighbours are equal or near.
std::vector<double> few_values(random_choice& choose, dtype type) {
  if (choose.below(3) == 0) return edge_values(type);
  if (type == dtype::f16 || type == dtype::f32 || type == dtype::f64) return {0, 1, 1, 1.5, 2.5, 0, -1};
  if (choose.below(2) == 0) return {0, 1};
  return {0, 1, 2, 3, 5};
}

label_options random_options(random_choice& choose, const extent& size, const std::vector<double>& values) {
  const foreground rules[] = {foreground::nonzero(), foreground::nonzero(), foreground::all(),
                              foreground::except(1), foreground::above(1),  foreground::except(choose.of(values))};
  const joining joinings[] = {joining::foreground(), joining::equal(),   joining::equal(),
                              joining::within(1),    joining::within(0), joining::within(1.5),
                              joining::within(1e30), joining::within(4), joining::within(infinity)};
  label_options options = joined(choose.of(connectivities_of(size)), choose.of(joinings), choose.of(rules));
  if (std::isnan(options.foreground.low)) options.foreground = {};
  if (choose.below(2) == 0)
    options.periodic = {size.rank == 3 && choose.below(2) == 0, choose.below(2) == 0, choose.below(2) == 0};
  if (choose.below(4) == 0)
    options.selection = {.min_area = choose.below(3), .clear_border = choose.below(2) == 0, .largest = choose.below(3)};
  return options;
}

// SKERRY_TEST_SCALE=250 asks for half a million images.
TEST(label_joining, random_images) {
  const std::vector<named_engine*> engines = engines_to_ask();
  const int images = scaled(2000);
  for (int seed = 0; seed < images; ++seed) {
    random_choice choose(static_cast<std::uint32_t>(seed));
    const extent size = small_size(choose);
    const dtype type = choose.of(image_types);
    const layout arrangement = choose.below(2) == 0 ? layout::dense : choose.of(all_layouts);
    const std::vector<double> values = few_values(choose, type);
    const placed_image image(type, size, arrangement,
                             random_values(values, size, choose.below(3) == 0 ? 2 : 1, choose.below(1U << 31)));
    const question asked = {.image = image.view(),
                            .options = random_options(choose, size, values),
                            .features = {.moments = choose.below(2) == 0}};
    const reference::answer want = expected_answer(asked);
    named_engine& each = *engines[static_cast<std::size_t>(seed) % engines.size()];
    SCOPED_TRACE(each.name + ", image " + std::to_string(seed) + ", " + name_of(arrangement));
    expect_measured(each.on, asked, want);
    ASSERT_FALSE(HasFailure());
  }
}

TEST(label_joining, each_type_layout_and_way_to_ask) {
  std::uint32_t seed = 0;
  for (const dtype type : image_types)
    for (const layout arrangement : all_layouts)
      for (const extent& size : {extent(13, 75), extent(4, 5, 67)}) {
        random_choice choose(++seed);
        const std::vector<double> values = few_values(choose, type);
        const placed_image image(type, size, arrangement, random_values(values, size, 1 + seed % 3, seed));
        SCOPED_TRACE(name_of(arrangement));
        expect_joined({.image = image.view(),
                       .options = random_options(choose, size, values),
                       .features = {.moments = true},
                       .label_type = label_types[1 + seed % 3],
                       .label_layout = all_layouts[seed % std::size(all_layouts)]});
        ASSERT_FALSE(HasFailure());
      }
}

// Slices, rows and pieces of rows that repeat share runs.
TEST(label_joining, blocks) {
  std::uint32_t seed = 0;
  for (const extent& size : {extent(70, 200), extent(21, 25, 70)})
    for (const int connectivity : connectivities_of(size))
      for (const joining& how : {joining::equal(), joining::within(1)})
        for (const periodic_axes& periodic : {periodic_axes(), periodic_axes{.y = true, .x = true}}) {
          const placed_image image(dtype::u32, size, layout::dense,
                                   random_values({0, 1, 2, 3, 5, 70000}, size, 7, ++seed));
          expect_joined({.image = image.view(), .options = joined(connectivity, how, {}, periodic)});
          ASSERT_FALSE(HasFailure());
        }
}

TEST(label_joining, each_instruction_set_and_width) {
  engine& one = each_engine()[1].on;
  for (const dtype type : image_types)
    for (std::int64_t width = 1; width <= 200; width += width < 70 ? 3 : 31)
      for (const joining& how : {joining::equal(), joining::within(1)}) {
        const extent size(3, width);
        const auto seed = static_cast<std::uint32_t>(width);
        const std::vector<double> values = width % 2 == 0 ? edge_values(type) : std::vector<double>{0, 1, 2, 4};
        const placed_image image(type, size, layout::dense, random_values(values, size, 1, seed));
        const question asked = {.image = image.view(), .options = joined(8, how)};
        const reference::answer want = expected_answer(asked);
        with_each_instruction_set([&](const std::string& name) {
          SCOPED_TRACE(name);
          expect_measured(one, asked, want);
        });
        ASSERT_FALSE(HasFailure());
      }
}

// Edges of runs have 32 bits there.
TEST(label_joining, rows_wider_than_65535) {
  for (const extent& size : {extent(2, 65535), extent(2, 65536), extent(2, 2, 65599)}) {
    const placed_image image(dtype::u8, size, layout::dense, random_values({0, 1, 2, 3}, size, 1, 9));
    const label_options options =
        joined(size.rank == 2 ? 4 : 18, joining::equal(), {}, {.z = false, .y = true, .x = true});
    expect_joined({.image = image.view(), .options = options});
  }
}

TEST(label_joining, an_order_of_axes_turns_the_periodic_ones) {
  const extent size(5, 9, 14);
  for (const periodic_axes& periodic : {periodic_axes{.z = true}, periodic_axes{.y = true}, periodic_axes{.x = true}}) {
    const std::vector<double> values = random_values({0, 1, 2}, size, 1, 5);
    const placed_image rows(dtype::u16, size, layout::dense, values);
    const placed_image columns(dtype::u16, size, layout::transposed, values);
    label_options options = joined(6, joining::equal(), {}, periodic);
    options.selection.clear_border = true;
    options.order = pixel_order::as_stored;
    for (named_engine* each : engines_to_ask())
      EXPECT_EQ(count_components(each->on, columns.view(), options), count_components(each->on, rows.view(), options));
  }
}

TEST(label_joining, images_without_pixels) {
  for (const extent& size : {extent(0, 4), extent(4, 0), extent(2, 0, 3)})
    expect_joined({.image = image_view(nullptr, dtype::u8, size),
                   .options = joined(size.rank == 2 ? 4 : 6, joining::equal(), {}, {.y = true, .x = true})});
}

}  // namespace
}  // namespace skerry::test
