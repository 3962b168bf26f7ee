// SPDX-License-Identifier: Apache-2.0
// What the program says of itself, and what it says of wrong arguments.
#include <algorithm>
#include <fstream>
#include <iterator>

#include "skerry/engine.hpp"
#include "skerry/error.hpp"
#include "skerry/published.hpp"
#include "skerry/version.hpp"
#include "workspace.hpp"

namespace skerry::test {
namespace {

class usage : public workspace {
 protected:
  usage() { write("a.pgm", pgm_bytes("3 2\n255\n0 1 0\n0 0 5")); }

  // The golden texts are made by `skerry COMMAND --help > golden/COMMAND.txt`, and read by whoever changes them.
  static std::string golden(const std::string& name) {
    std::ifstream file(std::string(GOLDEN_FOLDER) + "/" + name + ".txt", std::ios::binary);
    EXPECT_TRUE(file) << name;
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

TEST_F(usage, help_texts_are_as_written) {
  EXPECT_EQ(succeed({"--help"}), golden("help"));
  EXPECT_EQ(succeed({"help"}), golden("help"));
  for (const char* command :
       {"label", "measure", "relabel", "outline", "contacts", "tree", "track", "info", "completion"}) {
    EXPECT_EQ(succeed({"help", command}), golden(command));
    const std::string help = succeed({command, "--help"});
    EXPECT_EQ(help, golden(command));
    EXPECT_EQ(help, succeed({command, "-h"}));
    EXPECT_EQ(help, succeed({"--help", command}));
    EXPECT_EQ(help, succeed({"-h", command}));
    EXPECT_NE(help.find("EXAMPLES"), std::string::npos);
  }
}

TEST_F(usage, help_fits_a_terminal) {
  for (const char* command :
       {"label", "measure", "relabel", "outline", "contacts", "tree", "track", "info", "completion"}) {
    std::istringstream lines(succeed({command, "--help"}));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120U) << line;
  }
}

TEST_F(usage, version) { EXPECT_EQ(succeed({"--version"}), std::string("skerry ") + version + "\n"); }

TEST_F(usage, info_names_engines_and_formats) {
  const std::string text = succeed({"info"});
  for (const char* word :
       {"skerry ", "cpu", "threads", "instruction set", "reference", "cuda       ", "npy", "tiff", "png", "jpeg", "pnm",
        "gif (film)", "jsonl (events)", "lsl-simd", "rosenfeld ", "auto       cpu for images"})
    EXPECT_NE(text.find(word), std::string::npos) << word;
}

TEST_F(usage, info_of_files_that_are_partly_bad) {
  write("a.pgm", pgm_bytes("3 2\n255\n1 0 0\n0 0 5"));
  write("bad.pgm", "no image");
  const outcome result = run({"info", "@/bad.pgm", "@/a.pgm", "@/none.png"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.out.find("a.pgm"), std::string::npos);
  EXPECT_EQ(result.out.find("bad.pgm"), std::string::npos);
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 2) << result.err;
}

TEST_F(usage, info_of_files) {
  write("b.npy", npy_bytes("<f4", "(2, 2, 2)", bytes_of<float>({0.5F, -1, 2, 0, 0, 0, 0, 0})));
  std::string table = succeed({"info", "@/a.pgm", "@/b.npy"});
  table.erase(std::unique(table.begin(), table.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
              table.end());
  EXPECT_EQ(table,
            "image format size type channels min max otsu\n"
            "@/a.pgm pnm 2 x 3 uint8 1 0 5 1\n"
            "@/b.npy npy 2 x 2 x 2 float32 1 -1 2 0.505859\n");
}

TEST_F(usage, wrong_arguments_are_one_line) {
  const std::string there_are =
      "; there are all, geometry, moments, intensity, shape, basic, ellipse, power_sums, "
      "weighted_sums, patterns, hull, filled, ... (docs/columns.md lists all)";
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{},
       "a command is missing: label, measure, relabel, outline, contacts, tree, track, info, completion and help (see "
       "skerry "
       "--help)"},
      {{"paint"},
       "unknown command 'paint'; the commands are label, measure, relabel, outline, contacts, tree, track, info, "
       "completion and "
       "help (see skerry "
       "--help)"},
      {{"labl"}, "unknown command 'labl'; did you mean 'label'?"},
      {{"mesure", "@/a.pgm"}, "unknown command 'mesure'; did you mean 'measure'?"},
      {{"help", "labl"}, "unknown command 'labl'; did you mean 'label'?"},
      {{"label", "@/a.pgm", "--treshold", "3"}, "unknown option '--treshold'; did you mean '--threshold'?"},
      {{"label", "@/a.pgm", "--conectivity=4"}, "unknown option '--conectivity'; did you mean '--connectivity'?"},
      {{"measure", "@/a.pgm", "--inten", "self"}, "unknown option '--inten'; did you mean '--intensity'?"},
      {{"tree", "@/a.pgm", "--clear-border"}, "unknown option '--clear-border' (see skerry tree --help)"},
      {{"completion", "bash", "zsh"}, "unexpected argument 'zsh' (see skerry completion --help)"},
      {{"--vers"}, "unknown option '--vers'; did you mean '--version'?"},
      {{"-x"}, "unknown option '-x' (see skerry --help)"},
      {{"label"}, "IN is required (see skerry label --help)"},
      {{"label", "--treshold"}, "unknown option '--treshold'; did you mean '--threshold'?"},
      {{"label", "-name.png"}, "unknown option '-name.png' (see skerry label --help)"},
      {{"label", ""}, "IN: the name is empty (see skerry label --help)"},
      {{"measure"}, "IN is required (see skerry measure --help)"},
      {{"label", "@/a.pgm", "--colour"}, "unknown option '--colour' (see skerry label --help)"},
      {{"label", "@/a.pgm", "-o"}, "--output: 1 required FILE missing (see skerry label --help)"},
      {{"label", "@/a.pgm", "--keep-largest", "0"},
       "--keep-largest: '0' is not a whole number from 1 up (see skerry label --help)"},
      {{"label", "@/a.pgm", "--page", "-1"}, "--page: '-1' is not a whole number from 0 up (see skerry label --help)"},
      {{"label", "@/a.pgm", "-o", ""}, "--output: the name is empty (see skerry label --help)"},
      {{"measure", "@/a.pgm", "--intensity", ""}, "--intensity: the name is empty (see skerry measure --help)"},
      {{"label", "@/a.pgm", "--threads", "0"}, "--threads: '0' is not in 1 to 1024 (see skerry label --help)"},
      {{"label", "@/a.pgm", "--engine", "tpu"},
       "--engine: 'tpu' is not one of auto, cpu, reference, cuda (see skerry label --help)"},
      {{"label", "@/a.pgm", "--method", "magic"},
       "--method: 'magic' is not one of " + published::method_names() + " (see skerry label --help)"},
      {{"label", "@/a.pgm", "--method", "rosenfeld", "--engine", "reference"},
       "@/a.pgm: method rosenfeld: does not run on the engine reference, but on cpu"},
      {{"label", "@/a.pgm", "--method", "lsl-rle", "--fill-holes"},
       "@/a.pgm: method lsl-rle: has no selection (fill_holes, min_area, max_area, clear_border, largest)"},
      {{"measure", "@/a.pgm", "--method", "lsl-std", "--features", "moments"},
       "@/a.pgm: method lsl-std: measures area, box and coordinate sums, no moments"},
      {{"measure", "@/a.pgm", "--method", "lsl-std", "--intensity", "self"},
       "@/a.pgm: method lsl-std: measures area, box and coordinate sums, no intensity"},
      {{"tree", "@/a.pgm", "--method", "flsl"},
       "--method: 'flsl' is not one of " + published::tree_method_names() + " (see skerry tree --help)"},
      {{"tree", "@/a.pgm", "--method", "blin", "--engine", "cpu", "--connectivity", "4"},
       "@/a.pgm: method blin: does not run on the engine cpu, but on cuda"},
      {{"label", "@/a.pgm", "--connectivity", "5"},
       "--connectivity: '5' is not one of 4, 8, 6, 18, 26 (see skerry label --help)"},
      {{"label", "@/a.pgm", "--threshold", "high"}, "--threshold: 'high' is neither a number nor otsu"},
      {{"label", "@/a.pgm", "--threshold", "nan"}, "--threshold: 'nan' is neither a number nor otsu"},
      {{"label", "@/a.pgm", "--threshold", ""}, "--threshold: '' is neither a number nor otsu"},
      {{"label", "@/a.pgm", "--at-least", "nan"}, "--at-least: 'nan' is not a number (see skerry label --help)"},
      {{"label", "@/a.pgm", "--at-least", "+-5"}, "--at-least: '+-5' is not a number (see skerry label --help)"},
      {{"label", "@/a.pgm", "--at-least", "++5"}, "--at-least: '++5' is not a number (see skerry label --help)"},
      {{"label", "@/a.pgm", "--at-least", ""}, "--at-least: '' is not a number (see skerry label --help)"},
      {{"label", "@/a.pgm", "--range", "5", "2"}, "--range: LOW is above HIGH"},
      {{"label", "@/a.pgm", "--min-area", "9", "--max-area", "8"}, "--min-area is above --max-area"},
      {{"label", "@/a.pgm", "--min-area", "-1"},
       "--min-area: '-1' is not a whole number from 0 up (see skerry label --help)"},
      {{"label", "@/a.pgm", "--range", "2", "5", "--invert"}, "--range excludes --invert (see skerry label --help)"},
      {{"label", "@/a.pgm", "--threshold", "2", "--at-least", "3"},
       "--threshold excludes --at-least (see skerry label --help)"},
      {{"label", "@/a.pgm", "--stack", "--volume"}, "--stack excludes --volume (see skerry label --help)"},
      {{"label", "@/a.pgm", "--labels-type", "f32"},
       "--labels-type: 'f32' is not one of auto, u8, u16, u32, u64 (see skerry label --help)"},
      {{"label", "@/a.pgm", "-o", "@/x.jpg"}, "@/x.jpg: images are written as .tif, .tiff, .png or .npy"},
      {{"label", "@/a.pgm", "--overlay", "@/x.tif"}, "@/x.tif: an overlay ends in .png"},
      {{"measure", "@/a.pgm", "-o", "@/x.xls"}, "@/x.xls: a table ends in .csv, .tsv, .json or .jsonl"},
      {{"measure", "@/a.pgm", "--write-labels", "-o", "@/t.csv"},
       "--write-labels: -o is an option, not a file name; for a file of that name write ./-o (see skerry measure "
       "--help)"},
      {{"measure", "@/a.pgm", "--features", "-o", "@/t.csv"}, "--features: no '-o'" + there_are},
      {{"measure", "@/a.pgm", "--first-copy", "9"}, "--first-copy requires --method (see skerry measure --help)"},
      {{"measure", "@/a.pgm", "--features", "area,volume"}, "--features: no 'volume'" + there_are},
      {{"measure", "@/a.pgm", "--features", "area,"}, "--features: no ''" + there_are},
      {{"measure", "@/a.pgm", "--features", ",area"}, "--features: no ''" + there_are},
      {{"measure", "@/a.pgm", "--features", "area,,label"}, "--features: no ''" + there_are},
      {{"measure", "/dev/zero", "-o", "/dev/null", "--format", "csv"}, "/dev/zero: is neither a file nor a pipe"},
      {{"measure", "@/a.pgm", "--features", "intensity_mean"},
       "--features intensity_mean: give an image with --intensity"},
      {{"completion", "tcsh"}, "SHELL: tcsh not in {bash,zsh,fish} (see skerry completion --help)"},
  };
  for (const auto& [arguments, message] : cases) EXPECT_EQ(fail(arguments), message);
}

TEST_F(usage, options_without_effect_are_errors) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"label", "@/a.pgm", "--labels-type", "u8"}, "--labels-type requires --output (see skerry label --help)"},
      {{"label", "@/a.pgm", "--labels-type", "u8", "--overlay", "@/o.png"},
       "--labels-type requires --output (see skerry label --help)"},
      {{"measure", "@/a.pgm", "--labels-type", "u8", "-o", "@/t.csv"},
       "--labels-type requires --write-labels (see skerry measure --help)"},
      {{"measure", "@/a.pgm", "--intensity", "self", "--features", "area"},
       "--intensity requires a column of intensity in --features or --keep"},
      {{"label", "@/a.pgm", "--threads", "2", "--engine", "reference"},
       "--threads requires another engine than the reference"},
      {{"tree", "@/a.pgm", "--rule", "max"}, "--rule requires --keep (see skerry tree --help)"},
      {{"tree", "@/a.pgm", "--top-hat"}, "--top-hat requires --output"},
      {{"tree", "@/a.pgm", "--features", "area"}, "--features requires --table (see skerry tree --help)"},
      {{"info", "--max-pixels", "5"}, "--max-pixels requires IN (see skerry info --help)"},
  };
  for (const auto& [arguments, message] : cases) EXPECT_EQ(fail(arguments), message);
}

