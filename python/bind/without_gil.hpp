// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nanobind/nanobind.h>
#include <unistd.h>

namespace skerry::python {

/// Without the GIL, until the end of the block. As nanobind's gil_scoped_release, but for the shutdown of Python before 3.14: it ends
/// threads that ask for the GIL by an exception, which would pass through functions that let none out. Here they stop.
class without_gil {
 public:
  without_gil() : state_(PyEval_SaveThread()) {}
  without_gil(const without_gil&) = delete;
  without_gil& operator=(const without_gil&) = delete;
  ~without_gil() {
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {
      for (;;) pause();  // the process ends; to leave this block is not allowed
    }
  }

 private:
  PyThreadState* state_;
};

}  // namespace skerry::python
