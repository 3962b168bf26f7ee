// SPDX-License-Identifier: Apache-2.0
#include "skerry/contacts.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>
#include <utility>

#include "cli/commands.hpp"
#include "cli/output_names.hpp"
#include "cli/picture_tables.hpp"
#include "cli/region_job.hpp"
#include "cli/region_rows.hpp"
#include "io/pending_file.hpp"
#include "io/printable.hpp"
#include "skerry/error.hpp"

namespace skerry::cli {
namespace {

struct contacts_job : region_job {
  std::string format = "auto", surfaces;
};

constexpr const char* contacts_examples = R"(COLUMNS (a pair of neighbouring pixels, one of each region, counts once)
  label-0, label-1   two regions that touch, the smaller label first
  faces-0..          pixel pairs that share a side, one column per axis: rows, columns (volumes: slices, rows, columns)
  edges, corners     pairs that differ on two axes, with -c 8, 18 or 26; and on three, with -c 26
  area               sum of the faces (in images, pixel sides)
  area_um2           the same in units, where pixels have a size: in images a length, area_um; with no unit area_spaced
  --surfaces         a row for each label: faces-0.. and area of all its faces; to_regions, to_background and to_outside
                     (the image border), which are parts of that area; Python counts to_regions-0.. for each axis

EXAMPLES
  Which cells of a segmentation touch, and along how many faces:
    skerry contacts cells-labels.tif -o contacts.csv
  Which islands and lakes of a map, of one value each, touch:
    skerry label map.png --equal --at-least 0 -c 4 -o parts.tif
    skerry contacts parts.tif -c 4 -o contacts.csv
  Only those that share the side of a voxel, with areas:
    skerry contacts labels.npy -c 6 --pixel-size 0.5,0.1,0.1um -o contacts.csv --surfaces surfaces.csv
  The surfaces of the components of an image, which never touch each other:
    skerry contacts tissue.png --threshold otsu -o contacts.csv --surfaces surfaces.csv
  Many label images, one table:
    skerry contacts labels/ -o contacts.csv)";

constexpr label_bits largest_of_table = label_bits{1} << 53;

double number_of_label(label_bits label, bool is_signed) {
  if (is_signed) {
    const auto number = static_cast<std::int64_t>(label);
    const auto most = static_cast<std::int64_t>(largest_of_table);
    if (number >= -most && number <= most) return static_cast<double>(number);
  } else if (label <= largest_of_table) {
    return static_cast<double>(label);
  }
  throw invalid_argument("has labels above 2^53; tables hold labels up to 2^53; number them with skerry relabel");
}

// "area_um2" of volumes, "area_um" of images.
std::string spaced_area(const std::string& name, int rank, const pixel_spacing& spacing) {
  if (spacing.unit.empty()) return name + "_spaced";
  return name + "_" + spacing.unit + (rank == 3 ? "2" : "");
}

class contact_columns {
 public:
  contact_columns(int rank, const std::optional<pixel_spacing>& spacing) : rank_(rank), spacing_(spacing) {}

  template <class Rows, class Number>
  void add(std::string name, const Rows& rows, Number number, bool whole = true) {
    table_column column{std::move(name), whole, {}};
    for (const auto& row : rows) column.numbers.push_back(static_cast<double>(number(row)));
    columns_.push_back(std::move(column));
  }
  // The faces by axis, or all of them, and then in units.
  template <class Rows, class Faces>
  void add_faces(const Rows& rows, Faces faces) {
    int axis = 0;
    const auto name = [&] { return fmt::format("faces-{}", axis++); };
    if (rank_ == 3) add(name(), rows, [&](const auto& row) { return faces(row).z; });
    if (rank_ != 1) add(name(), rows, [&](const auto& row) { return faces(row).y; });
    add(name(), rows, [&](const auto& row) { return faces(row).x; });
  }
  template <class Rows, class Faces>
  void add_area(const std::string& name, const Rows& rows, Faces faces) {
    add(name, rows, [&](const auto& row) { return area_of(faces(row), rank_); });
    if (spacing_ && rank_ != 1)  // points have no length
      add(
          spaced_area(name, rank_, *spacing_), rows,
          [&](const auto& row) { return area_of(faces(row), rank_, *spacing_); }, false);
  }
  std::vector<table_column> take() { return std::move(columns_); }

