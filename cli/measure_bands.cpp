// SPDX-License-Identifier: Apache-2.0
#include "cli/measure_bands.hpp"

#include <fmt/format.h>

#include <ostream>
#include <utility>

#include "cli/band_question.hpp"
#include "cli/band_state.hpp"
#include "cli/bands.hpp"
#include "cli/components.hpp"
#include "cli/joined_pieces.hpp"
#include "cli/label_bands.hpp"
#include "cli/memory_size.hpp"
#include "cli/output_names.hpp"
#include "cli/picture_tables.hpp"
#include "cli/region_rows.hpp"
#include "cli/threshold.hpp"
#include "cli/time_left.hpp"
#include "io/file_error.hpp"
#include "io/pending_file.hpp"
#include "skerry/error.hpp"
#include "skerry/region_blocks.hpp"

namespace skerry::cli {
namespace {

void check_bands(const measure_job& job) {
  check_band_input(job);
  if (job.numbers_channels())
    throw usage_error("--intensity-channel: --memory measures one channel at a time; give one");
  if (!job.intensity_channels.empty() && job.intensity == "self")
    throw usage_error("--intensity-channel does not go with --memory and --intensity self; give the file again");
}

class measured_bands {
 public:
  measured_bands(const measure_job& job, const console& to)
      : job_(job), to_(to), path_(job.input.paths.front()), on_(make_engine(job.engine)),
        tables_("-o", job.output, job.format, picture_names(job.input), job.features.empty()),
        from_(io::open_bands(path_, job.input.read)), about_{path_, from_->about(), false, {}},
        passes_(job.components.selection.fill_holes ? 2 : 1),
        line_(to, job.quiet, passes_ * about_.pixels.size.rows()) {
    describe(job_.input, about_);
    print_note(to_, job_.quiet, about_);
    open_intensity();
    table_sources sources{whole().rank, {}, about_.spacing};
    if (intensity_type_) sources.intensity = intensity_type_;
    columns_ = columns_for(job_, sources);
    filter_.emplace(job_.components.keep, sources);
    refuse_with_memory("--features", columns_.more);
    refuse_with_memory("--keep", filter_->needs_more());
    if (job_.regions) {
      check_labels(about_);
      options_ = {
          .connectivity = whole().rank == 2 ? 4 : 6, .foreground = foreground::all(), .joining = joining::equal()};
    } else {
      const foreground_choice chosen = choose_foreground(job_.foreground, *from_, path_);
      otsu_ = chosen.otsu;
      options_ = labelling_of(job_, chosen.rule, whole().rank);
    }
  }

  void run() {
    tables_.open(0, to_);
    tables_.check_rank(about_);
    tables_.check_unit(about_);
    open_state(state_, "");
    std::uint64_t count = 0;
    try {
      count = job_.regions ? measure_labels() : measure_components();
      line_.clear();
      tables_.finish(to_);
      tables_.publish();
    } catch (const invalid_argument& error) {
      throw io::file_error(path_, error.what());
    } catch (const io::file_error&) {
      line_.clear();
      if (state_ && state_->is_saved() && !job_.quiet)
        to_.err << "skerry: note: " << tables_.files().front() << ": --resume goes on from here\n";
      throw;
    }
    for (std::optional<band_state>* const each : {&holes_state_, &state_})
      if (*each) (*each)->remove();
    if (!job_.quiet && !job_.output.empty())
      (io::is_standard_output(job_.output) ? to_.err : to_.out)
          << counted(path_, count, job_.regions ? "region" : "component") << text_of_otsu(otsu_) << '\n'
          << std::flush;
  }

 private:
  [[nodiscard]] extent whole() const { return about_.pixels.size; }

  static band_state* at(std::optional<band_state>& state) { return state ? &*state : nullptr; }

  void open_intensity() {
    if (job_.intensity == "self") intensity_type_ = about_.pixels.type;
    if (job_.intensity.empty() || job_.intensity == "self") return;
    intensity_path_ = fill_name(job_.intensity, path_);
    intensity_ = io::open_bands(intensity_path_, intensity_input(job_).read);
    const picture under{intensity_path_, intensity_->about(), false, {}};
    check_intensity(about_, {{&under}});
    intensity_type_ = intensity_->type();
  }

