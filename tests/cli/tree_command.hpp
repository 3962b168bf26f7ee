// SPDX-License-Identifier: Apache-2.0
// An image whose tree is worked out by hand, and the command on it.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "workspace.hpp"

namespace skerry::test {

class tree_command : public workspace {
 protected:
  // The image of docs/journey.md, whose tree and filters are worked out there by hand: a ridge at level 2 with a square
  // hill and a cross on it, a bright pixel and a faint pair. Its nodes:
  //   0 ground   1 ridge   2 faint pair   3 cross   4 square   5, 6 their tops   7 bright pixel
  tree_command() {
    write("hills.pgm", pgm_bytes("9 7\n255\n" + spaced(hills)));
    write("small.npy", npy_bytes("|u1", "(1, 3)", "\1\3\2"));
  }
  const std::string hills =
      "1 1 1 1 1 1 1 1 1/1 4 4 4 2 2 3 2 1/1 4 6 4 2 3 5 3 1/1 4 4 4 2 2 3 2 1/1 1 1 1 1 1 1 1 1/"
      "1 1 7 1 1 1 2 2 1/1 1 1 1 1 1 1 1 1";
  const std::string tree_columns =
      "node,parent,first_pixel,level,area,height,dynamics\n"
      "0,0,0,1,63,6,6\n"
      "1,0,13,2,21,5,5\n"
      "2,0,51,2,2,1,1\n"
      "3,1,15,3,5,3,3\n"
      "4,1,10,4,9,4,5\n"
      "5,3,24,5,1,2,3\n"
      "6,4,20,6,1,2,5\n"
      "7,0,47,7,1,6,6\n";

  static std::string spaced(std::string rows) {
    std::replace(rows.begin(), rows.end(), '/', '\n');
    return rows;
  }
  // Summaries end in the time that building took.
  static std::string without_time(std::string text) {
    constexpr std::string_view unit = " ms\n";
    for (std::size_t end = 0; (end = text.find(unit, end)) != std::string::npos;) {
      const std::size_t begin = text.rfind(", ", end);
      EXPECT_EQ(text.substr(begin + 2, end - begin - 2).find_first_not_of("0123456789."), std::string::npos) << text;
      text.replace(begin, end + unit.size() - begin, "\n");
      end = begin;
    }
    return text;
  }
  std::string summary(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "tree");
    return without_time(succeed(arguments));
  }
  // The filtered image, as text.
  std::string filtered(std::vector<std::string> options, const std::string& input = "@/hills.pgm") const {
    options.insert(options.begin(), {"tree", input, "-q", "-o", "@/out.npy"});
    EXPECT_EQ(succeed(options), "");
    return pixels("out.npy");
  }
};

}  // namespace skerry::test
