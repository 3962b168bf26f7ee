// SPDX-License-Identifier: Apache-2.0
// Every event, every tie and every option of inheritance, in films that a reader can check; with 4-connectivity.
#include <gtest/gtest.h>

#include "film.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

using score = inherit_options::score;

TEST(track_inherit, objects_are_born_go_on_and_die) {
  expect_story(R"(
    ##...  .##..  ..##.  .....
    ##...  .##..  ..##.  ....#
    .....  .....  .....  .....)",
               {}, "1: birth 1 | 1 | 1 | 2: birth 2, death 1");
}

TEST(track_inherit, new_ids_are_counted_in_label_order) {
  expect_story(
      R"(
    #.#.#  #.#.#  .....  #....
    .....  ..#..  .....  .....
    #.#..  #...#  .....  ....#)",
      {},
      "1 2 3 4 5: birth 1, birth 2, birth 3, birth 4, birth 5 | 1 2 3 4 6: birth 6, death 5 | : death 1, death 2, "
      "death 3, death 4, death 6 | 7 8: birth 7, birth 8");
}

TEST(track_inherit, the_larger_part_of_a_split_keeps_the_id) {
  expect_story(R"(
    ######  #.####
    ######  #.####)",
               {}, "1: birth 1 | 2 1: split 2 of 1");
}

TEST(track_inherit, of_equal_overlaps_the_larger_component_is_chosen) {
  // Both parts share four pixels with what was there; the right one has more pixels in all.
  expect_story(R"(
    ......  .....#
    ##.##.  ##.###
    ##.##.  ##.##.
    #####.  ......)",
               {}, "1: birth 1 | 1 2: split 2 of 1");
  expect_story(R"(
    #####  ##.##
    #####  ##.##
    .....  ...##)",
               {}, "1: birth 1 | 2 1: split 2 of 1");
}

TEST(track_inherit, of_equal_overlaps_and_areas_the_first_component_is_chosen) {
  expect_story(R"(
    #####  ##.##
    #####  ##.##)",
               {}, "1: birth 1 | 1 2: split 2 of 1");
}

TEST(track_inherit, the_larger_overlap_survives_a_merge) {
  expect_story(R"(
    #.####  ######
    #.####  ######)",
               {}, "1 2: birth 1, birth 2 | 2: merge 1 into 2");
}

TEST(track_inherit, of_equal_overlaps_the_older_id_survives_a_merge) {
  expect_story(R"(
    ##.##  #####
    ##.##  #####)",
               {}, "1 2: birth 1, birth 2 | 1: merge 2 into 1");
  // The older one is the second in the image.
  expect_story(R"(
    .....  ##...  #####
    ...##  ##.##  #####
    ...##  ...##  .....)",
               {}, "1: birth 1 | 2 1: birth 2 | 2: merge 1 into 2");
  expect_story(R"(
    .....  ##...  ####.
    ...##  ##.##  #####
    ...##  ...##  ....#)",
               {}, "1: birth 1 | 2 1: birth 2 | 2: merge 1 into 2");
  expect_story(R"(
    .....  .##..  .##..
    ...##  .#.##  .####
    ...##  ...##  ....#)",
               {}, "1: birth 1 | 2 1: birth 2 | 1: merge 2 into 1");
}

TEST(track_inherit, three_merge_and_split_in_one_frame) {
  // 1 and 2 merge while 3 splits in three.
  expect_story(R"(
    #.#....  ###....
    .......  .......
    #######  ##.#.##)",
               {}, "1 2 3: birth 1, birth 2, birth 3 | 1 3 4 5: split 4 of 3, split 5 of 3, merge 2 into 1");
}

TEST(track_inherit, an_id_that_is_not_kept_has_merged_and_its_other_parts_have_split) {
  // 2 chooses the large component, which keeps 1; what is left of 2 on the right is new.
  expect_story(R"(
    ####.......  ##########.
    ####.......  ##########.
    ...........  ...........
    .....######  .....####.#)",
               {}, "1 2: birth 1, birth 2 | 1 2 3: split 3 of 2");
  expect_story(R"(
    #####......  #########..
    #####......  #####......
    .....####.#  .........##)",
               {}, "1 2 3: birth 1, birth 2, birth 3 | 1 3: death 2");
  expect_story(R"(
    #####......  ########...
    #####.####.  ########.#.)",
               {}, "1 2: birth 1, birth 2 | 1 3: split 3 of 2, merge 2 into 1");
}

