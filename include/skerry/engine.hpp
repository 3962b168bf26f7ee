// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace skerry {

/// The engines, and the one that chooses between cpu and cuda for each call.
enum class engine_kind : std::uint8_t { reference, cpu, cuda, automatic };

/// "reference", "cpu", "cuda" or "automatic".
[[nodiscard]] std::string_view name_of(engine_kind kind) noexcept;

/// The six verbs of every job, in order; also the index of `stage_times::milliseconds`.
inline constexpr std::string_view stage_names[6] = {"encode", "local", "merge", "resolve", "measure", "emit"};

/// Wall time of each stage of one call; stages that run row block by row block are summed and divided by the threads.
/// On CUDA, device time: u8 and bits are encoded in `local`, and `merge` is part of `resolve`.
struct stage_times {
  double milliseconds[6] = {};  // in the order of stage_names
};

/// Wall time of one part of a call.
struct phase_time {
  std::string_view name;    // of the part
  double milliseconds = 0;  // of all times that it ran
  std::uint64_t times = 1;  ///< How often it ran in the call: more than once for a method that iterates.
};

/// Where a call ran, and why there.
struct engine_choice {
  engine_kind kind = engine_kind::reference;  ///< Of the engine that did the work; never automatic.
  std::string reason;                         ///< In words, for people, such as "image is in memory of GPU 0".
};

/// Where the work runs, with its threads and its scratch memory.
///
/// An engine is used by one call at a time; make one engine per calling thread. Scratch grows with the largest call
/// and is kept, but for calls on given labels (regions.hpp): the same call again allocates nothing, nor does one with
/// as many rows and columns and, in each strip, no more runs and components. (A pool of threads may allocate for itself.)
class engine {
 public:
  /// Plain loops from the definition: slow, obviously right, one thread. The oracle of every other engine.
  [[nodiscard]] static engine reference();

  /// Threads and vector instructions of this machine.
  ///   threads  1…1024, or 0 for one per processor on which the process may run
  /// They start, in about 1 ms, with the first call that they are worth: labels of the first two million pixels are made by one thread.
  /// Throws invalid_argument when `threads` is out of range.
  [[nodiscard]] static engine cpu(int threads = 0);

  /// One NVIDIA GPU. Calls take images and label images in host or device memory, block until the results are in the
  /// caller's memory, and give the same bits as the CPU. To enqueue work instead: skerry/cuda.hpp.
  /// Calls run in the engine's own stream, which waits for no other stream, not even the default one: complete all work that
  /// writes an image in device memory (cudaStreamSynchronize) before the call; cudaMemcpy from pageable host memory may return
  /// before the copy has reached the device. Images have at most 2^33 - 3 pixels (skerry/cuda.hpp lists all limits); larger
  /// ones are refused.
  ///   device   its number in CUDA
  ///   threads  of the CPU, for the parts of calls that run there, such as hulls and formulas of columns: 1…1024, or 0 as
  ///            for cpu()
  /// Throws device_error when this build or this machine has no such device, or the build has no code for it;
  /// invalid_argument when `threads` is out of range.
  [[nodiscard]] static engine cuda(int device = 0, int threads = 0);

