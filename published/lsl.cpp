// SPDX-License-Identifier: Apache-2.0
// Light Speed Labeling on strips of lines, one for each thread.
//
//   segments            step 1 of each line: where its segments are                        in parallel
//   equivalences        step 2 of each line: labels of segments, features on the fly       in parallel
//   borders             segments that touch across two strips, strips in pairs, then pairs of pairs
//   transitive closure  steps 3 and 4: labels to 1..n, features of a component together    one thread
//   relabelling         step 5: labels to pixels                                           in parallel
//
// Method  [Lacassagne2011]; strips with labels apart and borders in a pyramid: [Cabaret2018]
#include "published/lsl.hpp"

#include <algorithm>
#include <vector>

#include "engine/cpu/buffer.hpp"
#include "engine/cpu/parallel.hpp"

namespace skerry::published {
namespace {

struct lsl_strip {
  i64 row_begin = 0, row_end = 0;
  buffer<u64> first;  // of each line, and of the line after the last: the number of its first segment
  buffer<u32> rlc, era, er;
  buffer<u32> row_labels;
  lsl_labels labels;
  u32 first_label = 1;

  [[nodiscard]] u64 segments() const { return first[static_cast<std::size_t>(row_end - row_begin)]; }
  [[nodiscard]] lsl_line line(i64 y, i64 width) const {
    const auto i = static_cast<std::size_t>(y - row_begin);
    return {rlc.data() + 2 * first[i], era.data() + first[i],
            er.data() != nullptr ? er.data() + static_cast<i64>(i) * width : nullptr,
            static_cast<u32>(first[i + 1] - first[i])};
  }
  [[nodiscard]] std::size_t bytes() const {
    return first.bytes() + rlc.bytes() + era.bytes() + er.bytes() + row_labels.bytes();
  }
};

struct lsl_scratch final : job_scratch {
  std::vector<lsl_strip> strips;
  buffer<u32> eq;             // of all strips; each has a range of labels of its own
  buffer<geometry> features;  // the same
  bool has_relative_labels = false;

  [[nodiscard]] std::size_t bytes() const override {
    std::size_t total = eq.bytes() + features.bytes();
    for (const lsl_strip& s : strips) total += s.bytes();
    return total;
  }
};

class lsl_run {
 public:
  lsl_run(const task& work, const lsl_variant& variant)
      : work_(work), variant_(variant), memory_(work.scratch<lsl_scratch>()), width_(work.image.width),
        reach_(work.connectivity == 8 ? 1 : 0) {
    if (memory_.has_relative_labels != variant.has_relative_labels) memory_.strips.clear();
    memory_.has_relative_labels = variant.has_relative_labels;
  }

  u64 solve() {
    split();
    work_.phase("segments", [&] { each_strip([&](lsl_strip& s) { find_segments(s); }); });
    work_.phase("equivalences", [&] {
      give_label_ranges();
      each_strip([&](lsl_strip& s) { unify(s); });
    });
    if (strips().size() > 1) work_.phase("borders", [&] { merge_borders(); });
    u32 count = 0;
    work_.phase("transitive closure", [&] {
      count = close();
      if (work_.features != nullptr) join_features(count);
    });
    work_.found(count);
    if (work_.labels.data != nullptr)
      work_.phase("relabelling", [&] { each_strip([&](lsl_strip& s) { relabel(s); }); });
    return count;
  }

 private:
  [[nodiscard]] std::vector<lsl_strip>& strips() { return memory_.strips; }

  template <class Work>
  void each_strip(Work work) {
    for_each_in_parallel(work_.on, strips().size(), [&](std::size_t k) { work(strips()[k]); });
  }

  // As many strips as threads, of as many lines, but none that is not worth a thread.
  void split() {
    const i64 height = work_.image.height;
    const i64 worth = std::max<i64>(1, height * width_ / work_.on.least_pixels_per_strip);
    const i64 count = std::min({i64{work_.on.threads}, height, worth});
    strips().resize(static_cast<std::size_t>(count));
    for (i64 k = 0; k < count; ++k) {
      lsl_strip& s = strips()[static_cast<std::size_t>(k)];
      s.row_begin = height * k / count;
      s.row_end = height * (k + 1) / count;
    }
  }

