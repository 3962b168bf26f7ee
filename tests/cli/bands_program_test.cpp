// SPDX-License-Identifier: Apache-2.0
// The program with little memory: how much it takes, and how it goes on after it was killed.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "program.hpp"
#include "support/sanitized.hpp"

namespace skerry::test {
namespace {

// A volume of slices of side x side pixels: blocks of four pixels a side, a quarter of them foreground.
std::string blobs(unsigned slices, unsigned side) {
  std::string text;
  text.reserve(std::size_t{slices} * side * side);
  for (unsigned z = 0; z < slices; ++z)
    for (unsigned y = 0; y < side; ++y)
      for (unsigned x = 0; x < side; ++x) {
        unsigned hash = (z / 4 * 7919 + y / 4) * 104729 + x / 4;
        hash = (hash ^ hash >> 15) * 0x2c1b3c6dU;
        hash = (hash ^ hash >> 12) * 0x297a2d39U;
        text.push_back(hash >> 30 == 0 ? '\x05' : '\0');
      }
  return text;
}

pid_t start(const std::vector<std::string>& arguments) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  std::vector<char*> words = {const_cast<char*>("skerry")};
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execv(SKERRY_PROGRAM, words.data());
  ::_exit(98);
}

TEST_F(program, a_banded_run_stays_below_its_limit) {
#ifdef SKERRY_TEST_SANITIZED
  GTEST_SKIP() << "sanitizers take memory of their own";
#endif
  write("volume.npy", npy_bytes("|u1", "(20, 1000, 1000)", blobs(20, 1000)));
  write("empty.npy", npy_bytes("|u1", "(20, 1000, 1000)", std::string(20'000'000, '\0')));
  for (const char* const name : {"volume.npy", "empty.npy"})
    for (const int limit : {160, 200}) {
      const std::string memory = std::to_string(limit) + "M";
      const pid_t child = start({"label", path(name), "-o", path("x.tif"), "--memory", memory, "-q", "-c", "26"});
      int status = 0;
      rusage used{};
      ASSERT_EQ(::wait4(child, &status, 0, &used), child);
      EXPECT_EQ(status, 0);
      EXPECT_LE(used.ru_maxrss, limit * 1024) << name;
    }
}

// Runs a command with little memory, kills it again and again until its output is there, and expects the bytes that it writes
// without a limit; also that nothing else is left.
class killed_program : public program {
 protected:
  using words = std::vector<std::string>;

  void expect_goes_on(words command, const std::string& output) {
    words whole = command;
    whole.insert(whole.end(), {"-q", "-o", path("whole-" + output)});
    using clock = std::chrono::steady_clock;
    const auto begin = clock::now();
    ASSERT_EQ(ended(start(whole)), 0);
    // Each attempt has a little longer; how much follows from the program's speed, so that their number does not.
    const auto longer = std::max<clock::duration>(std::chrono::milliseconds(10), (clock::now() - begin) / 10);
    command.insert(command.end(), {"-q", "-o", path(output), "--memory", "400M", "--resume"});
    int kills = 0;
    for (int attempt = 0; !std::filesystem::exists(path(output)); ++attempt) {
      const pid_t child = start(command);
      std::this_thread::sleep_for(std::chrono::milliseconds(5 + random_() % 15) + attempt * longer);
      ::kill(child, attempt % 2 == 0 ? SIGKILL : SIGTERM);
      const int status = ended(child);
      if (status < 0) ++kills;
      else ASSERT_EQ(status, 0);
    }
    EXPECT_GT(kills, 0);
    EXPECT_TRUE(read(output) == read("whole-" + output));
    ASSERT_EQ(ended(start(command)), 0);
    EXPECT_TRUE(read(output) == read("whole-" + output));
    EXPECT_FALSE(std::filesystem::exists(path(output + ".skerry")));
    EXPECT_FALSE(std::filesystem::exists(path(output + ".holes.skerry")));
  }

 private:
  // The code of a process that ended; below 0 when a signal ended it.
  static int ended(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  }

  std::mt19937 random_{7};
};

TEST_F(killed_program, that_labels_goes_on) {
  write("volume.npy", npy_bytes("|u1", "(30, 300, 300)", blobs(30, 300)));
  for (const char* const output : {"x.tif", "x.npy"}) expect_goes_on({"label", path("volume.npy"), "-c", "6"}, output);
}

TEST_F(killed_program, that_measures_goes_on) {
  write("volume.npy", npy_bytes("|u1", "(30, 300, 300)", blobs(30, 300)));
  const std::string volume = path("volume.npy");
  expect_goes_on({"measure", volume, "-c", "6", "--intensity", volume}, "x.csv");
  expect_goes_on({"measure", volume, "--fill-holes", "-c", "26", "--min-area", "70"}, "filled.csv");
  expect_goes_on({"measure", "--labels", volume, "--background", "7"}, "regions.csv");
}

TEST_F(program, a_banded_run_says_what_a_full_disk_refuses) {
  write("volume.npy", npy_bytes("|u1", "(8, 300, 300)", blobs(8, 300)));
  const outcome result = shell("ulimit -f 200; skerry label volume.npy -c 6 -o x.npy --memory 900M");
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("cannot be written: File too large"), std::string::npos) << result.err;
  EXPECT_FALSE(std::filesystem::exists(path("x.npy")));
}

TEST_F(program, a_banded_run_shows_its_progress_on_a_terminal) {
  write("volume.npy", npy_bytes("|u1", "(8, 100, 100)", blobs(8, 100)));
  const auto [code, seen] = on_a_terminal({"label", "volume.npy", "-o", "x.tif", "--memory", "900M"});
  EXPECT_EQ(code, 0);
  EXPECT_NE(seen.find("\rlabelling 0 %\x1b[K"), std::string::npos) << seen;
  EXPECT_NE(seen.find("\rwriting 100 %, 0 s left\x1b[K\r\x1b[Kvolume.npy: "), std::string::npos) << seen;
}

}  // namespace
}  // namespace skerry::test
