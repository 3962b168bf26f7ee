// SPDX-License-Identifier: Apache-2.0
// Ids from links that were counted elsewhere: runs are asked for only where they are needed, and ids are those of all runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "film.hpp"
#include "support/engines.hpp"
#include "track/inherit.hpp"
#include "track/packed_runs.hpp"

namespace skerry::test {
namespace {

using namespace track_steps;

struct analysed_frame {
  feature_table table;
  std::vector<labelled_run> runs;
};

analysed_frame analyse(const mask& frame, int connectivity) {
  static engine on = engine::cpu(1);
  analysed_frame found;
  label_options how;
  how.connectivity = connectivity;
  label(on, {frame.view(), how}, {.runs = &found.runs, .table = &found.table});
  return found;
}

// Gives those that reach into the box, and no others.
class asked_runs {
 public:
  asked_runs(const std::vector<labelled_run>& all, const extent& size, std::size_t& given)
      : all_(all), size_(size), given_(given) {}

  void operator()(const pixel_box& box, std::vector<labelled_run>& runs) const {
    runs.clear();
    for (const labelled_run& run : all_) {
      const auto z = static_cast<std::int32_t>(run.row / size_.height),
                 y = static_cast<std::int32_t>(run.row % size_.height);
      if (box.meets({{z, y, run.begin}, {z, y, run.end - 1}})) runs.push_back(run);
    }
    given_ += runs.size();
  }

 private:
  const std::vector<labelled_run>& all_;
  extent size_;
  std::size_t& given_;
};

TEST(track_asked_runs, ids_are_those_of_all_runs) {
  const extent sizes[] = {extent(30, 50), extent(33, 65), extent(6, 8, 10)};
  std::size_t given = 0, all = 0, remembered = 0;
  for (int i = 0; i < scaled(200); ++i) {
    std::mt19937 draw(static_cast<std::uint32_t>(i));
    const extent size = sizes[draw() % 3];
    const std::vector<mask> frames = random_film(size, draw, 12);
    const track_options options = random_options(frames[0], draw);
    inheritance by_runs(options.inherit), by_links(options.inherit);
    analysed_frame before;
    for (std::uint64_t frame = 0; frame < frames.size(); ++frame) {
      analysed_frame now = analyse(frames[frame], options.connectivity);
      table_rows<tracked_object> want, got;
      table_rows<track_event> want_events, got_events;
      std::vector<labelled_run> runs = now.runs;
      by_runs.step(frame, runs, now.table.components, want, want_events);
      const asked_runs runs_now(now.runs, size, given), runs_before(before.runs, size, given);
      if (draw() % 4 == 0) {  // as a frame that did not fit
        runs = now.runs;
        by_links.step(frame, runs, now.table.components, got, got_events, runs_before);
      } else {
        link_table links;
        add_overlaps(now.runs, before.runs, links);
        std::shuffle(links.links().begin(), links.links().end(), draw);
        by_links.step(frame, links.links(), now.table.components, got, got_events, runs_now, runs_before);
      }
      ASSERT_EQ(got, want) << "film " << i << ", frame " << frame;
      ASSERT_EQ(got_events, want_events) << "film " << i << ", frame " << frame;
      for (const track_event& each : want_events) remembered += each.kind == track_event_kind::reappearance ? 1U : 0U;
      all += now.runs.size();
      before = std::move(now);
    }
  }
  EXPECT_GT(remembered, 0U);  // or nothing is asked for
  EXPECT_LT(given, all);      // each frame's runs may be asked for twice, and mostly are not
}

TEST(track_asked_runs, runs_of_packed_labels) {
  for (const extent size : {extent(9, 31), extent(8, 32), extent(7, 33), extent(5, 200), extent(3, 4, 70)})
    for (int i = 0; i < scaled(40); ++i) {
      std::mt19937 draw(static_cast<std::uint32_t>(i));
      const mask image = random_mask(size, 1 + i % 3, 10 + i * 2 % 90, draw());
      const std::vector<labelled_run> want = analyse(image, size.rank == 2 ? 8 : 26).runs;
      const auto words_of_row = static_cast<std::size_t>((size.width + 31) / 32);
      const std::size_t words = words_of_row * static_cast<std::size_t>(size.rows());
      std::vector<std::uint32_t> bits(words), labels(16 * words, 0xcdcdcdcd), stretches(words);
      std::uint32_t most = 0;
      for (const labelled_run& run : want)
        for (std::int32_t x = run.begin; x < run.end; ++x) {
          const std::size_t word = static_cast<std::size_t>(run.row) * words_of_row + static_cast<std::size_t>(x) / 32;
          if (x == run.begin || x % 32 == 0)
            labels[stretches[word]++ * words + word] = static_cast<std::uint32_t>(run.label);
          bits[word] |= 1U << x % 32;
          most = std::max(most, stretches[word]);
        }
      std::vector<labelled_run> got = {{1, 2, 3, 4}};
      const packed_image whole{0, size.rows(), static_cast<std::int64_t>(words_of_row), bits.data(), labels.data()};
      whole.list_runs(got);
      EXPECT_EQ(got, want);
      EXPECT_EQ(whole.most_stretches(), most);
    }
}

}  // namespace
}  // namespace skerry::test
