// SPDX-License-Identifier: Apache-2.0
// Loads the module of codecs.
#include "io/codecs.hpp"

#include <dlfcn.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <exception>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "io/pending_file.hpp"

// Defined where a program links the object library skerry_codecs.
extern "C" [[gnu::weak]] const skerry::io::codec_functions*
skerry_codecs();  // NOLINT(readability-redundant-declaration)

namespace skerry::io {
namespace {

[[noreturn]] void end_while_loading() {
  remove_pending_files();
  constexpr char text[] =
      "skerry: not enough memory or threads to load the image codecs (see ulimit -v and ulimit -u)\n";
  const ssize_t ignored = ::write(STDERR_FILENO, text, sizeof text - 1);
  (void)ignored;
  ::_exit(2);
}

// The libraries behind the codecs start threads and take memory when they are loaded. Where there is too little of either,
// some throw through the loader, some abort, and some use what they did not get. That becomes one line and exit code 2.
class loading_watch {
 public:
  loading_watch() : usual_end_(std::set_terminate(end_while_loading)) {
    struct sigaction action {};
    action.sa_handler = [](int) { end_while_loading(); };
    for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &action, &usual_actions_[i]);
  }
  loading_watch(const loading_watch&) = delete;
  loading_watch& operator=(const loading_watch&) = delete;
  ~loading_watch() {
    std::set_terminate(usual_end_);
    for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &usual_actions_[i], nullptr);
  }

 private:
  static constexpr std::array signals = {SIGABRT, SIGBUS, SIGSEGV, SIGTRAP};
  std::terminate_handler usual_end_;
  std::array<struct sigaction, signals.size()> usual_actions_{};
};

// Where addresses or threads run out while they are loaded, some of the libraries wait for ever (log4cplus): both are asked for
// before, more of them than are used.
void check_room() {
  constexpr std::size_t address_bytes = std::size_t{512} << 20;
  constexpr std::size_t thread_count = 6;
  void* const room = ::mmap(nullptr, address_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  bool enough = room != MAP_FAILED;
  try {
    std::mutex gate;
    std::vector<std::jthread> threads;
    const std::lock_guard keep_all(gate);  // released before the threads are joined
    while (enough && threads.size() < thread_count) threads.emplace_back([&] { const std::lock_guard wait(gate); });
  } catch (const std::system_error&) {
    enough = false;
  }
  if (room != MAP_FAILED) ::munmap(room, address_bytes);
  if (!enough)
    throw std::runtime_error(
        "needs the image codecs, for which there is not enough memory or threads (see ulimit -v and ulimit -u)");
}

// The module lies at the same place as seen from the program, installed or in the folder of a build.
std::filesystem::path module_path() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw std::runtime_error("the image codecs cannot be found: /proc/self/exe: " + error.message());
  return (program.parent_path() / SKERRY_CODECS_MODULE).lexically_normal();
}

const codec_functions& load() {
  if (skerry_codecs != nullptr) return *skerry_codecs();
  check_room();
  const std::string path = module_path().string();
  void* module = nullptr;
  {
    const loading_watch watch;
    // Never closed: not all of its libraries survive that.
    module = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  }
  const auto reason = [] {
    const char* text = ::dlerror();
    return std::string(text == nullptr ? "unknown reason" : text);
  };
  if (module == nullptr) throw std::runtime_error("needs the image codecs, which cannot be loaded: " + reason());
  const auto entry = reinterpret_cast<decltype(&skerry_codecs)>(::dlsym(module, "skerry_codecs"));
  if (entry == nullptr) throw std::runtime_error("needs the image codecs, which cannot be loaded: " + reason());
  return *entry();
}

}  // namespace

const codec_functions& codecs() {
  static const codec_functions& loaded = load();
  return loaded;
}

}  // namespace skerry::io
