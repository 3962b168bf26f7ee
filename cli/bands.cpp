// SPDX-License-Identifier: Apache-2.0
#include "cli/bands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "cli/memory_size.hpp"
#include "cli/threshold.hpp"
#include "io/file_error.hpp"
#include "skerry/threshold.hpp"

namespace skerry::cli {
namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr std::int64_t room_for_the_rest = 24 * mebibyte;  // threads, buffers of files, what the allocator keeps
constexpr std::int64_t unit_bytes = mebibyte;              // fewer rows would be read too slowly

// Bytes for each run, at most: see count_runs(); a run at a face is kept and copied when pieces join.
constexpr std::uint64_t labelling_run = 250, emitting_run = 40, face_run = 250;

}  // namespace

block_place band_rows::place(const extent& whole) const {
  return {whole, begin / whole.height, begin % whole.height, 0};
}

extent band_rows::size(const extent& whole) const {
  if (whole.rank == 2) return {count(), whole.width};
  const bool slices = count() >= whole.height;
  return {slices ? count() / whole.height : 1, slices ? whole.height : count(), whole.width};
}

std::vector<band_rows> rows_after(std::int64_t row, std::vector<band_rows> bands) {
  std::erase_if(bands, [&](const band_rows& rows) { return rows.end <= row; });
  return bands;
}

band_request fill_holes(engine& on, const label_request& asked, const block_place& place, const numbering* holes) {
  if (holes == nullptr) return {asked, {}};
  const extent& size = asked.image.size;
  band_request made{asked, fill_block(on, asked, place, labels_of_block(*holes, place, size))};
  made.asked.image = image_view(made.filled.data(), dtype::boolean, size);
  made.asked.options.foreground = foreground::nonzero();
  return made;
}

band_memory::band_memory(std::int64_t limit, const io::band_reader& from, std::int64_t label_bytes,
                         std::int64_t beside_bytes)
    : limit_(limit), fixed_(resident_bytes() + room_for_the_rest),
      pixel_bytes_(static_cast<std::int64_t>(size_of(from.type()))), label_bytes_(label_bytes),
      beside_bytes_(beside_bytes) {
  // A strip or a row of tiles is decoded beside the pixels.
  fixed_ += from.rows_together() * from.size().width * pixel_bytes_;
}

std::int64_t band_memory::of_band(std::int64_t pixels, std::uint64_t runs, std::uint64_t face_runs) const {
  const auto labelling = static_cast<std::int64_t>(labelling_run * runs + face_run * face_runs);
  const auto emitting = 2 * label_bytes_ * pixels + static_cast<std::int64_t>(emitting_run * runs);
  return (2 * pixel_bytes_ + beside_bytes_) * pixels + std::max(labelling, emitting);
}

band_source::band_source(const job& of, std::int64_t first_row) : of_(of), first_row_(first_row) {
  const extent& size = of_.from.size();
  const std::int64_t together = std::max<std::int64_t>(of_.from.rows_together(), 1), allowed = of_.memory.for_bands();
  // A unit is to fit whatever its pixels are: with a run for every other one.
  const auto bytes_of_rows = [&](std::int64_t rows, bool full) {
    const std::int64_t pixels = rows * size.width;
    const auto runs = static_cast<std::uint64_t>(full ? pixels / 2 + rows : 0);
    return of_.memory.of_band(pixels, runs, size.rank == 3 ? runs : 0);
  };
  const std::int64_t fitting = allowed / bytes_of_rows(together, true), good = unit_bytes / (together * row_bytes());
  unit_rows_ = std::min(together * std::max<std::int64_t>(std::min(fitting, good), 1), size.height);
  const std::int64_t most = std::max(allowed, bytes_of_rows(unit_rows_, false)) / bytes_of_rows(1, false) + unit_rows_;
  start(std::min(most, size.rows()) * row_bytes(), &band_source::read_chosen);
}

band_source::band_source(const job& of, std::vector<band_rows> bands) : of_(of), given_(std::move(bands)) {
  std::int64_t most = 0;
  for (const band_rows& rows : given_) most = std::max(most, rows.count());
  start(most * row_bytes(), &band_source::read_given);
}

band_source::~band_source() {
  free_.close();
  if (thread_.joinable()) thread_.join();
}

std::int64_t band_source::row_bytes() const {
  return of_.from.size().width * static_cast<std::int64_t>(size_of(of_.from.type()));
}

void band_source::start(std::int64_t bytes, void (band_source::*work)()) {
  // Memory that no pixel is ever written to costs nothing.
  for (int i = 0; i < 2; ++i) free_.put(io::allocate_pixels(of_.name, dtype::u8, extent(1, bytes)));
  thread_ = std::thread([this, work] {
    try {
      (this->*work)();
      read_.close();
    } catch (...) {
      read_.close(std::current_exception());
    }
  });
}

void band_source::read_given() {
  for (const band_rows& rows : given_) {
    auto pixels = free_.take();
    if (!pixels) return;
    of_.from.read(rows.begin, rows.end, pixels->get());
    read_.put({rows, std::move(*pixels)});
  }
}

band_source::unit band_source::read_unit(std::int64_t row, std::byte* to) const {
  const std::int64_t slice_end = (row / of_.from.size().height + 1) * of_.from.size().height;
  const band_rows rows{row, std::min(row + unit_rows_, slice_end)};
  of_.from.read(rows.begin, rows.end, to);
  label_options flat = of_.options;
  flat.connectivity = 8;
  flat.periodic = {};
  // The background, in which holes are found, has a run more in each row.
  return {rows, static_cast<std::uint64_t>(rows.count()) +
                    count_runs({to, of_.from.type(), extent(rows.count(), of_.from.size().width)}, flat)};
}

