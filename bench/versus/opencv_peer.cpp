// SPDX-License-Identifier: Apache-2.0
#include "versus/opencv_peer.hpp"

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>

namespace skerry::bench::opencv {
namespace {

// Headers over the caller's memory: OpenCV writes there because size and type are already right.
cv::Mat image_of(const job& what) { return {what.height, what.width, CV_8UC1, const_cast<std::uint8_t*>(what.pixels)}; }
cv::Mat labels_of(const job& what) { return {what.height, what.width, CV_32SC1, what.labels}; }

void require_in_place(const cv::Mat& output, const void* memory) {
  if (output.data != memory) throw std::logic_error("OpenCV did not write to the warm buffer");
}

}  // namespace

std::string version() { return cv::getVersionString(); }

std::vector<algorithm> algorithms(int connectivity) {
  // With 4 neighbours OpenCV runs SAUF where BBDT is asked for.
  if (connectivity == 4) return {{"SAUF", cv::CCL_SAUF}, {"Spaghetti4C", cv::CCL_SPAGHETTI}};
  return {{"SAUF", cv::CCL_SAUF}, {"BBDT", cv::CCL_BBDT}, {"Spaghetti", cv::CCL_SPAGHETTI}};
}

void set_threads(int threads) {
  if (cv::getNumThreads() != threads) cv::setNumThreads(threads);
}

std::uint64_t label(const job& what) {
  cv::Mat labels = labels_of(what);
  const int count = cv::connectedComponents(image_of(what), labels, what.connectivity, CV_32S, what.algorithm);
  require_in_place(labels, what.labels);
  return static_cast<std::uint64_t>(count) - 1;
}

void statistics::reserve(std::uint64_t components) {
  const std::uint64_t rows = components + 1;
  if (boxes_.size() < 5 * rows) boxes_.assign(5 * rows, 0);
  if (centroids_.size() < 2 * rows) centroids_.assign(2 * rows, 0);
}

std::uint64_t statistics::label_and_measure(const job& what, std::uint64_t components) {
  cv::Mat labels = labels_of(what);
  cv::Mat boxes(static_cast<int>(components) + 1, 5, CV_32SC1, boxes_.data());
  cv::Mat centroids(static_cast<int>(components) + 1, 2, CV_64FC1, centroids_.data());
  const int count = cv::connectedComponentsWithStats(image_of(what), labels, boxes, centroids, what.connectivity,
                                                     CV_32S, what.algorithm);
  require_in_place(labels, what.labels);
  require_in_place(boxes, boxes_.data());
  require_in_place(centroids, centroids_.data());
  return static_cast<std::uint64_t>(count) - 1;
}

statistics::row statistics::at(std::uint64_t label) const {
  const std::int32_t* const box = boxes_.data() + 5 * label;
  const double* const centroid = centroids_.data() + 2 * label;
  return {box[cv::CC_STAT_LEFT],
          box[cv::CC_STAT_TOP],
          box[cv::CC_STAT_WIDTH],
          box[cv::CC_STAT_HEIGHT],
          box[cv::CC_STAT_AREA],
          centroid[0],
          centroid[1]};
}

}  // namespace skerry::bench::opencv
