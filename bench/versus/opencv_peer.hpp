// SPDX-License-Identifier: Apache-2.0
// OpenCV's connected components behind plain types, so that a build without OpenCV only lacks its rows.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace skerry::bench::opencv {

struct algorithm {
  std::string name;
  int number;
};

/// OpenCV's version, or "absent".
[[nodiscard]] std::string version();

/// The distinct algorithms for 4 or 8 neighbours; none when OpenCV is absent.
[[nodiscard]] std::vector<algorithm> algorithms(int connectivity);

/// The threads of the calls that follow.
void set_threads(int threads);

struct job {
  const std::uint8_t* pixels;
  std::int32_t* labels;
  int height, width, connectivity, algorithm;
};

/// Returns the number of components, without the background.
std::uint64_t label(const job& what);

/// Warm output memory for `components` rows of statistics; reused for any smaller number.
class statistics {
 public:
  void reserve(std::uint64_t components);
  /// Labels, and fills one row per component. `components` is the number that is expected, so that the memory fits.
  std::uint64_t label_and_measure(const job& what, std::uint64_t components);

  struct row {
    std::int32_t left, top, width, height, area;
    double centroid_x, centroid_y;
  };
  /// Row i is label i, the background is label 0.
  [[nodiscard]] row at(std::uint64_t label) const;

 private:
  std::vector<std::int32_t> boxes_;
  std::vector<double> centroids_;
};

}  // namespace skerry::bench::opencv
