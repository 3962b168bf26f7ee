// SPDX-License-Identifier: Apache-2.0
#include "engine/choose.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "engine/image_checks.hpp"
#include "engine/residence.hpp"
#include "skerry/error.hpp"

namespace skerry {
namespace {

using why = call_choice::why;

// The part of an automatic engine that computes on a device. Throws device_error where there is no such device.
engine::state& engine_on_device(engine::state& own, int device) {
  const auto of_device = [&](const auto& each) { return each->device == device; };
  auto found = std::find_if(own.on_devices.begin(), own.on_devices.end(), of_device);
  if (found == own.on_devices.end()) {
    found = own.on_devices.insert(found, state_on_device(device, own.threads));
  }
  engine::state& state = **found;
  state.profiling = own.profiling;
  state.stop = own.stop;
  own.last = &state;
  return state;
}

// Begins a call on the engine itself.
engine::state& engine_as_asked(engine& on) {
  engine::state& own = on.inside();
  own.choice = {own.kind, why::asked_for};
  own.last = &own;
  return own;
}

// Memory that moves is where its image says.
residence memory_of(const image_view& image) {
  if (image.data == nullptr || image.size.pixels() == 0) return residence::host();
  const known_memory found = memory_at(image.data);
  return found.moves && image.residence.is_known() ? image.residence : found.where;
}

// What a call reads or writes.
struct call_images {
  std::initializer_list<named_image> named;
  std::span<const image_view> channels;

  // Calls visit(name, image) for each.
  template <class Visit>
  void each(Visit visit) const {
    for (const named_image& image : named) visit(std::string(image.name), image.image);
    for (std::size_t c = 0; c < channels.size(); ++c) visit("channels[" + std::to_string(c) + "]", channels[c]);
  }
  // The first that is in device memory, as why an engine is chosen.
  [[nodiscard]] std::optional<call_choice> first_on_device() const {
    std::optional<call_choice> found;
    each([&](const std::string& name, const image_view& image) {
      if (found) return;
      const residence where = memory_of(image);
      if (where.is_device()) found = {engine_kind::cuda, why::image_on_device, name, where.device_number()};
    });
    return found;
  }
};

engine::state& chosen(engine::state& own, const call_images& images) {
  const std::optional<call_choice> found = images.first_on_device();
  own.choice = found.value_or(call_choice{engine_kind::cpu, why::images_in_host});
  if (!found) return own;
  try {
    return engine_on_device(own, found->device);
  } catch (const device_error& error) {
    refuse(found->image + ": is in memory of GPU " + std::to_string(found->device) + ", but " + error.what() +
           "; copy it to host memory");
  }
}

// Of several devices, the one that has an image; else the first. Throws where it is none of them.
engine::state& chosen_of_devices(engine::state& own, const call_images& images) {
  const std::optional<call_choice> found = images.first_on_device();
  if (!found) return own;
  if (std::find(own.devices.begin(), own.devices.end(), found->device) == own.devices.end())
    refuse(found->image + ": is in memory of GPU " + std::to_string(found->device) +
           ", which is not among those of the engine; give engine::cuda() its number, too");
  own.choice = *found;
  return found->device == own.device ? own : engine_on_device(own, found->device);
}

void check_reach(const engine::state& state, const call_images& images) {
  images.each([&](const std::string& name, const image_view& image) {
    if (state.kind == engine_kind::cuda) require_reach_of_device(name, image, state.device);
    else require_host_memory(name, image);
  });
}

}  // namespace

engine::state& engine_for(engine& on, std::initializer_list<named_image> images, std::span<const image_view> channels) {
  const call_images all{images, channels};
  engine::state& own = engine_as_asked(on);
  engine::state& state = own.automatic ? chosen(own, all) : own.devices.empty() ? own : chosen_of_devices(own, all);
  check_reach(state, all);
  return state;
}

engine::state& engine_for_method(engine& on, engine_kind has_it, std::initializer_list<named_image> images) {
  engine::state& own = engine_as_asked(on);
  if (!own.automatic) {
    check_reach(own, {images, {}});
    return own;
  }
  own.choice = {has_it, why::method_only_there};
  engine::state& state = has_it == engine_kind::cuda ? engine_on_device(own, 0) : own;
  check_reach(state, {images, {}});
  return state;
}

engine::state& engine_of_devices(engine& on) {
  engine::state& own = engine_as_asked(on);
  if (own.automatic || own.kind != engine_kind::cuda)
    refuse("engine: images in slabs are for engine::cuda(); label others in blocks, by label_block()");
  return own;
}

engine::state& engine_on_host(engine& on, std::initializer_list<named_image> images) {
  engine::state& own = engine_as_asked(on);
  if (own.automatic || own.kind == engine_kind::cuda) own.choice = {engine_kind::cpu, why::on_host_only};
  for (const named_image& each : images) require_host_memory(each.name, each.image);
  return own;
}

engine::state& engine_for_stream(engine& on) {
  engine::state& own = engine_as_asked(on);
  if (!own.automatic) return own;
  try {
    own.choice = {engine_kind::cuda, why::frames_are_copied_beside};
    return engine_on_device(own, 0);
  } catch (const device_error&) {  // this build or this machine has none
    own.choice = {engine_kind::cpu, why::no_device};
    return own;
  }
}

}  // namespace skerry