TEST_F(usage, wrong_connectivity_for_the_rank_names_the_image) {
  const std::string message = fail({"label", "@/a.pgm", "--connectivity", "26"});
  EXPECT_TRUE(message.starts_with("@/a.pgm: ")) << message;
  EXPECT_NE(message.find("connectivity"), std::string::npos) << message;
}

TEST_F(usage, an_engine_that_is_not_here) {
  std::string reason;
  try {
    (void)engine::cuda();
    GTEST_SKIP() << "this machine has a CUDA engine";
  } catch (const device_error& error) {
    reason = error.what();
  }
  EXPECT_EQ(fail({"label", "@/a.pgm", "--engine", "cuda"}), "--" + reason);
  EXPECT_EQ(fail({"tree", "@/a.pgm", "--engine", "cuda"}), "--" + reason);
  EXPECT_TRUE(reason.starts_with("engine cuda: ")) << reason;
}

TEST_F(usage, negative_numbers_are_values) {
  write("n.npy", npy_bytes("<i2", "(1, 4)", bytes_of<std::int16_t>({-5, -3, -9, 2})));
  EXPECT_EQ(succeed({"label", "@/n.npy", "--threshold", "-4"}), "@/n.npy: 2 components\n");
  EXPECT_EQ(succeed({"label", "@/n.npy", "--range", "-5", "-3"}), "@/n.npy: 1 component\n");
}

