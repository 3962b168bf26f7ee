// SPDX-License-Identifier: Apache-2.0
// Stage 2, local: the order of all pixels, for keys of 16 or 32 bits.
//
// Reads   keys
// Writes  pairs of key and pixel, by (key, index), whose places are the ranks; then for each tile its ranks and cells
// Method  a radix sort, whose digits are as large as the caches allow; each thread moves a part of the pixels. Dealing to
//         tiles is one more digit.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <utility>

#include "core/streaming_stores.hpp"
#include "engine/cpu/parallel.hpp"
#include "engine/stop.hpp"
#include "max_tree/cpu/stages.hpp"

namespace skerry::tree_stages {
namespace {

// What one pass over `count` elements needs, which `parts` threads share.
struct pass_options {
  engine::state& on;
  buffer<u32>& places;
  buffer<u64>& lines;
  i64 count;
  std::size_t parts;
};

std::size_t parts_of(const engine::state& on, i64 count) {
  return static_cast<std::size_t>(std::clamp<i64>(count / block_pixels(on), 1, on.threads));
}

// Whether words are too many for the caches: eight times what a label image may have.
bool streams(const engine::state& on, i64 count) { return count >= on.least_streamed_bytes; }

// The places of 2^11 digits are what caches and pages allow to be written to in any order; a line for each of 2^13 fits the
// second-level cache.
int most_digit_bits(const engine::state& on, i64 count) { return streams(on, count) ? 13 : 11; }

// The words of each bucket wait in a line of the cache until it is full, and go to memory past the caches: a line there is
// written once, and not read before.
class line_writer {
 public:
  static constexpr u32 words = streamed_words;

  // `next` is where each bucket begins, and then where it has come to, counted from `out`, which begins a line.
  line_writer(u64* out, u64* lines, const u32* begin, u32* next)
      : out_(out), lines_(lines), begin_(begin), next_(next) {}

  void put(std::size_t bucket, u64 word) {
    const u32 at = next_[bucket]++;
    lines_[bucket * words + at % words] = word;
    if (at % words == words - 1) write(bucket, at + 1);
  }
  // Streaming stores are seen by other threads only after this.
  void finish(std::size_t buckets) {
    for (std::size_t bucket = 0; bucket < buckets; ++bucket)
      if (next_[bucket] % words != 0) write_some(bucket, next_[bucket]);
    finish_streaming();
  }

 private:
  void write(std::size_t bucket, u32 end) {
    if (end - words < begin_[bucket]) return write_some(bucket, end);
    stream_line(lines_ + bucket * words, out_ + (end - words));
  }
  // A line that another thread or bucket has a part in.
  void write_some(std::size_t bucket, u32 end) {
    for (u32 at = std::max(begin_[bucket], (end - 1) / words * words); at < end; ++at)
      out_[at] = lines_[bucket * words + at % words];
  }

  u64 *out_, *lines_;
  const u32* begin_;
  u32* next_;
};

u64* line_begin(u64* word) {
  constexpr std::uintptr_t bytes = line_writer::words * sizeof(u64);
  return word - reinterpret_cast<std::uintptr_t>(word) % bytes / sizeof(u64);
}

// One digit: digit_of(i) is that of element i; words(begin) makes what gives the words from there on in order, by i. They
// go to `out`. Leaves where each part has come to.
template <class DigitOf, class Words>
void pass(const pass_options& how, std::size_t buckets, u64* out, DigitOf digit_of, Words words) {
  const std::size_t all = how.parts * buckets;
  const bool past_caches = streams(how.on, how.count);
  how.places.reserve(2 * all);
  how.lines.reserve(past_caches ? (all + 1) * line_writer::words : line_writer::words);
  u32 *const places = how.places.data(), *const begins = places + all;
  u64* const lines = line_begin(how.lines.data() + line_writer::words - 1);
  const auto each_part = [&](auto work) {
    for_each_in_parallel(how.on, how.parts, [&](std::size_t k) {
      const auto i = static_cast<i64>(k), n = static_cast<i64>(how.parts);
      work(how.count * i / n, how.count * (i + 1) / n, k * buckets);
    });
  };
  each_part([&](i64 begin, i64 end, std::size_t own) {
    std::fill(places + own, places + own + buckets, 0u);
    for (i64 i = begin; i < end; ++i) {
      stop_point(static_cast<std::size_t>(i));
      ++places[own + digit_of(i)];
    }
  });
  u64* const out_line = line_begin(out);
  const auto before = static_cast<u32>(out - out_line);
  u32 place = before;
  for (std::size_t b = 0; b < buckets; ++b)
    for (std::size_t k = 0; k < how.parts; ++k) place += std::exchange(places[k * buckets + b], place);
  each_part([&](i64 begin, i64 end, std::size_t own) {
    u32* const next = places + own;
    const auto digit = digit_of;
    auto word = words(begin);
    if (past_caches) {
      std::copy(next, next + buckets, begins + own);
      line_writer writer(out_line, lines + own * line_writer::words, begins + own, next);
      for (i64 i = begin; i < end; ++i) {
        stop_point(static_cast<std::size_t>(i));
        writer.put(digit(i), word(i));
      }
      writer.finish(buckets);
    } else {
      for (i64 i = begin; i < end; ++i) out_line[next[digit(i)]++] = word(i);
    }
    for (std::size_t b = 0; b < buckets; ++b) next[b] -= before;
  });
}

// The places of pixels in raster order.
class place_walker {
 public:
  place_walker(const tiling& tiles, i64 width, i64 pixel)
      : tiles_(tiles), width_(width), row_(pixel / width), x_(pixel % width), place_of_row_(tiles.place_of_row(row_)) {}
  u32 next() {
    if (x_ == width_) {
      x_ = 0;
      place_of_row_ = tiles_.place_of_row(++row_);
    }
    return place_of_row_ + tiles_.place_of_column(x_++);
  }

