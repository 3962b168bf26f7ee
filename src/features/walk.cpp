// SPDX-License-Identifier: Apache-2.0
// Each thread walks a share of the rows, with the rows around it that windows reach into; shares are joined in order.
#include "features/walk.hpp"

#include <algorithm>
#include <optional>

#include "core/run_intensities.hpp"
#include "engine/cpu/parallel.hpp"
#include "engine/stop.hpp"
#include "features/in_pieces.hpp"
#include "regions/find_starts.hpp"
#include "regions/label_rows.hpp"
#include "regions/label_slots.hpp"
#include "regions/shares.hpp"

namespace skerry::features {
namespace {

using regions::label_slots;

bool reads_neighbours(const walk_job& job) {
  return std::any_of(job.groups.begin(), job.groups.end(),
                     [](const walked_group& each) { return each.group->reads_neighbours; });
}

// Turns rows of labels into runs of regions.
template <class Label>
class run_finder {
 public:
  run_finder(const walk_job& job, const label_slots& slots)
      : slots_(slots), width_(static_cast<std::size_t>(job.labels.size.width)), starts_(width_ + 1), runs_(width_ + 1) {
  }

  void find(const Label* labels) {
    const std::size_t count =
        regions::find_starts(reinterpret_cast<const std::make_unsigned_t<Label>*>(labels), width_, starts_.data());
    count_ = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const u32 region = slots_.find(regions::bits_of(labels[starts_[i]]));  // none of background
      runs_[count_] = {region, i64{starts_[i]}, i64{starts_[i + 1]}};
      count_ += region != label_slots::none ? 1 : 0;
    }
  }

  // Leaves of the runs what lies in a part of the row.
  void keep(i64 begin, i64 end) {
    if (begin == 0 && end == static_cast<i64>(width_)) return;
    std::size_t kept = 0;
    for (region_run run : runs()) {
      run.begin = std::max(run.begin, begin);
      run.end = std::min(run.end, end);
      runs_[kept] = run;
      kept += run.begin < run.end ? 1 : 0;
    }
    count_ = kept;
  }

  // The row's region of each pixel.
  void spread(u32* to) const {
    std::fill_n(to, width_, no_region);
    for (const region_run& run : runs()) std::fill(to + run.begin, to + run.end, run.region);
  }

  [[nodiscard]] std::span<const region_run> runs() const { return {runs_.data(), count_}; }

 private:
  const label_slots& slots_;
  std::size_t width_;
  std::vector<u32> starts_;
  std::vector<region_run> runs_;  // and room for one that is none
  std::size_t count_ = 0;
};

walked_part part_of(const walk_job& job) {
  const extent& size = job.labels.size;
  return job.part.value_or(walked_part{{0, 0, 0}, {size.depth, size.height, size.width}});
}

// The intensities of one row, of a channel.
class weight_reader {
 public:
  weight_reader(const image_view& image, const walked_part& part)
      : image_(image), part_(part), row_(sums_reals(image.type) ? 0 : static_cast<std::size_t>(part.end[2])),
        reals_(sums_reals(image.type) ? static_cast<std::size_t>(part.end[2]) : 0) {}

  void read(image_row& row) {
    const i64 y = row.y - part_.begin[1];
    const placed_run whole{row.z - part_.begin[0], y, y + 1, 0, image_.size.width};
    with_pixel_type(image_.type, [&]<class Pixel>(pixel_type<Pixel>) {
      if constexpr (sums_reals(dtype_of_pixel<Pixel>::value)) {
        real_parts* to = reals_.data() + part_.begin[2];
        each_intensity<Pixel>(image_, whole, [&](Pixel pixel) { *to++ = parts_of(real_of(pixel)); });
      } else {
        i64* to = row_.data() + part_.begin[2];
        const bool truth = image_.type == dtype::boolean;
        each_intensity<Pixel>(image_, whole, [&](Pixel pixel) { *to++ = truth ? (pixel != 0 ? 1 : 0) : i64{pixel}; });
      }
    });
    row.weights = row_.data();
    row.real_weights = reals_.data();
  }

 private:
  const image_view& image_;
  walked_part part_;
  std::vector<i64> row_;
  std::vector<real_parts> reals_;
};

// One for each group that reads weights, none for the others.
std::vector<std::optional<weight_reader>> weight_readers(const walk_job& job) {
  std::vector<std::optional<weight_reader>> readers(job.groups.size());
  for (std::size_t g = 0; g < readers.size(); ++g)
    if (job.groups[g].group->reads_weights) readers[g].emplace(job.channels[job.groups[g].channel], part_of(job));
  return readers;
}

// Adds the rows of a share to groups, in order.
class row_adder {
 public:
  row_adder(const walk_job& job, sums_of_groups& sums) : job_(job), sums_(sums), weights_(weight_readers(job)) {}

