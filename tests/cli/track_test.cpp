// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/console.hpp"
#include "cli/track_job.hpp"
#include "cli/track_sink.hpp"
#include "workspace.hpp"

namespace skerry::test {
namespace {

class track_command : public workspace {
 protected:
  // A pair merges, and splits again; below, one goes out to the right.
  track_command() {
    for (std::size_t i = 0; i < frames.size(); ++i)
      write("frames/" + std::to_string(i) + ".pgm", pgm_bytes("6 3\n255\n" + frames[i]));
    std::string all;
    for (const std::string& frame : frames)
      for (const char c : frame)
        if (c == '0' || c == '9') all += c == '0' ? '\0' : '\x09';
    write("film.npy", npy_bytes("|u1", "(4, 3, 6)", all));
    write("film.raw", all);
  }
  const std::vector<std::string> frames = {
      "9 9 0 9 0 0\n0 0 0 0 0 0\n0 0 9 9 9 0",
      "9 9 9 9 0 0\n0 0 0 0 0 0\n0 0 0 9 9 9",
      "9 9 0 9 0 0\n0 0 0 0 0 0\n0 0 0 0 0 9",
      "9 9 0 9 0 0\n0 0 0 0 0 0\n0 0 0 0 0 0",
  };
  const std::string counted = ": 4 frames, 4 objects: 3 born, 1 split off, 1 merged, 1 died\n";
  const std::string table =
      "frame,id,parent,age,area,bbox-0,bbox-1,bbox-2,bbox-3,centroid-0,centroid-1,extent,"
      "coordinate_sum-0,coordinate_sum-1\n"
      "0,1,0,0,2,0,0,1,2,0,0.5,1,0,1\n"
      "0,2,0,0,1,0,3,1,4,0,3,1,0,3\n"
      "0,3,0,0,3,2,2,3,5,2,3,1,6,9\n"
      "1,1,0,1,4,0,0,1,4,0,1.5,1,0,6\n"
      "1,3,0,1,3,2,3,3,6,2,4,1,6,12\n"
      "2,1,0,2,2,0,0,1,2,0,0.5,1,0,1\n"
      "2,4,1,0,1,0,3,1,4,0,3,1,0,3\n"
      "2,3,0,2,1,2,5,3,6,2,5,1,2,5\n"
      "3,1,0,3,2,0,0,1,2,0,0.5,1,0,1\n"
      "3,4,0,1,1,0,3,1,4,0,3,1,0,3\n";
  const std::string events =
      R"({"frame":0,"objects":3,"events":[{"event":"birth","id":1},{"event":"birth","id":2},{"event":"birth","id":3}]})"
      "\n"
      R"({"frame":1,"objects":2,"events":[{"event":"merge","id":2,"into":1}]})"
      "\n"
      R"({"frame":2,"objects":3,"events":[{"event":"split","id":4,"parent":1}]})"
      "\n"
      R"({"frame":3,"objects":2,"events":[{"event":"death","id":3}]})"
      "\n";
};

TEST_F(track_command, frames_come_from_everywhere) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> sources = {
      {{"@/film.npy"}, "@/film.npy"},
      {{"@/frames"}, "@/frames"},
      {{"@/frames/0.pgm", "@/frames/1.pgm", "@/frames/2.pgm", "@/frames/3.pgm"}, "@/frames/0.pgm"},
      {{"@/film.raw", "--width", "6", "--height", "3"}, "@/film.raw"}};
  for (const auto& [source, name] : sources) {
    std::vector<std::string> words = {"track"};
    words.insert(words.end(), source.begin(), source.end());
    EXPECT_EQ(succeed(words), name + counted);
    words.insert(words.end(), {"-o", "@/t.csv", "--events", "@/e.jsonl", "-q"});
    EXPECT_EQ(succeed(words), "");
    EXPECT_EQ(read("t.csv"), table);
    EXPECT_EQ(read("e.jsonl"), events);
  }
}

TEST_F(track_command, pictures_keep_the_colours_of_their_frames) {
  // The second file is not an image: it has a number and no colours.
  write("rgb/0.ppm", "P3\n2 1\n255\n200 10 90 0 255 30");
  write("rgb/1.ppm", "none");
  write("rgb/2.ppm", "P3\n2 1\n255\n20 10 90 70 0 30");
  write("rgb/3.pgm", "P2\n2 1\n255\n5 6");
  EXPECT_EQ(run({"track", "@/rgb", "--min-area", "9", "--overlay", "@/seen", "-q"}).code, 1);
  const auto channels_of = [&](const std::string& name) {
    std::string all;
    for (const int channel : {0, 1, 2}) {
      io::read_options options;
      options.channel = channel;
      const io::image read = io::read_image(path(name), options);
      for (std::int64_t i = 0; i < read.size.pixels(); ++i)
        all += std::to_string(std::to_integer<int>(read.bytes[i])) + (i + 1 < read.size.pixels() ? " " : "/");
    }
    return all;
  };
  EXPECT_EQ(channels_of("seen/frame-000000.png"), "200 0/10 255/90 30/");
  EXPECT_EQ(channels_of("seen/frame-000001.png"), "0 0/0 0/0 0/");
  EXPECT_EQ(channels_of("seen/frame-000002.png"), "20 70/10 0/90 30/");
  EXPECT_EQ(channels_of("seen/frame-000003.png"), "5 6/5 6/5 6/");
}

TEST_F(track_command, every_engine_gives_the_same) {
  for (const char* engine : {"reference", "cpu", "auto"}) {
    succeed({"track", "@/film.npy", "--engine", engine, "-q", "-o", "@/t.csv", "--events", "@/e.jsonl"});
    EXPECT_EQ(read("t.csv"), table) << engine;
    EXPECT_EQ(read("e.jsonl"), events) << engine;
  }
}

TEST_F(track_command, how_results_come_to_the_host_changes_nothing) {
  for (const std::vector<std::string>& how : {std::vector<std::string>{"--publish", "mapped", "--patience", "0"},
                                              {"--publish", "whole"},
                                              {"--publish", "predicted", "--margin", "0"}}) {
    std::vector<std::string> words = {"track", "@/film.npy", "-q", "-o", "@/t.csv"};
    words.insert(words.end(), how.begin(), how.end());
    EXPECT_EQ(succeed(words), "");
    EXPECT_EQ(read("t.csv"), table) << how[1];
  }
}

TEST_F(track_command, tables_and_events_can_be_printed) {
  const outcome printed = run({"track", "@/film.npy", "-o", "-"});
  EXPECT_EQ(printed.out, table);
  EXPECT_EQ(printed.err, "@/film.npy" + counted);
  EXPECT_EQ(succeed({"track", "@/film.npy", "--events", "-", "-q"}), events);
  EXPECT_EQ(
      succeed({"track", "@/film.npy", "-o", "-", "-q", "--features", "area", "--format", "json", "--frames", "1"}),
      "[\n  {\"frame\": 0, \"id\": 1, \"parent\": 0, \"age\": 0, \"area\": 2},\n"
      "  {\"frame\": 0, \"id\": 2, \"parent\": 0, \"age\": 0, \"area\": 1},\n"
      "  {\"frame\": 0, \"id\": 3, \"parent\": 0, \"age\": 0, \"area\": 3}\n]\n");
}

TEST_F(track_command, objects_as_lines_of_json) {
  const std::string lines =
      "{\"frame\": 0, \"id\": 1, \"parent\": 0, \"age\": 0, \"area\": 2}\n"
      "{\"frame\": 0, \"id\": 2, \"parent\": 0, \"age\": 0, \"area\": 1}\n"
      "{\"frame\": 0, \"id\": 3, \"parent\": 0, \"age\": 0, \"area\": 3}\n"
      "{\"frame\": 1, \"id\": 1, \"parent\": 0, \"age\": 1, \"area\": 4}\n"
      "{\"frame\": 1, \"id\": 3, \"parent\": 0, \"age\": 1, \"area\": 3}\n";
  succeed({"track", "@/film.npy", "-o", "@/t.jsonl", "-q", "--features", "area", "--frames", "2"});
  EXPECT_EQ(read("t.jsonl"), lines);
  EXPECT_EQ(
      succeed({"track", "@/film.npy", "-o", "-", "-q", "--features", "area", "--format", "jsonl", "--frames", "2"}),
      lines);
  EXPECT_EQ(succeed({"track", "@/film.npy", "-o", "-", "-q", "--threshold", "9", "--format", "jsonl"}), "");
}

TEST_F(track_command, features_of_moments_and_intensity) {
  succeed({"track", "@/film.npy", "-q", "-o", "@/t.csv", "--frames", "1", "--features",
           "area,axis_major_length,intensity_mean"});
  EXPECT_EQ(read("t.csv"),
            "frame,id,parent,age,area,axis_major_length,intensity_mean\n"
            "0,1,0,0,2,2,9\n0,2,0,0,1,0,9\n0,3,0,0,3,3.265986323710904,9\n");
}

TEST_F(track_command, identity_options) {
  const auto story = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"track", "@/film.npy"});
    const std::string text = succeed(words);
    return text.substr(text.find(": ") + 2);
  };
  EXPECT_EQ(story({"--memory", "1"}), "4 frames, 3 objects: 3 born, 0 split off, 1 reappeared, 1 merged, 1 died\n");
  EXPECT_EQ(story({"--keep-alive", "2"}), "4 frames, 4 objects: 3 born, 1 split off, 1 merged, 0 died\n");
  EXPECT_EQ(story({"--min-overlap", "3"}), "4 frames, 10 objects: 10 born, 0 split off, 0 merged, 8 died\n");
  EXPECT_EQ(story({"--min-area", "2"}), "4 frames, 2 objects: 2 born, 0 split off, 0 merged, 1 died\n");
  EXPECT_EQ(story({"--link", "iou", "--min-share", "0.5"}),
            "4 frames, 5 objects: 5 born, 0 split off, 0 merged, 3 died\n");
  EXPECT_EQ(story({"--capacity", "2"}),
            "4 frames, 4 objects: 3 born, 1 split off, 1 merged, 1 died; 2 frames with more objects or events than "
            "--capacity\n");
  EXPECT_EQ(story({"--capacity", "1"}),
            "4 frames, 4 objects: 3 born, 1 split off, 1 merged, 1 died; 4 frames with more objects or events than "
            "--capacity\n");
  EXPECT_EQ(story({"--threshold", "9"}), "4 frames, 0 objects: 0 born, 0 split off, 0 merged, 0 died\n");
  EXPECT_EQ(story({"--threshold", "otsu"}), story({}));
  EXPECT_EQ(story({"--background", "5"}), "4 frames, 2 objects: 2 born, 0 split off, 0 merged, 2 died\n");
}

