// SPDX-License-Identifier: Apache-2.0
#include "cli/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "cli/number.hpp"

namespace skerry::cli {
namespace {

using operation = expression::operation;

// Longer symbols first: ">=" is not ">".
constexpr std::array<std::pair<std::string_view, operation>, 6> comparisons = {{{">=", operation::at_least},
                                                                                {"<=", operation::at_most},
                                                                                {"==", operation::equal},
                                                                                {"!=", operation::different},
                                                                                {">", operation::above},
                                                                                {"<", operation::below}}};

std::string_view symbol_of(operation what) {
  for (const auto& [symbol, known] : comparisons)
    if (known == what) return symbol;
  return {};
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
// Of names, and of numbers such as +1.5e-3.
bool is_inside_word(char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '+' || c == '.'; }

// Of a character of UTF-8 that has several.
bool is_beyond_ascii(char c) { return static_cast<unsigned char>(c) >= 0x80; }

bool compare(operation how, double left, double right) {
  switch (how) {
    case operation::above: return left > right;
    case operation::at_least: return left >= right;
    case operation::below: return left < right;
    case operation::at_most: return left <= right;
    case operation::equal: return left == right;
    default: return left != right;
  }
}

}  // namespace

class expression_parser {
 public:
  explicit expression_parser(std::string_view text) : text_(text) { advance(); }

  expression parse() {
    condition(0);
    if (!token_.empty())
      fail(token_ == ")" ? "')' closes nothing" : fmt::format("expected 'and' or 'or' before '{}'", token_));
    return std::move(made_);
  }

 private:
  static constexpr int most_nested = 100;  // the parser calls itself

  [[noreturn]] static void fail(const std::string& reason) { throw expression_error(reason); }
  [[nodiscard]] std::string place() const {
    return token_.empty() ? std::string("at the end") : fmt::format("at '{}'", token_);
  }

  // A word, a symbol, or any other character; of those beyond ASCII all that follow each other.
  void advance() {
    while (!text_.empty() && is_blank(text_.front())) text_.remove_prefix(1);
    std::size_t length = std::min<std::size_t>(text_.size(), 1);
    const auto take_while = [&](bool (*belongs)(char)) {
      while (length < text_.size() && belongs(text_[length])) ++length;
    };
    if (!text_.empty() && is_inside_word(text_.front())) {
      take_while(is_inside_word);
    } else if (!text_.empty() && is_beyond_ascii(text_.front())) {
      take_while(is_beyond_ascii);
    } else {
      for (const auto& [symbol, what] : comparisons)
        if (text_.starts_with(symbol)) length = std::max(length, symbol.size());
    }
    token_ = text_.substr(0, length);
    text_.remove_prefix(length);
  }
  bool take(std::string_view token) {
    if (token_ != token) return false;
    advance();
    return true;
  }
  void add(operation what, expression::operand left = {}, expression::operand right = {}) {
    made_.steps_.push_back({what, left, right});
  }

  void condition(int depth) {
    conjunction(depth);
    while (take("or")) {
      conjunction(depth);
      add(operation::either);
    }
  }
  void conjunction(int depth) {
    term(depth);
    while (take("and")) {
      term(depth);
      add(operation::both);
    }
  }
  void term(int depth) {
    if (depth > most_nested) fail(fmt::format("parentheses and 'not' are nested more than {} deep", most_nested));
    if (take("not")) {
      term(depth + 1);
      add(operation::negation);
    } else if (take("(")) {
      condition(depth + 1);
      if (!take(")")) fail("expected ')' " + place());
    } else {
      comparison();
    }
  }
  void comparison() {
    const expression::operand left = operand();
    const auto known =
        std::find_if(comparisons.begin(), comparisons.end(), [this](const auto& each) { return each.first == token_; });
    if (known == comparisons.end()) fail("expected a comparison such as 'area>=20', with the quotes, " + place());
    advance();
    const expression::operand right = operand();
    if (left.column == expression::no_column && right.column == expression::no_column)
      fail(fmt::format("{} {} {} compares numbers; one side has to be a column", left.number, known->first,
                       right.number));
    add(known->second, left, right);
  }
  expression::operand operand() {
    const std::string word(token_);
    if (word == "and" || word == "or" || word == "not" || word.empty() || !is_inside_word(word.front()))
      fail("expected a column or a number " + place());
    expression::operand found;
    if (const std::optional<double> number = number_of(word)) found.number = *number;
    else if (is_letter(word.front())) found.column = column(word);
    else fail(fmt::format("'{}' is neither a number nor a column", word));
    advance();
    return found;
  }
  std::size_t column(const std::string& name) {
    auto& columns = made_.columns_;
    const auto at = std::find(columns.begin(), columns.end(), name);
    if (at == columns.end()) {
      columns.push_back(name);
      return columns.size() - 1;
    }
    return static_cast<std::size_t>(at - columns.begin());
  }

  std::string_view text_;   // after the token
  std::string_view token_;  // nothing at the end
  expression made_;
};

expression expression::parse(std::string_view text) { return expression_parser(text).parse(); }

std::string expression::text() const {
  std::vector<std::string> texts;
  const auto shown = [this](const operand& side) {
    return side.column == no_column ? fmt::format("{}", side.number) : columns_[side.column];
  };
  for (const step& each : steps_) {
    if (const std::string_view symbol = symbol_of(each.what); !symbol.empty()) {
      texts.push_back(fmt::format("{}{}{}", shown(each.left), symbol, shown(each.right)));
    } else if (each.what == operation::negation) {
      texts.back() = "(not " + texts.back() + ")";
    } else {
      const std::string last = std::move(texts.back());
      texts.pop_back();
      texts.back() = fmt::format("({} {} {})", texts.back(), each.what == operation::both ? "and" : "or", last);
    }
  }
  return texts.back();
}

bool expression::holds(const std::vector<double>& values) const {
  std::vector<bool> answers;
  const auto value = [&values](const operand& side) {
    return side.column == no_column ? side.number : values[side.column];
  };
  for (const step& each : steps_) {
    if (each.what == operation::negation) {
      answers.back() = !answers.back();
    } else if (each.what == operation::both || each.what == operation::either) {
      const bool last = answers.back();
      answers.pop_back();
      answers.back() = each.what == operation::both ? answers.back() && last : answers.back() || last;
    } else {
      answers.push_back(compare(each.what, value(each.left), value(each.right)));
    }
  }
  return answers.back();
}

std::vector<std::uint8_t> expression::select(
    std::size_t rows, const std::function<std::vector<double>(const std::string& name)>& column) const {
  std::vector<std::vector<double>> numbers;
  for (const std::string& name : columns_) numbers.push_back(column(name));
  std::vector<std::uint8_t> selected(rows);
  std::vector<double> values(columns_.size());
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < numbers.size(); ++i) values[i] = numbers[i][row];
    selected[row] = holds(values) ? 1 : 0;
  }
  return selected;
}

}  // namespace skerry::cli
