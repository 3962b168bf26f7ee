// SPDX-License-Identifier: Apache-2.0
// Fuzzes conditions on columns. An input is a byte for the kind, the numbers of a row, and either a text or the choices that
// make one.
//
// Promises: a text is an expression or one error that names the word where it stops; what an expression shows of itself is
// the same expression; and it holds for a row where its comparisons, joined by hand, do: read from what it shows, or known
// because the text was made from them.
#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <memory>
#include <vector>

#include "cli/expression.hpp"
#include "fuzz_input.hpp"

namespace {

using namespace skerry;
using cli::expression;
using fuzz::input_bytes;
using fuzz::promise;

constexpr std::array<std::string_view, 4> names = {"area", "bbox-0", "e_1.5", "_"};
constexpr std::array<std::string_view, 6> comparisons = {">=", "<=", "==", "!=", ">", "<"};

// Few numbers, so that they meet.
double take_number(input_bytes& from) {
  constexpr double limits[] = {0, -0.0, 1, -1, 0.1, 1e300, 5e-324, std::numeric_limits<double>::infinity()};
  const int chosen = from.below(16);
  if (chosen < 8) return limits[chosen];
  return chosen == 8 ? from.take<double>() : from.take<std::int8_t>() / 4.0;
}

using row = std::array<double, names.size()>;

bool compare(std::string_view how, double left, double right) {
  if (how == ">=") return left >= right;
  if (how == "<=") return left <= right;
  if (how == "==") return left == right;
  if (how == "!=") return left != right;
  return how == ">" ? left > right : left < right;
}

// ---- a text that is made from a tree ----------------------------------------------------------------------------------

struct node {
  enum class kind { comparison, negation, both, either } what = kind::comparison;
  bool answer = false;
  std::string text;  // of what binds as `what` does
};

class maker {
 public:
  maker(input_bytes& from, const row& values) : from_(from), values_(values) {}

  node make(int depth) {
    const int chosen = depth == 0 ? 0 : from_.below(5);
    if (chosen < 2) return comparison();
    if (chosen == 2) {
      const node of = make(depth - 1);
      return {node::kind::negation, !of.answer, "not" + gap(1) + within(of, node::kind::negation)};
    }
    const auto kind = chosen == 3 ? node::kind::both : node::kind::either;
    const node left = make(depth - 1), right = make(depth - 1);
    const bool answer = chosen == 3 ? left.answer && right.answer : left.answer || right.answer;
    return {kind, answer, within(left, kind) + gap(1) + (chosen == 3 ? "and" : "or") + gap(1) + within(right, kind)};
  }

 private:
  std::string gap(int least) {
    constexpr std::string_view blanks = " \t\n\r";
    std::string text;
    const int more = from_.below(8) == 0 ? 1 : 0;
    for (int i = 0; i < least + more; ++i) text += blanks[static_cast<std::size_t>(from_.below(4))];
    return text;
  }
  // In parentheses where it binds less than what is around it, and sometimes elsewhere.
  std::string within(const node& inner, node::kind outer) {
    if (inner.what <= outer && from_.below(8) != 0) return inner.text;
    return "(" + gap(0) + inner.text + gap(0) + ")";
  }
  std::pair<std::string, double> number() {
    double value = take_number(from_);
    if (!(value == value)) value = 7;  // no text stands for it
    char text[32];
    const auto written = std::to_chars(std::begin(text), std::end(text), value);
    return {std::string(text, written.ptr), value};
  }
  std::pair<std::string, double> column() {
    const auto chosen = static_cast<std::size_t>(from_.below(static_cast<int>(names.size())));
    return {std::string(names[chosen]), values_[chosen]};
  }
  node comparison() {
    const int sides = from_.below(3);
    const auto left = sides == 0 ? number() : column(), right = sides == 1 ? number() : column();
    const std::string_view how =
        comparisons[static_cast<std::size_t>(from_.below(static_cast<int>(comparisons.size())))];
    return {node::kind::comparison, compare(how, left.second, right.second),
            left.first + gap(0) + std::string(how) + gap(0) + right.first};
  }

  input_bytes& from_;
  const row& values_;
};

// ---- what an expression shows of itself -------------------------------------------------------------------------------

// Reads "((not a<1) and b>=2)", which has all parentheses.
class shown_text {
 public:
  shown_text(std::string_view text, const expression& of, const std::vector<double>& values)
      : text_(text), of_(of), values_(values) {}

  bool answer() {
    const bool held = part();
    promise(text_.empty(), "what is shown is one expression");
    return held;
  }

