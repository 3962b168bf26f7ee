// SPDX-License-Identifier: Apache-2.0
// Tables of images that are larger than the memory that is allowed: the same files as without a limit.
#include <cmath>

#include "little_memory.hpp"

namespace skerry::test {
namespace {

class measure_bands : public little_memory {
 protected:
  void expect_same(const words& options) const {
    const auto with_output = [&](const std::string& name) {
      words all = {"measure", "-o", "@/" + name};
      all.insert(all.end(), options.begin(), options.end());
      return all;
    };
    const std::string said = succeed(with_output("whole.csv"));
    EXPECT_EQ(run_with_least(with_output("banded.csv")), said);
    EXPECT_TRUE(read("banded.csv") == read("whole.csv")) << ::testing::PrintToString(options);
  }
};

TEST_F(measure_bands, write_the_same_tables_of_components) {
  write("image.npy", npy_bytes("|u1", "(150, 220)", noise(150 * 220, 1)));
  write("volume.npy", npy_bytes("|u1", "(9, 50, 60)", noise(9 * 50 * 60, 2)));
  write("grey.npy", npy_bytes(">i2", "(9, 50, 60)", noise(2 * 9 * 50 * 60, 3)));
  const std::vector<words> of_image = {{},
                                       {"-t", "90", "-c", "4", "--features", "label,area,centroid"},
                                       {"--min-area", "5", "--intensity", "self"},
                                       {"--equal", "--background", "200", "--keep-largest", "7"},
                                       {"--delta", "20", "--periodic", "y,x", "--clear-border"},
                                       {"--keep", "area>2 and intensity_mean<150", "--intensity", "self"},
                                       {"-t", "40", "--invert", "--fill-holes", "-c", "4", "--intensity", "self"},
                                       {"-t", "otsu", "--invert"},
                                       {"--pixel-size", "2,1um", "--format", "json"}};
  for (words options : of_image) {
    options.emplace_back("@/image.npy");
    expect_same(options);
  }
  expect_same({"@/volume.npy", "-c", "6", "--intensity", "@/grey.npy", "--keep", "intensity_max>99"});
  EXPECT_EQ(run_with_least({"measure", "@/image.npy"}), succeed({"measure", "@/image.npy"}));
}

TEST_F(measure_bands, write_the_same_tables_of_regions) {
  write("labels.npy", npy_bytes("|i1", "(9, 50, 60)", noise(9 * 50 * 60, 4)));
  write("wide.npy", npy_bytes("<i4", "(150, 60)", noise(4 * 150 * 60, 5)));
  write("grey.npy", npy_bytes("<f4", "(9, 50, 60)", bytes_of(std::vector<float>(9 * 50 * 60, 0.5F))));
  expect_same({"--labels", "@/labels.npy"});
  expect_same({"--labels", "@/labels.npy", "--background", "3", "--intensity", "@/grey.npy"});
  expect_same({"--labels", "@/wide.npy", "--features", "label,area,bbox"});
}

TEST_F(measure_bands, refuse_by_name_what_they_cannot_do) {
  write("a.npy", npy_bytes("|u1", "(4, 5)", noise(20, 1)));
  write("b.npy", npy_bytes("|u1", "(5, 5)", noise(25, 1)));
  write("real.npy", npy_bytes("<f4", "(4, 5)", bytes_of(std::vector<float>(20, 0.5F))));
  const auto refused = [&](words more) {
    words all = {"measure", "--memory", "2G"};
    all.insert(all.end(), more.begin(), more.end());
    return fail(all);
  };
  EXPECT_EQ(refused({"@/a.npy", "@/b.npy"}), "--memory takes one image at a time");
  write("nan.npy", npy_bytes("<f4", "(1, 2)", bytes_of(std::vector<float>(2, std::nanf("")))));
  EXPECT_EQ(refused({"@/nan.npy", "-t", "otsu"}),
            "@/nan.npy: --threshold otsu: no pixel is finite; give the threshold as a number");
  EXPECT_EQ(refused({"@/a.npy", "--features", "perimeter"}),
            "--features: perimeter does not go with --memory, which measures geometry, moments and intensity only");
  EXPECT_EQ(refused({"@/a.npy", "--features", "num_pixels"}),
            "--features: num_pixels does not go with --memory, which measures geometry, moments and intensity only");
  EXPECT_EQ(refused({"--labels", "@/a.npy", "--features", "label,solidity"}),
            "--features: solidity does not go with --memory, which measures geometry, moments and intensity only");
  EXPECT_EQ(refused({"@/a.npy", "--keep", "perimeter>2"}),
            "--keep: perimeter does not go with --memory, which measures geometry, moments and intensity only");
  EXPECT_TRUE(refused({"@/a.npy", "--write-labels", "@/x.tif"}).starts_with("--write-labels excludes --memory"));
  EXPECT_EQ(refused({"@/a.npy", "--intensity", "@/b.npy"}), "@/b.npy: is 5 x 5, but @/a.npy is 4 x 5");
  EXPECT_TRUE(refused({"--labels", "@/real.npy"}).starts_with("@/real.npy: labels: dtype is float32"));
  EXPECT_TRUE(refused({"@/none.npy"}).starts_with("@/none.npy: no such file"));
  EXPECT_TRUE(fail({"measure", "@/a.npy", "--memory", "1K"}).find("--memory is too small") != std::string::npos);
}

// A process that failed because of its memory leaves a state, which only the same question goes on with.
TEST_F(measure_bands, go_on_with_the_same_question_only) {
  write("image.npy", npy_bytes("|u1", "(900, 900)", noise(900 * 900, 1)));
  const words command = {"measure", "@/image.npy", "-t", "200", "-o", "@/t.csv", "--memory"};
  const auto with = [&](words more) {
    words all = command;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const std::string refused = fail(with({"2G", "--features", "label,perimeter"}));
  EXPECT_TRUE(refused.starts_with("--features: perimeter")) << refused;
  EXPECT_FALSE(std::filesystem::exists(path("t.csv.skerry")));
  std::string told;
  int stopped = 0;
  // The least that a refusal asks for, then slowly more: what the process holds already is most of it.
  const auto next = [&](int memory) {
    const std::size_t at = told.find("; give ");
    const int asked = at == std::string::npos ? 0 : std::stoi(told.substr(at + 7));
    return std::max(asked, memory + 5);
  };
  for (int memory = 100; memory < 4000; memory = next(memory)) {
    const outcome result = run(with({std::to_string(memory) + "M", "--resume"}));
    if (result.code == 0) break;
    told = result.err;
    if (told.find("--resume goes on from here") == std::string::npos) continue;
    ++stopped;
    EXPECT_NE(fail(with({"2G", "--resume", "-c", "4"})).find("cannot be continued"), std::string::npos);
    EXPECT_NE(fail(with({"1M", "--resume"})).find("was begun with more memory"), std::string::npos);
  }
  EXPECT_GT(stopped, 0) << told;
  succeed({"measure", "@/image.npy", "-t", "200", "-o", "@/whole.csv"});
  EXPECT_TRUE(read("t.csv") == read("whole.csv"));
  EXPECT_FALSE(std::filesystem::exists(path("t.csv.skerry")));
  EXPECT_TRUE(fail({"measure", "@/image.npy", "--resume", "-o", "@/t.csv"}).starts_with("--resume requires --memory"));
  EXPECT_TRUE(fail({"measure", "@/image.npy", "--resume", "--memory", "2G"}).starts_with("--resume requires"));
  EXPECT_EQ(fail({"measure", "@/image.npy", "--resume", "--memory", "2G", "-o", "-"}),
            "--resume: the table is printed, and has no state; give -o a file");
}

}  // namespace
}  // namespace skerry::test
