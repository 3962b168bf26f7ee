// SPDX-License-Identifier: Apache-2.0
// Streams for tests: frames as pictures, and what a tracker says of them as text.
#pragma once
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "skerry/track.hpp"
#include "support/mask.hpp"

namespace skerry::test {

/// A copy of a result.
struct seen_frame {
  frame_result result;             // its images are not to be used
  std::vector<std::uint32_t> ids;  // of each pixel, when labels were wanted
};

/// The copy, with the ids of the pixels if the result has them.
seen_frame copy_of(const frame_result& result);

/// Options for frames like this one, with everything in the result.
track_options options_for(const mask& frame, int connectivity = 8, const inherit_options& inherit = {});

/// All results of a stream, in order.
std::vector<seen_frame> track(engine& on, const track_options& options, const std::vector<mask>& frames);

/// Pictures of one film side by side, with spaces between them:
///
///   #..  .#.
///   ...  .#.
std::vector<mask> film(std::string_view text);

/// A frame of n single pixels.
mask dots(const extent& size, int n);

/// "birth 1, split 3 of 2, merge 4 into 1, reappearance 5, death 6"
std::string events_of(const frame_result& result);
/// The ids in label order: "3 1 2"
std::string ids_of(const frame_result& result);
/// "1 2: birth 1, birth 2 | 1: merge 2 into 1 | …"
std::string text_of(const std::vector<seen_frame>& frames);

/// Streams that must be the same but for the times.
void expect_same(const std::vector<seen_frame>& got, const std::vector<seen_frame>& want, const std::string& name);

/// A random mask that drifts and changes little by little, or at times altogether.
std::vector<mask> random_film(const extent& size, std::mt19937& draw, int frames);

/// Anything that may be asked of a film of masks like this one, with everything in the result.
track_options random_options(const mask& frame, std::mt19937& draw);

/// Expects of every engine that it says this of the film.
void expect_story(std::string_view frames, const inherit_options& inherit, std::string_view story);

}  // namespace skerry::test
