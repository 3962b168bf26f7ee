// SPDX-License-Identifier: Apache-2.0
// Conditions on columns as options have them: 'area>=50 and not (eccentricity<0.9 or extent==1)'.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace skerry::cli {

/// A text that is no expression. what() says where and why, without naming an option.
class expression_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a text means: its comparisons, and the words that join them, each after what it joins.
class expression {
 public:
  enum class operation : std::uint8_t { above, at_least, below, at_most, equal, different, both, either, negation };
  struct operand {
    std::size_t column = no_column;  // among columns()
    double number = 0;               // if it is no column
  };
  struct step {
    operation what;
    operand left, right;  // of a comparison
  };
  static constexpr std::size_t no_column = static_cast<std::size_t>(-1);

  /// Parses a text; the same text always gives the same expression, or the same error.
  ///
  ///   condition   = conjunction, or several with 'or' between them
  ///   conjunction = term, or several with 'and' between them
  ///   term        = comparison | 'not' term | '(' condition ')'
  ///   comparison  = operand ('>' | '>=' | '<' | '<=' | '==' | '!=') operand, of which one or both are columns
  ///   operand     = the name of a column, such as bbox-0, or a number as number_of() reads it
  ///
  /// Throws expression_error. Parentheses and 'not' may be nested 100 deep.
  [[nodiscard]] static expression parse(std::string_view text);

  /// The names of columns in it, each once, in the order in which they come.
  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  [[nodiscard]] const std::vector<step>& steps() const { return steps_; }
  /// Text that means the same, with all parentheses.
  [[nodiscard]] std::string text() const;

  /// Whether it holds for one row.
  ///   values  one for each of columns(); a NaN is different from every number, and meets no other comparison
  [[nodiscard]] bool holds(const std::vector<double>& values) const;
  /// 1 for each row for which it holds, else 0.
  ///   column  the numbers of a column, one for each row
  [[nodiscard]] std::vector<std::uint8_t> select(
      std::size_t rows, const std::function<std::vector<double>(const std::string& name)>& column) const;

 private:
  friend class expression_parser;
  std::vector<std::string> columns_;
  std::vector<step> steps_;
};

}  // namespace skerry::cli