  // The runs of `row` are those of the rows that wait, where it repeats them.
  void add(image_row row, bool repeats) {
    if (!repeats) flush();
    ++waiting_.rows;
    if (waiting_.rows == 1) waiting_ = row;
    for (std::size_t g = 0; g < sums_.size(); ++g) {
      if (takes_equal_rows(g)) continue;
      if (weights_[g]) weights_[g]->read(row);
      sums_[g]->add(row);
    }
  }

  // Before runs are found anew, and at the end.
  void flush() {
    for (std::size_t g = 0; g < sums_.size() && waiting_.rows != 0; ++g)
      if (takes_equal_rows(g)) sums_[g]->add(waiting_);
    waiting_.rows = 0;
  }

 private:
  [[nodiscard]] bool takes_equal_rows(std::size_t g) const { return job_.groups[g].group->takes_equal_rows; }

  const walk_job& job_;
  sums_of_groups& sums_;
  std::vector<std::optional<weight_reader>> weights_;
  image_row waiting_{};
};

// The rows of a plane that a thread adds.
regions::row_range rows_of_part(const regions::row_range& rows, const walked_part& part) {
  return {std::max(rows.begin, part.begin[1]), std::min(rows.end, part.end[1])};
}

// In a plane the neighbours of rows are pairs of labels.
template <class Label>
void walk_plane(const walk_job& job, const label_slots& slots, const regions::row_range& share, sums_of_groups& sums) {
  using natural = std::make_unsigned_t<Label>;
  constexpr i64 before = 1, after = 3;
  const i64 height = job.labels.size.height, width = job.labels.size.width;
  const walked_part part = part_of(job);
  const regions::row_range rows = rows_of_part(share, part);
  const bool has_pairs = reads_neighbours(job);
  regions::label_row_reader<Label> reader(job.labels, pair_rows::kept);
  const auto labels_of = [&](i64 y) { return reinterpret_cast<const natural*>(reader.row(y)); };
  pair_rows pairs(width, height);
  const i64 first = std::max<i64>(0, rows.begin - before);
  i64 next = first;
  const auto read_pairs = [&](i64 y) {
    const natural* const above = y == 0 ? nullptr : labels_of(y - 1);
    find_pairs<natural>({labels_of(y), above, width}, y == first ? nullptr : &pairs.of(y - 1), pairs.place(y));
    if (y >= rows.end) pairs.place(y).repeats = false;  // another share's
  };
  run_finder<Label> finder(job, slots);
  row_adder adder(job, sums);
  for (i64 y = rows.begin; y < rows.end; ++y) {
    stop_point();
    for (const i64 last = std::min(height - 1, y + after); has_pairs && next <= last; ++next) read_pairs(next);
    const bool repeats =
        y > rows.begin &&
        (has_pairs ? pairs.of(y).repeats : std::equal(labels_of(y), labels_of(y) + width, labels_of(y - 1)));
    if (!repeats) {
      adder.flush();
      finder.find(reader.row(y));
      finder.keep(part.begin[2], part.end[2]);
    }
    adder.add(
        {0, y, 1, part.begin[2], part.end[2], finder.runs(), has_pairs ? &pairs : nullptr, nullptr, nullptr, nullptr},
        repeats);
  }
  adder.flush();
}

// In a volume they are regions.
template <class Label>
void walk_volume(const walk_job& job, const label_slots& slots, const regions::row_range& rows, sums_of_groups& sums) {
  const extent& size = job.labels.size;
  const walked_part part = part_of(job);
  const i64 before = reads_neighbours(job) ? size.height + 1 : 0;
  regions::label_row_reader<Label> reader(job.labels);
  index_rows around(before != 0 ? size : extent(1, 1, 0), before + 1);
  run_finder<Label> finder(job, slots);
  row_adder adder(job, sums);
  for (i64 r = std::max<i64>(0, rows.begin - before); r < rows.end; ++r) {
    stop_point();
    finder.find(reader.row(r));
    if (before != 0) finder.spread(around.place(r));
    const i64 z = r / size.height, y = r % size.height;
    if (r < rows.begin || z < part.begin[0] || z >= part.end[0] || y < part.begin[1] || y >= part.end[1]) continue;
    finder.keep(part.begin[2], part.end[2]);
    adder.add({z, y, 1, part.begin[2], part.end[2], finder.runs(), nullptr, before != 0 ? &around : nullptr, nullptr,
               nullptr},
              false);
    adder.flush();
  }
}

// At most so many shares that all their sums take 64 MiB and 16 bytes a pixel: making and joining more takes longer than further
// threads save.
i64 useful_shares(const engine::state& on, const extent& size, const sums_of_groups& of_share) {
  constexpr i64 bytes_of_pixel = 16;
  i64 bytes = 1;
  for (const std::unique_ptr<feature_sums>& group : of_share) bytes += static_cast<i64>(group->bytes());
  return std::max<i64>(1, (on.free_bytes_of_shares + bytes_of_pixel * size.pixels()) / bytes);
}

// Makes the sums of `groups` groups by start(group) for each share of the rows, fills them by add(rows, sums) and joins them in order,
// all on the threads of the engine.
template <class Start, class Add>
sums_of_groups sum_shares(engine::state& on, const region_frame& frame, std::size_t groups, Start start, Add add) {
  sums_of_groups first(groups);
  each_of_regions(on, frame.count(), groups, [&](std::size_t group) { first[group] = start(group); });
  const std::vector<regions::row_range> shares =
      regions::split_rows(on, frame.size, useful_shares(on, frame.size, first));
  std::vector<sums_of_groups> later(shares.size() - 1);
  for (sums_of_groups& of_share : later) of_share.resize(groups);
  each_of_regions(on, frame.count(), later.size() * groups,
                  [&](std::size_t i) { later[i / groups][i % groups] = start(i % groups); });
  for_each_in_parallel(on, shares.size(), [&](std::size_t s) { add(shares[s], s == 0 ? first : later[s - 1]); });
  each_of_regions(on, frame.count(), groups, [&](std::size_t group) {
    for (sums_of_groups& of_share : later) {
      first[group]->join(*of_share[group]);
      of_share[group].reset();
    }
  });
  return first;
}

}  // namespace

