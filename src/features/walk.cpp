// SPDX-License-Identifier: Apache-2.0
// Each thread walks a share of the rows, with the rows around it that windows reach into; shares are joined in order.
#include "features/walk.hpp"

#include <algorithm>
#include <optional>

#include "core/run_intensities.hpp"
#include "engine/cpu/parallel.hpp"
#include "regions/find_starts.hpp"
#include "regions/label_rows.hpp"
#include "regions/label_slots.hpp"
#include "regions/shares.hpp"

namespace skerry::features {
namespace {

using regions::label_slots;

// How far windows reach, in rows.
struct row_reach {
  i64 before = 0, after = 0;
  static row_reach of(const walk_job& job) {
    const bool needed = std::any_of(job.groups.begin(), job.groups.end(),
                                    [](const walked_group& each) { return each.group->reads_neighbours; });
    if (!needed) return {};
    return job.labels.size.rank == 2 ? row_reach{2, 2} : row_reach{job.labels.size.height + 1, 0};
  }
};

// Turns rows of labels into rows of regions.
template <class Label>
class region_reader {
 public:
  region_reader(const walk_job& job, const label_slots& slots)
      : reader_(job.labels), is_background_(job.background), slots_(slots),
        width_(static_cast<std::size_t>(job.labels.size.width)), starts_(width_ + 1) {}

  void read(i64 r, u32* to) {
    const Label* const labels = reader_.row(r);
    const std::size_t runs =
        regions::find_starts(reinterpret_cast<const std::make_unsigned_t<Label>*>(labels), width_, starts_.data());
    for (std::size_t i = 0; i < runs; ++i) {
      const Label label = labels[starts_[i]];
      const u32 region = is_background_(label) ? no_region : slots_.find(regions::bits_of(label));
      std::fill(to + starts_[i], to + starts_[i + 1], region);
    }
  }

 private:
  regions::label_row_reader<Label> reader_;
  regions::background_test<Label> is_background_;
  const label_slots& slots_;
  std::size_t width_;
  std::vector<u32> starts_;
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

class run_finder {
 public:
  explicit run_finder(const walked_part& part)
      : begin_(part.begin[2]), width_(static_cast<std::size_t>(part.end[2] - begin_)), starts_(width_ + 1) {}

  std::span<const region_run> runs_of(const u32* row) {
    runs_.clear();
    row += begin_;
    const std::size_t count = regions::find_starts(row, width_, starts_.data());
    for (std::size_t i = 0; i < count; ++i)
      if (row[starts_[i]] != no_region)
        runs_.push_back({row[starts_[i]], begin_ + i64{starts_[i]}, begin_ + i64{starts_[i + 1]}});
    return runs_;
  }

 private:
  i64 begin_;
  std::size_t width_;
  std::vector<u32> starts_;
  std::vector<region_run> runs_;
};

template <class Label>
void walk_rows(const walk_job& job, const label_slots& slots, const regions::row_range& rows, sums_of_groups& sums) {
  const extent& size = job.labels.size;
  const row_reach reach = row_reach::of(job);
  const walked_part part = part_of(job);
  index_rows around(size, reach.before + reach.after + 1);
  region_reader<Label> reader(job, slots);
  std::vector<std::optional<weight_reader>> weights = weight_readers(job);
  run_finder finder(part);
  i64 next = std::max<i64>(0, rows.begin - reach.before);
  for (i64 r = rows.begin; r < rows.end; ++r) {
    stop_point();
    for (const i64 last = std::min(size.rows() - 1, r + reach.after); next <= last; ++next)
      reader.read(next, around.place(next));
    const i64 z = r / size.height, y = r % size.height;
    if (z < part.begin[0] || z >= part.end[0] || y < part.begin[1] || y >= part.end[1]) continue;
    image_row row = {z, y, part.begin[2], part.end[2], finder.runs_of(around.row(r)), &around, nullptr, nullptr};
    for (std::size_t g = 0; g < sums.size(); ++g) {
      if (weights[g]) weights[g]->read(row);
      sums[g]->add(row);
    }
  }
}

}  // namespace

void finish(engine::state& on, const region_frame& frame, feature_sums& sums) {
  constexpr std::size_t regions_of_piece = 256;
  sums.prepare(frame);
  const std::size_t pieces = (frame.count() + regions_of_piece - 1) / regions_of_piece;
  for_each_in_parallel(on, pieces, [&](std::size_t piece) {
    const std::size_t end = std::min(frame.count(), (piece + 1) * regions_of_piece);
    for (std::size_t row = piece * regions_of_piece; row < end; ++row) sums.finish(frame, row);
  });
}

sums_of_groups sum_rows(engine::state& on, const walk_job& job) {
  label_slots slots(regions::small_labels(job.labels.size.pixels()));
  for (const label_bits label : job.frames.front().table->labels) {
    stop_point(slots.labels().size());
    slots.slot_of(label);  // so slots are rows
  }
  const std::vector<regions::row_range> shares = regions::split_rows(on, job.labels.size);
  std::vector<sums_of_groups> sums(shares.size());
  for (sums_of_groups& of_share : sums)
    for (const auto& [group, channel] : job.groups) of_share.push_back(group->start(job.frames[channel]));
  for_each_in_parallel(on, shares.size(), [&](std::size_t s) {
    regions::with_label_type(job.labels.type, [&]<class Label>(regions::label_type<Label>) {
      walk_rows<Label>(job, slots, shares[s], sums[s]);
    });
  });
  for (std::size_t group = 0; group < job.groups.size(); ++group) {
    for (std::size_t s = 1; s < shares.size(); ++s) {
      sums[0][group]->join(*sums[s][group]);
      sums[s][group].reset();
    }
  }
  return std::move(sums.front());
}

sums_of_groups walk(engine::state& on, const walk_job& job) {
  sums_of_groups sums = sum_rows(on, job);
  for (std::size_t group = 0; group < sums.size(); ++group)
    finish(on, job.frames[job.groups[group].channel], *sums[group]);
  return sums;
}

}  // namespace skerry::features