TEST(track_inherit, the_parent_of_a_split_is_the_id_with_the_best_link) {
  // The new object on the right shares one pixel with 1 and two with 2; both have chosen others.
  expect_story(R"(
    ####....  ##......
    ........  ...#....
    ...#....  ...#....
    ...#####  ...#.###)",
               {}, "1 2: birth 1, birth 2 | 1 3 2: split 3 of 2");
  expect_story(R"(
    ####...  ##.#...
    .......  ...#...
    ...####  ...#.##)",
               {}, "1 2: birth 1, birth 2 | 1 3 2: split 3 of 1");
}

TEST(track_inherit, objects_that_follow_each_other_do_not_exchange_ids) {
  expect_story(R"(
    ###.###...  .###.###..  ..###.###.
    ###.###...  .###.###..  ..###.###.)",
               {}, "1 2: birth 1, birth 2 | 1 2 | 1 2");
}

TEST(track_inherit, an_object_that_jumps_is_another) {
  expect_story(R"(
    ##....  ....##  ##....)",
               {}, "1: birth 1 | 2: birth 2, death 1 | 3: birth 3, death 2");
}

TEST(track_inherit, scores_of_the_union_prefer_a_good_fit_to_a_large_overlap) {
  constexpr const char* frames = R"(
    ######  ####..
    ######  ####..
    ######  ......
    ######  ######
    ######  ######
    ......  ######
    ......  ######
    ......  ######
    ......  ######)";
  expect_story(frames, {.by = score::overlap}, "1: birth 1 | 2 1: split 2 of 1");
  expect_story(frames, {.by = score::iou}, "1: birth 1 | 1 2: split 2 of 1");
}

TEST(track_inherit, scores_of_the_union_decide_who_survives) {
  // 1 shares 3 of 14 pixels with the new component, 2 shares 2 of 4.
  constexpr const char* frames = R"(
    ###.##  .####.
    ###...  ......
    ###...  ......
    ####..  ......)";
  expect_story(frames, {.by = score::overlap}, "1 2: birth 1, birth 2 | 1: merge 2 into 1");
  constexpr const char* other = R"(
    ####.##  .######
    ####...  .......
    ####...  .......
    ####...  .......)";
  expect_story(other, {.by = score::overlap}, "1 2: birth 1, birth 2 | 1: merge 2 into 1");
  expect_story(other, {.by = score::iou}, "1 2: birth 1, birth 2 | 2: merge 1 into 2");
}

TEST(track_inherit, weak_links_are_none) {
  constexpr const char* frames = R"(
    ####..  ..####
    ####..  ..####)";
  expect_story(frames, {.least_overlap = 4}, "1: birth 1 | 1");
  expect_story(frames, {.least_overlap = 5}, "1: birth 1 | 2: birth 2, death 1");
  expect_story(frames, {.least_share = 0.5}, "1: birth 1 | 1");
  expect_story(frames, {.least_share = 0.51}, "1: birth 1 | 2: birth 2, death 1");
  expect_story(frames, {.by = score::iou, .least_share = 0.3333}, "1: birth 1 | 1");
  expect_story(frames, {.by = score::iou, .least_share = 0.3334}, "1: birth 1 | 2: birth 2, death 1");
}

TEST(track_inherit, a_weak_link_makes_no_parent) {
  expect_story(R"(
    ######  ####.#
    ######  ####..)",
               {.least_overlap = 2}, "1: birth 1 | 1 2: birth 2");
}

TEST(track_inherit, lost_ids_are_kept_alive) {
  constexpr const char* frames = R"(
    ##..  ....  ....  ##..
    ##..  ....  ....  .#..)";
  expect_story(frames, {}, "1: birth 1 | : death 1 |  | 2: birth 2");
  expect_story(frames, {.keep_alive = 1}, "1: birth 1 |  | : death 1 | 2: birth 2");
  expect_story(frames, {.keep_alive = 2}, "1: birth 1 |  |  | 1: reappearance 1");
  expect_story(frames, {.keep_alive = 3}, "1: birth 1 |  |  | 1: reappearance 1");
}

TEST(track_inherit, an_id_that_reappears_goes_on_as_before) {
  expect_story(R"(
    ##..  ....  ##..  .##.  ....  ....)",
               {.keep_alive = 1}, "1: birth 1 |  | 1: reappearance 1 | 1 |  | : death 1");
}