  // What a later process goes on with, of a table that goes to a file.
  void open_state(std::optional<band_state>& state, const std::string& ending) {
    const std::string& file = tables_.files().front();
    if (!file.empty() && !file.starts_with("/dev/"))
      state.emplace(file + ending, band_question{question_of_table(job_, path_, intensity_path_), job_.bands.memory,
                                                 job_.bands.resume});
    else if (job_.bands.resume) throw usage_error("--resume: the table is printed, and has no state; give -o a file");
  }

  // Bytes for each pixel beside the band: of the image of intensities, and of tables of labels.
  [[nodiscard]] std::int64_t bytes_beside() const {
    const auto grey = intensity_ ? static_cast<std::int64_t>(size_of(intensity_->type())) : 0;
    constexpr std::int64_t table_of_labels = 8;
    return passes_ - 1 + grey + (job_.regions ? table_of_labels * on_.threads() : 0);
  }

  // The part of the image of intensities that lies under a band.
  [[nodiscard]] image_view intensity_under(const band_source::band& band) {
    const extent size = band.rows.size(whole());
    if (!intensity_) return {band.pixels.get(), about_.pixels.type, size};
    if (under_rows_ < band.rows.count()) {
      under_ = io::allocate_pixels(path_, intensity_->type(), extent(band.rows.count(), whole().width));
      under_rows_ = band.rows.count();
    }
    intensity_->read(band.rows.begin, band.rows.end, under_.get());
    return {under_.get(), intensity_->type(), size};
  }

  struct pass {
    std::string verb;
    std::int64_t done;  // rows of passes before it
    band_state* state;  // or null
  };

  // Calls add(band, features) for each band that is not in the state; it returns what its pieces take, of a quarter of the
  // memory.
  template <class Add>
  void each_band(const pass& of, Add add) {
    const band_source::job how{*from_, path_, options_, band_memory(job_.bands.memory, *from_, 0, bytes_beside())};
    memory_.emplace(how.memory);
    std::vector<band_rows> known;
    if (of.state != nullptr) known = of.state->progress().labelled;
    const std::int64_t first = known.empty() ? 0 : known.back().end;
    // Holes are known for the bands in which they were found.
    const std::vector<band_rows> given = std::exchange(bands_, std::move(known));
    if (first == whole().rows()) return;
    std::optional<band_source> source;
    if (given.empty()) source.emplace(how, first);
    else source.emplace(how, rows_after(first, given));
    band_source& bands = *source;
    line_.begin(of.verb, of.done + first);
    while (auto band = bands.next()) {
      const std::int64_t end = band->rows.end;
      bands_.push_back(band->rows);
      measure_options features{columns_.moments || filter_->needs_moments(), {}};
      if (intensity_type_) features.intensity = intensity_under(*band);
      const std::uint64_t bytes = add(*band, features);
      bands.give_back(std::move(*band));
      require(bytes, memory_->for_components(), 4 * static_cast<double>(whole().rows()) / static_cast<double>(end));
      line_.show(of.done + end);
    }
    under_.reset();
  }

  //   share  of the memory that the whole image will need, in parts of what it needs now
  void require(std::uint64_t bytes, std::int64_t allowed, double share) const {
    if (bytes <= static_cast<std::uint64_t>(allowed)) return;
    const auto needed = static_cast<std::int64_t>(share * static_cast<double>(bytes));
    throw io::file_error(path_, fmt::format("--memory is too small for its table; give {} or more",
                                            text_of_memory(memory_->fixed() + needed)));
  }
  // Rows are in pieces, joined, and columns of the table at the same time.
  void require_table(std::uint64_t bytes, std::uint64_t rows) const {
    require(3 * bytes + sizeof(double) * columns_.names.size() * rows, memory_->in_all(), 1);
  }

