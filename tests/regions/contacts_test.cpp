// SPDX-License-Identifier: Apache-2.0
// Contacts of regions: every engine against the reference, and the reference against tables written by hand.
#include "skerry/contacts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "core/portable.hpp"
#include "regions/given.hpp"
#include "skerry/error.hpp"
#include "support/compare.hpp"
#include "support/engines.hpp"
#include "support/placed_image.hpp"
#include "support/values.hpp"

namespace skerry {

// What GoogleTest prints of rows that differ.
void PrintTo(const contact& row, std::ostream* to) {
  *to << row.first << " and " << row.second << ": faces " << row.faces.z << ' ' << row.faces.y << ' ' << row.faces.x
      << ", edges " << row.edges << ", corners " << row.corners;
}

}  // namespace skerry

namespace skerry::test {
namespace {

contact_table contacts_on(engine& on, const contact_request& asked) {
  contact_table table;
  const std::uint64_t count = contacts(on, asked, table);
  EXPECT_EQ(count, table.contacts.size());
  return table;
}

// The reference's answer, which is that of all engines, with a table that has been used before.
contact_table expect_contacts_everywhere(const contact_request& asked) {
  contact_table want = contacts_on(each_engine().front().on, asked);
  static contact_table got;
  ask_each_engine([&](engine& on) {
    EXPECT_EQ(contacts(on, asked, got), want.contacts.size());
    EXPECT_EQ(got.contacts, want.contacts);
    EXPECT_EQ(got.surfaces, want.surfaces);
    EXPECT_EQ(got.signed_labels, want.signed_labels);
  });
  return want;
}

TEST(contacts, of_a_small_image_by_hand) {
  const std::vector<u16> labels = {9, 9, 2,  //
                                   9, 0, 2,  //
                                   5, 2, 2};
  contact_request asked{.labels = image_view(labels.data(), {3, 3}), .connectivity = 4, .surfaces = true};
  contact_table table = expect_contacts_everywhere(asked);
  EXPECT_EQ(table.contacts, (std::vector<contact>{{2, 5, {0, 0, 1}}, {2, 9, {0, 0, 1}}, {5, 9, {0, 1, 0}}}));
  EXPECT_EQ(table.surfaces, (std::vector<region_surface>{{2, {0, 0, 2}, {0, 1, 1}, {0, 3, 3}},
                                                         {5, {0, 1, 1}, {}, {0, 1, 1}},
                                                         {9, {0, 1, 1}, {0, 1, 1}, {0, 2, 2}}}));
  EXPECT_EQ(table.surfaces[0].all(), (face_counts{0, 4, 6}));
  asked.connectivity = 8;
  asked.surfaces = false;
  table = expect_contacts_everywhere(asked);
  EXPECT_EQ(table.contacts, (std::vector<contact>{{2, 5, {0, 0, 1}}, {2, 9, {0, 0, 1}, 2}, {5, 9, {0, 1, 0}}}));
  EXPECT_TRUE(table.surfaces.empty());
}

TEST(contacts, across_a_corner_and_an_edge_of_a_volume) {
  const std::vector<u8> labels = {1, 0, 0, 0,  //
                                  0, 3, 0, 2};
  contact_request asked{.labels = image_view(labels.data(), {2, 2, 2}), .connectivity = 26};
  EXPECT_EQ(expect_contacts_everywhere(asked).contacts,
            (std::vector<contact>{{1, 2, {}, 0, 1}, {1, 3, {}, 1, 0}, {2, 3, {0, 1, 0}}}));
  asked.connectivity = 18;
  EXPECT_EQ(expect_contacts_everywhere(asked).contacts, (std::vector<contact>{{1, 3, {}, 1, 0}, {2, 3, {0, 1, 0}}}));
  asked.connectivity = 6;
  EXPECT_EQ(expect_contacts_everywhere(asked).contacts, (std::vector<contact>{{2, 3, {0, 1, 0}}}));
}

TEST(contacts, come_in_the_order_of_labels_with_signs) {
  const std::vector<i64> labels = {1, -2, INT64_MIN, INT64_MAX};
  contact_request asked{.labels = image_view(labels.data(), {1, 4}), .connectivity = 4};
  asked.background = background::none();
  const contact_table table = expect_contacts_everywhere(asked);
  ASSERT_EQ(table.contacts.size(), 3u);
  EXPECT_TRUE(table.signed_labels);
  const auto number = [](label_bits label) { return static_cast<i64>(label); };
  EXPECT_EQ(number(table.contacts[0].first), INT64_MIN);
  EXPECT_EQ(number(table.contacts[0].second), -2);
  EXPECT_EQ(number(table.contacts[1].second), INT64_MAX);
  EXPECT_EQ(number(table.contacts[2].first), -2);
  EXPECT_EQ(number(table.contacts[2].second), 1);
}

TEST(contacts, of_every_type_layout_and_size) {
  std::uint32_t seed = 0;
  for (const dtype type : given_types)
    for (const layout arrangement : all_layouts)
      for (const extent& size : {extent(9, 150), extent(5, 4, 6), extent(1, 1), extent(130, 1), extent(1, 70),
                                 extent(2, 1, 65), extent(1, 3, 4), extent(0, 5), extent(5, 0), extent(2, 0, 3)}) {
        ++seed;
        SCOPED_TRACE(std::string(name_of(type)) + ", " + name_of(arrangement) + ", " + std::to_string(seed));
        std::vector<double> choices = edge_values(type);
        if (seed % 2 == 0 && type != dtype::boolean) choices = {0, 1, 2, 3};
        const placed_image labels(type, size, arrangement, random_values(choices, size, 1 + seed % 4, seed));
        contact_request asked{.labels = labels.view(), .surfaces = seed % 4 != 0};
        if (seed % 3 != 0) asked.background = seed % 3 == 1 ? background::none() : background::equal_to(1);
        for (const int connectivity : connectivities_of(size)) {
          asked.connectivity = connectivity;
          expect_contacts_everywhere(asked);
        }
        ASSERT_FALSE(HasFailure());
      }
}

TEST(contacts, of_many_labels) {
  std::mt19937_64 random(7);
  for (const extent& size : {extent(60, 70), extent(9, 20, 24)}) {
    std::vector<u64> labels(static_cast<std::size_t>(size.pixels()));
    for (u64& label : labels) label = random() % 3 == 0 ? random() : random() % 400;
    contact_request asked{.labels = image_view(labels.data(), size), .surfaces = true};
    for (const int connectivity : connectivities_of(size)) {
      asked.connectivity = connectivity;
      EXPECT_GT(expect_contacts_everywhere(asked).contacts.size(), 5000u);
    }
  }
}

// Every face is between two regions, or at the background or the outside, and is counted from either side.
TEST(contacts, have_the_faces_that_surfaces_have) {
  const extent size(7, 30, 40);
  const placed_image labels(dtype::i32, size, layout::dense, random_values({0, 1, 2, 3, 4, 5}, size, 2, 5));
  const contact_table table =
      expect_contacts_everywhere({.labels = labels.view(), .connectivity = 6, .surfaces = true});
  std::uint64_t of_pairs = 0, of_regions = 0;
  for (const contact& row : table.contacts) of_pairs += row.faces.z + row.faces.y + row.faces.x;
  for (const region_surface& row : table.surfaces) of_regions += row.to_regions.z + row.to_regions.y + row.to_regions.x;
  EXPECT_EQ(2 * of_pairs, of_regions);
}

TEST(contacts, have_areas_in_units_of_the_spacing) {
  const face_counts faces{1, 10, 100};
  EXPECT_EQ(area_of(faces, 3), 111);
  EXPECT_EQ(area_of(faces, 3, {2, 3, 5, "um"}), 15 + 100 + 600);
  EXPECT_EQ(area_of({0, 10, 100}, 2, {7, 3, 5, ""}), 50 + 300);
}

std::string refusal(engine& on, const contact_request& asked) {
  contact_table table;
  try {
    contacts(on, asked, table);
  } catch (const invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(contacts, areas_need_lengths) {
  for (const double side :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(static_cast<void>(area_of({1, 1, 1}, 3, {1, side, 1, {}})), invalid_argument) << side;
  EXPECT_EQ(area_of({0, 1, 1}, 2, {-1, 2, 3, {}}), 5);  // an image of rank 2 has no z
}

TEST(contacts, refuse_what_they_cannot_do) {
  const std::vector<float> pixels(8);
  ask_each_engine([&](engine& on) {
    EXPECT_EQ(refusal(on, {.labels = image_view(pixels.data(), {2, 4}), .connectivity = 4}),
              "labels: dtype is float32; give integers of 8 to 64 bits or bool");
    EXPECT_EQ(refusal(on, {.labels = image_view(pixels.data(), dtype::u8, {2, 4}), .connectivity = 6}),
              "connectivity: 6 is not 4 or 8 (image of rank 2)");
    EXPECT_EQ(refusal(on, {.labels = image_view(pixels.data(), dtype::u8, {1, 2, 4})}),
              "connectivity: 0 is not 6, 18 or 26 (image of rank 3); it has no default");
    EXPECT_EQ(refusal(on, {.labels = image_view(nullptr, dtype::u8, {2, 4}), .connectivity = 4}),
              "labels: data is null for 2 x 4 pixels");
  });
}

}  // namespace
}  // namespace skerry::test
