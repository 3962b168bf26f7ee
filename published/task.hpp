// SPDX-License-Identifier: Apache-2.0
// What a published method on the CPU gets, and what it gives. A method is one function, solve(task): it labels, counts,
// tells the count before any label of a narrow image is written, and fills what is wanted.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>

#include "core/feature.hpp"
#include "core/portable.hpp"
#include "engine/engine_state.hpp"
#include "skerry/measure.hpp"

namespace skerry::published {

// The image of the papers: a byte for each pixel, 0 is background.
struct binary_rows {
  const std::byte* data = nullptr;
  i64 height = 0, width = 0, row_bytes = 0;
  [[nodiscard]] const u8* row(i64 y) const { return reinterpret_cast<const u8*>(data + y * row_bytes); }
};

// The label image of the papers.
struct label_rows {
  std::byte* data = nullptr;
  i64 row_bytes = 0;
  [[nodiscard]] u32* row(i64 y) const { return reinterpret_cast<u32*>(data + y * row_bytes); }
};

struct task {
  engine::state& on;
  std::unique_ptr<job_scratch>& memory;
  binary_rows image;
  int connectivity = 0;
  label_rows labels;                         // without data when no labels are wanted
  table_rows<geometry>* features = nullptr;  // null when none are wanted
  std::function<void(u64)> found;            // to be called with the number of components, before the last phases

  // Runs one part of the method under its name.
  template <class Work>
  void phase(std::string_view name, Work work) const {
    on.clock.phase(name, work);
  }
  // The scratch of the method, kept by the engine from call to call until another method needs its own.
  template <class Scratch>
  [[nodiscard]] Scratch& scratch() const {
    if (dynamic_cast<Scratch*>(memory.get()) == nullptr) memory = std::make_unique<Scratch>();
    return static_cast<Scratch&>(*memory);
  }
};

using solve_function = u64 (*)(const task&);

u64 rosenfeld(const task& work);
u64 rosenfeld_on_the_fly(const task& work);
u64 lsl_std(const task& work);
u64 lsl_rle(const task& work);
u64 lsl_simd(const task& work);
u64 suzuki(const task& work);
u64 he(const task& work);
u64 he_runs(const task& work);

}  // namespace skerry::published
