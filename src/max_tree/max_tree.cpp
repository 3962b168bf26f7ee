// SPDX-License-Identifier: Apache-2.0
// The driver: check, choose the engine, and the stages in order.
#include "skerry/max_tree.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <string>

#include "engine/cpu/parallel.hpp"
#include "engine/image_checks.hpp"
#include "engine/stop.hpp"
#include "max_tree/call.hpp"
#include "max_tree/check.hpp"
#include "max_tree/cpu/stages.hpp"
#include "max_tree/cuda/on_cuda.hpp"
#include "max_tree/tree_door.hpp"
#include "reference/max_tree.hpp"
#include "skerry/error.hpp"

namespace skerry {
namespace {

using namespace tree_stages;

struct scratch_of_trees : job_scratch {
  buffer<u32> keys;                 // of up to 32 bits
  buffer<u64> wide_keys;            // of 64 bits
  buffer<u32> link;                 // of pixels
  std::vector<tile_scratch> tiles;  // one per thread
  number_scratch numbers;
  ranked_scratch ranked;
  measure_scratch sums;
  filter_scratch filter;
  [[nodiscard]] std::size_t bytes() const override {
    std::size_t total = keys.bytes() + wide_keys.bytes() + link.bytes() + numbers.bytes();
    for (const tile_scratch& tile : tiles) total += tile.bytes();
    return total + ranked.bytes() + sums.bytes() + filter.bytes();
  }
};

scratch_of_trees& scratch_in(engine::state& on) {
  if (on.tree_scratch == nullptr) on.tree_scratch = std::make_unique<scratch_of_trees>();
  return static_cast<scratch_of_trees&>(*on.tree_scratch);
}

void encode_all(engine::state& on, const image_view& image, tree_kind kind, void* keys) {
  const row_blocks blocks(image.size, block_pixels(on));
  std::atomic<i64> refused = image.size.pixels();
  for_each_in_parallel(on, blocks.count(), [&](std::size_t k) {
    const i64 found = encode(image, kind, blocks[k], keys);
    if (found < 0) return;
    i64 first = refused.load();
    while (found < first && !refused.compare_exchange_weak(first, found)) {}
  });
  if (refused < image.size.pixels()) refuse_pixel(image.type, image.size, refused);
}

// Each thread takes the next tile until there are none, and solves it in its own scratch, which stays in its caches.
template <class Scratch, class Solve>
void each_tile(engine::state& on, const tiling& tiles, std::vector<Scratch>& scratch, Solve solve) {
  std::atomic<std::size_t> next = 0;
  const auto threads = static_cast<std::size_t>(on.threads);
  if (scratch.size() < threads) scratch.resize(threads);
  for_each_in_parallel(on, threads, [&](std::size_t thread) {
    for (std::size_t k = next++; k < tiles.tiles(); k = next++) {
      stop_point();
      solve(k, scratch[thread]);
    }
  });
}

// Tiles become rows of tiles, these slices, and these the image: along each axis neighbouring groups of tiles are joined,
// in rounds.
void merge_tiles(engine::state& on, const key_image<u8>& image, const tiling& tiles, const pixel_links& links) {
  std::array<i64, 3> count = {tiles.tiles_along(0), tiles.tiles_along(1), tiles.tiles_along(2)};
  for (const std::size_t axis : {2, 1, 0}) {
    const i64 along = tiles.tiles_along(axis);
    for (i64 group = 1; group < along; group *= 2) {
      count[axis] = (along + 2 * group - 1) / (2 * group);
      for_each_in_parallel(on, static_cast<std::size_t>(count[0] * count[1] * count[2]), [&](std::size_t k) {
        const auto n = static_cast<i64>(k);
        std::array<i64, 3> first = {n / count[2] / count[1], n / count[2] % count[1], n % count[2]};
        first[axis] *= 2 * group;
        if (first[axis] + group >= along) return;
        std::array<i64, 3> size = {1, 1, 1};
        for (std::size_t done = axis + 1; done < 3; ++done) size[done] = tiles.tiles_along(done);
        size[axis] = 2 * group;
        merge(image, tiles.tiles(first, size), axis, (first[axis] + group) << tiles.shift(axis), links);
      });
    }
    count[axis] = 1;
  }
}

template <class Work>
void timed(engine::state& on, stage which, Work work) {
  stage_timer time(on.clock, which, stage_timer::by::one_thread);
  time.run(work);
}

void build_from_bytes(engine::state& on, const image_view& image, const tree_options& options, tree_parts& tree) {
  scratch_of_trees& scratch = scratch_in(on);
  const auto pixels = static_cast<std::size_t>(image.size.pixels());
  scratch.keys.reserve((pixels + 3) / 4);
  scratch.link.reserve(pixels);
  void* const memory = scratch.keys.data();
  u32* const link = scratch.link.data();
  const key_image<u8> keys{static_cast<const u8*>(memory), image.size, options.connectivity};
  const tiling tiles(image.size, block_pixels(on));
  timed(on, stage::encode, [&] { encode_all(on, image, options.kind, memory); });
  timed(on, stage::local, [&] {
    each_tile(on, tiles, scratch.tiles, [&](std::size_t k, tile_scratch& own) { local(keys, tiles, k, own, link); });
  });
  timed(on, stage::merge, [&] {
    buffer<u64>& former_first = scratch.numbers.former_first;
    former_first.reserve(pixels / 64 + 1);
    std::fill_n(former_first.data(), pixels / 64 + 1, u64{0});
    merge_tiles(on, keys, tiles, {link, former_first.data()});
  });
  timed(on, stage::resolve, [&] { resolve(on, keys, tiles, link, scratch.numbers, tree); });
}

// Wider keys, by ranks, when these are known; `wide` are the keys of 64 bits, which Key then stands for.
template <class Key>
void build_from_ranks(engine::state& on, const key_image<Key>& keys, const tiling& tiles, const u64* wide,
                      tree_parts& tree) {
  scratch_of_trees& scratch = scratch_in(on);
  const i64 pixels = keys.size.pixels();
  timed(on, stage::local, [&] {
    find_gates(on, keys, tiles, scratch.ranked.at_borders);
    deal(on, tiles, pixels, scratch.ranked);
    each_tile(on, tiles, scratch.ranked.tiles, [&](std::size_t k, ranked_tile_scratch& own) {
      local_by_rank(keys.size, keys.connectivity, tiles, k, own, scratch.ranked);
    });
  });
  u32* const link = scratch.keys.data();  // stage 2 was the last to need keys
  timed(on, stage::merge, [&] { merge_ranks(on, tiles, pixels, scratch.ranked, link); });
  timed(on, stage::resolve, [&] { resolve_ranks(on, tiles, link, wide, scratch.ranked, scratch.numbers, tree); });
}

template <class Key>
void build_from_keys(engine::state& on, const image_view& image, const tree_options& options, tree_parts& tree) {
  scratch_of_trees& scratch = scratch_in(on);
  const auto pixels = static_cast<std::size_t>(image.size.pixels());
  scratch.keys.reserve(pixels);
  void* const memory = scratch.keys.data();
  const key_image<Key> keys{static_cast<const Key*>(memory), image.size, options.connectivity};
  const tiling tiles(image.size, block_pixels(on));
  timed(on, stage::encode, [&] { encode_all(on, image, options.kind, memory); });
  timed(on, stage::local, [&] {
    scratch.ranked.reserve(pixels);
    sort(on, keys, tiles, scratch.ranked);
  });
  build_from_ranks(on, keys, tiles, nullptr, tree);
}

void build_from_wide_keys(engine::state& on, const image_view& image, const tree_options& options, tree_parts& tree) {
  scratch_of_trees& scratch = scratch_in(on);
  const auto pixels = static_cast<std::size_t>(image.size.pixels());
  scratch.wide_keys.reserve(pixels);
  scratch.keys.reserve(pixels);
  u32* const keys = scratch.keys.data();
  const u64* const wide = scratch.wide_keys.data();
  const tiling tiles(image.size, block_pixels(on));
  timed(on, stage::encode, [&] { encode_all(on, image, options.kind, scratch.wide_keys.data()); });
  timed(on, stage::local, [&] {
    scratch.ranked.reserve(pixels);
    sort_wide(on, wide, image.size, tiles, scratch.ranked, keys);
  });
  build_from_ranks(on, key_image<u32>{keys, image.size, options.connectivity}, tiles, wide, tree);
}

void build_on_cpu(engine::state& on, const image_view& image, const tree_options& options, tree_parts& tree) {
  switch (size_of(image.type)) {
    case 1: return build_from_bytes(on, image, options, tree);
    case 2: return build_from_keys<u16>(on, image, options, tree);
    case 8: return build_from_wide_keys(on, image, options, tree);
    default: return build_from_keys<u32>(on, image, options, tree);
  }
}

// Writes the image of what is left: emit(state, scratch), when everything has been checked.
template <class Emit>
void write_filtered(engine& on, const max_tree& tree, bool top_hat, const mutable_image& output, Emit emit) {
  check_output(tree.type(), tree.size(), top_hat, output);
  const running_call call(on, {{"output", output}});
  engine::state& state = call.state();
  if (tree.nodes() == 0) return;
  with_memory([&] {
    stage_timer time(state.clock, stage::emit, stage_timer::by::one_thread);
    time.run([&] { emit(state, scratch_in(state).filter); });
  });
}

void filter_by(engine& on, const max_tree& tree, const decision& about, const filter_options& options,
               const mutable_image& output) {
  check_rule(options.rule);
  write_filtered(on, tree, options.top_hat, output, [&](engine::state& state, filter_scratch& scratch) {
    emit_filtered(state, tree, about, options, scratch, output);
  });
}

}  // namespace

void build(engine& on, const image_view& image, const tree_options& options, max_tree& tree) {
  check_input(image, options);
  engine::state& state = engine_for(on, {{"image", image}});
  const bool on_device = state.kind == engine_kind::cuda;
  if (on_device) check_device_input(image.type, options.connectivity);
  const running_call call(state);
  filled_parts filled(tree_door::parts_of(tree));
  with_memory([&] {
    tree_parts& parts = filled.parts;
    if (state.kind == engine_kind::reference || image.size.pixels() == 0) {
      std::vector<u64> keys(static_cast<std::size_t>(image.size.pixels()));
      encode_all(state, image, options.kind, keys.data());  // for what it refuses
      parts = reference::build(image, options);
      return;
    }
    filled.describe(image, options);
    if (!on_device) return build_on_cpu(state, image, options, parts);
    const i64 nan = build_on_cuda(state, image, options, parts);
    if (nan >= 0) refuse_pixel(image.type, image.size, nan);
  });
  filled.done = true;
}

void measure(engine& on, const max_tree& tree, const attribute_options& wanted, attribute_table& table) {
  check_attributes(tree.size(), wanted);
  const running_call call(on, {});
  engine::state& state = call.state();
  with_memory([&] {
    if (state.kind == engine_kind::reference) {
      table = reference::measure(tree, wanted);
      return;
    }
    stage_timer time(state.clock, stage::measure, stage_timer::by::one_thread);
    time.run([&] { tree_stages::measure(state, tree, wanted, scratch_in(state).sums, table); });
  });
}

void filter(engine& on, const max_tree& tree, std::span<const std::uint8_t> keep, const filter_options& options,
            const mutable_image& output) {
  check_rows("keep", keep.size(), tree);
  filter_by(on, tree, {.keep = keep.data()}, options, output);
}

void filter_at_least(engine& on, const max_tree& tree, std::span<const double> attribute, double least,
                     const filter_options& options, const mutable_image& output) {
  check_rows("attribute", attribute.size(), tree);
  if (least != least) refuse("least: is NaN");
  filter_by(on, tree, {.attribute = attribute.data(), .least = least}, options, output);
}

void area_filter(engine& on, const max_tree& tree, const attribute_table& table, std::uint64_t least_area,
                 const mutable_image& output, bool top_hat) {
  check_rows("table", table.size(), tree);
  filter_by(on, tree, {.area = table.area.data(), .least_area = least_area}, {filter_rule::direct, top_hat}, output);
}

void diagonal_filter(engine& on, const max_tree& tree, const attribute_table& table, double least_diagonal,
                     const mutable_image& output, bool top_hat) {
  std::vector<double> diagonal;
  with_memory([&] { diagonal = table.column(tree, "bbox_diagonal"); });
  filter_at_least(on, tree, diagonal, least_diagonal, {filter_rule::direct, top_hat}, output);
}

void extrema_filter(engine& on, const max_tree& tree, double h, const mutable_image& output, bool top_hat) {
  check_height(tree.type(), h);
  write_filtered(on, tree, top_hat, output, [&](engine::state& state, filter_scratch& scratch) {
    emit_cut(state, tree, h, top_hat, scratch, output);
  });
}

}  // namespace skerry
