// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/expression.hpp"

namespace skerry::cli {

/// What --keep asks of rows: all of several expressions.
class conditions {
 public:
  conditions() = default;
  /// Throws usage_error for a text that is no expression.
  explicit conditions(const std::vector<std::string>& texts);

  /// One more.
  void add(const std::string& text);
  [[nodiscard]] bool empty() const { return all_.empty(); }
  /// The columns that are compared; some may be there twice.
  [[nodiscard]] std::vector<std::string> columns() const;
  /// Throws usage_error for a column that is not among these.
  void require(const std::vector<std::string>& known) const;
  /// 1 for each row that meets all of them, else 0.
  [[nodiscard]] std::vector<std::uint8_t> select(
      std::size_t rows, const std::function<std::vector<double>(const std::string& name)>& column) const;

 private:
  std::vector<expression> all_;
};

}  // namespace skerry::cli