TEST_F(usage, control_characters_of_names_are_shown_and_not_sent) {
  const std::string name = "a\n\t\r\x1b[31m\x7f\xc2\x9b\xc3\xa4", shown = "a\\n\\t\\r\\x1b[31m\\x7f\\xc2\\x9b\xc3\xa4";
  EXPECT_EQ(fail({"label", "@/none" + name}), "@/none" + shown + ": no such file, and none matches it as a pattern");
  write(name, pgm_bytes("3 2\n255\n0 1 0\n0 0 5"));
  EXPECT_EQ(succeed({"label", "@/" + name}), "@/" + shown + ": 1 component\n");
  EXPECT_EQ(succeed({"track", "@/" + name}).find("@/" + shown + ": 1 frame, "), 0U);
  EXPECT_EQ(succeed({"tree", "@/" + name}).find("@/" + shown + ": max-tree of "), 0U);
  EXPECT_NE(succeed({"info", "@/" + name}).find("@/" + shown + "  pnm "), std::string::npos);
  const outcome partly = run({"info", "@/none" + name, "@/" + name, "@/none"});
  EXPECT_EQ(partly.err.find("skerry: @/none" + shown + ": "), 0U);
  // Tables for programs have the name as it is.
  EXPECT_EQ(succeed({"measure", "@/" + name, "@/a.pgm", "--format", "csv", "--features", "area"})
                .find("image,label,area\n\"@/" + name + "\","),
            0U);
}

