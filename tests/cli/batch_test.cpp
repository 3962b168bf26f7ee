// SPDX-License-Identifier: Apache-2.0
// Many inputs at once: folders and patterns, files without a result among others, files that are read ahead.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "cli/input_files.hpp"
#include "cli/read_ahead.hpp"
#include "io/file_error.hpp"
#include "support/sanitized.hpp"
#include "workspace.hpp"

namespace skerry::test {
namespace {

class batches : public workspace {
 protected:
  batches() {
    write("in/a.pgm", pgm_bytes("3 2\n255\n1 0 0\n0 0 5"));
    write("in/b.pgm", "no image");
    write("in/c.pgm", pgm_bytes("2 1\n255\n0 9"));
    write("in/.hidden.pgm", pgm_bytes("2 1\n255\n9 9"));
    write("in/deeper/d.pgm", pgm_bytes("2 1\n255\n9 9"));
    std::filesystem::create_symlink("circle", path("in/circle"));
  }
  [[nodiscard]] std::string names(const std::vector<std::string>& paths) const {
    std::string text;
    std::vector<std::string> whole;
    for (const std::string& path : paths)
      whole.push_back(path.front() == '@' ? folder_.string() + path.substr(1) : path);
    for (const std::string& file : cli::files_of(whole, [](const std::string&) {}))
      text += (text.empty() ? "" : " ") + (file == "-" ? file : std::filesystem::path(file).filename().string());
    return text;
  }
  // With the folder as "@".
  [[nodiscard]] std::string table(const std::string& name) const {
    std::string text = read(name);
    for (std::size_t at = 0; (at = text.find(folder_.string(), at)) != std::string::npos;)
      text.replace(at, folder_.string().size(), "@");
    return text;
  }
};

// ---- which files ----------------------------------------------------------------------------------------------------

TEST_F(batches, folders_and_patterns_stand_for_files) {
  write("a[1].pgm", pgm_bytes("1 1\n255\n1"));
  write("a1.pgm", pgm_bytes("1 1\n255\n1"));
  std::filesystem::create_directory(path("in/e.pgm"));
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"@/in"}, "a.pgm b.pgm c.pgm"},  // neither hidden files nor folders
      {{"@/in/"}, "a.pgm b.pgm c.pgm"},
      {{"@/in/c.pgm", "@/in"}, "c.pgm a.pgm b.pgm c.pgm"},
      {{"@/in/*.pgm"}, "a.pgm b.pgm c.pgm"},
      {{"@/in/[ac].pgm"}, "a.pgm c.pgm"},
      {{"@/in/?.pgm", "-"}, "a.pgm b.pgm c.pgm -"},
      {{"@/*/*/*"}, "d.pgm"},
      {{"@/a[1].pgm"}, "a[1].pgm"},  // there is a file of that very name
      {{"@/none.pgm"}, "none.pgm"},
  };
  for (const auto& [paths, files] : cases) EXPECT_EQ(names(paths), files);
}

TEST_F(batches, folders_and_patterns_without_files) {
  std::filesystem::create_directory(path("none"));
  for (const char* command : {"label", "measure", "tree", "info"}) {
    EXPECT_EQ(fail({command, "@/none"}), "@/none: is a folder without images");
    EXPECT_EQ(fail({command, "@/in/*.tif"}), "@/in/*.tif: no such file, and none matches it as a pattern");
  }
}

