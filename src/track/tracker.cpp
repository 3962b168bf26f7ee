// SPDX-License-Identifier: Apache-2.0
// The driver: check, choose how the engine works on frames, and hand over to the conveyor.
#include <string_view>
#include <utility>

#include "engine/choose.hpp"
#include "skerry/error.hpp"
#include "skerry/track.hpp"
#include "track/check.hpp"
#include "track/conveyor.hpp"
#include "track/cuda_work.hpp"

namespace skerry {
namespace {

std::unique_ptr<track_steps::frame_work> make_work(engine& on, const track_options& options) {
  const engine::state& chosen = engine_for_stream(on);
  if (chosen.kind == engine_kind::cuda) return track_steps::make_cuda_work(on, chosen.device, options);
  return track_steps::make_host_work(on, options);
}

}  // namespace

struct tracker::state {
  track_options options;
  track_steps::conveyor belt;

  state(engine& on, const track_options& wanted, callback on_result)
      : options(wanted), belt(wanted, make_work(on, wanted), std::move(on_result)) {}
};

tracker::tracker(engine& on, const track_options& options, callback on_result) {
  track_steps::check(options);
  try {
    state_ = std::make_unique<state>(on, options, std::move(on_result));
  } catch (const out_of_memory&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw out_of_memory("out of memory: the results of the stream do not fit");
  }
}

tracker::~tracker() = default;

std::uint64_t tracker::push(const image_view& frame, std::uint64_t stamp) {
  track_steps::check_frame(frame, state_->options);
  return *state_->belt.push(frame, stamp, true);
}

std::optional<std::uint64_t> tracker::try_push(const image_view& frame, std::uint64_t stamp) {
  track_steps::check_frame(frame, state_->options);
  return state_->belt.push(frame, stamp, false);
}

std::uint64_t tracker::push_error(std::string_view error, std::uint64_t stamp) {
  if (error.empty()) throw invalid_argument("error: is empty");
  return state_->belt.push_error(error, stamp);
}

mutable_image tracker::acquire() { return state_->belt.acquire(true); }
std::uint64_t tracker::commit(const mutable_image& frame, std::uint64_t stamp) {
  return state_->belt.commit(frame.data, stamp);
}

const frame_result* tracker::poll() { return state_->belt.take(false); }
const frame_result* tracker::wait() { return state_->belt.take(true); }
void tracker::flush() { state_->belt.flush(); }
void tracker::stop() { state_->belt.stop(); }
std::uint64_t tracker::pushed() const { return state_->belt.pushed(); }
std::uint64_t tracker::dropped() const { return state_->belt.dropped(); }

std::string_view name_of(track_event_kind kind) noexcept {
  constexpr std::string_view names[] = {"continuation", "birth", "split", "reappearance", "merge", "death"};
  return names[static_cast<int>(kind)];
}

}  // namespace skerry