void finish(engine::state& on, const region_frame& frame, feature_sums& sums) {
  sums.prepare(frame);
  each_in_pieces(on, frame.count(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) sums.finish(frame, row);
  });
}

sums_of_groups sum_rows(engine::state& on, const walk_job& job) {
  label_slots slots(regions::small_labels(job.labels));
  for (const label_bits label : job.frames.front().table->labels) {
    stop_point(slots.labels().size());
    slots.slot_of(label);  // so slots are rows
  }
  const auto start = [&](std::size_t g) { return job.groups[g].group->start(job.frames[job.groups[g].channel]); };
  const auto add = [&](const regions::row_range& rows, sums_of_groups& sums) {
    regions::with_label_type(job.labels.type, [&]<class Label>(regions::label_type<Label>) {
      if (job.labels.size.rank == 3) walk_volume<Label>(job, slots, rows, sums);
      else walk_plane<Label>(job, slots, rows, sums);
    });
  };
  return sum_shares(on, job.frames.front(), job.groups.size(), start, add);
}

std::unique_ptr<feature_sums> sum_runs(engine::state& on, const region_frame& frame, const feature_group& group,
                                       const regions::image_runs& runs) {
  const extent& size = frame.size;
  const auto start = [&](std::size_t) { return group.start(frame); };
  const auto add = [&](const regions::row_range& rows, const sums_of_groups& to) {
    std::vector<region_run> of_row;
    for (i64 r = rows.begin; r < rows.end; ++r) {
      stop_point();
      of_row.clear();
      for (const regions::region_runs::run& run : runs.of(r))
        of_row.push_back({run.number, i64{run.begin}, i64{run.end}});
      to.front()->add({r / size.height, r % size.height, 1, 0, size.width, of_row, nullptr, nullptr, nullptr, nullptr});
    }
  };
  sums_of_groups sums = sum_shares(on, frame, 1, start, add);
  finish(on, frame, *sums.front());
  return std::move(sums.front());
}

sums_of_groups walk(engine::state& on, const walk_job& job) {
  sums_of_groups sums = sum_rows(on, job);
  for (std::size_t group = 0; group < sums.size(); ++group)
    finish(on, job.frames[job.groups[group].channel], *sums[group]);
  return sums;
}

}  // namespace skerry::features