  // Joins the pieces that label_band(band's request, place) makes of all bands.
  template <class Label>
  numbering number_bands(const pass& of, const selection& keep, Label label_band) {
    piece open;
    joined_pieces<piece> closed;
    if (of.state != nullptr) {
      open = of.state->open();
      closed = of.state->pieces(&piece_from_bytes);
    }
    const auto keep_closed = [&](piece done_with) {
      if (done_with.closed_components() == 0) return;
      if (of.state != nullptr) of.state->add(done_with);
      closed.add(std::move(done_with));
    };
    each_band(of, [&](const band_source::band& band, const measure_options& features) {
      const image_view image(band.pixels.get(), about_.pixels.type, band.rows.size(whole()));
      piece of_band = label_band({image, options_, features}, band.rows.place(whole()));
      keep_closed(of_band.take_closed());
      open = join(open, of_band);
      keep_closed(open.take_closed());
      if (of.state != nullptr) of.state->labelled(band.rows, open, band.rows.end == whole().rows());
      return 4 * open.memory() + 2 * closed.memory() + (holes_ ? 16 * holes_->labels.first.size() : 0);
    });
    std::uint64_t count = 0;
    for (const piece& each : closed.all()) count += each.closed_components();
    require_table(closed.memory(), count);
    closed.all().push_back(std::move(open));
    return skerry::number(closed.all(), keep);
  }

  std::uint64_t measure_components() {
    selection keep = job_.components.selection;
    if (std::exchange(keep.fill_holes, false)) {
      open_state(holes_state_, ".holes");
      numbering holes = number_bands(
          {"finding holes", 0, at(holes_state_)}, {.clear_border = true},
          [&](const label_request& asked, const block_place& place) { return label_background(on_, asked, place); });
      holes.table = {};
      holes_ = std::move(holes);
    }
    const numbering numbers =
        number_bands({"measuring", (passes_ - 1) * whole().rows(), at(state_)}, keep,
                     [&](const label_request& asked, const block_place& place) {
                       return label_block(on_, fill_holes(on_, asked, place, holes_ ? &*holes_ : nullptr).asked, place);
                     });
    const measured_columns rows{numbers.table, {}, about_.spacing};
    std::vector<table_column> table = columns_of(rows, columns_.names);
    std::uint64_t count = numbers.table.size();
    if (filter_->wanted()) {
      const new_labels kept = filter_->number(rows);
      keep_rows(table, kept);
      count = kept.count;
    }
    tables_.add(about_, 0, std::move(table));
    return count;
  }

  std::uint64_t measure_labels() {
    joined_pieces<region_piece> pieces;
    if (state_) pieces = state_->pieces(&region_piece_from_bytes);
    each_band({"measuring", 0, at(state_)}, [&](const band_source::band& band, const measure_options& features) {
      const image_view labels(band.pixels.get(), about_.pixels.type, band.rows.size(whole()));
      region_piece of_band = measure_block(on_, {labels, job_.rule, features, {}}, band.rows.place(whole()));
      if (state_) {
        state_->add(of_band);
        state_->labelled(band.rows, {}, band.rows.end == whole().rows());
      }
      pieces.add(std::move(of_band));
      return 2 * pieces.memory();
    });
    std::uint64_t count = 0;
    for (const region_piece& each : pieces.all()) count += each.regions();
    require_table(pieces.memory(), count);
    const region_table table = table_of(pieces.all());
    tables_.add(about_, 0, region_columns(about_, table, {}, columns_.names));
    return table.size();
  }

  const measure_job& job_;
  const console& to_;
  const std::string path_;
  std::string intensity_path_;  // of a file of its own
  engine on_;
  picture_tables tables_;
  std::unique_ptr<io::band_reader> from_, intensity_;
  picture about_;
  std::int64_t passes_;
  time_left line_;
  std::optional<dtype> intensity_type_;
  feature_columns columns_;
  std::optional<component_filter> filter_;
  label_options options_;  // what makes components; of label images, what makes runs
  std::optional<band_memory> memory_;
  std::optional<band_state> state_, holes_state_;
  std::optional<numbering> holes_;
  std::optional<double> otsu_;    // the threshold that was found
  std::vector<band_rows> bands_;  // of the pass before
  std::unique_ptr<std::byte[]> under_;
  std::int64_t under_rows_ = 0;
};

}  // namespace

void measure_in_bands(const measure_job& job, const console& to) {
  check_bands(job);
  measured_bands(job, to).run();
}

}  // namespace skerry::cli
