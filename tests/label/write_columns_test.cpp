// SPDX-License-Identifier: Apache-2.0
// Several columns that are written together: those that are asked for one by one, and of geometry those of its definition.
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <random>
#include <set>

#include "core/feature.hpp"
#include "label/measured.hpp"
#include "skerry/error.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

using integers = std::vector<std::uint64_t>;

// Rows of boxes that are full, and rows without pixels.
feature_table random_table(int rank, std::size_t rows) {
  std::mt19937_64 random(rows);
  feature_table table;
  table.rank = rank;
  table.has_moments = table.has_intensities = true;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto below = [&](std::uint64_t limit) { return static_cast<std::int64_t>(random() % limit); };
    placed_run box = {rank == 3 ? below(500) : 0, rank == 1 ? 0 : below(1U << 30), 0, below(1U << 30), 0};
    box.bottom = box.top + (rank == 1 ? 1 : 1 + below(1000));
    box.end = box.begin + 1 + below(1000);
    const bool has_pixels = random() % 8 != 0;
    const geometry of_box = has_pixels ? geometry_of(box) : geometry{.min = {0, 0, 0}, .max = {-1, -1, -1}};
    table.components.push_back(of_box);
    table.moments.push_back(has_pixels ? second_moments_of(box) : second_moments());
    table.intensities.push_back({-1.5, 2, {3 * of_box.area, 0}, {10 * of_box.area, 0}});
  }
  return table;
}

// Areas, boxes and sums of any value.
feature_table random_geometry(int rank, std::size_t rows) {
  std::mt19937_64 random(rows);
  feature_table table;
  table.rank = rank;
  for (std::size_t row = 0; row < rows; ++row) {
    geometry g;
    g.area = random() % 8 == 0 ? 0 : random() % (std::uint64_t{1} << (1 + random() % 40));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      g.sum[axis] = random() >> (random() % 64);
      g.min[axis] = static_cast<std::int32_t>(random() >> 33);
      g.max[axis] = static_cast<std::int32_t>(random() >> 33);
    }
    table.components.push_back(g);
  }
  return table;
}

// Bits, since NaN is a number here, too.
integers bits_of(const std::vector<double>& numbers) {
  integers bits;
  for (const double number : numbers) bits.push_back(std::bit_cast<std::uint64_t>(number));
  return bits;
}

// Memory for columns, `askew` values behind the beginning of a cache line.
class columns_together {
 public:
  columns_together(std::size_t rows, std::size_t askew) : rows_(rows), askew_(askew) {}

  void add(const std::string& name, bool as_integers) {
    const std::string& kept = *names_.insert(name).first;
    if (as_integers) wanted_.push_back({kept, nullptr, begin_of(integers_[name].emplace(values()))});
    else wanted_.push_back({kept, begin_of(numbers_[name].emplace(values()))});
  }
  [[nodiscard]] const std::vector<column_place>& places() const { return wanted_; }
  [[nodiscard]] std::vector<double> numbers(const std::string& name) { return written(*numbers_.at(name)); }
  [[nodiscard]] integers of_integers(const std::string& name) { return written(*integers_.at(name)); }

 private:
  static constexpr std::size_t values_of_line = 8;

  [[nodiscard]] std::size_t values() const { return rows_ + askew_ + values_of_line; }
  template <class Value>
  [[nodiscard]] Value* begin_of(std::vector<Value>& memory) const {
    const std::size_t to_line = (0 - reinterpret_cast<std::uintptr_t>(memory.data()) / sizeof(Value)) % values_of_line;
    return memory.data() + to_line + askew_;
  }
  template <class Value>
  [[nodiscard]] std::vector<Value> written(std::vector<Value>& memory) const {
    return {begin_of(memory), begin_of(memory) + rows_};
  }

  std::size_t rows_, askew_;
  std::set<std::string> names_;  // places refer to them
  std::vector<column_place> wanted_;
  std::map<std::string, std::optional<std::vector<double>>> numbers_;
  std::map<std::string, std::optional<integers>> integers_;
};

void expect_all_together(engine& on, const feature_table& table, const std::optional<pixel_spacing>& spacing) {
  const std::vector<std::string> names = spacing ? table.column_names(*spacing) : table.column_names();
  columns_together all(table.size(), table.size() % 3);
  for (const std::string& name : names) {
    all.add(name, false);
    if (feature_table::is_integer_column(name)) all.add(name, true);
  }
  table.write_columns(on, all.places(), spacing);
  for (const std::string& name : names) {
    EXPECT_EQ(bits_of(all.numbers(name)), bits_of(spacing ? table.column(name, *spacing) : table.column(name))) << name;
    if (!feature_table::is_integer_column(name)) continue;
    EXPECT_EQ(all.of_integers(name), table.integer_column(name)) << name;
  }
}

