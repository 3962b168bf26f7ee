// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nanobind/nanobind.h>
#include <unistd.h>

namespace skerry::python {

/// Calls take(), which asks for the GIL. While Python before 3.14 shuts down, it ends a thread that does so by unwinding its stack, which a
/// noexcept function turns into an abort. Such a thread sleeps here instead.
template <class Take>
auto take_gil(const Take& take) noexcept {
  try {
    return take();
  } catch (...) {
    for (;;) pause();  // until the process ends: a forced unwind must not be swallowed
  }
}

/// Releases the GIL until the end of the block, like nanobind's gil_scoped_release.
class without_gil {
 public:
  without_gil() : state_(PyEval_SaveThread()) {}
  without_gil(const without_gil&) = delete;
  without_gil& operator=(const without_gil&) = delete;
  ~without_gil() {
    take_gil([this] { PyEval_RestoreThread(state_); });
  }

 private:
  PyThreadState* state_;
};

/// Holds the GIL until the end of the block, like nanobind's gil_scoped_acquire.
class with_gil {
 public:
  with_gil() : state_(take_gil([] { return PyGILState_Ensure(); })) {}
  with_gil(const with_gil&) = delete;
  with_gil& operator=(const with_gil&) = delete;
  ~with_gil() { PyGILState_Release(state_); }

 private:
  PyGILState_STATE state_;
};

}  // namespace skerry::python
