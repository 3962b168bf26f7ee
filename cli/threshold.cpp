// SPDX-License-Identifier: Apache-2.0
#include "cli/threshold.hpp"

#include <cmath>
#include <limits>
#include <string_view>

#include "cli/console.hpp"
#include "cli/number.hpp"
#include "io/file_error.hpp"
#include "skerry/error.hpp"
#include "skerry/threshold.hpp"

namespace skerry::cli {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double number(const std::string& text) {
  if (const auto value = number_of(text)) return *value;
  throw usage_error("--threshold: '" + text + "' is neither a number nor otsu");
}

// What a rule leaves out. Every pixel type fits a double, so "below t" is "up to the double before t".
foreground inverse(const foreground& rule) {
  switch (rule.kind) {
    case foreground::rule::nonzero: return foreground::within(0, 0);
    case foreground::rule::above: return foreground::within(-infinity, rule.low);
    case foreground::rule::at_least: return foreground::within(-infinity, std::nextafter(rule.low, -infinity));
    case foreground::rule::except: return foreground::within(rule.low, rule.low);
    case foreground::rule::within: break;
  }
  throw usage_error("--invert does not go with --range");
}

}  // namespace

double found_by_otsu(const std::string& name, const std::function<double()>& find) {
  try {
    return find();
  } catch (const invalid_argument& error) {
    const std::string_view text = error.what();
    throw io::file_error(name, "--threshold otsu: " + std::string(text.substr(text.find(": ") + 2)) +
                                   "; give the threshold as a number");
  }
}

double otsu_threshold(const image_view& image, const std::string& name) {
  return found_by_otsu(name, [&] { return skerry::otsu_threshold(image); });
}

foreground_choice choose_foreground(const foreground_options& options, const image_view& image,
                                    const std::string& name) {
  return choose_foreground(options, [&] { return cli::otsu_threshold(image, name); });
}

foreground_choice choose_foreground(const foreground_options& options, const std::function<double()>& find_otsu) {
  foreground_choice choice;
  if (options.threshold == "otsu") {
    choice.otsu = find_otsu();
    choice.rule = foreground::above(*choice.otsu);
  } else if (options.threshold) {
    choice.rule = foreground::above(number(*options.threshold));
  } else if (options.at_least) {
    choice.rule = foreground::at_least(*options.at_least);
  } else if (options.background) {
    choice.rule = foreground::except(*options.background);
  } else if (!options.range.empty()) {
    choice.rule = foreground::within(options.range[0], options.range[1]);
  }
  if (options.invert) choice.rule = inverse(choice.rule);
  return choice;
}

}  // namespace skerry::cli
