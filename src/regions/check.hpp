// SPDX-License-Identifier: Apache-2.0
// What every job on given label images checks of its arguments, once, before any work. All throw invalid_argument.
#pragma once
#include <cstdint>
#include <new>
#include <string>
#include <vector>

#include "skerry/engine.hpp"
#include "skerry/error.hpp"
#include "skerry/outline.hpp"
#include "skerry/regions.hpp"

namespace skerry::regions {

// Refuses a job that CUDA does not have; engine::automatic() has the CPU for it. `job` is the name of the public function.
void check_engine(engine& on, const std::string& job);

// A size within the limits, memory if there are pixels, and a type that has labels.
void check_label_image(const std::string& name, const image_view& labels);

// All that outlines ask of a call.
void check_outline(const outline_request& asked);

// A known rule.
void check_background(const background& rule);

// `image` has the extent of the label image, or of what else it belongs to, and pixels with values.
void check_value_image(const std::string& name, const image_view& image, const image_view& labels,
                       const std::string& labels_name = "labels");

// A place for labels: of the extent of the label image, an integer type, pixels that are distinct; in the label image itself, pixel
// for pixel, or apart from it.
void check_label_output(const std::string& name, const mutable_image& out, const image_view& labels);

// Throws label_overflow when labels up to `count` do not fit.
void check_numbers(std::uint64_t count, const mutable_image& out);

// A label, with a sign or not, is one of the type of an image.
[[nodiscard]] bool fits(label_bits label, bool is_signed, dtype type);
void check_fits(const std::string& name, label_bits label, bool is_signed, dtype type);

[[nodiscard]] std::string text_of_label(label_bits label, bool is_signed);

// Runs a job whose memory may not suffice.
template <class Job>
auto with_memory(Job job) {
  try {
    return job();
  } catch (const out_of_memory&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw out_of_memory("out of memory: the numbers or values of regions do not fit");
  }
}

}  // namespace skerry::regions