 private:
  const tiling& tiles_;
  i64 width_, row_, x_;
  u32 place_of_row_;
};

struct key_range {
  u32 least = ~u32{0}, most = 0;
};

template <class Key>
key_range range_of(engine::state& on, const Key* keys, i64 pixels) {
  std::atomic<u32> least = ~u32{0}, most = 0;
  const row_blocks blocks(extent(pixels, 1), block_pixels(on));
  for_each_in_parallel(on, blocks.count(), [&](std::size_t k) {
    const auto [begin, end] = blocks[k];
    Key low = keys[begin], high = low;
    for (i64 i = begin; i < end; ++i) {
      low = std::min(low, keys[i]);
      high = std::max(high, keys[i]);
    }
    for (u32 seen = least; low < seen && !least.compare_exchange_weak(seen, low);) {}
    for (u32 seen = most; high > seen && !most.compare_exchange_weak(seen, high);) {}
  });
  return {least, most};
}

}  // namespace

template <class Key>
void sort(engine::state& on, const key_image<Key>& image, const tiling& tiles, ranked_scratch& scratch) {
  const Key* const keys = image.keys;
  const i64 pixels = image.size.pixels();
  const auto [least, most] = range_of(on, keys, pixels);
  // Of the bits in which keys differ, each pass takes the same share.
  const int bits = std::max(1, static_cast<int>(std::bit_width(most - least)));
  const int most_bits = most_digit_bits(on, pixels), passes = (bits + most_bits - 1) / most_bits;
  const int each = (bits + passes - 1) / passes;
  const std::size_t buckets = std::size_t{1} << each;
  const u32 mask = static_cast<u32>(buckets - 1), low = least;
  const pass_options how = {on, scratch.places, scratch.lines, pixels, parts_of(on, pixels)};
  u64 *to = scratch.pairs.data(), *from = scratch.room.data();
  if (passes % 2 == 0) std::swap(to, from);
  pass(
      how, buckets, to, [=](i64 i) { return (keys[i] - low) & mask; },
      [&](i64 begin) {
        return [keys, walker = place_walker(tiles, image.size.width, begin)](i64 i) mutable {
          return static_cast<u64>(keys[i]) << 32 | walker.next();
        };
      });
  for (int shift = each; shift < bits; shift += each) {
    std::swap(to, from);
    pass(
        how, buckets, to, [=](i64 i) { return (static_cast<u32>(from[i] >> 32) - low) >> shift & mask; },
        [from](i64) { return [from](i64 i) { return from[i]; }; });
  }
}

template void sort(engine::state&, const key_image<u16>&, const tiling&, ranked_scratch&);
template void sort(engine::state&, const key_image<u32>&, const tiling&, ranked_scratch&);

u64* sort_by_upper_half(engine::state& on, u64* words, u64* room, i64 count, int bits, buffer<u32>& places,
                        buffer<u64>& lines) {
  const pass_options how = {on, places, lines, count, parts_of(on, count)};
  const int passes = (bits + 10) / 11, each = passes == 0 ? 0 : (bits + passes - 1) / passes;
  const std::size_t buckets = std::size_t{1} << each;
  for (int shift = 32; shift < 32 + bits; shift += each) {
    pass(
        how, buckets, room, [=](i64 i) { return words[i] >> shift & (buckets - 1); },
        [=](i64) { return [=](i64 i) { return words[i]; }; });
    std::swap(words, room);
  }
  return words;
}

void deal(engine::state& on, const tiling& tiles, i64 pixels, ranked_scratch& scratch) {
  const u64* const pairs = scratch.pairs.data();
  const int bits = tiles.cell_bits();
  const u32 mask = (1u << bits) - 1;
  // Each part will have 12 bytes for each gate: up to 16 for each pixel, or 64 MiB.
  const i64 gates = scratch.at_borders.first_gate[tiles.tiles()];
  const i64 most_parts = std::max(16 * pixels, i64{1} << 26) / (12 * std::max<i64>(1, gates));
  scratch.parts = static_cast<std::size_t>(std::clamp<i64>(most_parts, 1, static_cast<i64>(parts_of(on, pixels))));
  pass(
      {on, scratch.places, scratch.lines, pixels, scratch.parts}, tiles.tiles(), scratch.room.data(),
      [=](i64 i) { return static_cast<u32>(pairs[i]) >> bits; },
      [=](i64) { return [=](i64 i) { return static_cast<u64>(i) << 32 | (static_cast<u32>(pairs[i]) & mask); }; });
}

}  // namespace skerry::tree_stages