 private:
  bool take(std::string_view start) {
    if (!text_.starts_with(start)) return false;
    text_.remove_prefix(start.size());
    return true;
  }
  bool part() {
    if (!take("(")) return comparison();
    const bool negated = take("not ");
    bool held = part() != negated;
    if (!negated) {
      const bool both = take(" and ");
      promise(both || take(" or "), "two parts are joined");
      const bool right = part();
      held = both ? held && right : held || right;
    }
    promise(take(")"), "what is shown has all parentheses");
    return held;
  }
  double operand() {
    const std::size_t length = std::min(text_.find_first_of("<>=! )"), text_.size());
    const std::string word(text_.substr(0, length));
    text_.remove_prefix(length);
    for (std::size_t i = 0; i < of_.columns().size(); ++i)
      if (of_.columns()[i] == word) return values_[i];
    char* end = nullptr;
    const double number = std::strtod(word.c_str(), &end);
    promise(!word.empty() && *end == '\0', "what is no column is a number", word);
    return number;
  }
  bool comparison() {
    const double left = operand();
    for (const std::string_view how : comparisons)
      if (take(how)) return compare(how, left, operand());
    promise(false, "operands are compared");
    return false;
  }

  std::string_view text_;
  const expression& of_;
  const std::vector<double>& values_;
};

void check_answer(const expression& parsed, const std::vector<double>& values) {
  const std::string shown = parsed.text();
  const expression again = expression::parse(shown);
  promise(again.text() == shown && again.columns() == parsed.columns(), "what is shown is the same expression", shown);
  const bool held = parsed.holds(values);
  promise(shown_text(shown, parsed, values).answer() == held, "it holds where its comparisons do", shown);
  const auto selected = parsed.select(2, [&](const std::string& name) {
    const auto at = std::find(parsed.columns().begin(), parsed.columns().end(), name);
    return std::vector<double>(2, values[static_cast<std::size_t>(at - parsed.columns().begin())]);
  });
  promise(selected == std::vector<std::uint8_t>(2, held ? 1 : 0), "rows are selected for which it holds", shown);
}

// Whether the text has the word, and no more bytes of its last character.
bool has_whole(std::string_view text, std::string_view word) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  const std::size_t at = text.find(word);
  if (word.empty() || at == std::string_view::npos) return false;
  return is_ascii(word.back()) || at + word.size() == text.size() || is_ascii(text[at + word.size()]);
}

// Whether a message ends with a word of the text in quotes; the word may be a quote.
bool ends_with_word(std::string_view message, std::string_view text) {
  if (!message.ends_with('\'')) return false;
  message.remove_suffix(1);
  for (std::size_t length = 1; length < message.size(); ++length)
    if (message[message.size() - length - 1] == '\'' && has_whole(text, message.substr(message.size() - length)))
      return true;
  return false;
}

void check_refusal(std::string_view message, std::string_view text) {
  constexpr std::string_view no_word = "' is neither a number nor a column";
  if (message.starts_with('\'') && message.ends_with(no_word)) {
    message.remove_suffix(no_word.size());
    promise(has_whole(text, message.substr(1)), "a wrong word is one of the text", message);
    return;
  }
  promise(message.ends_with(" at the end") || message == "')' closes nothing" ||
              message.ends_with(" compares numbers; one side has to be a column") ||
              message == "parentheses and 'not' are nested more than 100 deep" || ends_with_word(message, text),
          "an error names the word where it stops", message);
}

void check_text(input_bytes& from) {
  std::array<double, 5> numbers{};
  for (double& each : numbers) each = take_number(from);
  const std::string_view text = from.text();
  try {
    const expression parsed = expression::parse(text);
    std::vector<double> values;
    for (std::size_t i = 0; i < parsed.columns().size(); ++i) values.push_back(numbers[i % numbers.size()]);
    check_answer(parsed, values);
  } catch (const cli::expression_error& refused) {
    check_refusal(refused.what(), text);
  }
}

void check_made(input_bytes& from) {
  row numbers{};
  for (double& each : numbers) each = take_number(from);
  const node made = maker(from, numbers).make(6);
  const expression parsed = expression::parse(made.text);  // an error ends the process
  std::vector<double> values;
  for (const std::string& name : parsed.columns()) {
    const auto at = std::find(names.begin(), names.end(), name);
    promise(at != names.end(), "columns are those of the text", name);
    values.push_back(numbers[static_cast<std::size_t>(at - names.begin())]);
  }
  promise(parsed.holds(values) == made.answer, "a text means what it was made from", made.text);
  check_answer(parsed, values);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  input_bytes from(bytes, size);
  if (from.below(2) == 0) check_text(from);
  else check_made(from);
  return 0;
}
