// SPDX-License-Identifier: Apache-2.0
#include "engine/residence.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "engine/image_checks.hpp"

namespace skerry {
namespace {

// cuPointerGetAttributes() of the driver's interface, which stays as it is from version to version.
using pointer_attributes = int (*)(unsigned count, int* attributes, void** values, unsigned long long address);
constexpr int memory_type = 2, is_managed = 8, device_ordinal = 9;
constexpr unsigned type_of_device = 2;

std::atomic<pointer_attributes> driver = nullptr;
std::atomic<unsigned long long> loads_seen = 0;  // libraries that had been loaded when there was no driver among them

// Looks through the libraries of the process, and at no file: a driver that nobody has loaded is not looked for.
struct search {
  unsigned long long loads = 0;
  bool begun = false;
  std::array<char, 512> path = {};  // of the driver
};

int look_at_library(dl_phdr_info* library, std::size_t, void* found_so_far) {
  search& state = *static_cast<search*>(found_so_far);
  if (!state.begun) {
    state.begun = true;
    state.loads = library->dlpi_adds;
    if (loads_seen.load(std::memory_order_relaxed) == state.loads) return 1;
  }
  const std::string_view path = library->dlpi_name == nullptr ? "" : library->dlpi_name;
  if (!path.substr(path.rfind('/') + 1).starts_with("libcuda.so") || path.size() >= state.path.size()) return 0;
  std::copy(path.begin(), path.end(), state.path.begin());
  return 1;
}

pointer_attributes driver_of_process() {
  const pointer_attributes known = driver;
  if (known != nullptr) return known;
  search state;
  dl_iterate_phdr(look_at_library, &state);
  void* const held = state.path[0] == 0 ? nullptr : dlopen(state.path.data(), RTLD_LAZY | RTLD_NOLOAD);
  if (held == nullptr) loads_seen.store(state.loads, std::memory_order_relaxed);
  else driver = reinterpret_cast<pointer_attributes>(dlsym(held, "cuPointerGetAttributes"));
  return driver;
}

known_memory memory_at_address(std::uintptr_t address) {
  known_memory found;
  const pointer_attributes ask = driver_of_process();
  if (ask == nullptr) return found;
  int attributes[] = {memory_type, is_managed, device_ordinal};
  unsigned type = 0;
  int managed = 0, device = 0;  // the driver writes 4 bytes of each
  void* values[] = {&type, &managed, &device};
  if (ask(3, attributes, values, address) != 0) return found;  // it is not in use
  found.asked = true;
  found.moves = managed != 0;
  if (type == type_of_device || found.moves) found.where = residence::device(device);
  return found;
}

// The whole image lies where it begins.
bool lies_in(const residence& where, const image_view& image) {
  const auto [begin, end] = bytes_of(image);
  return std::ranges::all_of(std::array{begin, end - 1}, [&](i128 address) {
    const auto at = static_cast<std::uintptr_t>(address);
    return at == address && memory_at_address(at).where == where;
  });
}

std::string name_of(const residence& where) {
  return where.is_host() ? "host memory" : "memory of GPU " + std::to_string(where.device_number());
}

}  // namespace

known_memory memory_at(const void* address) { return memory_at_address(reinterpret_cast<std::uintptr_t>(address)); }

void check_residence(const std::string& name, const image_view& image) {
  const residence& said = image.residence;
  if (!said.is_known() || image.data == nullptr || image.size.pixels() == 0) return;
  const known_memory found = memory_at(image.data);
  if (found.moves || said == found.where) return;
  if (!found.asked && said.is_device())
    refuse(name + ": its residence is " + name_of(said) + ", but this process has not used CUDA yet");
  refuse(name + ": its residence is " + name_of(said) + ", but it is in " + name_of(found.where));
}

void require_host_memory(const std::string& name, const image_view& image) {
  if (image.data == nullptr || image.size.pixels() == 0) return;
  const known_memory found = memory_at(image.data);
  if (found.where.is_device() && !found.moves)
    refuse(name + ": is in " + name_of(found.where) +
           ", which this engine cannot read; use engine::cuda() where it has this function, or copy it to host memory");
}

void require_reach_of_device(const std::string& name, const image_view& image, int device) {
  if (image.data == nullptr || image.size.pixels() == 0) return;
  const known_memory found = memory_at(image.data);
  if (!found.where.is_device()) return;
  if (!found.moves && found.where.device_number() != device)
    refuse(name + ": is in " + name_of(found.where) + ", but the engine computes on GPU " + std::to_string(device) +
           "; use engine::cuda(" + std::to_string(found.where.device_number()) + ")");
  // A kernel that meets a wrong address ends the whole CUDA context.
  if (!lies_in(found.where, image))
    refuse(name + ": begins in " + name_of(found.where) + ", but has pixels outside of it; check its size and strides");
}

}  // namespace skerry
