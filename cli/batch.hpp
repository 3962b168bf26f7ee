// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/options.hpp"
#include "cli/pictures.hpp"
#include "cli/profile.hpp"
#include "cli/progress.hpp"
#include "cli/read_ahead.hpp"

namespace skerry::cli {

/// The pictures of a command one after another. Files are read ahead. A picture that has no result does not keep the others
/// from theirs, unless --stop-at-error was given, or it is the only one.
class batch {
 public:
  /// Where else the files of a picture are, besides its own; nothing for none.
  using companion = std::function<std::string(const std::string& picture)>;
  /// Reads them all by calling `read`, with options of its own whose paths are not used.
  using companion_reader =
      std::function<std::vector<picture>(const std::function<picture(const input_options&)>& read)>;

  struct job {
    const input_options& input;
    const engine_options& engine;
    bool quiet = false;
    const std::vector<std::string>& pictures;  // names of them, in order
    companion beside = {};                     // what is read together with each
    companion_reader read_beside = {};         // how
  };

  batch(const job& of, const console& to);

  /// Calls `work`, which reads and writes picture `index`. Returns whether it has a result; if not, finish() says why.
  /// Throws what says that no picture can have one.
  bool attempt(std::size_t index, const std::function<void()>& work);
  /// The picture of the step that is being attempted, then its companions.
  [[nodiscard]] std::vector<picture> read(std::size_t index);
  /// What is being done with the picture: "labelling".
  void show(const std::string& verb) { line_.show(verb); }
  /// Makes room for lines of results.
  void clear_line() { line_.clear(); }
  /// Says something that is no error, unless it is nothing or nothing is to be said.
  void note(const std::string& text);
  [[nodiscard]] profile& times() { return times_; }

  /// Prints the profile, if it is wanted, and lists the pictures without a result. Throws CLI::RuntimeError(2) for them.
  void finish();

 private:
  job job_;
  const console& to_;
  progress line_;
  profile times_;
  std::vector<std::string> failures_;
  read_ahead inputs_;
};

}  // namespace skerry::cli
