// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "skerry/error.hpp"

namespace skerry::test {

/// What the call says of an argument that it refuses.
template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const invalid_argument& error) {
    return error.what();
  }
  return "nothing was refused";
}

}  // namespace skerry::test
