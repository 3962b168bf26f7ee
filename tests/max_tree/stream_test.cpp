// SPDX-License-Identifier: Apache-2.0
// Streams of trees: every frame is filtered as it would be alone, with the threshold of the moment.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "skerry/error.hpp"
#include "skerry/tree_stream.hpp"
#include "support/allocations.hpp"
#include "support/grey.hpp"

namespace skerry::test {
namespace {

using by = frame_filter::kind;

tree_stream_options options_of(const extent& size, dtype type) {
  tree_stream_options options;
  options.size = size;
  options.type = type;
  options.tree.connectivity = size.rank == 2 ? 8 : 6;
  options.attributes.levels = true;
  return options;
}

dtype written(dtype type, const frame_filter& filter) { return filter.how.top_hat ? top_hat_type(type) : type; }

void write_alone(const grey& image, dtype type, const frame_filter& filter, const mutable_image& target) {
  engine slow = engine::reference();
  max_tree tree;
  attribute_table table;
  const tree_stream_options options = options_of(image.size, type);
  build(slow, image.as(type).view(), options.tree, tree);
  measure(slow, tree, options.attributes, table);
  std::vector<double> numbers = table.column(tree, filter.by == by::column ? filter.column : "area");
  const bool cut = filter.by == by::extrema;
  if (cut) extrema_filter(slow, tree, filter.least, target, filter.how.top_hat);
  else filter_at_least(slow, tree, numbers, filter.least, filter.how, target);
}

std::vector<double> filtered_alone(const grey& image, dtype type, const frame_filter& filter) {
  std::vector<std::uint64_t> out(static_cast<std::size_t>(image.size.pixels()));
  write_alone(image, type, filter, {out.data(), written(type, filter), image.size});
  return {out.begin(), out.end()};
}

const frame_filter filters[] = {{by::area, 6},
                                {by::area, 2.5, {}, {.top_hat = true}},
                                {by::area, 9, {}, {.rule = filter_rule::subtractive}},
                                {by::column, 4, "dynamics", {.rule = filter_rule::max}},
                                {by::column, 40, "volume", {}},
                                {by::extrema, 3}};

// The threshold of a frame.
frame_filter moved(frame_filter filter, std::uint64_t frame) {
  filter.least += static_cast<double>(frame);
  return filter;
}

void expect_stream(named_engine& each, const tree_stream_options& options, const std::vector<placed_image>& frames,
                   const std::vector<std::vector<double>>& wanted) {
  tree_stream stream(each.on, options);
  auto want = wanted.begin();
  for (const placed_image& frame : frames) {
    stream.push(frame.view());
    for (const frame_filter& filter : filters) {
      std::vector<std::uint64_t> out(static_cast<std::size_t>(options.size.pixels()));
      stream.write(moved(filter, stream.frames() - 1), {out.data(), written(options.type, filter), options.size});
      ASSERT_EQ(std::vector<double>(out.begin(), out.end()), *want++)
          << each.name << ", " << name_of(options.type) << ", frame " << stream.frames();
    }
  }
  EXPECT_EQ(stream.frames(), frames.size());
}

TEST(max_tree_stream, each_frame_is_filtered_as_it_would_be_alone) {
  for (const extent& size : {extent(15, 21), extent(3, 5, 7)})
    for (const dtype type : {dtype::u8, dtype::i16, dtype::f32}) {
      std::vector<placed_image> frames;
      std::vector<std::vector<double>> wanted;  // of each frame by each filter
      for (std::uint32_t number = 0; number < 4; ++number) {
        const grey image = random_grey(size, 3 + 20 * static_cast<int>(number), 1 + number % 2, number);
        frames.push_back(image.as(type));
        for (const frame_filter& filter : filters) wanted.push_back(filtered_alone(image, type, moved(filter, number)));
      }
      for (named_engine* each : tree_engines())
        if (builds(each->on, type, options_of(size, type).tree.connectivity))
          expect_stream(*each, options_of(size, type), frames, wanted);
    }
}

// Six frames, and what a filter leaves of each; all of them are started before the first is waited for.
void expect_started(named_engine& each, tree_stream_options options, int in_flight) {
  options.in_flight = in_flight;
  tree_stream stream(each.on, options);
  std::vector<placed_image> frames, outputs, wanted;
  std::vector<frame_filter> by_each;
  for (std::uint32_t number = 0; number < 6; ++number) {
    const grey image = random_grey(options.size, 3 + 20 * static_cast<int>(number), 1 + number % 2, number);
    const layout arrangement = all_layouts[number % 3];  // dense, with gaps between rows, and between pixels
    by_each.push_back(moved(filters[number], number));
    const dtype type = written(options.type, by_each.back());
    frames.push_back(image.as(options.type, arrangement));
    outputs.emplace_back(type, options.size, arrangement);
    wanted.emplace_back(type, options.size, layout::dense);
    write_alone(image, options.type, by_each.back(), wanted.back().target());
  }
  for (std::uint32_t number = 0; number < 6; ++number)
    ASSERT_EQ(stream.start(frames[number].view(), by_each[number], outputs[number].target()), number);
  EXPECT_EQ(stream.frames(), 6U);
  for (const std::uint32_t number : {5, 0, 2, 4, 3, 1}) {
    stream.wait(number);
    EXPECT_TRUE(stream.is_done(number));
    ASSERT_EQ(outputs[number].values(), wanted[number].values())
        << each.name << ", " << name_of(options.type) << ", frame " << number << ", " << in_flight << " in flight";
    EXPECT_TRUE(outputs[number].surroundings_untouched());
  }
}

TEST(max_tree_stream, started_frames_are_filtered_as_they_would_be_alone) {
  for (const extent& size : {extent(15, 21), extent(3, 5, 7)})
    for (const dtype type : {dtype::u8, dtype::i16})
      for (named_engine* each : tree_engines())
        if (builds(each->on, type, options_of(size, type).tree.connectivity))
          for (const int in_flight : {1, 2, 7}) expect_started(*each, options_of(size, type), in_flight);
}

TEST(max_tree_stream, frames_after_the_first_allocate_nothing) {
#ifdef SKERRY_TEST_SANITIZED
  GTEST_SKIP() << "the allocator belongs to the sanitizer";
#endif
  const extent size(120, 160);
  engine on = engine::cpu(1);
  tree_stream_options options = options_of(size, dtype::u8);
  options.attributes = {};
  tree_stream stream(on, options);
  const placed_image rich = random_grey(size, 200, 1, 1).as(dtype::u8),
                     poor = random_grey(size, 90, 3, 2).as(dtype::u8);
  std::vector<std::uint8_t> out(static_cast<std::size_t>(size.pixels()));
  const auto run = [&](const placed_image& frame, double least) {
    stream.push(frame.view());
    stream.write({by::area, least}, {out.data(), size});
    stream.write({by::extrema, least}, {out.data(), size});
  };
  run(rich, 5);
  const std::uint64_t before = allocations;
  for (int frame = 0; frame < 4; ++frame) run(frame % 2 == 0 ? poor : rich, 2.0 + frame);
  EXPECT_EQ(allocations - before, 0U);
}

void expect_refused(const std::string& beginning, const std::function<void()>& call) {
  try {
    call();
    ADD_FAILURE() << beginning << " was accepted";
  } catch (const invalid_argument& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with(beginning)) << error.what();
  }
}

TEST(max_tree_stream, wrong_arguments_are_refused_and_the_stream_goes_on) {
  engine on = engine::cpu(1);
  const extent size(4, 5);
  std::vector<std::uint8_t> pixels(20, 3), out(20);
  const mutable_image target(out.data(), size);
  tree_stream_options options = options_of(size, dtype::u8);
  tree_stream stream(on, options);
  expect_refused("output: ", [&] { stream.write({}, target); });
  stream.push({pixels.data(), size});
  expect_refused("frame: ", [&] { stream.push({pixels.data(), extent(5, 4)}); });
  expect_refused("frame: ", [&] { stream.push({pixels.data(), dtype::i8, size}); });
  expect_refused("by.least: ", [&] { stream.write({by::area, -1}, target); });
  expect_refused("by.least: ", [&] { stream.write({by::area, std::nan("")}, target); });
  expect_refused("h: ", [&] { stream.write({by::extrema, 0.5}, target); });
  EXPECT_THROW(stream.write({by::column, 1, "colour"}, target), invalid_argument);
  EXPECT_EQ(stream.frames(), 1U);
  stream.write({by::area, 1e300}, target);
  EXPECT_EQ(out, pixels);
  expect_refused("frame: ", [&] { stream.start({pixels.data(), extent(5, 4)}, {}, target); });
  expect_refused("by.least: ", [&] { stream.start({pixels.data(), size}, {by::area, -1}, target); });
  expect_refused("output: ", [&] { stream.start({pixels.data(), size}, {}, {out.data(), extent(5, 4)}); });
  const std::uint64_t frames = stream.frames();
  expect_refused("output: ", [&] {
    stream.start({pixels.data(), size}, {by::extrema, 1}, {out.data(), extent(5, 4)});
  });
  EXPECT_EQ(stream.frames(), frames);  // a frame that is refused has no number, also if its tree was built
  expect_refused("number: ", [&] { stream.wait(stream.frames()); });
  expect_refused("number: ", [&] { static_cast<void>(stream.is_done(stream.frames())); });
  options.in_flight = 0;
  expect_refused("in_flight: ", [&] { const tree_stream wrong(on, options); });
  options.in_flight = 3;
  options.tree.connectivity = 6;
  expect_refused("connectivity: ", [&] { const tree_stream wrong(on, options); });
  options.type = dtype::bit;
  expect_refused("type: ", [&] { const tree_stream wrong(on, options); });
}

}  // namespace
}  // namespace skerry::test
