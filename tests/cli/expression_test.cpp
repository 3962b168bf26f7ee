// SPDX-License-Identifier: Apache-2.0
// Conditions on columns: what they mean, and what is none.
#include "cli/expression.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace skerry::cli {
namespace {

TEST(expression, structure_of_texts) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"area>=50", "area>=50"},
      {" area >= 50 ", "area>=50"},
      {"50<=area", "50<=area"},
      {"a<1 and b<2 and c<3", "((a<1 and b<2) and c<3)"},
      {"a<1 or b<2 and c<3", "(a<1 or (b<2 and c<3))"},
      {"(a<1 or b<2) and c<3", "((a<1 or b<2) and c<3)"},
      {"not a<1 and b<2", "((not a<1) and b<2)"},
      {"not (a<1 and b<2)", "(not (a<1 and b<2))"},
      {"not not a<1", "(not (not a<1))"},
      {"((a<1))", "a<1"},
      {"bbox-2>bbox-0", "bbox-2>bbox-0"},
      {"moments_central-2-0<-1.5e-3", "moments_central-2-0<-0.0015"},
      {"a>+2", "a>2"},
      {"a<inf", "a<inf"},
      {"a>-inf", "a>-inf"},
      {"a\n>\t1", "a>1"},
  };
  for (const auto& [text, meaning] : cases) {
    const std::string shown = expression::parse(text).text();
    EXPECT_EQ(shown, meaning) << text;
    EXPECT_EQ(expression::parse(shown).text(), shown) << text;
  }
}

TEST(expression, texts_that_are_none) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "expected a column or a number at the end"},
      {"area", "expected a comparison such as 'area>=20', with the quotes, at the end"},
      {"area>=", "expected a column or a number at the end"},
      {">5", "expected a column or a number at '>'"},
      {"area=>5", "expected a comparison such as 'area>=20', with the quotes, at '='"},
      {"area=5", "expected a comparison such as 'area>=20', with the quotes, at '='"},
      {"area>>5", "expected a column or a number at '>'"},
      {"area>5 eccentricity<1", "expected 'and' or 'or' before 'eccentricity'"},
      {"area>5 and", "expected a column or a number at the end"},
      {"and area>5", "expected a column or a number at 'and'"},
      {"not", "expected a column or a number at the end"},
      {"(area>5", "expected ')' at the end"},
      {"area>5)", "')' closes nothing"},
      {"()", "expected a column or a number at ')'"},
      {"1<area<5", "expected 'and' or 'or' before '<'"},
      {"1<2", "1 < 2 compares numbers; one side has to be a column"},
      {"a==1or(b!=2)", "'1or' is neither a number nor a column"},
      {"area>5x", "'5x' is neither a number nor a column"},
      {"area>+-5", "'+-5' is neither a number nor a column"},
      {"area>1e999", "'1e999' is neither a number nor a column"},
      {"area\u22655", "expected a comparison such as 'area>=20', with the quotes, at '\u2265'"},
      {"\u00e1rea>5", "expected a column or a number at '\u00e1'"},
      {"area>5;", "expected 'and' or 'or' before ';'"},
      {std::string("area>\0", 6), std::string("expected a column or a number at '\0'", 37)},
  };
  for (const auto& [text, reason] : cases) {
    try {
      (void)expression::parse(text);
      ADD_FAILURE() << text;
    } catch (const expression_error& error) {
      EXPECT_EQ(std::string(error.what()), std::string(reason.c_str())) << text;
    }
  }
}

TEST(expression, nesting_has_a_limit) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '(') + "a>1" + std::string(depth, ')'); };
  EXPECT_EQ(expression::parse(nested(100)).text(), "a>1");
  EXPECT_THROW((void)expression::parse(nested(101)), expression_error);
  std::string negations;
  for (int i = 0; i < 100'000; ++i) negations += "not ";
  EXPECT_THROW((void)expression::parse(negations + "a>1"), expression_error);
  std::string many = "a>0";
  for (int i = 0; i < 100'000; ++i) many += " and a>0";
  EXPECT_TRUE(expression::parse(many).holds({1}));
}

TEST(expression, every_comparison_at_its_limit) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto answers = [&](const std::string& text) {
    std::string bits;
    for (const double value : {4.0, 5.0, 6.0, nan}) bits += expression::parse(text).holds({value}) ? '1' : '0';
    return bits;
  };
  EXPECT_EQ(answers("a>5"), "0010");
  EXPECT_EQ(answers("a>=5"), "0110");
  EXPECT_EQ(answers("a<5"), "1000");
  EXPECT_EQ(answers("a<=5"), "1100");
  EXPECT_EQ(answers("a==5"), "0100");
  EXPECT_EQ(answers("a!=5"), "1011");
  EXPECT_EQ(answers("5<a"), "0010");
  EXPECT_EQ(answers("not a>5"), "1101");
  EXPECT_EQ(answers("a<5 or a>5"), "1010");
  EXPECT_EQ(answers("a>=5 and a<6"), "0100");
  EXPECT_EQ(answers("a==a"), "1110");
}

TEST(expression, columns_are_named_once_and_read_by_row) {
  const expression parsed = expression::parse("b>1 and (a<b or b>8)");
  EXPECT_EQ(parsed.columns(), (std::vector<std::string>{"b", "a"}));
  const auto kept = parsed.select(4, [](const std::string& name) {
    return name == "a" ? std::vector<double>{0, 3, 9, 9} : std::vector<double>{1, 4, 9, 7};
  });
  EXPECT_EQ(kept, (std::vector<std::uint8_t>{0, 1, 1, 0}));
}

}  // namespace
}  // namespace skerry::cli
