// SPDX-License-Identifier: Apache-2.0
#include "cli/label_bands.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>
#include <utility>

#include "cli/band_output.hpp"
#include "cli/band_question.hpp"
#include "cli/band_state.hpp"
#include "cli/bands.hpp"
#include "cli/component_filter.hpp"
#include "cli/components.hpp"
#include "cli/memory_size.hpp"
#include "cli/output_names.hpp"
#include "cli/threshold.hpp"
#include "cli/time_left.hpp"
#include "io/file_error.hpp"
#include "io/picture_file.hpp"
#include "skerry/error.hpp"

namespace skerry::cli {
namespace {

void check_bands(const label_job& job) {
  check_band_input(job);
  if (io::is_standard_output(job.output) || job.output.starts_with("/dev/"))
    throw usage_error("-o: --memory writes a file, which appears when it is whole; give its name");
  if (io::picture_format_of(job.output) == io::picture_format::png)
    throw usage_error("-o: --memory writes .tif or .npy");
}

class band_run {
 public:
  band_run(const label_job& job, std::string path, std::string output, const console& to)
      : job_(job), path_(std::move(path)), output_(std::move(output)), to_(to), on_(make_engine(job.engine)),
        type_(chosen_label_type(job.labels_type)),
        from_(io::open_bands(path_, job.input.read)), about_{path_, from_->about(), false, {}},
        passes_(job.components.selection.fill_holes ? 3 : 2),
        line_(to, job.quiet, passes_ * about_.pixels.size.rows()) {
    describe(job_.input, about_);
    print_note(to_, job_.quiet, about_);
    const extent& size = about_.pixels.size;
    const foreground_choice chosen = choose_foreground(job_.foreground, *from_, path_);
    otsu_ = chosen.otsu;
    options_ = labelling_of(job_, chosen.rule, size.rank);
    filter_.emplace(job_.components.keep, table_sources{size.rank, about_.pixels.type, about_.spacing});
    refuse_with_memory("--keep", filter_->needs_more());
  }

  void run() {
    band_state state(output_, {question_of_labels(job_, path_), job_.bands.memory, job_.bands.resume});
    try {
      if (!state.progress().count) {
        find_holes();
        label(state);
        write(state, number(state));
        line_.clear();
      } else if (std::filesystem::exists(state.part())) {
        io::pending_file(output_, state.part()).commit();
      }
      const std::uint64_t count = *state.progress().count;
      if (holes_state_) holes_state_->remove();
      state.remove();
      if (!job_.quiet) to_.out << counted(path_, count, "component") << text_of_otsu(otsu_) << '\n' << std::flush;
    } catch (const invalid_argument& error) {
      throw io::file_error(path_, error.what());
    } catch (const io::file_error& error) {
      line_.clear();
      if (!state.is_saved() || job_.quiet) throw;
      to_.err << "skerry: note: " << output_ << ": --resume goes on from here\n";
      throw;
    }
  }

 private:
  [[nodiscard]] extent whole() const { return about_.pixels.size; }
  [[nodiscard]] band_source::job reading() const {
    const auto label_bytes = static_cast<std::int64_t>(size_of(type_.value_or(dtype::u32)));
    return {*from_, path_, options_, band_memory(job_.bands.memory, *from_, label_bytes, passes_ - 2)};
  }
  [[nodiscard]] label_request request(const band_source::band& band) const {
    label_request asked{image_view(band.pixels.get(), about_.pixels.type, band.rows.size(whole())), options_, {}};
    asked.features.moments = filter_->needs_moments();
    if (filter_->needs_intensity()) asked.features.intensity = asked.image;
    return asked;
  }

  // A pass before the others, with a state of its own.
  void find_holes() {
    if (!job_.components.selection.fill_holes) return;
    holes_state_.emplace(output_ + ".holes",
                         band_question{question_of_labels(job_, path_), job_.bands.memory, job_.bands.resume});
    line_.begin("finding holes", 0);
    collect(*holes_state_, 0, nullptr, [&](const band_source::band& band) {
      return label_background(on_, request(band), band.rows.place(whole()));
    });
    holes_ = number_all(*holes_state_, {.clear_border = true});
    holes_->table = {};
  }

  [[nodiscard]] const numbering* holes() const { return holes_ ? &*holes_ : nullptr; }

  void label(band_state& state) {
    const std::int64_t done = (passes_ - 2) * whole().rows();
    const std::vector<band_rows>& known = state.progress().labelled;
    line_.begin("labelling", done + (known.empty() ? 0 : known.back().end));
    // Holes are known for the bands in which they were found.
    const std::vector<band_rows>* const bands = holes_state_ ? &holes_state_->progress().labelled : nullptr;
    collect(state, done, bands, [&](const band_source::band& band) {
      const block_place place = band.rows.place(whole());
      return label_block(on_, fill_holes(on_, request(band), place, holes()).asked, place);
    });
  }

  // Pieces of all bands: what is closed goes to the disk, what is open stays here.
  //   given  the bands; null: those that memory allows
  template <class Label>
  void collect(band_state& state, std::int64_t done, const std::vector<band_rows>* given, Label label_band) {
    const band_progress& known = state.progress();
    const std::int64_t first = known.labelled.empty() ? 0 : known.labelled.back().end;
    if (first == whole().rows()) return;
    piece open = state.open();
    const band_source::job how = reading();
    std::optional<band_source> source;
    if (given != nullptr) source.emplace(how, rows_after(first, *given));
    else source.emplace(how, first);
    band_source& bands = *source;
    while (auto band = bands.next()) {
      piece of_band = label_band(*band);
      const band_rows rows = band->rows;
      bands.give_back(std::move(*band));
      state.add_closed(of_band.take_closed());
      open = join(open, of_band);
      state.add_closed(open.take_closed());
      // A join has both pieces and the joined one.
      require(how.memory, 4 * open.memory(), how.memory.for_components(), 4);
      state.labelled(rows, open, rows.end == whole().rows());
      line_.show(done + rows.end);
    }
  }

