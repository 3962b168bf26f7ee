// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace skerry::cli {

/// While it lives the first SIGINT or SIGTERM asks a stream to end instead of ending the process; from the second on they do
/// what they did before. A signal that is ignored stays so. One at a time.
class stop_signals {
 public:
  /// Throws io::file_error when there is no descriptor left.
  stop_signals();
  stop_signals(const stop_signals&) = delete;
  stop_signals& operator=(const stop_signals&) = delete;
  ~stop_signals();

  [[nodiscard]] bool asked() const noexcept;
  /// Waits until a descriptor can be read without waiting, or has an end or an error; false when the stream was asked to end.
  [[nodiscard]] bool wait_for(int descriptor) const noexcept;
};

}  // namespace skerry::cli