  /// Several NVIDIA GPUs of this host as one engine, with the same answers, for images of up to 2^40 pixels. An image is cut
  /// into slabs, of rows or of slices; each GPU labels its slabs on a thread and two streams of its own, where the next slab is
  /// copied while one is computed; then components that touch across slabs are united.
  ///   * An image in host memory is dealt to all devices. Pinned memory is copied fastest.
  ///   * An image in memory of one of the GPUs is computed there, with its label image: its slabs are cheaper to label than to
  ///     send. For images whose parts are in memory of several: label_slabs() (skerry/slabs.hpp).
  ///   * Calls on small images, with joining by value, periodic axes, filled holes or order as_stored, and all calls besides
  ///     label() and its short forms, run on one device: that of the image, or the first.
  /// Label images and runs take a second pass, for which the tables of slabs stay on the devices where they fit 60 % of the
  /// memory that was free at the first call; other slabs are copied and labelled once more. last_profile() is zero.
  /// Scratch of each device, for each time that it was named: what a plan needs (skerry/cuda.hpp) for two slabs, and copies of
  /// what is in host memory. A slab in host memory has at most 2^27 pixels (of volumes 2^29), one on a device 2^31.
  ///   devices  their numbers in CUDA, 1 to 64; one may be named several times, for as many slabs at a time
  ///   threads  as for one device; slabs have threads of their own besides
  /// Throws invalid_argument for no or too many devices; otherwise as for one device.
  [[nodiscard]] static engine cuda(const std::vector<int>& devices, int threads = 0);

  /// Chooses between the CPU and CUDA for each call; last_choice() says which, and why. All engines give the same results.
  ///   * A call with an image in device memory runs on that device. What CUDA refuses is refused, not passed to the CPU: another
  ///     pixel type of a tree, an image that is too large, one on another device. Calls that only the CPU has refuse the image.
  ///   * Every other call runs on the CPU, whatever its size: copies to a GPU and back take longer than the work
  ///     (docs/performance.md). A process whose images are in host memory never starts CUDA.
  ///   * A tracker runs on GPU 0 where there is one, since it copies a frame while it works on the one before.
  ///   * A published method runs on the engine that has it.
  ///   threads  of the CPU: 1…1024, or 0 as for cpu()
  /// Throws invalid_argument when `threads` is out of range.
  [[nodiscard]] static engine automatic(int threads = 0);

  /// Leaves the other without an engine: it may be destroyed or assigned to, nothing else.
  engine(engine&&) noexcept;
  /// The same.
  engine& operator=(engine&&) noexcept;
  ~engine();

  /// Which engine it is, as it was asked for.
  [[nodiscard]] engine_kind kind() const noexcept;
  /// The name_of() its kind.
  [[nodiscard]] std::string_view name() const noexcept;
  /// Threads of the CPU that its calls use there.
  [[nodiscard]] int threads() const noexcept;
  /// The instruction set that the vector code of this engine runs on, for example "AVX3_DL"; "none" for the reference
  /// and for CUDA.
  [[nodiscard]] std::string instruction_set() const;

  /// Where the last call ran, and why. Calls that throw count where they were tried.
  [[nodiscard]] engine_choice last_choice() const;

  /// Bytes of scratch that the engine holds now.
  [[nodiscard]] std::size_t scratch_bytes() const noexcept;
  /// Gives the scratch back to the system.
  void release_scratch() noexcept;

  /// Ends the calls that follow soon after a stop is requested of `token`, from any thread; a token without a state, the
  /// default, ends none. A call then throws `cancelled` (error.hpp), usually within 50 ms: the CPU engine looks at the
  /// token once in each block of rows. While it makes room for millions of regions or nodes, it may take up to 0.5 s. The
  /// reference engine looks at it only when a call begins, a CUDA engine between the passes of a call. An engine whose token has
  /// been stopped refuses every call until it gets another one.
  /// Do not set it while a call runs.
  void set_stop_token(std::stop_token token) noexcept;

  /// Measures the six stages of the calls that follow, or the phases of a published method; costs well under 1 %.
  void set_profiling(bool on) noexcept;
  /// The stages of the last call. All zero without profiling, on the reference engine, and for a published method.
  [[nodiscard]] stage_times last_profile() const noexcept;
  /// The parts of the last call in order, under their own names: with profiling on the phases of a published method, else
  /// the six stages.
  [[nodiscard]] std::vector<phase_time> last_phases() const;

  struct state;
  /// For the library's own rooms.
  [[nodiscard]] state& inside() noexcept { return *state_; }

 private:
  explicit engine(std::unique_ptr<state> inside);
  std::unique_ptr<state> state_;
};

}  // namespace skerry
