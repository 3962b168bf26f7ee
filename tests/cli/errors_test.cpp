// SPDX-License-Identifier: Apache-2.0
// Files that cannot be read or written: one line each, and what was there before is still there.
#include <sys/fsuid.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "io/codecs/decoders.hpp"
#include "io/file_error.hpp"
#include "io/pending_file.hpp"
#include "support/sanitized.hpp"
#include "tiff_maker.hpp"
#include "workspace.hpp"

namespace skerry::test {
namespace {

class errors : public workspace {
 protected:
  errors() { write("good.pgm", pgm_bytes("3 2\n255\n0 1 0\n0 0 5")); }
};

TEST_F(errors, inputs_that_are_no_images) {
  write("empty.png", "");
  write("empty.npy", "");
  write("text.txt", "this is not an image\n");
  write("text.png", "this is not an image\n");
  write("text.npy", "this is not an image\n");
  write("text.tif", std::string("II\x2a\0", 4) + "this is not an image\n");
  std::filesystem::create_directory(path("folder"));
  std::filesystem::create_directory(path("folder.tif"));
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"missing.png", "no such file"},
      {"missing/x.png", "no such file"},
      {"good.pgm/x.png", "Not a directory"},
      {"folder", "is a folder without images"},
      {"folder.tif", "is a folder without images"},
      {"empty.png", "is empty (0 bytes)"},
      {"empty.npy", "is empty (0 bytes)"},
      {"text.txt", "is not an image that can be read, or is damaged"},
      {"text.npy", "is not an NPY file"},
  };
  for (const auto& [name, reason] : cases)
    for (const char* command : {"label", "measure", "tree", "info"})
      EXPECT_EQ(fail({command, "@/" + name}), "@/" + name + ": " + reason);
  EXPECT_TRUE(fail({"label", "@/text.png"}).starts_with("@/text.png: is not an image that can be read, or is damaged"));
  EXPECT_TRUE(fail({"label", "@/text.tif"}).starts_with("@/text.tif: is truncated or damaged"));
  std::filesystem::create_symlink("circle", path("circle"));
  EXPECT_EQ(fail({"label", "@/circle"}), "@/circle: too many symbolic links");
  EXPECT_EQ(fail({"label", "/dev/zero"}), "/dev/zero: is neither a file nor a pipe");
}

// A format that this build of the library does not have, unlike that of whoever built skerry.
TEST_F(errors, a_format_that_the_library_does_not_read) {
  try {
    (void)io::open_by_library("nonsense", path("a.nonsense"), 1);
    ADD_FAILURE() << "it was opened";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "cannot be read: this OpenImageIO has no reader of nonsense");
  }
}

TEST_F(errors, images_without_pixels) {
  write("zero.npy", npy_bytes("|u1", "(0, 5)", ""));
  EXPECT_EQ(fail({"label", "@/zero.npy"}), "@/zero.npy: has no pixels (0 x 5)");
  write("zero.tif", tiff_bytes({grey_page(4, 0, 8, "")}));
  EXPECT_FALSE(fail({"label", "@/zero.tif"}).empty());
  write("zero.pgm", pgm_bytes("0 3\n255\n"));
  EXPECT_FALSE(fail({"label", "@/zero.pgm"}).empty());
}

TEST_F(errors, images_that_are_too_large) {
  EXPECT_EQ(fail({"label", "@/good.pgm", "--max-pixels", "5"}),
            "@/good.pgm: is too large: 2 x 3 pixels, the limit is 5 in all");
  EXPECT_EQ(succeed({"label", "@/good.pgm", "--max-pixels", "6"}), "@/good.pgm: 1 component\n");
  // Headers that lie: no memory may be taken for them.
  write("side.npy", npy_bytes("|u1", "(2147483648, 1)", "x"));
  EXPECT_EQ(fail({"label", "@/side.npy"}), "@/side.npy: is too large: 2147483648 x 1 pixels, sides end at 2147483647");
  write("huge.npy", npy_bytes("<f8", "(2147483647, 2147483647)", "x"));
  EXPECT_EQ(fail({"label", "@/huge.npy"}),
            "@/huge.npy: is too large: 2147483647 x 2147483647 pixels, the limit is 1099511627776 in all");
  write("overflow.npy", npy_bytes("<f8", "(18446744073709551615, 18446744073709551615, 18446744073709551615)", "x"));
  EXPECT_NE(fail({"label", "@/overflow.npy"}).find("is too large"), std::string::npos);
  write("lie.npy", npy_bytes("<f8", "(1000000, 1000000)", "x"));
  EXPECT_EQ(fail({"label", "@/lie.npy"}), "@/lie.npy: is truncated: 1 of 8000000000000 bytes of pixels");
}

