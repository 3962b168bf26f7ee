// SPDX-License-Identifier: Apache-2.0
// The program in front of somebody: progress, tables and films on a terminal, completion in a shell.
#include <algorithm>

#include "program.hpp"

namespace skerry::test {
namespace {

TEST_F(program, progress_is_shown_on_a_terminal_and_taken_back) {
  write("b.pgm", pgm_bytes("2 1\n255\n0 3"));
  const auto [code, seen] = on_a_terminal({"label", "a.pgm", "b.pgm"});
  EXPECT_EQ(code, 0);
  EXPECT_NE(seen.find("\r[1/2] reading a.pgm\x1b[K"), std::string::npos) << seen;
  EXPECT_NE(seen.find("\r[2/2] labelling b.pgm\x1b[K"), std::string::npos) << seen;
  EXPECT_NE(seen.find("\r\x1b[Ka.pgm: 2 components"), std::string::npos) << seen;
  EXPECT_EQ(on_a_terminal({"label", "a.pgm", "b.pgm", "-q"}).second, "");
  EXPECT_NE(on_a_terminal({"measure", "a.pgm", "b.pgm", "--features", "area"}).second.find("\r\x1b[Kimage"),
            std::string::npos);
  EXPECT_EQ(on_a_terminal({"label", "a.pgm"}).second, "a.pgm: 2 components\r\n");
  EXPECT_EQ(shell("skerry label a.pgm b.pgm").err, "");
}

// Alone, a small image is read too quickly to say so.
TEST_F(program, progress_of_one_large_file) {
  for (const std::int64_t width : {4095, 4096}) {
    write("large.pgm",
          "P5\n" + std::to_string(width) + " 4096\n255\n" + std::string(static_cast<std::size_t>(width) * 4096, '\0'));
    const auto [code, seen] = on_a_terminal({"label", "large.pgm"});
    EXPECT_EQ(code, 0);
    EXPECT_EQ(seen, width == 4095 ? "large.pgm: 0 components\r\n"
                                  : "\rreading large.pgm\x1b[K\rlabelling large.pgm\x1b[K\rwriting large.pgm\x1b[K"
                                    "\r\x1b[Klarge.pgm: 0 components\r\n");
  }
  EXPECT_EQ(on_a_terminal({"label", "large.pgm", "-q"}).second, "");
}

TEST_F(program, a_table_is_text_on_a_terminal_and_csv_elsewhere) {
  EXPECT_EQ(on_a_terminal({"measure", "a.pgm", "--features", "area"}).second,
            "label  area\r\n    1     1\r\n    2     1\r\n");
  EXPECT_EQ(shell("skerry measure a.pgm --features area").out, "label,area\n1,1\n2,1\n");
}

// A terminal of the tests has 80 columns.
TEST_F(program, a_table_fits_the_terminal_unless_columns_are_named) {
  const auto widest = [](const std::string& text) {
    std::size_t most = 0, begin = 0;
    for (std::size_t end; (end = text.find("\r\n", begin)) != std::string::npos; begin = end + 2)
      most = std::max(most, end - begin);
    return most;
  };
  const std::string table = on_a_terminal({"measure", "a.pgm"}).second;
  EXPECT_LE(widest(table), 80U) << table;
  EXPECT_NE(table.find("area"), std::string::npos);
  EXPECT_EQ(table.find("moments_central"), std::string::npos);
  EXPECT_NE(table.find(" more columns: --features all prints them, -o FILE.csv writes them\r\n"), std::string::npos)
      << table;
  const std::string whole = on_a_terminal({"measure", "a.pgm", "--features", "all"}).second;
  EXPECT_NE(whole.find("moments_central-2-0"), std::string::npos);
  EXPECT_EQ(whole.find("more columns"), std::string::npos);
  EXPECT_EQ(shell("skerry measure a.pgm --format text").out.find("more columns"), std::string::npos);
  EXPECT_NE(on_a_terminal({"tree", "a.pgm", "--table", "-", "-q"}).second.find(" more column"), std::string::npos);
}

TEST_F(program, a_film_plays_in_the_terminal) {
  const auto [code, seen] = on_a_terminal({"track", "--demo", "--frames", "3", "--rate", "50"});
  EXPECT_EQ(code, 0);
  EXPECT_EQ(seen.find("\x1b[2J\x1b[H\x1b[38;2;"), 0U) << seen.substr(0, 100);
  std::size_t pictures = 0;
  for (std::size_t at = 0; (at = seen.find("\x1b[H", at)) != std::string::npos; ++at) ++pictures;
  EXPECT_EQ(pictures, 3U);
  EXPECT_NE(seen.find("\x1b[0m\r\ndemo: 3 frames, "), std::string::npos) << seen.substr(seen.size() - 200);
  EXPECT_TRUE(shell("skerry track --demo --frames 3").out.starts_with("demo: 3 frames, "));
}

TEST_F(program, a_film_plays_to_its_last_row_and_column) {
  const auto places = [](const std::string& text, const std::string& what) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++count;
    return count;
  };
  write("f.raw", std::string("\0\1\0\0\1\1", 6));
  const std::string small = on_a_terminal({"track", "f.raw", "--width", "2", "--height", "3", "--play", "-q"}).second;
  EXPECT_EQ(places(small, "\x1b[0m\r\n"), 2U);
  EXPECT_EQ(places(small, "m\u2580"), 4U);
  EXPECT_EQ(places(small, ";49m\u2580"), 2U);  // half characters
  // On 80 × 24 characters one is 2 · 2 pixels: the last of 131 columns and 81 rows is less.
  write("f.raw", std::string(131 * 81, '\1'));
  const std::string large =
      on_a_terminal({"track", "f.raw", "--width", "131", "--height", "81", "--play", "-q"}).second;
  EXPECT_EQ(places(large, "\x1b[0m\r\n"), 21U);
  EXPECT_EQ(places(large, "m\u2580"), 21U * 66U);
  // What fits exactly is not made smaller: 22 rows of the terminal are free.
  for (const auto& [width, height] : {std::pair(160, 4), std::pair(4, 88), std::pair(160, 88)}) {
    write("f.raw", std::string(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), '\1'));
    const std::string film = on_a_terminal({"track", "f.raw", "--width", std::to_string(width), "--height",
                                            std::to_string(height), "--play", "-q"})
                                 .second;
    EXPECT_EQ(places(film, "m\u2580"), static_cast<std::size_t>(width / 2 * height / 4)) << width << " x " << height;
  }
}