// A README beside images is skipped; a damaged image is an error.
TEST_F(batches, files_of_a_folder_that_are_not_images_are_named) {
  std::filesystem::remove(path("in/b.pgm"));
  for (const char* stray : {"in/table.csv", "in/README", "in/Thumbs.db", "in/a.txt"}) write(stray, "some text");
  const std::string note =
      "skerry: note: @/in: 4 files are not images and were skipped: README, Thumbs.db, a.txt and 1 more\n";
  outcome result = run({"label", "@/in"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, note);
  EXPECT_EQ(result.out, "@/in/a.pgm: 2 components\n@/in/c.pgm: 1 component\n");
  EXPECT_EQ(run({"tree", "@/in", "--table", "@/t.csv"}).err, note);
  EXPECT_EQ(run({"measure", "@/in", "-o", "@/m.csv"}).err, note);
  EXPECT_EQ(run({"info", "@/in"}).err, note);
  EXPECT_EQ(run({"label", "@/in", "-q"}).err, "");
  write("in/d.TIF", "some text");
  result = run({"label", "@/in"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("skerry: @/in/d.TIF: "), std::string::npos) << result.err;
  std::filesystem::create_directory(path("texts"));
  write("texts/a.txt", "some text");
  EXPECT_EQ(fail({"label", "@/texts"}), "@/texts: is a folder without images");
}

TEST_F(batches, every_command_takes_a_folder) {
  std::filesystem::remove(path("in/b.pgm"));
  EXPECT_EQ(succeed({"label", "@/in"}), "@/in/a.pgm: 2 components\n@/in/c.pgm: 1 component\n");
  EXPECT_EQ(succeed({"measure", "@/in", "--features", "area"}),
            "image,label,area\n@/in/a.pgm,1,1\n@/in/a.pgm,2,1\n@/in/c.pgm,1,1\n");
  const std::string trees = succeed({"tree", "@/in/*.pgm", "--min-area", "1", "-o", "@/out/"});
  EXPECT_EQ(std::count(trees.begin(), trees.end(), '\n'), 2);
  EXPECT_EQ(pixels("out/a-filtered.tif"), "1 0 0/0 0 5");
  EXPECT_EQ(pixels("out/c-filtered.tif"), "0 9");
}

TEST_F(batches, an_output_may_not_replace_a_file_of_the_folder) {
  std::filesystem::remove(path("in/b.pgm"));
  write("in/a.npy", npy_bytes("|u1", "(1, 1)", "\1"));
  EXPECT_EQ(fail({"label", "@/in/c.pgm", "@/in/a.npy", "@/in/", "-o", "@/in/{name}.npy"}),
            "-o: @/in/a.npy is also an input or another output");
}

// ---- files without a result -----------------------------------------------------------------------------------------

const std::string reason = "@/in/b.pgm: is not an image that can be read, or is damaged";

TEST_F(batches, a_bad_file_does_not_lose_the_others) {
  outcome result = run({"label", "@/in", "-o", "@/out/"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "@/in/a.pgm: 2 components\n@/in/c.pgm: 1 component\n");
  EXPECT_EQ(result.err.find("skerry: 1 of 3 images have no result:\nskerry: " + reason), 0U) << result.err;
  EXPECT_EQ(pixels("out/a-labels.tif"), "1 0 0/0 0 2");
  EXPECT_EQ(pixels("out/c-labels.tif"), "0 1");

  result = run({"measure", "@/in", "--features", "area", "-o", "@/out/t.csv", "-q"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(table("out/t.csv"), "image,label,area\n@/in/a.pgm,1,1\n@/in/a.pgm,2,1\n@/in/c.pgm,1,1\n");
}

TEST_F(batches, a_table_for_each_is_written_for_the_good_ones) {
  EXPECT_EQ(run({"measure", "@/in", "--features", "area", "-o", "@/tables/"}).code, 2);
  EXPECT_EQ(run({"tree", "@/in", "--features", "level", "--table", "@/trees/"}).code, 2);
  EXPECT_EQ(read("tables/c.csv"), "label,area\n1,1\n");
  EXPECT_EQ(read("trees/c.csv"), "node,level\n0,0\n1,9\n");
  EXPECT_FALSE(std::filesystem::exists(path("tables/b.csv")));
}

TEST_F(batches, the_last_file_may_be_bad) {
  write("in/z.pgm", "");
  const outcome result = run({"measure", "@/in/c.pgm", "@/in/z.pgm", "@/none.pgm", "--features", "area"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "image,label,area\n@/in/c.pgm,1,1\n");
  EXPECT_EQ(result.err,
            "skerry: 2 of 3 images have no result:\nskerry: @/in/z.pgm: is empty (0 bytes)\n"
            "skerry: @/none.pgm: no such file\n");
}

TEST_F(batches, without_any_good_file_there_is_no_table) {
  write("t.csv", "old");
  for (const char* command : {"measure", "tree"}) {
    const std::string option = command == std::string("tree") ? "--table" : "-o";
    EXPECT_EQ(run({command, "@/in/b.pgm", "@/none.pgm", option, "@/t.csv"}).code, 2);
    EXPECT_EQ(read("t.csv"), "old");
  }
}

TEST_F(batches, stop_at_error_ends_at_the_first) {
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"label", "@/in/b.pgm", "@/in/a.pgm", "-o", "@/out/"},
                                             {"measure", "@/in/b.pgm", "@/in/a.pgm", "-o", "@/t.csv"},
                                             {"tree", "@/in/b.pgm", "@/in/a.pgm", "--table", "@/t.csv"}}) {
    std::vector<std::string> stopping = command;
    stopping.emplace_back("--stop-at-error");
    EXPECT_EQ(fail(stopping).find(reason), 0U);
  }
  EXPECT_FALSE(std::filesystem::exists(path("out/a-labels.tif")));
  EXPECT_FALSE(std::filesystem::exists(path("t.csv")));
}

TEST_F(batches, rows_of_a_picture_whose_labels_cannot_be_written_are_not_in_the_table) {
  std::string dots;
  for (int i = 0; i < 600; ++i) dots += i % 2 == 0 ? '\1' : '\0';
  write("many.npy", npy_bytes("|u1", "(1, 600)", dots));
  const outcome result = run({"measure", "@/in/a.pgm", "@/many.npy", "@/in/c.pgm", "--write-labels", "@/out/",
                              "--labels-type", "u8", "--features", "area", "-o", "@/t.csv"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.err.find("skerry: 1 of 3 images have no result:\nskerry: @/many.npy: labels: "), 0U) << result.err;
  EXPECT_EQ(table("t.csv"), "image,label,area\n@/in/a.pgm,1,1\n@/in/a.pgm,2,1\n@/in/c.pgm,1,1\n");
  EXPECT_FALSE(std::filesystem::exists(path("out/many-labels.tif")));
}

TEST_F(batches, images_that_do_not_go_with_the_options_are_among_the_bad_ones) {
  write("v.npy", npy_bytes("|u1", "(2, 1, 1)", "\1\1"));
  outcome result = run({"label", "@/in/a.pgm", "@/v.npy", "@/in/c.pgm", "--connectivity", "4"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "@/in/a.pgm: 2 components\n@/in/c.pgm: 1 component\n");
  result = run({"measure", "@/in/a.pgm", "@/v.npy", "--features", "eccentricity", "-o", "@/out/"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.err.find(
                "skerry: 1 of 2 images have no result:\nskerry: @/v.npy: --features: 'eccentricity' needs a plane"),
            0U)
      << result.err;
  // Said once, of options that are wrong for the first.
  EXPECT_EQ(fail({"measure", "@/in/a.pgm", "@/in/c.pgm", "--features", "colour"}).find("--features: no 'colour'"), 0U);
}

// Also where the first one has none.
TEST_F(batches, an_image_without_an_otsu_threshold_does_not_lose_the_others) {
  write("nan.npy", npy_bytes("<f4", "(1, 1)", std::string("\0\0\xc0\x7f", 4)));
  const std::string problem = "@/nan.npy: --threshold otsu: no pixel is finite; give the threshold as a number";
  for (const char* const command : {"label", "measure", "outline", "contacts"}) {
    std::vector<std::string> words = {command, "@/nan.npy", "@/in/a.pgm", "--threshold", "otsu"};
    if (words[0] == "outline" || words[0] == "contacts") words.emplace_back("--components");
    if (words[0] == "contacts") words.insert(words.end(), {"--surfaces", "@/surfaces/"});
    if (words[0] != "label") words.insert(words.end(), {"-o", "@/out/"});
    const outcome result = run(words);
    EXPECT_EQ(result.code, 2) << command;
    EXPECT_EQ(result.err, "skerry: 1 of 2 images have no result:\nskerry: " + problem + "\n") << command;
    EXPECT_EQ(result.out.find("@/in/a.pgm: "), 0U) << result.out;
  }
  EXPECT_EQ(fail({"label", "@/nan.npy", "--threshold", "otsu"}), problem);
}

TEST_F(batches, each_picture_is_measured_under_its_own_image) {
  write("raw/a.pgm", pgm_bytes("3 2\n255\n7 0 0\n0 0 8"));
  write("raw/c.pgm", pgm_bytes("2 1\n255\n0 6"));
  const outcome result = run({"measure", "@/in/a.pgm", "@/in/b.pgm", "@/in/c.pgm", "--intensity", "@/raw/{name}.pgm",
                              "--features", "intensity_max"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "image,label,intensity_max\n@/in/a.pgm,1,7\n@/in/a.pgm,2,8\n@/in/c.pgm,1,6\n");
}

// ---- reading ahead --------------------------------------------------------------------------------------------------

TEST_F(batches, results_are_those_of_one_thread) {
  std::filesystem::remove(path("in/b.pgm"));
  constexpr int images = sanitized ? 30 : 60;
  for (int i = 0; i < images; ++i) {
    std::string pixels;
    for (int pixel = 0; pixel < 40 * (i + 1); ++pixel) pixels += static_cast<char>((pixel * (i + 3)) % 7 == 0);
    write("in/n" + std::to_string(100 + i) + ".npy", npy_bytes("|u1", "(40, " + std::to_string(i + 1) + ")", pixels));
    if (i % 9 == 4) write("in/n" + std::to_string(100 + i) + ".npy", "damaged");
  }
  const outcome one = run({"measure", "@/in", "--threads", "1"});
  EXPECT_EQ(one.code, 2);
  for (const char* threads : {"2", "5"}) {
    const outcome many = run({"measure", "@/in", "--threads", threads});
    EXPECT_EQ(many.out, one.out);
    EXPECT_EQ(many.err, one.err);
    EXPECT_EQ(many.code, one.code);
  }
}

cli::step_input input_of(std::size_t step, std::int64_t bytes) {
  cli::step_input input;
  input.pictures.resize(1);
  input.pictures[0].name = std::to_string(step);
  input.pictures[0].pixels.size = extent(1, bytes);
  return input;
}

std::string name_of(const cli::step_input& input) { return input.pictures.at(0).name; }

cli::read_ahead::rules rules(std::size_t steps, int threads) {
  cli::read_ahead::rules how;
  how.steps = steps;
  how.threads = threads;
  how.byte_limit = std::int64_t{1} << 30;
  how.read = [](std::size_t step) { return input_of(step, 1); };
  how.expected_bytes = [](std::size_t) { return std::optional<std::int64_t>(1); };
  return how;
}

TEST(read_ahead, gives_out_in_order_what_was_read_in_any) {
  for (const int threads : {0, 1, 3, 8}) {
    cli::read_ahead::rules how = rules(50, threads);
    how.read = [](std::size_t step) {
      if (step % 4 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return input_of(step, 1);
    };
    cli::read_ahead inputs(how);
    for (std::size_t step = 0; step < 50; step += step % 7 == 3 ? 3 : 1)
      EXPECT_EQ(name_of(inputs.take(step)), std::to_string(step));
  }
}

TEST(read_ahead, reads_while_the_caller_works) {
  std::atomic<int> done = 0;
  cli::read_ahead::rules how = rules(3, 2);
  how.read = [&](std::size_t step) {
    ++done;
    return input_of(step, 1);
  };
  cli::read_ahead inputs(how);
  for (int i = 0; i < 5000 && done < 3; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(done, 3);  // before anything was asked for
}

TEST(read_ahead, reads_an_input_once_that_is_asked_for_meanwhile) {
  std::atomic<int> begun = 0;
  cli::read_ahead::rules how = rules(2, 1);
  how.read = [&](std::size_t step) {
    if (step == 0 && ++begun == 1) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return input_of(step, 1);
  };
  cli::read_ahead inputs(how);
  while (begun == 0) std::this_thread::yield();
  EXPECT_EQ(name_of(inputs.take(0)), "0");
  EXPECT_EQ(begun, 1);
}

TEST(read_ahead, holds_no_more_bytes_than_its_limit) {
  static constexpr std::int64_t limit = 1'000'000, size = 200'000;
  cli::read_ahead::rules how = rules(40, 4);
  how.byte_limit = limit;
  std::atomic<int> done = 0;
  how.read = [&](std::size_t step) {
    ++done;
    return input_of(step, size);
  };
  how.expected_bytes = [](std::size_t) { return std::optional(size); };
  cli::read_ahead inputs(how);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_LE(done, 5);
  for (std::size_t step = 0; step < 40; ++step) EXPECT_EQ(name_of(inputs.take(step)), std::to_string(step));
  EXPECT_LE(inputs.most_bytes(), limit);
  EXPECT_GE(inputs.most_bytes(), 2 * size);
}

TEST(read_ahead, leaves_what_is_larger_than_the_limit_and_pipes_to_their_turn) {
  const auto caller = std::this_thread::get_id();
  std::mutex mutex;
  std::map<std::size_t, std::thread::id> readers;
  cli::read_ahead::rules how = rules(6, 3);
  how.byte_limit = 1'000'000;
  how.read = [&](std::size_t step) {
    const std::lock_guard lock(mutex);
    readers[step] = std::this_thread::get_id();
    return input_of(step, 1);
  };
  how.expected_bytes = [](std::size_t step) {
    return step == 2 ? std::nullopt : std::optional<std::int64_t>(step == 4 ? 2'000'000 : 1);
  };
  cli::read_ahead inputs(how);
  for (std::size_t step = 0; step < 6; ++step) EXPECT_EQ(name_of(inputs.take(step)), std::to_string(step));
  EXPECT_EQ(readers.at(2), caller);
  EXPECT_EQ(readers.at(4), caller);
}

TEST(read_ahead, an_error_comes_in_its_turn_and_only_if_it_stays) {
  std::atomic<int> first = 0;
  cli::read_ahead::rules how = rules(4, 2);
  how.read = [&](std::size_t step) -> cli::step_input {
    if (step == 1) throw io::file_error("one", "is bad");
    if (step == 2 && first++ == 0) throw std::bad_alloc();  // there was too little memory for several
    return input_of(step, 1);
  };
  cli::read_ahead inputs(how);
  EXPECT_EQ(name_of(inputs.take(0)), "0");
  EXPECT_THROW((void)inputs.take(1), io::file_error);
  for (int i = 0; i < 5000 && first == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(name_of(inputs.take(2)), "2");
  EXPECT_EQ(first, 2);
  EXPECT_EQ(name_of(inputs.take(3)), "3");
}

TEST(read_ahead, ends_early) {
  cli::read_ahead inputs(rules(1000, 4));
  EXPECT_EQ(name_of(inputs.take(0)), "0");
}

TEST(read_ahead, ends_while_it_waits_for_room) {
  std::atomic<int> done = 0;
  cli::read_ahead::rules how = rules(1000, 4);
  how.byte_limit = 1'000'000;
  how.read = [&](std::size_t step) {
    ++done;
    return input_of(step, 400'000);
  };
  {
    const cli::read_ahead inputs(how);
    for (int i = 0; i < 5000 && done < 2; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_LT(done, 1000);
}

}  // namespace
}  // namespace skerry::test