  static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62;
  void require(const band_memory& memory, std::uint64_t bytes, std::int64_t allowed, std::int64_t parts) const {
    const auto needed = static_cast<std::int64_t>(std::min(bytes, most_bytes / 8));
    if (needed > allowed)
      throw io::file_error(path_,
                           fmt::format("--memory is too small for its components; go on with --resume --memory {}",
                                       text_of_memory(memory.fixed() + parts * needed)));
  }

  numbering number_all(const band_state& state, const selection& keep) const {
    const band_memory memory = reading().memory;
    require(memory, 3 * state.progress().piece_bytes, memory.in_all(), 1);
    joined_pieces<piece> pieces = state.pieces(&piece_from_bytes);
    pieces.all().push_back(state.open());
    return skerry::number(pieces.all(), keep);
  }

  // Labels of all components, after the choice of those that stay.
  numbering number(const band_state& state) const {
    selection keep = job_.components.selection;
    keep.fill_holes = false;
    numbering numbers = number_all(state, keep);
    if (filter_->wanted()) {
      const new_labels kept = filter_->number({numbers.table, {}, about_.spacing});
      for (std::uint64_t& label : numbers.labels.label)
        if (label != 0) label = kept.of[static_cast<std::size_t>(label) - 1];
      numbers.labels.count = kept.count;
    }
    numbers.table = {};
    const band_memory memory = reading().memory;
    const std::size_t holes_kept = holes_ ? holes_->labels.first.size() : 0;
    require(memory, 16 * (numbers.labels.first.size() + holes_kept), memory.for_components(), 4);
    return numbers;
  }

  // The second pass.
  void write(band_state& state, const numbering& numbers) {
    const std::uint64_t count = numbers.labels.count;
    if (type_) require_room(path_, count, *type_);
    const dtype type = type_ ? *type_ : io::label_type_for(output_, count);
    const io::stored_image what{type, whole(), about_.form()};
    band_output to(output_, what, state);
    const std::int64_t begin = state.progress().written.rows;
    band_source bands(reading(), rows_after(begin, state.progress().labelled));
    const std::int64_t done = (passes_ - 1) * whole().rows();
    line_.begin("writing", done + begin);
    while (auto band = bands.next()) {
      const band_rows rows = band->rows;
      const block_place place = rows.place(whole());
      const extent size = rows.size(whole());
      band_output::labels out = to.room(size.pixels());
      emit_block(on_, fill_holes(on_, request(*band), place, holes()).asked, place,
                 labels_of_block(numbers, place, size), mutable_image(out.pixels.get(), type, size));
      bands.give_back(std::move(*band));
      out.rows = rows;
      to.add(std::move(out));
      line_.show(done + rows.end);
    }
    to.finish(count);
  }

  const label_job& job_;
  const std::string path_, output_;
  const console& to_;
  engine on_;
  std::optional<dtype> type_;
  std::unique_ptr<io::band_reader> from_;
  picture about_;
  std::int64_t passes_;
  time_left line_;
  label_options options_;
  std::optional<component_filter> filter_;
  std::optional<band_state> holes_state_;
  std::optional<numbering> holes_;
  std::optional<double> otsu_;  // the threshold that was found
};

}  // namespace

void check_band_input(const job_options& job) {
  if (job.input.paths.size() != 1) throw usage_error("--memory takes one image at a time");
  if (job.engine.method != published::own_method) throw usage_error("--memory does not go with --method");
}

void refuse_with_memory(const std::string& option, const std::vector<std::string>& columns) {
  if (!columns.empty())
    throw usage_error(option + ": " + columns.front() +
                      " does not go with --memory, which measures geometry, moments and intensity only");
}

CLI::Option* add_memory_option(CLI::App& command, std::int64_t& bytes, const std::string& how_often) {
  auto* const memory = command.add_option_function<std::string>(
      "--memory", [&bytes](const std::string& text) { bytes = *memory_of(text); },
      "for a TIFF or NPY that is larger than memory: read it in\nbands, " + how_often +
          ", and take at most SIZE of memory, such as 2G");
  memory->type_name("SIZE")->check(CLI::Validator(
      [](std::string& text) {
        return memory_of(text) ? std::string() : "'" + text + "' is no size of memory, such as 500M or 2G";
      },
      ""));
  memory->group("Run");
  for (const char* const other : {"--stack", "--volume", "--overlay", "--profile", "--write-labels"})
    if (CLI::Option* const known = command.get_option_no_throw(other)) memory->excludes(known);
  return memory;
}

CLI::Option* add_band_options(CLI::App& command, band_options& options, const std::string& how_often) {
  auto* const memory = add_memory_option(command, options.memory, how_often);
  auto* const resume = command.add_flag("--resume", options.resume,
                                        "continue a run that was stopped; its state is in the\n"
                                        "folder OUTPUT.skerry until the output is complete");
  resume->needs(memory)->needs("-o")->group("Run");
  return memory;
}

void label_in_bands(const label_job& job, const console& to) {
  check_bands(job);
  const std::vector<std::string> outputs = name_outputs("-o", job.output, job.input.paths, "-labels.tif");
  band_run(job, job.input.paths.front(), outputs.front(), to).run();
}

}  // namespace skerry::cli