TEST_F(usage, completion_scripts_know_every_option) {
  const std::string help = succeed({"label", "--help"}) + succeed({"measure", "--help"}) +
                           succeed({"relabel", "--help"}) + succeed({"tree", "--help"});
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = succeed({"completion", shell});
    for (std::size_t at = 0; (at = help.find("\n  --", at)) != std::string::npos; at += 5) {
      const std::size_t begin = at + 5;
      const std::string name = help.substr(begin, help.find_first_of(" \n", begin) - begin);
      EXPECT_NE(script.find(name), std::string::npos) << shell << " does not know " << name;
    }
    for (const char* word : {"label", "measure", "relabel", "outline", "contacts", "tree", "track", "info",
                             "completion", "reference", "otsu", "overlay", "subtractive", "lsl-rle"})
      EXPECT_NE(script.find(word), std::string::npos) << shell << " does not know " << word;
  }
}

TEST_F(usage, an_option_completes_to_the_words_of_its_command) {
  const std::string script = succeed({"completion", "bash"});
  EXPECT_NE(script.find("label:--connectivity|label:-c) _skerry_words '4 8 6 18 26'"), std::string::npos);
  EXPECT_NE(script.find("tree:--connectivity|tree:-c) _skerry_words '4 8 6 18 26'"), std::string::npos);
}

}  // namespace
}  // namespace skerry::test