TEST_F(track_command, tracks_for_napari) {
  succeed({"track", "@/film.npy", "-q", "--napari", "@/n.csv"});
  EXPECT_EQ(
      read("n.csv"),
      "ID,T,Y,X\n1,0,0,0.5\n2,0,0,3\n3,0,2,3\n3,1,2,4\n3,2,2,5\n4,2,0,3\n4,3,0,3\n5,1,0,1.5\n5,2,0,0.5\n5,3,0,0.5\n");
  EXPECT_EQ(read("n.json"), "{\"4\":[5],\"5\":[1,2]}\n");  // 5 is what 1 and 2 have become
  // An object that comes out of another one again is a new track, too; what has no row is no node.
  succeed({"track", "@/film.npy", "-q", "--memory", "1", "--napari", "@/n.csv"});
  EXPECT_EQ(read("n.json"), "{\"4\":[1,2],\"5\":[4]}\n");
  succeed({"track", "@/film.npy", "-q", "--capacity", "1", "--napari", "@/n.csv"});
  EXPECT_EQ(read("n.csv"), "ID,T,Y,X\n1,0,0,0.5\n2,1,0,1.5\n2,2,0,0.5\n2,3,0,0.5\n");
  EXPECT_EQ(read("n.json"), "{\"2\":[1]}\n");
  write("v.npy", npy_bytes("|u1", "(2, 1, 2)", std::string("\1\0\1\0", 4)));
  succeed({"track", "@/v.npy", "@/v.npy", "--volume", "-q", "--napari", "@/v.csv"});
  EXPECT_EQ(read("v.csv"), "ID,T,Z,Y,X\n1,0,0.5,0,0\n1,1,0.5,0,0\n");
}

