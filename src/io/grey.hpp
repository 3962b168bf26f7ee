// SPDX-License-Identifier: Apache-2.0
// How the channels of a file become one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "io/image_file.hpp"

namespace skerry::io {

struct grey_rule {
  int begin = 0, end = 1;  // channels to read
  std::string note;        // for image::note
  [[nodiscard]] bool mixes() const { return end - begin == 3; }
};

/// One channel is taken as it is, three colours are mixed; alpha, if it is the last, is ignored.
///   chosen  the channel that the user wants, or below 0
/// Throws file_error when there is no such channel, or another number of colours, unless the file is surveyed.
[[nodiscard]] grey_rule choose_channels(int channels, bool last_is_alpha, int chosen, const std::string& name,
                                        const read_options& options = {});

/// "choose a channel with --channel N (the first is 0)", and `others`, and all where the option takes that.
[[nodiscard]] std::string channel_remedy(const read_options& options, const std::string& others = "");

/// The type of grey from colours of a type: the same, but f32 for f16, so that nothing is rounded.
/// Throws file_error for 64-bit integers, which the sum of colours does not hold.
[[nodiscard]] dtype grey_type(dtype colours, const std::string& name);

/// Rec. 709 luma of interleaved red, green and blue: 0.2125 R + 0.7154 G + 0.0721 B, in the units of the type and
/// rounded to it if it is whole; `grey` has the type grey_type(). The weights sum to 1, so that grey stays what it was.
void mix_colours(dtype type, const std::byte* colours, std::byte* grey, std::int64_t count);

/// Where the colours of pages are before they are mixed: in the image if it keeps them, else in room for one page.
class colour_pages {
 public:
  /// Makes room if the rule mixes. `read` has its size and the type of its colours.
  colour_pages(image& read, const grey_rule& rule, const extent& page_size, const read_options& options,
               const std::string& name);
  /// The room of a page, 3 samples for each pixel; the first is 0.
  [[nodiscard]] std::byte* page(std::int64_t index) const { return begin_ + (keeps_ ? index * page_bytes_ : 0); }

 private:
  std::unique_ptr<std::byte[]> one_page_;
  std::byte* begin_ = nullptr;
  std::int64_t page_bytes_ = 0;
  bool keeps_ = false;
};

}  // namespace skerry::io