TEST(write_columns, all_together_are_each_alone) {
  for (named_engine& each : each_engine())
    for (const int rank : {1, 2, 3})
      for (const std::size_t rows : {0, 1, 7, 8, 63, 64, 65, 129, 1000}) {
        SCOPED_TRACE(each.name + ", rank " + std::to_string(rank) + ", " + std::to_string(rows) + " rows");
        const feature_table table = random_table(rank, rows);
        expect_all_together(each.on, table, std::nullopt);
        expect_all_together(each.on, table, pixel_spacing{2, 0.3, 0.7, "um"});
      }
}

TEST(write_columns, of_many_rows_on_several_threads) {
  for (const std::size_t rows : {32767, 32768, 32769, 100000}) {
    const feature_table table = random_table(2, rows);
    for (const int threads : {1, 2, 5}) {
      engine on = engine::cpu(threads);
      expect_all_together(on, table, pixel_spacing{1, 0.3, 0.7, ""});
    }
  }
}

TEST(write_columns, geometry_is_that_of_its_definition) {
  with_each_instruction_set([](const std::string& set) {
    for (const int rank : {1, 2, 3}) {
      const feature_table table = random_geometry(rank, 203);
      for (int axis = 0; axis < rank; ++axis) {
        SCOPED_TRACE(set + ", axis " + std::to_string(axis) + " of " + std::to_string(rank));
        const auto place = static_cast<std::size_t>(3 - rank + axis);
        integers least, beyond, sums, areas;
        std::vector<double> centroids;
        for (const geometry& g : table.components) {
          least.push_back(static_cast<std::uint64_t>(g.min[place]));
          beyond.push_back(static_cast<std::uint64_t>(g.max[place]) + 1);
          sums.push_back(g.sum[place]);
          areas.push_back(g.area);
          centroids.push_back(static_cast<double>(g.sum[place]) / static_cast<double>(g.area));
        }
        EXPECT_EQ(table.integer_column("bbox-" + std::to_string(axis)), least);
        EXPECT_EQ(table.integer_column("bbox-" + std::to_string(axis + rank)), beyond);
        EXPECT_EQ(table.integer_column("coordinate_sum-" + std::to_string(axis)), sums);
        EXPECT_EQ(table.integer_column("area"), areas);
        EXPECT_EQ(table.column("area"), std::vector<double>(areas.begin(), areas.end()));
        EXPECT_EQ(bits_of(table.column("centroid-" + std::to_string(axis))), bits_of(centroids));
      }
    }
  });
}

TEST(write_columns, refuses_before_anything_is_written) {
  engine on = engine::cpu(1);
  const feature_table table = random_table(2, 3);
  double numbers[3] = {-1, -1, -1}, others[3];
  std::uint64_t whole[3];
  const auto expect_refusal = [&](const column_place& place, const std::optional<pixel_spacing>& spacing = {}) {
    const column_place both[] = {{"area", numbers}, place};
    EXPECT_THROW(table.write_columns(on, both, spacing), invalid_argument) << place.name;
    EXPECT_EQ(numbers[0], -1) << place.name;
  };
  expect_refusal({"nonsense", others});
  expect_refusal({"area_um2", others});
  expect_refusal({"centroid-0", nullptr, whole});
  expect_refusal({"bbox-0"});
  expect_refusal({"bbox-0", others, whole});
  expect_refusal({"bbox-0", others}, pixel_spacing{1, 0, 1, ""});
  const column_place twice[] = {{"area", numbers}, {"area", others}, {"area", nullptr, whole}};
  table.write_columns(on, twice);
  for (std::size_t row = 0; row < 3; ++row) {
    EXPECT_EQ(numbers[row], others[row]);
    EXPECT_EQ(numbers[row], static_cast<double>(whole[row]));
  }
}

TEST(write_columns, regions_have_labels_and_channels) {
  const std::int16_t labels[4] = {-3, 5, 5, 300};
  const float first[4] = {1, 2, 3, 4};
  const std::uint8_t second[4] = {9, 8, 7, 6};
  engine on = engine::cpu(1);
  region_request asked;
  asked.labels = image_view(labels, extent(2, 2));
  asked.background = background::none();
  asked.channels = {image_view(first, extent(2, 2)), image_view(second, extent(2, 2))};
  region_table table;
  ASSERT_EQ(measure_regions(on, asked, table), 3U);
  columns_together all(3, 1);
  for (const std::string& name : table.column_names()) all.add(name, false);
  all.add("label", true);
  all.add("area", true);
  table.write_columns(on, all.places());
  for (const std::string& name : table.column_names())
    EXPECT_EQ(bits_of(all.numbers(name)), bits_of(table.column(name))) << name;
  EXPECT_EQ(all.numbers("label"), (std::vector<double>{-3, 5, 300}));
  EXPECT_EQ(all.numbers("intensity_max-1"), (std::vector<double>{9, 8, 6}));
  EXPECT_EQ(all.of_integers("label"), table.labels);
  EXPECT_EQ(all.of_integers("area"), (integers{1, 2, 1}));
  std::uint64_t whole[3];
  const column_place of_reals[] = {{"intensity_max-1", nullptr, whole}};
  EXPECT_THROW(table.write_columns(on, of_reals), invalid_argument);
}

}  // namespace
}  // namespace skerry::test