// A band has faces to other slices in its first and its last slice; those within a slice are thin.
std::int64_t band_source::bytes_of(const std::vector<unit>& units, std::size_t count) const {
  const extent& whole = of_.from.size();
  std::uint64_t runs = 0, face_runs = 0;
  const bool by_pixel = of_.options.joining.kind == joining::rule::within;
  const std::int64_t first = units.front().rows.begin / whole.height,
                     last = (units[count - 1].rows.end - 1) / whole.height;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t slice = units[i].rows.begin / whole.height;
    runs += units[i].runs;
    if (whole.rank == 3 && (slice == first || slice == last))
      face_runs += by_pixel ? static_cast<std::uint64_t>(units[i].rows.count() * whole.width) : units[i].runs;
  }
  const std::int64_t rows = units[count - 1].rows.end - units.front().rows.begin;
  return of_.memory.of_band(rows * whole.width, runs, face_runs);
}

// How many of the units a band gets, of more than fit or the last of all: as many as fit; whole slices, if there are any.
std::size_t band_source::units_of_band(const std::vector<unit>& units) const {
  const std::int64_t height = of_.from.size().height;
  std::size_t count = units.size();
  while (count > 1 && bytes_of(units, count) > of_.memory.for_bands()) --count;
  if (units.front().rows.begin % height != 0) return count;
  for (std::size_t whole = count; whole > 0; --whole)
    if (units[whole - 1].rows.end % height == 0) return whole;
  return count;
}

// Hands a band over. The pixels that it does not get begin the next one.
void band_source::cut_from(std::vector<unit>& units, std::unique_ptr<std::byte[]>& pixels) {
  const std::size_t count = units_of_band(units);
  if (const std::int64_t bytes = bytes_of(units, count); bytes > of_.memory.for_bands())
    throw io::file_error(of_.name,
                         fmt::format("--memory is too small for {} of its rows at a time; give {} or more",
                                     units.front().rows.count(), text_of_memory(of_.memory.limit_for(bytes))));
  const band_rows rows{units.front().rows.begin, units[count - 1].rows.end};
  const std::int64_t left = units.back().rows.end - rows.end;
  units.erase(units.begin(), units.begin() + static_cast<std::ptrdiff_t>(count));
  const bool more = rows.end < of_.from.size().rows();
  std::optional<std::unique_ptr<std::byte[]>> next;
  if (more) next = free_.take();
  if (next)
    std::memcpy(next->get(), pixels.get() + rows.count() * row_bytes(), static_cast<std::size_t>(left * row_bytes()));
  read_.put({rows, std::move(pixels)});
  if (next) pixels = std::move(*next);
}

void band_source::read_chosen() {
  const std::int64_t rows = of_.from.size().rows(), height = of_.from.size().height;
  auto first = free_.take();
  std::unique_ptr<std::byte[]> pixels = first ? std::move(*first) : nullptr;
  std::vector<unit> units;
  std::int64_t row = first_row_;
  while (pixels) {
    // What is left from the band before may already be too much, or end a slice.
    const bool slice_ends = !units.empty() && units.back().rows.end % height == 0;
    const bool begins_within = !units.empty() && units.front().rows.begin % height != 0;
    const bool full = !units.empty() && bytes_of(units, units.size()) > of_.memory.for_bands();
    if (full || (!units.empty() && row == rows) || (begins_within && slice_ends)) {
      cut_from(units, pixels);
      if (units.empty() && row == rows) return;
      continue;
    }
    const std::int64_t held = units.empty() ? 0 : units.back().rows.end - units.front().rows.begin;
    units.push_back(read_unit(row, pixels.get() + held * row_bytes()));
    row = units.back().rows.end;
  }
}

namespace {

double otsu_threshold(io::band_reader& from, const std::string& name) {
  const extent& size = from.size();
  const std::int64_t row_bytes = size.width * static_cast<std::int64_t>(size_of(from.type()));
  const std::int64_t together = std::max<std::int64_t>(from.rows_together(), 1);
  const std::int64_t rows = together * std::max<std::int64_t>(unit_bytes / (together * row_bytes), 1);
  const auto pixels = io::allocate_pixels(name, dtype::u8, extent(1, std::min(rows, size.rows()) * row_bytes));
  const auto each_part = [&](const auto& visit) {
    for (std::int64_t begin = 0; begin < size.rows();) {
      const std::int64_t slice_end = (begin / size.height + 1) * size.height, end = std::min(begin + rows, slice_end);
      from.read(begin, end, pixels.get());
      visit(image_view(pixels.get(), from.type(), extent(end - begin, size.width)));
      begin = end;
    }
  };
  return found_by_otsu(name, [&] {
    value_range range;
    each_part([&](const image_view& part) { range = join(range, range_of_values(part)); });
    std::vector<std::uint64_t> counts;
    each_part([&](const image_view& part) {
      const std::vector<std::uint64_t> more = count_values(part, range);
      counts.resize(more.size());
      for (std::size_t k = 0; k < more.size(); ++k) counts[k] += more[k];
    });
    return skerry::otsu_threshold(from.type(), range, counts);
  });
}

}  // namespace

foreground_choice choose_foreground(const foreground_options& options, io::band_reader& from, const std::string& name) {
  return choose_foreground(options, [&] { return otsu_threshold(from, name); });
}

}  // namespace skerry::cli
