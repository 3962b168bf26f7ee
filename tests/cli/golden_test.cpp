// SPDX-License-Identifier: Apache-2.0
// Tables and labels of images in samples/, as they were when somebody looked at them. Made again, after a change that is
// meant to show, by the commands here with --engine reference; the folder golden holds the results.
#include <fstream>
#include <iterator>

#include "workspace.hpp"

namespace skerry::test {
namespace {

class golden_results : public workspace {
 protected:
  static std::string golden(const std::string& name) {
    std::ifstream file(std::string(GOLDEN_FOLDER) + "/" + name, std::ios::binary);
    EXPECT_TRUE(file) << name;
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static std::string sample(const std::string& name) { return std::string(SAMPLES_FOLDER) + "/" + name; }
  static constexpr const char* engines[] = {"reference", "cpu"};
};

TEST_F(golden_results, coins) {
  for (const std::string engine : engines) {
    EXPECT_EQ(succeed({"measure", sample("coins.png"), "--threshold", "otsu", "--fill-holes", "--min-area", "50",
                       "--intensity", "self", "--engine", engine, "-q", "-o", "@/coins.csv", "--write-labels",
                       "@/coins-labels.png", "--labels-type", "u8"}),
              "");
    EXPECT_EQ(read("coins.csv"), golden("coins.csv")) << engine;
    EXPECT_TRUE(pixels("coins-labels.png") == pixels(std::string(GOLDEN_FOLDER) + "/coins-labels.png")) << engine;
  }
}

TEST_F(golden_results, fluid_in_a_head) {
  for (const std::string engine : engines) {
    EXPECT_EQ(succeed({"measure", sample("brain.tif"), "--threshold", "640", "--connectivity", "18", "--keep-largest",
                       "6", "--engine", engine, "-q", "-o", "@/brain.json"}),
              "");
    EXPECT_EQ(read("brain.json"), golden("brain.json")) << engine;
  }
}

TEST_F(golden_results, archipelago) {
  for (const std::string engine : engines) {
    EXPECT_EQ(
        succeed({"measure", sample("archipelago.png"), "--connectivity", "4", "--clear-border", "--keep-largest", "12",
                 "--format", "text", "--features", "area,bbox-0,bbox-1,centroid-0,centroid-1", "--engine", engine}),
        golden("archipelago.txt"))
        << engine;
  }
}

}  // namespace
}  // namespace skerry::test
