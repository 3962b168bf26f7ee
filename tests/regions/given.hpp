// SPDX-License-Identifier: Apache-2.0
// What tests of given label images share.
#pragma once
#include <gtest/gtest.h>

#include "skerry/image.hpp"
#include "support/engines.hpp"

namespace skerry::test {

/// Types that a given label image may have.
inline constexpr dtype given_types[] = {dtype::boolean, dtype::u8,  dtype::u16, dtype::u32, dtype::u64,
                                        dtype::i8,      dtype::i16, dtype::i32, dtype::i64};

/// Calls ask(engine) for each engine.
template <class Ask>
void ask_every_engine(Ask ask) {
  for (named_engine& each : each_engine()) {
    SCOPED_TRACE(each.name);
    ask(each.on);
  }
}

/// The same, but for CUDA, which does not have all jobs on regions.
template <class Ask>
void ask_each_engine(Ask ask) {
  ask_every_engine([&](engine& on) {
    if (on.kind() != engine_kind::cuda) ask(on);
  });
}

}  // namespace skerry::test
