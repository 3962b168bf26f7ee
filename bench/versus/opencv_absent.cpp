// SPDX-License-Identifier: Apache-2.0
// Built in place of opencv_peer.cpp where OpenCV was not found: it offers no algorithm, so nothing else is ever called.
#include <stdexcept>

#include "versus/opencv_peer.hpp"

namespace skerry::bench::opencv {

std::string version() { return "absent"; }
std::vector<algorithm> algorithms(int) { return {}; }
void set_threads(int) {}
std::uint64_t label(const job&) { throw std::logic_error("built without OpenCV"); }
void statistics::reserve(std::uint64_t) {}
std::uint64_t statistics::label_and_measure(const job&, std::uint64_t) {
  throw std::logic_error("built without OpenCV");
}
statistics::row statistics::at(std::uint64_t) const { throw std::logic_error("built without OpenCV"); }

}  // namespace skerry::bench::opencv
