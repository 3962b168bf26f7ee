// SPDX-License-Identifier: Apache-2.0
#include "cli/joining.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "cli/column_choice.hpp"
#include "cli/console.hpp"
#include "cli/number.hpp"

namespace skerry::cli {
namespace {

// "y,x" as axes; nothing for other text.
std::optional<periodic_axes> axes_of(const std::string& text) {
  periodic_axes axes;
  for (const std::string& name : split_names(text)) {
    bool* const axis = name == "z" ? &axes.z : name == "y" ? &axes.y : name == "x" ? &axes.x : nullptr;
    if (axis == nullptr || *axis) return {};
    *axis = true;
  }
  return axes;
}

// The first of these options that is given, or null.
const char* joining_option(const job_options& options) {
  if (options.foreground.background) return "--background";
  if (options.components.joining.kind == joining::rule::equal) return "--equal";
  if (options.components.joining.kind == joining::rule::within) return "--delta";
  return options.components.periodic.any() ? "--periodic" : nullptr;
}

}  // namespace

void add_joining_options(CLI::App& command, job_options& options) {
  CLI::Option* const fill_holes = command.get_option("--fill-holes");
  auto* background = command.add_option("--background", options.foreground.background,
                                        "all pixels but those of VALUE: -1 where 0 is a label");
  const bool has_regions = command.get_name() == "measure";
  const auto is_exact = [has_regions](std::string& text) {
    const bool whole = text.find_first_not_of("+-0123456789") == std::string::npos;
    const std::optional<double> value = number_of(text);
    if (!whole || !value || std::strtold(text.c_str(), nullptr) == static_cast<long double>(*value))
      return std::string();
    return "'" + text + "' is beyond 2^53 and no double; choose the pixels by --range" +
           (has_regions ? "; with --labels give a label of at most 2^53" : "");
  };
  background->type_name("VALUE")
      ->transform(a_number())
      ->transform(CLI::Validator(is_exact, ""))
      ->group(command.get_option("--range")->get_group());
  for (const char* other : {"--threshold", "--at-least", "--range"}) background->excludes(command.get_option(other));

  component_options& components = options.components;
  auto* equal = command.add_flag_callback(
      "--equal", [&components] { components.joining = joining::equal(); },
      "neighbours join only where their values are equal: each\n"
      "component has one value");
  auto* delta = command.add_option_function<double>(
      "--delta", [&components](double most) { components.joining = joining::within(most); },
      "neighbours join whose values differ by at most D");
  delta->type_name("D")
      ->transform(a_number())
      ->check(CLI::Validator(
          [](std::string& text) { return *number_of(text) < 0 ? "'" + text + "' is below 0" : std::string(); }, ""));
  auto* periodic = command.add_option_function<std::string>(
      "--periodic", [&components](const std::string& text) { components.periodic = *axes_of(text); },
      "axes that wrap around, some of z,y,x with commas: their\n"
      "first and last pixels are neighbours and do not count as\n"
      "border; boxes, centroids and moments are not wrapped");
  periodic->type_name("AXES")->check(CLI::Validator(
      [](std::string& text) { return axes_of(text) ? std::string() : "'" + text + "' is not some of z,y,x"; }, ""));
  equal->excludes(delta);
  for (auto* option : {equal, delta, periodic}) option->excludes(fill_holes)->group(fill_holes->get_group());
}

void check_joining_method(const job_options& options) {
  const char* const given = joining_option(options);
  if (given == nullptr) return;
  if (options.engine.method != published::own_method)
    throw usage_error(std::string(given) + " does not go with --method");
}

}  // namespace skerry::cli
