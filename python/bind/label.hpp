// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "bind/long_call.hpp"
#include "skerry/error.hpp"
#include "skerry/label.hpp"

namespace skerry::python {

namespace nb = nanobind;

/// Keywords of label() and measure(): what is known before the image is.
struct component_choice {
  int connectivity = 0;  // 0: all neighbours
  foreground rule;
  bool by_otsu = false;
  skerry::selection selection;
  joining joins;
  bool periodic_everywhere = true;       // the first of periodic is that of all axes
  std::vector<bool> periodic = {false};  // of each axis

  /// Of a call with these keywords.
  [[nodiscard]] pace pace_of_call() const { return by_otsu ? pace::otsu : pace::labels; }
  /// The options for an image; finds Otsu's threshold on an engine, without the GIL, if that is asked for.
  [[nodiscard]] label_options options_for(engine& on, const image_view& image) const;
  /// The same for a choice without Otsu's threshold.
  [[nodiscard]] label_options options_for(const image_view& image) const;
};

/// Throws ValueError for a choice that takes an image in host memory.
void check_choice(const component_choice& chosen, bool on_device);

/// Throws ValueError or TypeError for an array `out` that does not take the labels of an image.
void check_out(const image_view& out, const image_view& image);

/// Makes a call of the library, one argument of which has another name in Python. Needs no GIL.
template <class Call>
auto naming(const std::string& theirs, const std::string& ours, Call call) {
  try {
    return call();
  } catch (const invalid_argument& wrong) {
    const std::string text = wrong.what();
    if (!text.starts_with(theirs + ": ")) throw;
    throw invalid_argument(ours + text.substr(theirs.size()));
  }
}

}  // namespace skerry::python