TEST_F(program, completion_scripts_are_good_for_their_shells) {
  EXPECT_EQ(shell("skerry completion bash > c.bash && bash -n c.bash").code, 0);
  // What bash offers after "skerry label --con", "skerry m" and "skerry label --engine c".
  const std::string ask =
      "source c.bash; ask() { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _skerry; echo "
      "\"${COMPREPLY[*]}\"; }; ";
  EXPECT_EQ(shell(ask + "ask skerry label --con").out, "--connectivity\n");
  EXPECT_EQ(shell(ask + "ask skerry m").out, "measure\n");
  EXPECT_EQ(shell(ask + "ask skerry label --engine c").out, "cpu cuda\n");
  EXPECT_EQ(shell(ask + "ask skerry label a").out, "a.pgm\n");
  EXPECT_EQ(shell(ask + "ask skerry completion f").out, "fish\n");
  EXPECT_EQ(shell(ask + "ask skerry help me").out, "measure\n");
  // Names of files are one word each, whatever is in them.
  write("my image.pgm", pgm_bytes("1 1\n255\n1"));
  EXPECT_EQ(shell(ask + "ask skerry label my; echo \"${#COMPREPLY[@]}\"").out, "my image.pgm\n1\n");
  // Columns where columns belong, after the last comma; nothing for numbers, the second of two included.
  EXPECT_EQ(shell(ask + "ask skerry measure a.pgm --features ecc").out, "eccentricity\n");
  EXPECT_EQ(shell(ask + "ask skerry measure a.pgm --features area,ecc").out, "area,eccentricity\n");
  EXPECT_EQ(shell(ask + "ask skerry label a.pgm --keep ecc").out, "eccentricity\n");
  EXPECT_EQ(shell(ask + "ask skerry label a.pgm --keep 'area>2 and (ecc'").out, "area>2 and (eccentricity\n");
  EXPECT_EQ(shell(ask + "ask skerry tree a.pgm --keep dyn").out, "dynamics\n");
  for (const char* option : {"--min-area", "--page", "--keep-largest", "--threads", "--range", "--range 1"})
    EXPECT_EQ(shell(ask + "ask skerry label a.pgm " + option + " ''").out, "\n") << option;
  EXPECT_EQ(shell(ask + "ask skerry label a.pgm --range 1 2 a").out, "a.pgm\n");
  EXPECT_EQ(shell(ask + "ask skerry label -o a").out, "a.pgm\n");
}

TEST_F(program, completion_script_for_zsh) {
  if (shell("command -v zsh").code != 0) GTEST_SKIP() << "zsh is not installed";
  EXPECT_EQ(shell("skerry completion zsh > _skerry && zsh -n _skerry").code, 0);
}

TEST_F(program, completion_script_for_fish) {
  if (shell("command -v fish").code != 0) GTEST_SKIP() << "fish is not installed";
  EXPECT_EQ(shell("skerry completion fish > c.fish && fish --no-execute c.fish").code, 0);
}

}  // namespace
}  // namespace skerry::test
