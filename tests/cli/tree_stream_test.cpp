// SPDX-License-Identifier: Apache-2.0
// `skerry tree --stream`: every frame as `skerry tree` filters it alone, with a threshold that moves.
#include "tree_command.hpp"

namespace skerry::test {
namespace {

class tree_stream_command : public tree_command {
 protected:
  tree_stream_command() {
    std::string bytes;
    for (const char level : hills)
      if (level >= '0' && level <= '9') bytes += static_cast<char>(level - '0');
    std::string turned(bytes.rbegin(), bytes.rend());
    film = bytes + turned + bytes;
    write("film.raw", film);
    write("film.npy", npy_bytes("|u1", "(3, 7, 9)", film));
  }
  // What is left of a frame of the film.
  std::string frame_alone(std::size_t number, const std::vector<std::string>& filter) {
    write("frame.npy", npy_bytes("|u1", "(7, 9)", film.substr(63 * number, 63)));
    std::vector<std::string> words = {"tree", "@/frame.npy", "-q", "-o", "@/alone.npy"};
    words.insert(words.end(), filter.begin(), filter.end());
    succeed(words);
    const std::string file = read("alone.npy");
    return file.substr(file.size() - 63);
  }
  std::string stream_to(const std::string& output, std::vector<std::string> words) {
    words.insert(words.begin(), {"tree", "--stream", "-o", output});
    return succeed(words);
  }
  std::string film;
};

TEST_F(tree_stream_command, each_frame_is_filtered_as_it_would_be_alone) {
  const std::string expected =
      frame_alone(0, {"--min-area", "2"}) + frame_alone(1, {"--min-area", "6"}) + frame_alone(2, {"--min-area", "10"});
  EXPECT_NE(expected.substr(0, 63), expected.substr(126));
  for (const char* engine : {"cpu", "reference", "auto"}) {
    EXPECT_EQ(stream_to("@/out.raw", {"@/film.npy", "--engine", engine, "--min-area", "2", "--step", "4"}),
              "@/film.npy: 3 frames filtered\n");
    EXPECT_EQ(read("out.raw"), expected);
  }
  EXPECT_EQ(stream_to("-", {"@/film.raw", "--width", "9", "--height", "7", "--min-area", "2", "--step", "4", "-q"}),
            expected);
  stream_to("@/out.raw", {"@/film.npy", "--frames", "2", "--min-area", "2", "--step", "4"});
  EXPECT_EQ(read("out.raw"), expected.substr(0, 126));
}

TEST_F(tree_stream_command, all_filters_of_images_filter_frames) {
  const std::vector<std::vector<std::string>> filters = {{"--h", "2"},
                                                         {"--keep", "dynamics>=3", "--rule", "subtractive"},
                                                         {"--min-diagonal", "3", "--kind", "min"},
                                                         {"--min-area", "3", "--connectivity", "4", "--top-hat"}};
  for (std::vector<std::string> words : filters) {
    const std::string expected = frame_alone(0, words) + frame_alone(1, words) + frame_alone(2, words);
    words.insert(words.begin(), "@/film.npy");
    stream_to("@/out.raw", words);
    EXPECT_EQ(read("out.raw"), expected) << words[1];
  }
}

TEST_F(tree_stream_command, films_are_animated_pictures) {
  EXPECT_EQ(succeed({"tree", "@/film.npy", "--stream", "--h", "1", "--step", "1", "--film", "@/film.gif"}),
            "@/film.npy: 3 frames filtered\n");
  EXPECT_TRUE(read("film.gif").starts_with("GIF89a"));
}

TEST_F(tree_stream_command, wrong_options_are_one_line) {
  const std::string see = " (see skerry tree --help)";
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--stream", "--min-area", "2"}, "--stream: nothing to write; give -o or --film"},
      {{"--stream", "-o", "@/o.raw"}, "--stream: nothing to filter by; give --min-area, --min-diagonal, --h or --keep"},
      {{"--stream", "-o", "@/o.raw", "--keep", "area>2", "--step", "1"}, "--step: is of --min-area or --h alone"},
      {{"--stream", "--min-area", "2", "--film", "@/film.png"}, "--film: @/film.png does not end in .gif"},
      {{"--stream", "--min-area", "2", "-o", "@/o.raw", "--table", "-"}, "--table excludes --stream" + see},
      {{"-o", "@/o.png", "--min-area", "2", "--step", "1"}, "--step requires --stream" + see},
      {{"--stream", "-o", "@/o.raw", "--h", "0.5"}, "@/film.npy: is of uint8, and --h 0.5 is not whole"},
      {{"--stream", "-o", "@/o.raw", "--h", "1", "--step", "0.5"},
       "@/film.npy: h: 1.5 is not whole, but the tree is one of uint8"},
  };
  for (auto [arguments, message] : cases) {
    arguments.insert(arguments.begin(), {"tree", "@/film.npy"});
    EXPECT_EQ(fail(arguments), message);
  }
  EXPECT_EQ(fail({"tree", "@/film.raw", "--stream", "--width", "9", "--height", "6", "--min-area", "2", "-o", "@/o"}),
            "@/film.raw: ends within a frame: 27 of 54 bytes are there");
  for (const std::string& name : files()) EXPECT_NE(name, "o");
}

}  // namespace
}  // namespace skerry::test