// 3 merges into 2, which --capacity shows only after 1 has died: its first track has no parent that has a row, and is none of
// its own.
TEST_F(track_command, a_track_is_no_parent_of_itself) {
  write("late.npy", npy_bytes("|u1", "(3, 1, 6)",
                              std::string("\1\0\1\1\0\1"
                                          "\1\0\1\1\1\1"
                                          "\0\0\1\1\1\1",
                                          18)));
  succeed({"track", "@/late.npy", "-q", "--capacity", "1", "--napari", "@/n.csv"});
  EXPECT_EQ(read("n.csv"), "ID,T,Y,X\n1,0,0,0\n1,1,0,0\n2,2,0,3.5\n");
  EXPECT_EQ(read("n.json"), "{}\n");
}

TEST_F(track_command, events_tell_of_what_is_missing) {
  succeed({"track", "@/film.npy", "-q", "--capacity", "1", "--events", "@/e.jsonl"});
  const std::string first = read("e.jsonl").substr(0, read("e.jsonl").find('\n'));
  EXPECT_EQ(first.find(R"({"frame":0,"objects":3,"overflow":true,"events":[)"), 0U) << first;

  cli::track_job job;
  job.input.paths = {path("film.npy")};
  job.events = path("d.jsonl");
  std::ostringstream out, err;
  const cli::console to{out, err};
  const auto sinks = cli::open_track_tables(job, to);
  ASSERT_EQ(sinks.size(), 1U);
  for (const std::uint64_t dropped : {0, 1, 3}) {
    frame_result result;
    result.frame = 7;
    result.dropped = dropped;
    sinks.front()->take(result);
  }
  sinks.front()->finish();
  sinks.front()->publish();
  EXPECT_EQ(read("d.jsonl"),
            "{\"frame\":7,\"objects\":0,\"events\":[]}\n"
            "{\"frame\":7,\"objects\":0,\"dropped\":1,\"events\":[]}\n"
            "{\"frame\":7,\"objects\":0,\"dropped\":3,\"events\":[]}\n");
}

