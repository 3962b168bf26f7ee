// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace skerry {

// Memory that one kind of job keeps from call to call. The engine holds it and does not know what it is.
class job_scratch {
 public:
  virtual ~job_scratch() = default;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
};

}  // namespace skerry
