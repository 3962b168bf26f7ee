// SPDX-License-Identifier: Apache-2.0
// Images that are larger than the memory that is allowed: the same files as without a limit.
#include <OpenImageIO/imageio.h>

#include <cstring>

#include "cli/band_state.hpp"
#include "cli/bands.hpp"
#include "cli/memory_size.hpp"
#include "cli/time_left.hpp"
#include "io/file_error.hpp"
#include "little_memory.hpp"
#include "tiff_maker.hpp"

namespace skerry::test {
namespace {

class bands : public little_memory {
 protected:
  void expect_same(const std::string& image, const words& options, const std::string& ending = ".tif") const {
    words command = {"label", "@/" + image};
    command.insert(command.end(), options.begin(), options.end());
    const auto with_output = [&](const std::string& name) {
      words all = command;
      all.insert(all.end(), {"-o", "@/" + name + ending});
      return all;
    };
    const std::string said = succeed(with_output("whole"));
    EXPECT_EQ(run_with_least(with_output("banded")), said);
    EXPECT_TRUE(read("banded" + ending) == read("whole" + ending)) << image << " " << ::testing::PrintToString(options);
    EXPECT_FALSE(std::filesystem::exists(path("banded" + ending + ".skerry")));
  }

  void write_tiled(const std::string& name, const std::string& pixels, int pages) const {
    constexpr int side = 200;
    const auto out = OIIO::ImageOutput::create(path(name));
    ASSERT_TRUE(out);
    for (int page = 0; page < pages; ++page) {
      OIIO::ImageSpec spec(side, side, 1, OIIO::TypeDesc::UINT8);
      spec.tile_width = 64;
      spec.tile_height = 32;
      spec.attribute("compression", "zip");
      const auto mode = page == 0 ? OIIO::ImageOutput::Create : OIIO::ImageOutput::AppendSubimage;
      const auto all = std::vector<OIIO::ImageSpec>(static_cast<std::size_t>(pages), spec);
      ASSERT_TRUE(page == 0 ? out->open(path(name), pages, all.data()) : out->open(path(name), spec, mode));
      ASSERT_TRUE(out->write_image(OIIO::TypeDesc::UINT8, pixels.data() + page * side * side)) << out->geterror();
    }
    out->close();
  }
};

TEST_F(bands, write_the_same_files_of_every_kind_of_input) {
  write("image.npy", npy_bytes("|u1", "(250, 320)", noise(250 * 320, 1)));
  write("volume.npy", npy_bytes("|u1", "(9, 70, 120)", noise(9 * 70 * 120, 2)));
  write("short.npy", npy_bytes(">i2", "(160, 250)", noise(2 * 160 * 250, 3)));
  write("real.npy", npy_bytes("<f4", "(90, 250)", noise(4 * 90 * 250, 4)));
  write("strips.tif", tiff_bytes({grey_page(300, 260, 8, noise(300 * 260, 5))}));
  write("pages.tif", tiff_bytes({grey_page(100, 160, 16, noise(32000, 6)), grey_page(100, 160, 16, noise(32000, 7)),
                                 grey_page(100, 160, 16, noise(32000, 8))}));
  write("colours.tif", tiff_bytes({colour_page(150, 120, 8, 3, noise(54000, 9))}));
  write("bits.tif", tiff_bytes({grey_page(800, 260, 1, noise(26000, 10))}));
  write_tiled("tiles.tif", noise(40000, 11), 1);
  write_tiled("tiled-pages.tif", noise(120000, 12), 3);
  for (const char* const name : {"image.npy", "volume.npy", "short.npy", "real.npy", "strips.tif", "pages.tif",
                                 "colours.tif", "tiles.tif", "tiled-pages.tif"})
    expect_same(name, {"-t", "90"});
  for (const char* const name : {"image.npy", "pages.tif"}) expect_same(name, {}, ".npy");
  expect_same("bits.tif", {});
  expect_same("volume.npy", {"--page", "3"});
  expect_same("tiled-pages.tif", {"--page", "1"});
  expect_same("colours.tif", {"--channel", "2"});
}

TEST_F(bands, write_the_same_files_for_every_question) {
  write("image.npy", npy_bytes("|u1", "(150, 220)", noise(150 * 220, 1)));
  write("volume.npy", npy_bytes("|u1", "(9, 50, 60)", noise(9 * 50 * 60, 2)));
  for (const char* const n : {"4", "8"}) expect_same("image.npy", {"-c", n});
  for (const char* const n : {"6", "18", "26"}) expect_same("volume.npy", {"-c", n});
  const std::vector<words> questions = {{"--min-area", "5"},
                                        {"--max-area", "9", "--clear-border"},
                                        {"--keep-largest", "3", "-c", "4"},
                                        {"--equal", "--background", "200"},
                                        {"--range", "20", "90", "--labels-type", "u64"},
                                        {"--at-least", "100", "--invert"},
                                        {"-c", "4", "--keep", "area>2 and intensity_mean<150"},
                                        {"-c", "4", "--keep", "eccentricity<0.9", "--keep", "area>=4"},
                                        {"-t", "40", "--invert", "-c", "4", "--fill-holes", "--min-area", "3"},
                                        {"-t", "otsu"}};
  for (const words& question : questions) expect_same("image.npy", question);
  expect_same("volume.npy", {"-t", "90", "--invert", "--fill-holes", "-c", "18", "--keep", "intensity_mean>20"});
  expect_same("image.npy", {"--delta", "20", "-c", "4"});
  expect_same("image.npy", {"--periodic", "y,x", "--clear-border"});
  expect_same("volume.npy", {"--delta", "2.5", "--periodic", "z", "--keep", "area>1"});
  expect_same("volume.npy", {"-c", "6", "--keep", "area>=3", "--pixel-size", "2,1,1um", "--clear-border"});
}

TEST_F(bands, are_rows_of_a_slice_or_whole_slices) {
  const extent size(20, 40, 50);
  write("volume.npy", npy_bytes("|u1", "(20, 40, 50)", noise(20 * 40 * 50, 2)));
  const auto file = io::open_bands(path("volume.npy"), {});
  const io::image whole = io::read_image(path("volume.npy"));
  for (const std::int64_t room : {30'000, 300'000, 3'000'000, 100'000'000}) {
    const std::int64_t fixed = cli::band_memory(0, *file, 4).fixed();
    label_options options;
    options.connectivity = 26;
    cli::band_source source({*file, "volume.npy", options, cli::band_memory(fixed + (1 << 16) + room, *file, 4)}, 0);
    std::int64_t row = 0, count = 0;
    while (auto band = source.next()) {
      EXPECT_EQ(band->rows.begin, row);
      const bool slices = band->rows.begin % 40 == 0 && band->rows.end % 40 == 0;
      EXPECT_TRUE(slices || band->rows.begin / 40 == (band->rows.end - 1) / 40) << row;
      EXPECT_EQ(band->rows.size(size).pixels(), band->rows.count() * 50);
      EXPECT_EQ(std::memcmp(band->pixels.get(), whole.bytes.get() + row * 50,
                            static_cast<std::size_t>(band->rows.count()) * 50),
                0);
      row = band->rows.end;
      ++count;
      source.give_back(std::move(*band));
    }
    EXPECT_EQ(row, 800);
    EXPECT_GT(count, room == 30'000 ? 20 : 0);
    EXPECT_LE(count, room == 100'000'000 ? 1 : 800);
  }
}

TEST_F(bands, refuse_by_name_what_they_cannot_do) {
  write("a.npy", npy_bytes("|u1", "(4, 5)", noise(20, 1)));
  write("fortran.npy", npy_bytes("|u1", "(4, 5)", noise(20, 1), true));
  write("a.pgm", pgm_bytes("3 2\n255\n1 0 0\n0 0 5"));
  const auto refused = [&](words more) {
    words all = {"label", "-o", "@/x.tif", "--memory", "200M"};
    all.insert(all.end(), more.begin(), more.end());
    return fail(all);
  };
  EXPECT_EQ(refused({"@/a.npy", "@/a.npy"}), "--memory takes one image at a time");
  EXPECT_EQ(refused({"@/a.npy", "--method", "lsl-std"}), "--memory does not go with --method");
  EXPECT_EQ(refused({"@/a.npy", "--keep", "perimeter>2"}),
            "--keep: perimeter does not go with --memory, which measures geometry, moments and intensity only");
  EXPECT_EQ(refused({"@/a.pgm"}), "@/a.pgm: is pnm; TIFF and NPY are read in bands");
  EXPECT_EQ(refused({"-"}), "standard input: is not a file, and only files are read in bands");
  EXPECT_EQ(refused({"@/none.tif"}), "@/none.tif: no such file");
  EXPECT_EQ(refused({"@/fortran.npy"}),
            "@/fortran.npy: is in Fortran order, which is not read in bands; save it in C order");
  EXPECT_TRUE(fail({"label", "@/a.npy", "--memory", "1G"}).starts_with("--memory requires --output"));
  EXPECT_TRUE(fail({"label", "@/a.npy", "--resume", "-o", "@/x.tif"}).starts_with("--resume requires --memory"));
  EXPECT_EQ(fail({"label", "@/a.npy", "--memory", "1G", "-o", "@/x.png"}), "-o: --memory writes .tif or .npy");
  EXPECT_EQ(fail({"label", "@/a.npy", "--memory", "1G", "-o", "-"}),
            "-o: --memory writes a file, which appears when it is whole; give its name");
  EXPECT_TRUE(fail({"label", "@/a.npy", "--memory", "lots", "-o", "@/x.tif"})
                  .starts_with("--memory: 'lots' is no size of memory, such as 500M or 2G"));
  EXPECT_NE(refused({"@/a.npy", "--memory", "1M"}).find("--memory"), std::string::npos);
  const std::string image = read("a.npy");
  EXPECT_EQ(fail({"label", "@/a.npy", "--memory", "1G", "-o", "@/./a.npy"}),
            "-o: @/./a.npy is also an input or another output");
  EXPECT_TRUE(read("a.npy") == image);
  EXPECT_EQ(files(), (words{"a.npy", "a.pgm", "fortran.npy"}));
}

TEST_F(bands, name_pixels_that_cannot_be_read_and_leave_an_older_file) {
  std::string damaged = tiff_bytes({grey_page(40, 40, 8, noise(1600, 5))});
  write("cut.tif", damaged.substr(0, damaged.size() / 2));
  write("x.tif", "older");
  const outcome result = run({"label", "@/cut.tif", "-o", "@/x.tif", "--memory", "900M"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("cut.tif: is truncated or damaged"), std::string::npos) << result.err;
  EXPECT_EQ(read("x.tif"), "older");
}

// ---- the state ------------------------------------------------------------------------------------------------------

TEST_F(bands, states_of_other_questions_are_not_continued) {
  const std::string output = path("x.tif");
  {
    cli::band_state state(output, {"this image", 1000, true});
    state.labelled({0, 5}, piece(), true);
  }
  const auto refusal = [&](const cli::band_question& asked) {
    try {
      cli::band_state state(output, asked);
    } catch (const io::file_error& error) {
      return error.reason();
    }
    return std::string("goes on");
  };
  EXPECT_EQ(refusal({"this image", 999, true}), "was begun with more memory; give --memory 1M or more");
  EXPECT_TRUE(refusal({"that image", 1000, true}).starts_with("cannot be continued: it is of another input or other"));
  {
    const cli::band_state state(output, {"this image", 1000, true});
    EXPECT_EQ(refusal({"this image", 1000, true}), "is being written by another process");
    ASSERT_EQ(state.progress().labelled.size(), 1U);
    EXPECT_EQ(state.progress().labelled.front().end, 5);
  }
  write("x.tif.skerry/state", R"({"version": 1})");
  EXPECT_TRUE(refusal({"this image", 1000, true}).starts_with("cannot be continued: its state cannot be read"));
  const auto edited = [&](const std::string& numbers) {
    write("x.tif.skerry/state",
          R"({"version": 1, "question": "this image", "memory": 1000, "open": 1, "rows": 0, )" + numbers + "}");
    return refusal({"this image", 1000, true});
  };
  for (const char* const bands : {"[[0, -5]]", "[[3, 5]]", "[[0, 5], [6, 9]]"})
    EXPECT_TRUE(edited(std::string(R"("pieces": 0, "strips": 0, "bands": )") + bands)
                    .starts_with("cannot be continued: its bands do not follow each other"));
  for (const char* const numbers : {R"("pieces": 99999999999, "strips": 0)", R"("pieces": -1, "strips": 0)",
                                    R"("pieces": 0, "strips": 99999999999)"})
    EXPECT_TRUE(edited(std::string(R"("bands": [[0, 5]], )") + numbers)
                    .starts_with("cannot be continued: it is not all there; without --resume"));
  EXPECT_TRUE(edited(R"("bands": [[0, 5]], "pieces": 0, "strips": -1)")
                  .starts_with("cannot be continued: its state cannot be read"));
  EXPECT_TRUE(edited(R"("bands": [[0, 5]], "pieces": 0, "strips": 0, "count": 3)")
                  .starts_with("cannot be continued: the output was finished and is gone; without --resume"));
  write("x.tif.skerry/state", R"({"version": 77})");
  EXPECT_TRUE(refusal({"this image", 1000, true}).starts_with("cannot be continued: it is of another version"));
  EXPECT_EQ(refusal({"this image", 1000, false}), "goes on");
  EXPECT_FALSE(std::filesystem::exists(path("x.tif.skerry")));
}

TEST_F(bands, files_of_the_user_are_not_taken_for_a_state) {
  write("a.npy", npy_bytes("|u1", "(4, 5)", noise(20, 1)));
  std::filesystem::create_directory(path("x.tif.skerry"));
  write("x.tif.skerry/notes", "mine");
  write("x.tif.skerry/state", "old");
  EXPECT_EQ(fail({"label", "@/a.npy", "--memory", "1G", "-o", "@/x.tif"}),
            "@/x.tif.skerry: has notes, which is not of skerry; move it away");
  EXPECT_EQ(read("x.tif.skerry/notes"), "mine");
  EXPECT_EQ(read("x.tif.skerry/state"), "old");
  std::filesystem::remove(path("x.tif.skerry/notes"));
  write("x.tif.skerry/.skerry-12-0.part", "of a process that was killed");
  (void)succeed({"label", "@/a.npy", "--memory", "9G", "-o", "@/x.tif"});
  EXPECT_FALSE(std::filesystem::exists(path("x.tif.skerry")));
}

TEST_F(bands, files_go_on_where_they_were) {
  const extent size(3, 50, 4000);
  const std::string labels = noise(3 * 50 * 4000 * 2, 3);
  const io::stored_image what{dtype::u16, size, {}};
  const auto* rows = reinterpret_cast<const std::byte*>(labels.data());
  for (const char* const name : {"a.tif", "a.npy"}) {
    io::pending_file whole(path(name));
    const auto writer = io::write_bands(whole, what);
    writer->add(rows, 150);
    writer->finish();
    whole.commit();
    for (const std::int64_t stop : {20, 50, 77, 120}) {
      io::band_writer::progress reached;
      {
        io::pending_file file(path(name), path("part"));
        const auto begun = io::write_bands(file, what);
        begun->add(rows, stop);
        reached = begun->reached(0);
        begun->add(rows + stop * what.row_bytes(), 3);  // is lost
      }
      io::pending_file file(path(std::string("again-") + name), path("part"));
      const auto again = io::write_bands(file, what, reached);
      again->add(rows + reached.rows * what.row_bytes(), 150 - reached.rows);
      again->finish();
      file.commit();
      EXPECT_TRUE(read(std::string("again-") + name) == read(name)) << name << " " << stop;
      // What is not all there is not continued.
      io::pending_file empty(path(name), path("empty"));
      if (reached.rows > 0) {
        EXPECT_THROW((void)io::write_bands(empty, what, reached), io::file_error);
      }
      std::filesystem::remove(path("empty"));
    }
  }
}

TEST(memory_size, is_a_number_with_a_unit) {
  EXPECT_EQ(cli::memory_of("2G"), std::int64_t{2} << 30);
  EXPECT_EQ(cli::memory_of("1.5 GiB"), std::int64_t{3} << 29);
  EXPECT_EQ(cli::memory_of("500MB"), std::int64_t{500} << 20);
  EXPECT_EQ(cli::memory_of("64k"), 65536);
  EXPECT_EQ(cli::memory_of("4096"), 4096);
  for (const char* const wrong : {"", "G", "-1G", "0", "2X", "2GG", "1e3", "2 G B", "9999999T", "B"})
    EXPECT_EQ(cli::memory_of(wrong), std::nullopt) << wrong;
  EXPECT_EQ(cli::text_of_memory((1 << 20) + 1), "2M");
}

TEST(time_left, is_rounded_up) {
  EXPECT_EQ(cli::text_of_time(0.1), "1 s");
  EXPECT_EQ(cli::text_of_time(99), "99 s");
  EXPECT_EQ(cli::text_of_time(125), "3 min");
  EXPECT_EQ(cli::text_of_time(7500), "2 h 5 min");
}

}  // namespace
}  // namespace skerry::test
