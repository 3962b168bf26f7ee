// SPDX-License-Identifier: Apache-2.0
// The numbers of one run on a GPU: printed as they come, and written as JSON.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace skerry::bench {

/// Gigapixels per second over densities of otherwise equal images.
struct cuda_row {
  std::string method;  // "skerry", or the name of a peer
  std::string job;
  int connectivity = 0;
  std::string shape;  // "8192²"
  int granularity = 0;
  std::map<int, double> by_density = {};  // percent → Gpx/s
  double worst_spread = 0;                // of the replays of one density
  std::optional<double> scratch_bytes_per_pixel = {};
  std::string wrong = {};  // what a peer gets wrong, by density

  [[nodiscard]] double mean() const;
  [[nodiscard]] double least() const;
  void add(int density, double gigapixels, double spread);
};

/// Microseconds of one small frame.
struct cuda_frame {
  std::string job;
  int connectivity = 0, side = 0, granularity = 0, density = 0;
  double in_a_row = 0;     // replays of a graph of this frame
  double one_of_many = 0;  // of the frames of a graph that holds many
  double alone = 0, host = 0;
  double scratch_bytes_per_pixel = 0;
};

struct cuda_batch {
  std::string job;
  int connectivity = 0, side = 0, frames = 0;
  double frames_per_second = 0;
  double scratch_bytes_per_pixel = 0;
};

struct cuda_floor {
  std::string name;
  double gigapixels = 0;
};

class cuda_report {
 public:
  explicit cuda_report(std::map<std::string, std::string> head);
  void add(const cuda_floor& what);
  void add(const cuda_row& what);
  void add(const cuda_frame& what);
  void add(const cuda_batch& what);
  /// Throws std::runtime_error when the file cannot be written.
  void write_json(const std::string& path) const;

 private:
  std::map<std::string, std::string> head_;
  std::vector<cuda_floor> floors_;
  std::vector<cuda_row> rows_;
  std::vector<cuda_frame> frames_;
  std::vector<cuda_batch> batches_;
};

/// The device and what drives it, for the head of a report.
[[nodiscard]] std::map<std::string, std::string> device_facts();

}  // namespace skerry::bench
