// SPDX-License-Identifier: Apache-2.0
// The shortest use: pixels in, labels out.
#include <skerry/skerry.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
  const skerry::extent size{4, 8};
  const std::vector<std::uint8_t> pixels = {9, 9, 0, 0, 0, 0, 0, 0,  //
                                            9, 0, 0, 7, 7, 0, 0, 0,  //
                                            0, 0, 0, 7, 0, 0, 8, 8,  //
                                            0, 3, 0, 0, 0, 0, 8, 8};
  std::vector<std::uint32_t> labels(pixels.size());

  skerry::engine engine = skerry::engine::automatic();
  const std::uint64_t count =
      skerry::label(engine, {pixels.data(), size}, {.connectivity = 8, .foreground = skerry::foreground::above(5)},
                    {labels.data(), size});

  std::printf("%llu components\n", static_cast<unsigned long long>(count));
  for (std::size_t i = 0; i < labels.size(); ++i) std::printf("%2u%s", labels[i], (i + 1) % 8 == 0 ? "\n" : "");
  return count == 3 && labels[0] == 1 && labels[11] == 2 && labels[31] == 3 ? 0 : 1;
}