TEST_F(track_command, a_frame_of_another_type_has_no_result) {
  write("wide.npy", npy_bytes("<u2", "(3, 6)", std::string(36, '\1')));
  const outcome result = run({"track", "@/frames/0.pgm", "@/wide.npy", "@/frames/1.pgm"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err,
            "skerry: @/frames/0.pgm: frame 1: @/wide.npy: is 3 x 6 of uint16, but the frames before it are 3 x 6 of "
            "uint8\n");
}

TEST_F(track_command, pictures_of_every_frame) {
  succeed({"track", "@/film.npy", "-q", "--overlay", "@/seen/pictures", "--film", "@/film.gif"});
  EXPECT_EQ(files(), (std::vector<std::string>{"film.gif", "film.npy", "film.raw", "frames/0.pgm", "frames/1.pgm",
                                               "frames/2.pgm", "frames/3.pgm", "seen/pictures/frame-000000.png",
                                               "seen/pictures/frame-000001.png", "seen/pictures/frame-000002.png",
                                               "seen/pictures/frame-000003.png"}));
  EXPECT_EQ(io::read_image(path("seen/pictures/frame-000002.png")).channels, 3);
  const io::image gif = io::read_image(path("film.gif"), {.stack = true});
  EXPECT_EQ(gif.size, extent(4, 3, 6));
  const std::string choice =
      "@/film.gif: is an animation of 4 images: take each by itself with --stack, all as one volume with --volume, or "
      "choose one with --page N, the first is 0";
  for (const char* command : {"label", "measure", "tree"}) EXPECT_EQ(fail({command, "@/film.gif"}), choice);
  EXPECT_EQ(succeed({"track", "@/film.gif", "--connectivity", "4"}).find("@/film.gif: 4 frames"), 0U);
  EXPECT_EQ(succeed({"label", "@/film.gif", "--stack"}).rfind("in 4 frames\n") != std::string::npos, true);
  EXPECT_EQ(succeed({"label", "@/film.gif", "--volume", "--page", "0"}).find("@/film.gif: "), 0U);
  const std::string bytes = read("film.gif");
  EXPECT_TRUE(bytes.starts_with("GIF89a"));
  EXPECT_NE(bytes.find("NETSCAPE2.0"), std::string::npos);  // it plays again and again
}

TEST_F(track_command, the_demo_is_the_same_every_time) {
  const std::string story = succeed({"track", "--demo", "--frames", "150", "-o", "@/a.csv"});
  EXPECT_TRUE(story.starts_with("demo: 150 frames, ")) << story;
  EXPECT_EQ(succeed({"track", "--demo", "--frames", "150", "-o", "@/b.csv", "--engine", "cpu", "--threads", "2"}),
            story);
  EXPECT_EQ(read("a.csv"), read("b.csv"));
  succeed({"track", "--demo", "--frames", "150", "--seed", "2", "-o", "@/c.csv", "-q"});
  EXPECT_NE(read("a.csv"), read("c.csv"));
  EXPECT_EQ(succeed({"track", "--demo", "--width", "100", "--height", "150", "--frames", "2"}).find("demo: 2 frames"),
            0U);
}

TEST_F(track_command, frames_that_cannot_be_read_are_told_and_the_rest_goes_on) {
  const std::vector<std::string> track = {"track", "@/frames", "-q", "-o", "@/t.csv", "--events", "@/e.jsonl"};
  write("frames/0a.pgm", "no image");
  write("frames/0b.pgm", pgm_bytes("2 1\n255\n9 0"));
  const outcome result = run(track);
  EXPECT_EQ(result.code, 1);
  std::istringstream errors(result.err);
  std::string first, second, none;
  std::getline(errors, first);
  std::getline(errors, second);
  EXPECT_TRUE(first.starts_with("skerry: @/frames: frame 1: @/frames/0a.pgm: ")) << first;
  EXPECT_EQ(
      second,
      "skerry: @/frames: frame 2: @/frames/0b.pgm: is 1 x 2 of uint8, but the frames before it are 3 x 6 of uint8");
  EXPECT_FALSE(std::getline(errors, none)) << none;
  std::istringstream lines(read("e.jsonl"));
  for (int frame = 0; frame < 6; ++frame) {
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    const auto read = nlohmann::json::parse(line);
    EXPECT_EQ(read["frame"], frame);
    EXPECT_EQ(read.contains("error"), frame == 1 || frame == 2);
  }
  EXPECT_EQ(read("t.csv").find("\n1,"), std::string::npos);
  EXPECT_NE(read("t.csv").find("\n3,1,0,3,4,"), std::string::npos);  // its age counts all frames
  EXPECT_EQ(run({"track", "@/frames"}).out,
            "@/frames: 6 frames, 4 objects: 3 born, 1 split off, 1 merged, 1 died; 2 frames without result\n");
  for (const char* name : {"0a", "0b"}) std::filesystem::remove(path("frames/" + std::string(name) + ".pgm"));
}

TEST_F(track_command, frames_that_cannot_be_read_come_first_too) {
  write("frames/+.pgm", "no image");
  const outcome result = run({"track", "@/frames", "--overlay", "@/seen"});
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(result.err.starts_with("skerry: @/frames: frame 0: @/frames/+.pgm: ")) << result.err;
  EXPECT_EQ(result.out,
            "@/frames: 5 frames, 4 objects: 3 born, 1 split off, 1 merged, 1 died; 1 frame without result\n");
  EXPECT_EQ(io::read_image(path("seen/frame-000000.png")).size, extent(3, 6));
  EXPECT_EQ(fail({"track", "@/frames/+.pgm", "@/none", "-o", "@/t.csv"}),
            "@/frames/+.pgm: none of 2 frames can be read: " + fail({"track", "@/frames/+.pgm"}));
  EXPECT_FALSE(std::filesystem::exists(path("t.csv")));
}

TEST_F(track_command, raw_frames_that_end_within_one) {
  write("cut.raw", std::string_view(read("film.raw")).substr(0, 3 * 18 + 5));
  const outcome result = run({"track", "@/cut.raw", "@/film.raw", "--width", "6", "--height", "3", "-o", "@/t.csv"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err, "skerry: @/cut.raw: frame 3: @/cut.raw: ends within a frame: 5 of 18 bytes are there\n");
  EXPECT_TRUE(result.out.starts_with("@/cut.raw: 8 frames, ")) << result.out;
  EXPECT_TRUE(read("t.csv").starts_with(table.substr(0, table.find("\n3,"))));
  EXPECT_NE(read("t.csv").find("\n7,"), std::string::npos);
}

TEST_F(track_command, a_frame_without_a_threshold_is_noted_and_the_rest_goes_on) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  write("f.npy", npy_bytes("<f4", "(3, 1, 2)", bytes_of<float>({0, 1, nan, nan, 0, 1})));
  const outcome result = run({"track", "@/f.npy", "--threshold", "otsu", "--events", "@/e.jsonl"});
  EXPECT_EQ(result.code, 1);
  const std::string error = "skerry: @/f.npy: frame 1: image: no pixel is finite\n";
  EXPECT_EQ(result.err, error);
  const outcome quiet = run({"track", "@/f.npy", "--threshold", "otsu", "-q"});
  EXPECT_EQ(quiet.code, 1);
  EXPECT_EQ(quiet.out, "");
  EXPECT_EQ(quiet.err, error);
  EXPECT_EQ(result.out, "@/f.npy: 3 frames, 1 object: 1 born, 0 split off, 0 merged, 0 died; 1 frame without result\n");
  EXPECT_NE(read("e.jsonl").find(R"({"frame":1,"objects":0,"error":"image: no pixel is finite","events":[]})"),
            std::string::npos);
}

TEST_F(track_command, without_any_result_it_fails_and_leaves_nothing) {
  write("nan.npy", npy_bytes("<f4", "(1, 1, 2)", std::string("\0\0\xc0\x7f\0\0\xc0\x7f", 8)));
  const std::vector<std::string> before = files();
  const outcome result = run({"track", "@/nan.npy", "--threshold", "otsu", "-q", "-o", "@/t.csv"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.err,
            "skerry: @/nan.npy: frame 0: image: no pixel is finite\n"
            "skerry: @/nan.npy: no frame has a result: image: no pixel is finite\n");
  EXPECT_EQ(files(), before);
}

TEST_F(track_command, rates_and_delays) {
  const outcome result = run({"track", "@/film.npy", "--profile"});
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.err.find(" frames/s"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("99 % "), std::string::npos) << result.err;
}

TEST_F(track_command, options_without_effect_are_errors) {
  const std::string hint = " (see skerry track --help)";
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--demo", "--width", "96", "--height", "288", "--dtype", "u16"}, "--dtype excludes --demo" + hint},
      {{"--demo", "--channel", "1"}, "--channel excludes --demo" + hint},
      {{"--demo", "--volume"}, "--volume excludes --demo" + hint},
      {{"--demo", "--max-pixels", "100000"}, "demo: is too large: 288 x 384 pixels, the limit is 100000 in all"},
      {{"--demo", "--rate", "5"}, "--rate requires --film or --play"},
      {{"--demo", "--trail", "5", "-o", "@/t.csv"}, "--trail requires --overlay, --film or --play"},
      {{"--demo", "--rate", "5", "--overlay", "@/seen"}, "--rate requires --film or --play"},
      {{"@/film.npy", "--dtype", "u16"}, "--dtype requires --width" + hint},
      {{"@/film.npy", "--seed", "2"}, "--seed requires --demo" + hint},
      {{"@/film.raw", "--width", "6", "--height", "3", "--channel", "0"}, "--width excludes --channel" + hint},
      {{"@/film.npy", "--adaptation", "2"}, "--adaptation requires --background" + hint},
      {{"@/film.npy", "--features", "area"}, "--features requires --output" + hint},
      {{"@/film.npy", "--format", "csv"}, "--format requires --output" + hint},
      {{"@/film.npy", "--threads", "2", "--engine", "reference"},
       "--threads requires another engine than the reference"},
      {{"@/film.npy", "--publish", "whole", "--engine", "cpu"}, "--publish requires an engine on CUDA"},
      {{"@/film.npy", "--patience", "9", "--engine", "reference"}, "--patience requires an engine on CUDA"},
      {{"@/film.npy", "--margin", "0.5"}, "--margin requires --publish predicted"},
      {{"@/film.npy", "--margin", "0.5", "--publish", "whole"}, "--margin requires --publish predicted"},
      {{"@/film.npy", "--publish", "never"}, "--publish: 'never' is not one of mapped, predicted, whole" + hint},
      {{"@/film.npy", "--patience", "1000001"}, "--patience: '1000001' is not in 0 to 1000000" + hint},
      {{"@/film.npy", "--margin", "nan"}, "--margin: 'nan' is not a number" + hint},
  };
  const std::vector<std::string> before = files();
  for (const auto& [arguments, message] : cases) {
    std::vector<std::string> words = {"track"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    EXPECT_EQ(fail(words), message);
  }
  EXPECT_EQ(files(), before);
}

TEST_F(track_command, the_demo_can_be_inverted) {
  const std::string story = succeed({"track", "--demo", "--frames", "2", "--threshold", "120", "--invert"});
  EXPECT_EQ(succeed({"track", "--demo", "--frames", "2", "--invert"}), story);
  EXPECT_NE(succeed({"track", "--demo", "--frames", "2"}), story);
}

TEST_F(track_command, errors_are_one_line_and_leave_nothing) {
  const std::vector<std::string> before = files();
  write("empty/.hidden", "");
  std::filesystem::remove(path("empty/.hidden"));
  write("other.npy", npy_bytes("|u1", "(1, 6)", "123456"));
  write("wide.raw", std::string(65536, 'x'));
  write("shots/frame-000000.png", "");
  const std::string hint = " (see skerry track --help)";
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "IN is required, or --demo"},
      {{"@/film.npy", "--demo"}, "--demo takes no input"},
      {{"@/none"}, "@/none: no such file"},
      {{"@/empty"}, "@/empty: is a folder without images"},
      {{"@/film.raw", "--width", "50", "--height", "3", "-o", "@/t.csv", "--events", "@/e.jsonl", "--napari", "@/n.csv",
        "--film", "@/f.gif"},
       "@/film.raw: ends within a frame: 72 of 150 bytes are there"},
      {{"@/none.raw", "--width", "5", "--height", "3"}, "@/none.raw: no such file"},
      {{"@/empty", "--width", "5", "--height", "3"}, "@/empty: is a directory, not a file of raw frames"},
      {{"@/film.raw", "--width", "5"}, "--width requires --height" + hint},
      {{"@/film.raw", "--width", "0", "--height", "3"}, "--width: '0' is not in 1 to 1048576" + hint},
      {{"--demo", "--width", "20", "--height", "300"}, "--demo: width: 20 is not in 48 to 1048575 pixels"},
      {{"--demo", "--width", "64", "--height", "100"}, "--demo: height: 100 is not in 144 to 1048575 pixels"},
      {{"@/film.npy", "--min-share", "2"}, "--min-share: '2' is not in 0 to 1" + hint},
      {{"@/film.npy", "--background", "-1"}, "--background: '-1' is not in 0 to 65535" + hint},
      {{"@/film.npy", "--slots", "1"}, "--slots: '1' is not in 2 to 1024" + hint},
      {{"@/film.npy", "--when-full", "panic"}, "--when-full: 'panic' is not one of wait, drop" + hint},
      {{"@/film.npy", "--link", "size"}, "--link: 'size' is not one of overlap, iou" + hint},
      {{"@/film.npy", "--side", "dark"}, "--side requires --background" + hint},
      {{"@/film.npy", "--background", "5", "--threshold", "3"}, "--threshold excludes --background" + hint},
      {{"@/film.npy", "--connectivity", "6"}, "@/film.npy: connectivity: 6 is not 4 or 8 (image of rank 2)"},
      {{"@/film.npy", "-o", "@/t.xls"}, "@/t.xls: a table ends in .csv, .tsv, .json or .jsonl"},
      {{"@/film.npy", "--film", "@/f.mp4"}, "--film: @/f.mp4 does not end in .gif"},
      {{"@/wide.raw", "--width", "65536", "--height", "1", "--film", "@/f.gif"},
       "@/f.gif: cannot be written: a GIF has at most 65535 x 65535 pixels"},
      {{"@/film.npy", "--volume", "--overlay", "@/seen"}, "volumes have no --overlay, --film or --play"},
      {{"@/film.npy", "--overlay", "@/x.png"},
       "--overlay: of a film is a folder, not @/x.png; one moving picture is --film FILE.gif"},
      {{"@/film.npy", "-o", "-", "--events", "-"}, "only one of -o, --events and --play can go to standard output"},
      {{"@/film.npy", "--napari", "-"}, "--napari: two files cannot go to standard output"},
      {{"@/film.npy", "-o", "@/film.npy"}, "-o: @/film.npy is also an input or another output"},
      {{"@/film.npy", "--events", "@/film.npy"}, "--events: @/film.npy is also an input or another output"},
      {{"@/frames", "--events", "@/frames/2.pgm"}, "--events: @/frames/2.pgm is also an input or another output"},
      {{"@/shots", "--overlay", "@/shots"},
       "--overlay: @/shots holds @/shots/frame-000000.png, which a picture would replace"},
      {{"@/film.npy", "--background", "nan"}, "--background: 'nan' is not a number" + hint},
      {{"@/film.npy", "--events", "@/n.json", "--napari", "@/n.csv"},
       "--napari: @/n.json is also an input or another output"},
      {{"@/film.npy", "-o", "@/t.csv", "--features", "label"},
       "--features: no 'label'; there are all, geometry, moments, intensity, area, bbox-0, bbox-1, bbox-2, bbox-3, "
       "centroid-0, centroid-1, extent, coordinate_sum-0, coordinate_sum-1, axis_major_length, axis_minor_length, "
       "eccentricity, orientation, moments_central-0-2, moments_central-1-1, moments_central-2-0, "
       "intensity_min, intensity_max, intensity_mean, intensity_std, intensity_sum"},
      {{"@/film.npy", "-o", "@/t.csv", "--features", "magic"},
       "--features: no 'magic'; there are all, geometry, moments, intensity, area, bbox-0, bbox-1, bbox-2, "
       "bbox-3, "
       "centroid-0, centroid-1, extent, coordinate_sum-0, coordinate_sum-1, axis_major_length, axis_minor_length, "
       "eccentricity, orientation, moments_central-0-2, moments_central-1-1, moments_central-2-0, "
       "intensity_min, "
       "intensity_max, intensity_mean, intensity_std, intensity_sum"},
  };
  for (const auto& [arguments, message] : cases) {
    std::vector<std::string> words = {"track"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    EXPECT_EQ(fail(words), message);
  }
  for (const char* name : {"other.npy", "wide.raw", "shots/frame-000000.png"}) std::filesystem::remove(path(name));
  EXPECT_EQ(files(), before);
}

}  // namespace
}  // namespace skerry::test
