// SPDX-License-Identifier: Apache-2.0
// How fast is the CUDA engine, next to what the memory of the device allows?
#include <cstdio>

#include "label/cuda_sections.hpp"

namespace skerry::bench {
namespace {

int run(const cuda_options& how) {
  auto head = device_facts();
  head["repetitions"] = std::to_string(how.what.repetitions);
  head["seed"] = std::to_string(how.what.seed);
  cuda_report report(head);
  if (how.has("images")) bench_images(how, report);
  if (how.has("volumes")) bench_volumes(how, report);
  if (how.has("frames")) bench_frames(how, report);
  if (!how.json.empty()) report.write_json(how.json);
  std::puts("every output was that of the CPU engine, before it was timed and after");
  return 0;
}

}  // namespace
}  // namespace skerry::bench

int main(int count, char** arguments) {
  return skerry::bench::cuda_main("skerry_cuda", count, arguments, skerry::bench::run);
}