TEST(track_inherit, ids_that_are_seen_come_before_remembered_ones) {
  // 2 comes over the place where 1 was last; 1 gets the next component there that has no id.
  expect_story(R"(
    ##.....  .....##  ..####.  ##.###.
    ##...##  .....##  ..####.  ##.###.)",
               {.keep_alive = 5}, "1 2: birth 1, birth 2 | 2 | 2 | 1 2: reappearance 1");
  expect_story(R"(
    ##....  ......  ......
    ......  ..##..  .###..
    ##....  ..##..  .###..)",
               {.keep_alive = 5}, "1 2: birth 1, birth 2 | 3: birth 3 | 3");
}

TEST(track_inherit, the_best_of_several_remembered_ids_reappears) {
  expect_story(R"(
    #.###  .....  #####  .....  .....  .....  .....)",
               {.keep_alive = 3}, "1 2: birth 1, birth 2 |  | 2: reappearance 2 |  | : death 1 |  | : death 2");
}

TEST(track_inherit, merged_ids_are_remembered) {
  constexpr const char* frames = R"(
    ##.###  ######  ######  ##.###
    ##.###  ######  ######  ##.###)";
  expect_story(frames, {}, "1 2: birth 1, birth 2 | 2: merge 1 into 2 | 2 | 3 2: split 3 of 2");
  expect_story(frames, {.memory = 1}, "1 2: birth 1, birth 2 | 2: merge 1 into 2 | 2 | 3 2: split 3 of 2");
  expect_story(frames, {.memory = 2}, "1 2: birth 1, birth 2 | 2: merge 1 into 2 | 2 | 1 2: reappearance 1 of 2");
  expect_story(frames, {.keep_alive = 9}, "1 2: birth 1, birth 2 | 2: merge 1 into 2 | 2 | 3 2: split 3 of 2");
}

TEST(track_inherit, merged_ids_are_forgotten_without_a_word) {
  expect_story(R"(
    ##.###  ######  ######  ######  ......)",
               {.memory = 2}, "1 2: birth 1, birth 2 | 2: merge 1 into 2 | 2 | 2 | : death 2");
}

TEST(track_inherit, ids_begin_where_the_caller_says_and_end_in_an_error) {
  constexpr std::uint32_t last = 0xffffffff;
  expect_story(
      R"(
    #....  #.#..  #.#.#  #.#..  #.#..)",
      {.first_id = last - 1},
      "4294967294: birth 4294967294 | 4294967294 4294967295: birth 4294967295 | error first_id: ids are used up | "
      "4294967294 4294967295 | 4294967294 4294967295");
}

TEST(track_inherit, volumes_have_ids_too) {
  const std::vector<mask> frames = {picture(R"(
    ##.
    ...
    ---
    ...
    ..#)"),
                                    picture(R"(
    ...
    ...
    ---
    ##.
    ..#)"),
                                    picture(R"(
    ##.
    ...
    ---
    ##.
    ..#)")};
  for (named_engine& each : each_engine())
    EXPECT_EQ(text_of(track(each.on, options_for(frames[0], 6), frames)),
              "1 2: birth 1, birth 2 | 3 2: birth 3, death 1 | 3 2")
        << each.name;
}

TEST(track_inherit, ties_of_remembered_ids) {
  // An id chooses the larger component.
  expect_story(R"(
    ####..  ......  #..###
    ####..  ......  #..###)",
               {.keep_alive = 2}, "1: birth 1 |  | 2 1: birth 2, reappearance 1");
  // Of equal ones the first.
  expect_story(R"(
    #####  .....  ##.##
    #####  .....  ##.##)",
               {.keep_alive = 2}, "1: birth 1 |  | 1 2: reappearance 1, birth 2");
  // A component keeps the older id.
  expect_story(R"(
    ##.##  .....  #####  .....
    ##.##  .....  #####  .....)",
               {.keep_alive = 1}, "1 2: birth 1, birth 2 |  | 1: reappearance 1, death 2 | ");
  expect_story(R"(
    ...##  ##.##  .....  #####
    ...##  ##.##  .....  #####)",
               {.keep_alive = 3}, "1: birth 1 | 2 1: birth 2 |  | 1: reappearance 1");
}

}  // namespace
}  // namespace skerry::test
