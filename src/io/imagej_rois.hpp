// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "skerry/outline.hpp"

namespace skerry::io {

/// The largest coordinate of a ROI file: its numbers have 16 bits.
inline constexpr std::int64_t largest_roi_coordinate = 32767;

/// The bytes of a .roi file of ImageJ (version 2.28): a region as a polygon, or as a composite where it has holes, several polygons
/// or more than 65535 vertices. Filling either by the even-odd rule, as ImageJ does, gives the pixels of the region.
///   name      ASCII
///   position  of the page of a stack, from 1; 0 is none
[[nodiscard]] std::string imagej_roi(const outline_table& table, std::size_t region, const std::string& name,
                                     std::int64_t position);

}  // namespace skerry::io