TEST_F(errors, a_file_that_may_not_be_read) {
  write("secret.npy", npy_bytes("|u1", "(1, 1)", "\1"));
  write("secret.pgm", pgm_bytes("1 1\n255\n1"));
  ::chmod(path("secret.npy").c_str(), 0);
  ::chmod(path("secret.pgm").c_str(), 0);
  ::chmod(folder_.c_str(), 0755);
  // Root reads everything, unless its file system user is another.
  const int before = ::setfsuid(65534);
  const std::string npy = fail({"label", "@/secret.npy"}), pgm = fail({"label", "@/secret.pgm"});
  ::setfsuid(static_cast<uid_t>(before));
  EXPECT_EQ(npy, "@/secret.npy: cannot be read: Permission denied");
  EXPECT_NE(pgm.find("ermission denied"), std::string::npos) << pgm;
}

TEST_F(errors, outputs_that_cannot_be_made) {
  write("file", "x");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"none/out.png", "cannot be written: there is no folder @/none"},
      {"file/out.png", "cannot be written: Not a directory"},
  };
  for (const auto& [name, reason] : cases) {
    EXPECT_EQ(fail({"label", "@/good.pgm", "-o", "@/" + name}), "@/" + name + ": " + reason);
    EXPECT_EQ(fail({"label", "@/good.pgm", "--overlay", "@/" + name}), "@/" + name + ": " + reason);
  }
  EXPECT_EQ(fail({"measure", "@/good.pgm", "-o", "@/none/t.csv"}),
            "@/none/t.csv: cannot be written: there is no folder @/none");
  EXPECT_THROW(io::pending_file{folder_.string()}, io::file_error);
  EXPECT_EQ(files(), (std::vector<std::string>{"file", "good.pgm"}));
}

TEST_F(errors, an_output_folder_that_may_not_be_written) {
  std::filesystem::create_directory(path("locked"));
  write("locked/old.npy", "old");
  ::chmod(folder_.c_str(), 0755);
  ::chmod(path("locked").c_str(), 0555);
  const int before = ::setfsuid(65534);
  const std::string line = fail({"label", "@/good.pgm", "-o", "@/locked/old.npy"});
  ::setfsuid(static_cast<uid_t>(before));
  EXPECT_EQ(line, "@/locked/old.npy: cannot be written: Permission denied");
  EXPECT_EQ(read("locked/old.npy"), "old");
}

TEST_F(errors, an_older_file_survives_every_failure) {
  write("out.npy", "old");
  write("out.png", "old");
  write("bad.npy", npy_bytes("<c8", "(1, 1)", "12345678"));
  write("volume.npy", npy_bytes("|u1", "(2, 1, 1)", "\1\1"));
  EXPECT_EQ(
      fail({"label", "@/bad.npy", "-o", "@/out.npy"}),
      "@/bad.npy: has the unsupported dtype '<c8'; supported are bool, int8 to int64, uint8 to uint64 and float16 "
      "to float64");
  (void)fail({"label", "@/volume.npy", "-o", "@/out.png"});
  (void)fail({"label", "@/good.pgm", "-o", "@/out.npy", "--connectivity", "26"});
  EXPECT_EQ(read("out.npy"), "old");
  EXPECT_EQ(read("out.png"), "old");
  EXPECT_EQ(files(), (std::vector<std::string>{"bad.npy", "good.pgm", "out.npy", "out.png", "volume.npy"}));
}

TEST_F(errors, a_full_device) {
  EXPECT_EQ(fail({"measure", "@/good.pgm", "--format", "csv", "-o", "/dev/full"}),
            "/dev/full: cannot be written: No space left on device");
  struct stat found {};
  ASSERT_EQ(::stat("/dev/full", &found), 0);
  EXPECT_TRUE(S_ISCHR(found.st_mode));  // and not a file of ours
}

