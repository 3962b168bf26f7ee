// SPDX-License-Identifier: Apache-2.0
#include "cli/batch.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <iterator>
#include <new>
#include <ostream>
#include <utility>

#include "io/file_error.hpp"
#include "io/printable.hpp"
#include "skerry/engine.hpp"

namespace skerry::cli {
namespace {

constexpr std::int64_t most_waiting_bytes = std::int64_t{256} << 20;

// A picture takes at least the bytes of its file, if it is not compressed. A pipe may wait for a program that waits for the
// results of the pictures before.
std::optional<std::int64_t> bytes_of(const std::string& path) {
  std::error_code error;
  if (path == "-" || !std::filesystem::is_regular_file(path, error)) return {};
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  return error ? std::nullopt : std::optional(static_cast<std::int64_t>(bytes));
}

int threads_that_read(const engine_options& engine) {
  const int threads = engine::cpu(engine.threads).threads();
  return threads > 1 ? threads : 0;
}

// The rules refer to the job.
read_ahead::rules reading(const batch::job& job) {
  read_ahead::rules how;
  how.steps = job.pictures.size();
  how.threads = threads_that_read(job.engine);
  how.byte_limit = most_waiting_bytes;
  const auto other = [&job](std::size_t step) { return job.beside ? job.beside(job.pictures[step]) : std::string(); };
  how.read = [&job, other](std::size_t step) {
    step_input input;
    input.pictures.push_back(read_one(job.input, step));
    const std::string path = other(step);
    if (path.empty()) return input;
    std::vector<picture> companions = job.read_beside([&](const input_options& with) {
      return path == job.pictures[step] ? read_one(with, step) : read_file(with, path);
    });
    std::move(companions.begin(), companions.end(), std::back_inserter(input.pictures));
    return input;
  };
  how.expected_bytes = [&job, other](std::size_t step) {
    const std::optional<std::int64_t> own = bytes_of(job.pictures[step]);
    const std::string path = other(step);
    if (!own || path.empty()) return own;
    const std::optional<std::int64_t> more = bytes_of(path);
    return more ? std::optional(*own + *more) : std::nullopt;
  };
  return how;
}

}  // namespace

batch::batch(const job& of, const console& to)
    : job_(of), to_(to), line_(to, of.quiet, of.pictures.size()), inputs_(reading(job_)) {}

bool batch::attempt(std::size_t index, const std::function<void()>& work) {
  line_.begin(index, job_.pictures[index]);
  const bool alone = job_.pictures.size() == 1 || job_.input.stop_at_error;
  try {
    work();
    line_.clear();
    return true;
  } catch (const io::file_error& error) {
    if (alone) throw;
    failures_.emplace_back(error.what());
  } catch (const usage_error& error) {
    // Options that the first picture does not go with are wrong for all, as far as anybody knows.
    if (alone || index == failures_.size()) throw;
    failures_.push_back(job_.pictures[index] + ": " + error.what());
  } catch (const std::bad_alloc&) {
    if (alone) throw;
    failures_.push_back(job_.pictures[index] + ": not enough memory");
  }
  line_.clear();
  return false;
}

std::vector<picture> batch::read(std::size_t index) {
  line_.show("reading");
  step_input input = inputs_.take(index);
  times_.add_reading(input.milliseconds);
  for (const picture& each : input.pictures) {
    if (!each.pixels.note.empty()) line_.clear();
    print_note(to_, job_.quiet, each);
  }
  return std::move(input.pictures);
}

void batch::note(const std::string& text) {
  if (job_.quiet || text.empty()) return;
  line_.clear();
  to_.err << "skerry: note: " << io::printable(text) << '\n' << std::flush;
}

void batch::finish() {
  line_.clear();
  if (job_.engine.profile) times_.print(to_.err);
  if (failures_.empty()) return;
  to_.err << fmt::format("skerry: {} of {} images have no result:\n", failures_.size(), job_.pictures.size());
  for (const std::string& text : failures_) to_.err << "skerry: " << io::printable(text) << '\n';
  to_.err << std::flush;
  throw CLI::RuntimeError(2);
}

}  // namespace skerry::cli
