// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nanobind/nanobind.h>

#include <vector>

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
  std::vector<bool> periodic = {false};  // of each axis, or of all

  /// The options for an image; finds Otsu's threshold, without the GIL, if that is asked for.
  [[nodiscard]] label_options options_for(const image_view& image) const;
};

}  // namespace skerry::python
