// SPDX-License-Identifier: Apache-2.0
// Writes the pixels of image files as NPY. Each line of standard input is FILE, PAGE, CHANNEL, OUT with tabs between them,
// page and channel -1 for none chosen; each is answered by a line: "read", or the error.
#include <exception>
#include <iostream>
#include <sstream>
#include <string>

#include "io/image_file.hpp"
#include "io/pending_file.hpp"
#include "io/picture_file.hpp"

namespace {

void dump(std::istringstream request) {
  std::string file, page, channel, out;
  std::getline(request, file, '\t');
  std::getline(request, page, '\t');
  std::getline(request, channel, '\t');
  std::getline(request, out);
  skerry::io::read_options options;
  options.page = std::stoll(page);
  options.channel = std::stoi(channel);
  options.as_slices = true;
  const skerry::io::image image = skerry::io::read_image(file, options);
  skerry::io::pending_file to(out);
  skerry::io::write_picture(to, image.view());
  to.commit();
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    try {
      dump(std::istringstream(line));
      std::cout << "read" << std::endl;
    } catch (const std::exception& error) {
      std::cout << error.what() << std::endl;
    }
  }
}
