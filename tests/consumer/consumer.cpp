// SPDX-License-Identifier: Apache-2.0
// Labels and measures one small picture and checks the answer, through the installed headers alone.
#include <skerry/skerry.hpp>

#include <array>
#include <cstdint>
#include <cstdio>

int main() {
  // Two components: the diagonal neighbours at (0, 1) and (1, 0) touch.
  constexpr std::array<std::uint8_t, 12> pixels = {0, 1, 0, 0,  //
                                                   1, 0, 0, 1,  //
                                                   0, 0, 0, 1};
  constexpr std::array<std::uint32_t, 12> expected = {0, 1, 0, 0,  //
                                                      1, 0, 0, 2,  //
                                                      0, 0, 0, 2};
  std::array<std::uint32_t, 12> labels = {};
  const skerry::extent size{3, 4};

  skerry::engine engine = skerry::engine::automatic();
  skerry::feature_table table;
  const std::uint64_t count = skerry::label(engine, {{pixels.data(), size}, {.connectivity = 8}},
                                            {.labels = {labels.data(), size}, .table = &table});
  const bool right = count == 2 && labels == expected && table.components[1].area == 2;
  std::printf("skerry %s: %s\n", skerry::version, right ? "the right answer" : "a wrong answer");
  return right ? 0 : 1;
}