  void find_segments(lsl_strip& s) {
    constexpr std::size_t more = 64;  // vectors are stored whole
    const auto lines = static_cast<std::size_t>(s.row_end - s.row_begin), width = static_cast<std::size_t>(width_);
    s.first.reserve(lines + 1);
    if (variant_.has_relative_labels) s.er.reserve(lines * width);
    u64 entries = 0;
    for (std::size_t i = 0; i < lines; ++i) {
      s.first[i] = entries / 2;
      s.rlc.reserve_growing(entries + width + more);
      entries += variant_.segment(work_.image.row(s.row_begin + static_cast<i64>(i)), width_, s.rlc.data() + entries,
                                  variant_.has_relative_labels ? s.er.data() + i * width : nullptr);
    }
    s.first[lines] = entries / 2;
    s.era.reserve(entries / 2);
  }

  // No strip needs more labels than it has segments.
  void give_label_ranges() {
    u64 next = 1;
    for (lsl_strip& s : strips()) {
      s.first_label = static_cast<u32>(next);
      next += s.segments();
    }
    memory_.eq.reserve(next);
    if (work_.features != nullptr) memory_.features.reserve(next);
    for (lsl_strip& s : strips())
      s.labels = {memory_.eq.data(), work_.features != nullptr ? memory_.features.data() : nullptr, s.first_label};
  }

  void unify(lsl_strip& s) {
    lsl_line above;
    for (i64 y = s.row_begin; y < s.row_end; ++y) {
      const lsl_line line = s.line(y, width_);
      variant_.unify(line, above, y, width_, reach_, s.labels);
      above = line;
    }
  }

  // After a round of distance d, each group of 2 d strips is one; groups share no labels, so a round needs no locks.
  void merge_borders() {
    const std::size_t count = strips().size();
    for (std::size_t d = 1; d < count; d *= 2)
      for_each_in_parallel(work_.on, (count + 2 * d - 1) / (2 * d), [&](std::size_t group) {
        if (const std::size_t below = 2 * d * group + d; below < count)
          merge_border(strips()[below - 1], strips()[below]);
      });
  }

  void merge_border(const lsl_strip& upper, const lsl_strip& lower) {
    const lsl_line above = upper.line(upper.row_end - 1, width_), line = lower.line(lower.row_begin, width_);
    const lsl_labels& labels = lower.labels;
    lsl_walk touching(above, reach_);
    for (u32 i = 0; i < line.segments; ++i) {
      const lsl_touching met = touching(line.rlc[2 * i], line.rlc[2 * i + 1]);
      for (u32 k = met.first; k < met.end; ++k)
        static_cast<void>(labels.unite(labels.find(above.era[k]), labels.find(line.era[i])));
    }
  }

  template <class Visit>
  void each_label(Visit visit) {
    for (const lsl_strip& s : strips())
      for (u32 label = s.first_label; label < s.labels.next; ++label) visit(label);
  }

  // Parents come before their children, and labels are in raster order of first segments. Returns how many roots there are.
  u32 close() {
    u32* const eq = memory_.eq.data();
    u32 count = 0;
    each_label([&](u32 label) { eq[label] = eq[label] == label ? ++count : eq[eq[label]]; });
    return count;
  }

  void join_features(u32 count) {
    table_rows<geometry>& rows = *work_.features;
    rows.clear();
    rows.resize(count);
    const u32* const eq = memory_.eq.data();
    u32 started = 0;
    each_label([&](u32 label) {
      const u32 row = eq[label] - 1;
      if (row == started) rows[started++] = memory_.features[label];
      else join<2>(rows[row], memory_.features[label], join_alone());
    });
  }

  void relabel(lsl_strip& s) {
    s.row_labels.reserve(static_cast<std::size_t>(width_) + 2);
    for (i64 y = s.row_begin; y < s.row_end; ++y)
      variant_.relabel(s.line(y, width_), memory_.eq.data(), width_, s.row_labels.data(), work_.labels.row(y));
  }

  const task& work_;
  const lsl_variant& variant_;
  lsl_scratch& memory_;
  i64 width_;
  u32 reach_;
};

}  // namespace

void unify_by_walk(const lsl_line& line, const lsl_line& above, i64 y, i64, u32 reach, lsl_labels& labels) {
  unify_line(line, above, y, labels, lsl_walk(above, reach));
}

void relabel_segments(const lsl_line& line, const u32* table, i64 width, u32*, u32* out) {
  u32 x = 0;
  for (u32 i = 0; i < line.segments; ++i) {
    const u32 begin = line.rlc[2 * i], end = line.rlc[2 * i + 1];
    std::fill(out + x, out + begin, 0);
    std::fill(out + begin, out + end, table[line.era[i]]);
    x = end;
  }
  std::fill(out + x, out + width, 0);
}

u64 run_lsl(const task& work, const lsl_variant& variant) { return lsl_run(work, variant).solve(); }

}  // namespace skerry::published