 private:
  int rank_;
  const std::optional<pixel_spacing>& spacing_;
  std::vector<table_column> columns_;
};

std::vector<table_column> columns_of_pairs(const contact_table& table, int connectivity, int rank,
                                           const std::optional<pixel_spacing>& spacing) {
  contact_columns columns(rank, spacing);
  const std::vector<contact>& rows = table.contacts;
  const auto faces = [](const contact& row) { return row.faces; };
  columns.add("label-0", rows, [&](const contact& row) { return number_of_label(row.first, table.signed_labels); });
  columns.add("label-1", rows, [&](const contact& row) { return number_of_label(row.second, table.signed_labels); });
  columns.add_faces(rows, faces);
  if (connectivity > 6) columns.add("edges", rows, [](const contact& row) { return row.edges; });
  if (connectivity == 26) columns.add("corners", rows, [](const contact& row) { return row.corners; });
  columns.add_area("area", rows, faces);
  return columns.take();
}

std::vector<table_column> columns_of_surfaces(const contact_table& table, int rank,
                                              const std::optional<pixel_spacing>& spacing) {
  contact_columns columns(rank, spacing);
  const std::vector<region_surface>& rows = table.surfaces;
  columns.add("label", rows,
              [&](const region_surface& row) { return number_of_label(row.label, table.signed_labels); });
  columns.add_faces(rows, [](const region_surface& row) { return row.all(); });
  columns.add_area("area", rows, [](const region_surface& row) { return row.all(); });
  columns.add_area("to_regions", rows, [](const region_surface& row) { return row.to_regions; });
  columns.add_area("to_background", rows, [](const region_surface& row) { return row.to_background; });
  columns.add_area("to_outside", rows, [](const region_surface& row) { return row.to_outside; });
  return columns.take();
}

// Whose table of pairs is empty, whatever the image.
void note_that_components_are_apart(const contacts_job& job, const console& to) {
  if (!finds_components(job) || !job.surfaces.empty() || job.quiet) return;
  to.err << "skerry: note: components never touch each other; give a label image, or --surfaces for their surfaces\n";
}

class contacts_run {
 public:
  contacts_run(const contacts_job& job, const console& to)
      : job_(job), to_(to), on_(make_engine(job.engine)), names_(picture_names(job.input)),
        pairs_("-o", job.output, job.format, names_, false), all_({job.input, job.engine, job.quiet, names_}, to) {
    std::vector<std::string> taken = job.input.paths;
    check_distinct("-o", pairs_.files(), taken);
    taken.insert(taken.end(), pairs_.files().begin(), pairs_.files().end());
    if (job.surfaces.empty()) return;
    surfaces_.emplace("--surfaces", job.surfaces, "auto", names_, false);
    check_distinct("--surfaces", surfaces_->files(), taken);
  }

  void run() {
    for (std::size_t i = 0; i < names_.size(); ++i) all_.attempt(i, [&] { take(i); });
    pairs_.finish_all(to_);
    if (surfaces_) surfaces_->finish_all(to_);
    all_.finish();
  }

 private:
  void take(std::size_t index) {
    const auto each_table = [&](auto work) {
      work(pairs_);
      if (surfaces_) work(*surfaces_);
    };
    each_table([&](picture_tables& tables) { tables.open(index, to_); });
    const picture from = std::move(all_.read(index).front());
    each_table([&](picture_tables& tables) { tables.check_rank(from), tables.check_unit(from); });
    all_.show("finding contacts");
    std::uint64_t count = 0;
    each_label_image(all_, on_, from, job_,
                     [&](std::int64_t frame, const image_view& labels) { count += add_frame(from, frame, labels); });
    all_.show("writing");
    const auto writing = profile::clock::now();
    all_.clear_line();
    each_table([&](picture_tables& tables) { tables.finish(to_); });
    each_table([&](picture_tables& tables) { tables.publish(); });
    all_.times().add_writing(writing);
    if (!job_.quiet && !job_.output.empty())
      (io::is_standard_output(job_.output) ? to_.err : to_.out)
          << fmt::format("{}: {} contact{}\n", io::printable(from.name), count, count == 1 ? "" : "s") << std::flush;
  }

  std::uint64_t add_frame(const picture& from, std::int64_t frame, const image_view& labels) {
    const int rank = labels.size.rank, connectivity = connectivity_of(job_.components, rank);
    contact_table table;
    const std::uint64_t count = contacts(
        on_,
        {.labels = labels, .connectivity = connectivity, .background = job_.rule, .surfaces = surfaces_.has_value()},
        table);
    all_.times().add(on_, labels.size.pixels());
    pairs_.add(from, frame, columns_of_pairs(table, connectivity, rank, from.spacing));
    if (surfaces_) surfaces_->add(from, frame, columns_of_surfaces(table, rank, from.spacing));
    return count;
  }

  const contacts_job& job_;
  const console& to_;
  engine on_;
  std::vector<std::string> names_;
  picture_tables pairs_;
  std::optional<picture_tables> surfaces_;
  batch all_;
};

}  // namespace

void define_contacts(CLI::App& command, const console& to) {
  auto job = std::make_shared<contacts_job>();
  add_region_options(command, *job);
  const std::string group = "Output";
  command
      .add_option("-o,--output", job->output,
                  "table: .csv, .tsv, .json or .jsonl; with a folder, or\n"
                  "{name} in the name, one table per input; without it the\n"
                  "table is printed: text on a terminal, CSV elsewhere")
      ->type_name("FILE")
      ->check(a_file_name())
      ->group(group);
  command.add_option("--format", job->format, "auto (by the name), text, csv, tsv, json or jsonl")
      ->type_name("FORMAT")
      ->check(one_of("--format"))
      ->group(group);
  command.add_option("--surfaces", job->surfaces, "a table of the surface of each region, named as -o is")
      ->type_name("FILE")
      ->check(a_file_name())
      ->group(group);
  add_run_options(command, *job);
  command.footer(contacts_examples);
  command.callback([job, &to] {
    prepare(*job, to);
    check_not_on_cuda("contacts", job->engine);
    note_that_components_are_apart(*job, to);
    contacts_run(*job, to).run();
  });
}

}  // namespace skerry::cli
