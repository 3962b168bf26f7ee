// SPDX-License-Identifier: Apache-2.0
#include "versus/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace skerry::bench {
namespace {

[[noreturn]] void fail(const std::string& who, const std::string& what, std::uint64_t where) {
  throw std::runtime_error(who + ": " + what + " at " + std::to_string(where));
}

bool same_geometry(const opencv::statistics::row& peer, const geometry& ours) {
  const auto sum = [&](double centroid) { return static_cast<std::uint64_t>(std::llround(centroid * peer.area)); };
  return static_cast<std::uint64_t>(peer.area) == ours.area && peer.top == ours.min[1] && peer.left == ours.min[2] &&
         peer.top + peer.height - 1 == ours.max[1] && peer.left + peer.width - 1 == ours.max[2] &&
         sum(peer.centroid_y) == ours.sum[1] && sum(peer.centroid_x) == ours.sum[2];
}

}  // namespace

std::vector<std::uint32_t> require_same_partition(const std::string& who, const std::int32_t* peer,
                                                  const std::uint32_t* expected, std::size_t pixels,
                                                  std::uint64_t components) {
  std::vector<std::uint32_t> label_of(components + 1, 0);
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < pixels; ++i) {
    const auto label = static_cast<std::uint32_t>(peer[i]);
    if (label > components) fail(who, "label out of range", i);
    if (label != 0 && label_of[label] == 0) label_of[label] = ++last;
    if (label_of[label] != expected[i]) fail(who, "another partition", i);
  }
  require_same_count(who, last, components);
  return label_of;
}

void require_same_labels(const std::string& who, const std::uint32_t* labels, const std::uint32_t* expected,
                         std::size_t pixels) {
  if (std::memcmp(labels, expected, pixels * sizeof *labels) == 0) return;
  fail(who, "another label",
       static_cast<std::uint64_t>(std::mismatch(labels, labels + pixels, expected).first - labels));
}

void require_same_count(const std::string& who, std::uint64_t count, std::uint64_t expected) {
  if (count != expected)
    throw std::runtime_error(who + ": " + std::to_string(count) + " components, not " + std::to_string(expected));
}

void require_same_geometry(const std::string& who, const opencv::statistics& peer,
                           const std::vector<std::uint32_t>& label_of, const feature_table& table) {
  require_same_count(who, label_of.size() - 1, table.size());
  for (std::uint64_t label = 1; label < label_of.size(); ++label)
    if (!same_geometry(peer.at(label), table.components[label_of[label] - 1])) fail(who, "another feature row", label);
}

}  // namespace skerry::bench
