// SPDX-License-Identifier: Apache-2.0
// Other labels for the regions of a given label image (regions.hpp).
#pragma once
#include <cstdint>
#include <vector>

#include "skerry/engine.hpp"
#include "skerry/image.hpp"
#include "skerry/regions.hpp"

namespace skerry {

/// In which order regions get the labels 1..n.
///   first_pixel  by the raster order of their first pixels
///   ascending    by their labels, as scikit-image's relabel_sequential
enum class region_order : std::uint8_t { first_pixel, ascending };

/// How regions are numbered anew.
struct relabel_options {
  skerry::background background = {};              // which labels become 0
  region_order order = region_order::first_pixel;  // of the new labels
};

/// Numbers the regions of a label image 1..n, without gaps.
///
///   on       engine. On CUDA images may be in device memory, as in measure_regions()
///   labels   label image: sides below 2^31, at most 2^40 pixels and 2^32 - 2 labels
///   options  what is background, which becomes 0; the order of the new labels
///   out      out, same extent, an integer of 8 to 64 bits, strides as in label(); `labels` itself, or bytes apart
///            from it. Of `labels` in place a stopped call writes all or nothing; another `out` may be half written
///
/// Returns the original label of each new one: that of new label i + 1 is at place i.
/// Throws invalid_argument naming the argument; label_overflow when n does not fit the type of `out`, before anything
/// is written; out_of_memory.
/// Scratch, given back at the end of the call: as measure_regions(). On CUDA kept: its numbers of labels, 24 bytes for each
/// region, for first_pixel 16 more and 1/4 of a byte for each pixel.
/// Cost: two reads of `labels`, one write of `out`; on CUDA one read more for first_pixel.
std::vector<label_bits> relabel(engine& on, const image_view& labels, const relabel_options& options,
                                const mutable_image& out);

/// What becomes of labels that a map does not name. 0 stays 0 in any case, unless the map names it.
///   refuse  they are an error
///   keep    they stay as they are
///   zero    they become 0
enum class unnamed_labels : std::uint8_t { refuse, keep, zero };

/// A new label for each of some labels. Several may get the same one, which joins their regions.
struct label_map {
  std::vector<label_bits> from;                     // labels of the image, each once
  std::vector<label_bits> to;                       // as many, bits of labels of the type of the output
  unnamed_labels unnamed = unnamed_labels::refuse;  // the other labels
};

/// Gives labels other numbers by a table, as scikit-image's map_array and fastremap's remap.
///
///   on, labels, out  as in relabel()
///   map              the table
///
/// Throws invalid_argument naming the argument: when a label is twice in `map.from`, when a new label does not fit the
/// type of `out`, or for a label that is not named and refused; before anything is written. Also out_of_memory.
/// Cost: one read of `labels`, one write of `out`; one read more to refuse labels, or to keep them in another type. On CUDA two
/// reads, and the labels of the image are looked up on the host, once each.
void remap(engine& on, const image_view& labels, const label_map& map, const mutable_image& out);

}  // namespace skerry