// Lets writes fail beyond a size, as a full disk does.
class size_limit {
 public:
  explicit size_limit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~size_limit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST_F(errors, a_disk_that_fills_up_at_any_byte) {
  write("noise.npy", [] {
    std::string pixels;
    unsigned random = 1;
    for (int i = 0; i < 60 * 70; ++i) pixels += static_cast<char>((random = random * 1103515245U + 12345U) >> 30);
    return npy_bytes("|u1", "(60, 70)", pixels);
  }());
  write("volume.npy", npy_bytes("|u1", "(3, 20, 70)", std::string(4200, '\1')));
  const std::vector<std::vector<std::string>> commands = {
      {"label", "@/noise.npy", "-o", "@/out.npy"},       {"label", "@/noise.npy", "-o", "@/out.tif"},
      {"label", "@/noise.npy", "-o", "@/out.png"},       {"label", "@/noise.npy", "--overlay", "@/out.png"},
      {"label", "@/volume.npy", "-o", "@/out.tif"},      {"measure", "@/noise.npy", "-o", "@/out.csv"},
      {"measure", "@/noise.npy", "-o", "@/out.json"},    {"tree", "@/noise.npy", "--min-area", "2", "-o", "@/out.tif"},
      {"tree", "@/noise.npy", "--parents", "@/out.npy"},
  };
  constexpr int times = sanitized ? 6 : 16;
  for (const auto& command : commands) {
    const std::string name = command.back().substr(2);
    succeed(command);
    const std::string whole = read(name);
    write(name, "old");
    for (std::size_t bytes = 0; bytes < whole.size(); bytes += 1 + whole.size() / times) {
      outcome result;
      {
        const size_limit limit(bytes);
        result = run(command);
      }
      ASSERT_EQ(result.code, 2) << name << " of " << whole.size() << " bytes with room for " << bytes;
      ASSERT_EQ(result.err, "skerry: @/" + name + ": cannot be written: File too large\n");
      ASSERT_EQ(read(name), "old");
      ASSERT_EQ(files().size(), 4U);
    }
    const size_limit limit(whole.size());
    succeed(command);
    EXPECT_EQ(read(name), whole);
    std::filesystem::remove(path(name));
  }
}

TEST_F(errors, a_link_stays_a_link_and_permissions_stay) {
  write("real.npy", "old");
  ::chmod(path("real.npy").c_str(), 0640);
  std::filesystem::create_symlink("real.npy", path("link.npy"));
  succeed({"label", "@/good.pgm", "-o", "@/link.npy"});
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.npy")));
  EXPECT_EQ(pixels("real.npy"), "0 1 0/0 0 1");
  struct stat found {};
  ::stat(path("real.npy").c_str(), &found);
  EXPECT_EQ(found.st_mode & 07777, 0640U);
}

TEST_F(errors, a_link_to_what_is_not_there_yet_is_another_name_of_it) {
  std::filesystem::create_symlink("labels.png", path("overlay.png"));
  EXPECT_EQ(fail({"label", "@/good.pgm", "-o", "@/labels.png", "--overlay", "@/overlay.png"}),
            "--overlay: @/overlay.png is also an input or another output");
  EXPECT_FALSE(std::filesystem::exists(path("labels.png")));
}

TEST_F(errors, a_pending_file_that_is_only_finished_never_was) {
  write("x.csv", "old");
  {
    io::pending_file file(path("x.csv"));
    file.append("a whole table");
    file.finish();
    EXPECT_EQ(read("x.csv"), "old");
  }
  EXPECT_EQ(read("x.csv"), "old");
  EXPECT_EQ(files(), (std::vector<std::string>{"good.pgm", "x.csv"}));
}

TEST_F(errors, a_pending_file_that_is_not_committed_never_was) {
  {
    io::pending_file file(path("x.csv"));
    file.append("half a table");
    EXPECT_EQ(files().size(), 2U);
  }
  EXPECT_EQ(files(), std::vector<std::string>{"good.pgm"});
  io::pending_file file(path("x.csv"));
  file.append("a whole ");
  file.append("table");
  file.commit();
  EXPECT_EQ(read("x.csv"), "a whole table");
  EXPECT_EQ(files(), (std::vector<std::string>{"good.pgm", "x.csv"}));
}

}  // namespace
}  // namespace skerry::test
