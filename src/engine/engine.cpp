// SPDX-License-Identifier: Apache-2.0
#include "skerry/engine.hpp"

#include <iterator>
#include <utility>

#include "engine/cpu/instruction_set.hpp"
#include "engine/cpu/worker_threads.hpp"
#include "engine/cuda/device.hpp"
#include "engine/engine_state.hpp"
#include "skerry/error.hpp"

namespace skerry {

std::string_view name_of(engine_kind kind) noexcept {
  constexpr std::string_view names[] = {"reference", "cpu", "cuda", "automatic"};
  return names[static_cast<int>(kind)];
}

engine::state::state() = default;
engine::state::~state() = default;

engine engine::reference() { return engine(std::make_unique<state>()); }

namespace {

template <class Visit>
void each_scratch(engine::state& of, Visit visit) {
  for (auto* const scratch : {&of.label_scratch, &of.published_scratch, &of.tree_scratch, &of.device_tree_scratch,
                              &of.published_tree_scratch, &of.region_scratch, &of.column_scratch, &of.slab_scratch})
    visit(*scratch);
  for (const auto& on_device : of.on_devices) each_scratch(*on_device, visit);
}

}  // namespace

std::unique_ptr<engine::state> state_on_device(int device, int threads) {
  require_cuda_device(device);
  auto made = std::make_unique<engine::state>();
  made->kind = engine_kind::cuda;
  made->device = device;
  give_threads(*made, threads);
  return made;
}

engine engine::cpu(int threads) {
  choose_instruction_set();
  auto inside = std::make_unique<state>();
  inside->kind = engine_kind::cpu;
  give_threads(*inside, threads);
  return engine(std::move(inside));
}

engine engine::cuda(int device, int threads) { return engine(state_on_device(device, threads)); }

engine engine::cuda(const std::vector<int>& devices, int threads) {
  constexpr std::size_t most_devices = 64;
  if (devices.empty() || devices.size() > most_devices)
    throw invalid_argument("devices: " + std::to_string(devices.size()) + " were named; name 1 to " +
                           std::to_string(most_devices));
  for (const int device : devices) require_cuda_device(device);
  engine several = cuda(devices.front(), threads);
  several.state_->devices = devices;
  return several;
}

engine engine::automatic(int threads) {
  engine chooses = cpu(threads);
  chooses.state_->automatic = true;
  return chooses;
}

engine::engine(std::unique_ptr<state> inside) : state_(std::move(inside)) {}
engine::engine(engine&&) noexcept = default;
engine& engine::operator=(engine&&) noexcept = default;
engine::~engine() = default;

engine_kind engine::kind() const noexcept { return state_->automatic ? engine_kind::automatic : state_->kind; }

std::string_view engine::name() const noexcept { return name_of(kind()); }

int engine::threads() const noexcept { return state_->threads; }

std::string engine::instruction_set() const {
  return state_->kind == engine_kind::cpu ? instruction_set_in_use() : "none";
}

engine_choice engine::last_choice() const { return {state_->choice.kind, text_of(state_->choice)}; }

std::size_t engine::scratch_bytes() const noexcept {
  std::size_t bytes = 0;
  each_scratch(*state_, [&](const auto& scratch) {
    if (scratch != nullptr) bytes += scratch->bytes();
  });
  return bytes;
}

void engine::release_scratch() noexcept {
  each_scratch(*state_, [](auto& scratch) { scratch.reset(); });
}

void engine::set_stop_token(std::stop_token token) noexcept { state_->stop = std::move(token); }

void engine::set_profiling(bool on) noexcept { state_->profiling = on; }

stage_times engine::last_profile() const noexcept { return state_->clock_of_last().times(); }

std::vector<phase_time> engine::last_phases() const {
  const stage_clock& clock = state_->clock_of_last();
  if (!clock.phases().empty()) return clock.phases();
  std::vector<phase_time> stages(std::size(stage_names));
  const stage_times times = last_profile();
  for (std::size_t i = 0; i < stages.size(); ++i) stages[i] = {stage_names[i], times.milliseconds[i]};
  return stages;
}

}  // namespace skerry
