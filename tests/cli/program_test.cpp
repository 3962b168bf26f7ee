// SPDX-License-Identifier: Apache-2.0
// The program as a shell has it: exit codes, pipes, closed and full outputs, limits, signals.
#include <sys/wait.h>

#include <algorithm>
#include <csignal>

#include "program.hpp"
#include "support/sanitized.hpp"

namespace skerry::test {
namespace {

TEST_F(program, exit_codes) {
  EXPECT_EQ(shell("skerry label a.pgm").code, 0);
  EXPECT_EQ(shell("skerry --help").code, 0);
  EXPECT_EQ(shell("skerry").code, 2);
  EXPECT_EQ(shell("skerry label none.pgm").code, 2);
  EXPECT_EQ(shell("skerry label none.pgm").err, "skerry: none.pgm: no such file\n");
  EXPECT_EQ(shell("skerry label none.pgm").out, "");
}

// As nohup does. The pipe is open when the program reads it, long after it has set up its signals.
TEST_F(program, a_hangup_that_is_ignored_stays_so) {
  const outcome result = shell(
      "mkfifo pipe; trap '' HUP; skerry label pipe -o out.npy & exec 3> pipe; kill -HUP $!; sleep 0.2; cat a.pgm >&3; "
      "exec 3>&-; wait $!");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "pipe: 2 components\n");
}

TEST_F(program, damaged_files_print_one_line_only) {
  succeed({"label", "@/a.pgm", "-o", "@/a.png", "-q"});
  write("cut.png", std::string_view(read("a.png")).substr(0, read("a.png").size() - 20));
  // libpng itself would print a second line here.
  const outcome result = shell("skerry label cut.png");
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(result.err.starts_with("skerry: cut.png: is truncated or damaged")) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
}

TEST_F(program, pipes_in_and_out) {
  EXPECT_EQ(shell("cat a.pgm | skerry label -").out, "-: 2 components\n");
  EXPECT_EQ(shell("skerry label a.pgm -o - -q | skerry measure - --features area").out, "label,area\n1,1\n2,1\n");
  EXPECT_EQ(shell("skerry label <(cat a.pgm) -q -o - > out.npy; skerry label out.npy").out, "out.npy: 2 components\n");
  EXPECT_EQ(shell("skerry tree a.pgm --keep 'level>=5' -q -o - | skerry measure - --features area").out,
            "label,area\n1,1\n");
  EXPECT_EQ(shell("skerry label a.pgm -o -").err, "a.pgm: 2 components\n");
  EXPECT_EQ(shell("skerry measure a.pgm -o - -q --features area").out, "label,area\n1,1\n2,1\n");
  const outcome empty = shell("skerry label - < /dev/null");
  EXPECT_EQ(empty.code, 2);
  EXPECT_EQ(empty.err, "skerry: standard input: is empty (0 bytes)\n");
}

TEST_F(program, other_names_of_the_standard_output_go_on_where_it_stands) {
  for (const char* name : {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    const std::string measure = std::string("skerry measure a.pgm --features area --format csv -o ") + name;
    EXPECT_EQ(shell("{ echo before; " + measure + "; echo after; } > t.csv").err, "a.pgm: 2 components\n") << name;
    EXPECT_EQ(read("t.csv"), "before\nlabel,area\n1,1\n2,1\nafter\n") << name;
    EXPECT_EQ(shell("echo old > t.csv; " + measure + " -q >> t.csv").code, 0);
    EXPECT_EQ(read("t.csv"), "old\nlabel,area\n1,1\n2,1\n") << name;
  }
  EXPECT_EQ(shell("echo before >&2; skerry measure a.pgm -q --features area --format csv -o /dev/stderr").err,
            "before\nlabel,area\n1,1\n2,1\n");
  // Number 0 is a number as well.
  EXPECT_EQ(shell("skerry measure a.pgm -q --features area --format csv -o /dev/fd/0 0<> in.csv").err, "");
  EXPECT_EQ(read("in.csv"), "label,area\n1,1\n2,1\n");
}

TEST_F(program, a_closed_standard_output_is_an_error_and_no_other_file) {
  const outcome measured = shell("skerry measure a.pgm --write-labels l.npy >&-");
  EXPECT_EQ(measured.code, 2);
  EXPECT_EQ(measured.err, "skerry: standard output cannot be written\n");
  EXPECT_EQ(shell("skerry label l.npy; rm l.npy").out, "l.npy: 2 components\n");
  const outcome labelled = shell("skerry label a.pgm -o - >&-");
  EXPECT_EQ(labelled.code, 2);
  EXPECT_EQ(labelled.err, "skerry: standard output: cannot be written: Bad file descriptor\n");
  EXPECT_EQ(files(), std::vector<std::string>{"a.pgm"});
  EXPECT_EQ(shell("skerry label a.pgm -q -o l.npy <&- >&- 2>&-; skerry label l.npy").out, "l.npy: 2 components\n");
}

// More text than is kept back until the end: some of it is written while the table is being made.
TEST_F(program, a_closed_standard_output_is_no_other_file_while_that_is_written) {
  for (int i = 0; i < 60; ++i) write("in/" + std::string(200, 'x') + std::to_string(i) + ".pgm", read("a.pgm"));
  for (const char* closed : {" >&-", " <&- >&-"}) {
    const outcome measured = shell(std::string("skerry measure in -o t.csv --features area") + closed);
    EXPECT_EQ(measured.code, 2) << closed;
    EXPECT_EQ(measured.err, "skerry: standard output cannot be written\n") << closed;
  }
}

TEST_F(program, a_link_to_nowhere_stays_a_link) {
  EXPECT_EQ(shell("ln -s there.npy link.npy; skerry label a.pgm -q -o link.npy; readlink link.npy").out, "there.npy\n");
  EXPECT_EQ(shell("skerry label there.npy").out, "there.npy: 2 components\n");
  EXPECT_EQ(shell("ln -s loop.npy loop.npy; skerry label a.pgm -q -o loop.npy").code, 2);
}

TEST_F(program, two_spellings_of_one_file_that_does_not_exist_yet) {
  const outcome both = shell("skerry label a.pgm -o l.png --overlay ./l.png");
  EXPECT_EQ(both.code, 2);
  EXPECT_EQ(both.err, "skerry: --overlay: ./l.png is also an input or another output\n");
}

TEST_F(program, results_never_meet) {
  EXPECT_EQ(shell("cp a.pgm i.png; skerry measure a.pgm --intensity i.png --write-labels i.png -q").err,
            "skerry: --write-labels: i.png is also an input or another output\n");
  for (const char* table : {"", "-o -"}) {
    const outcome both = shell(std::string("skerry measure a.pgm --write-labels - ") + table);
    EXPECT_EQ(both.code, 2);
    EXPECT_EQ(both.err, "skerry: --write-labels: standard output has room for one result\n");
    EXPECT_EQ(both.out, "");
  }
  EXPECT_EQ(shell("skerry measure a.pgm -o t.csv --write-labels - | skerry label -").out, "-: 2 components\n");
  EXPECT_EQ(shell("skerry measure - -o - -q --features area < a.pgm").out, "label,area\n1,1\n2,1\n");
  EXPECT_EQ(shell("skerry tree a.pgm --table - -q --nodes /dev/stdout").code, 2);
}

TEST_F(program, several_inputs_do_not_fit_one_standard_output) {
  EXPECT_EQ(shell("cp a.pgm b.pgm; skerry label a.pgm b.pgm -o -").code, 2);
  EXPECT_EQ(shell("mkdir ./-; skerry label a.pgm -q -o - | skerry label -").out, "-: 2 components\n");
  EXPECT_EQ(shell("ls ./-").out, "");
}

TEST_F(program, the_standard_output_may_be_full) {
  for (const char* command : {"skerry measure a.pgm", "skerry label a.pgm", "skerry info", "skerry --help"}) {
    const outcome result = shell(std::string(command) + " > /dev/full");
    EXPECT_EQ(result.code, 2) << command;
    EXPECT_EQ(result.err, "skerry: standard output cannot be written\n") << command;
  }
  const outcome binary = shell("skerry label a.pgm -q -o - > /dev/full");
  EXPECT_EQ(binary.code, 2);
  EXPECT_EQ(binary.err, "skerry: standard output: cannot be written: No space left on device\n");
}

TEST_F(program, the_file_size_limit_is_an_error_and_no_signal) {
  const int status = std::system(("bash -c 'ulimit -f 0; " SKERRY_PROGRAM " label " + path("a.pgm") + " -q -o " +
                                  path("out.npy") + " 2> /dev/null'")
                                     .c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_EQ(files(), std::vector<std::string>{"a.pgm"});
}

// The libraries of the codecs need 400 MB of addresses, and 20 to 30 times the time to start.
TEST_F(program, codecs_are_loaded_when_a_picture_is) {
#ifdef SKERRY_TEST_SANITIZED
  GTEST_SKIP() << "AddressSanitizer needs all addresses";
#endif
  EXPECT_EQ(shell("ulimit -v 100000; skerry --version").code, 0);
  EXPECT_EQ(shell("ulimit -v 100000; skerry --help").code, 0);
  EXPECT_EQ(shell("ulimit -v 100000; skerry info --formats").code, 0);
}

TEST_F(program, too_little_memory_is_an_error_and_no_abort) {
#ifdef SKERRY_TEST_SANITIZED
  GTEST_SKIP() << "AddressSanitizer needs all addresses";
#endif
  succeed({"label", "@/a.pgm", "-o", "@/a.png", "-q"});
  int last = 0;
  for (const int megabytes : {100, 200, 300, 360, 400, 420, 440, 460, 500, 700, 1400}) {
    const outcome result =
        shell("ulimit -v " + std::to_string(1000 * megabytes) + "; skerry label a.png --threads 1 -o b.png -q");
    EXPECT_TRUE(result.code == 0 || result.code == 2) << megabytes << ": " << result.code << result.err;
    if (result.code == 2) {
      EXPECT_TRUE(result.err.starts_with("skerry: ")) << megabytes << ": " << result.err;
      EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << megabytes << ": " << result.err;
      EXPECT_EQ(files(), (std::vector<std::string>{"a.pgm", "a.png"}));
    }
    last = result.code;
  }
  EXPECT_EQ(last, 0);
}

TEST_F(program, without_its_codecs_it_says_so) {
  succeed({"label", "@/a.pgm", "-o", "@/a.png", "-q"});
  const outcome alone =
      shell("mkdir bin; cp \"$(command -v skerry)\" bin; bin/skerry label a.pgm; bin/skerry label a.png");
  EXPECT_EQ(alone.code, 2);
  EXPECT_EQ(alone.out, "a.pgm: 2 components\n");
  EXPECT_TRUE(alone.err.starts_with("skerry: a.png: needs the image codecs, which cannot be loaded: ")) << alone.err;
}

// The small file would fit, the large one does not: neither is shown.
TEST_F(program, of_several_outputs_all_are_shown_or_none) {
  for (const char* name : {"e.jsonl", "t.csv"}) write(name, "old");
  const outcome film =
      shell("ulimit -f 4; skerry track --demo --frames 3 --events e.jsonl --napari t.csv --film f.gif -q");
  EXPECT_EQ(film.code, 2);
  EXPECT_EQ(film.err, "skerry: f.gif: cannot be written: File too large\n");
  std::string image = "64 64\n255\n";
  for (int i = 0; i < 64 * 64; ++i) image += i % 64 == 0 ? "0 " : "9 ";
  write("b.pgm", pgm_bytes(image));
  const outcome measured = shell("ulimit -f 4; skerry measure b.pgm -o t.csv --write-labels l.npy -q");
  EXPECT_EQ(measured.code, 2);
  EXPECT_EQ(measured.err, "skerry: l.npy: cannot be written: File too large\n");
  for (const char* name : {"e.jsonl", "t.csv"}) EXPECT_EQ(read(name), "old");
  EXPECT_EQ(files(), (std::vector<std::string>{"a.pgm", "b.pgm", "e.jsonl", "t.csv"}));
}

TEST_F(program, a_reader_that_goes_away_leaves_nothing) {
  const outcome result = shell("set -o pipefail; skerry measure a.pgm --write-labels l.npy | true; ls");
  EXPECT_EQ(result.out.find(".part"), std::string::npos);
}

TEST_F(program, an_interrupt_leaves_the_older_file) {
  write("out.npy", "old");
  for (const auto& [signal, code] :
       {std::pair(SIGINT, 130), std::pair(SIGQUIT, 131), std::pair(SIGTERM, 143), std::pair(SIGHUP, 129)}) {
    EXPECT_EQ(interrupted_by(signal, "out.npy"), code);
    EXPECT_EQ(read("out.npy"), "old");
    EXPECT_EQ(files(), (std::vector<std::string>{"a.pgm", "out.npy"}));
  }
}

}  // namespace
}  // namespace skerry::test
