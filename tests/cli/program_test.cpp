// SPDX-License-Identifier: Apache-2.0
// The program in a process of its own: exit codes, pipes, signals, terminals.
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "workspace.hpp"

namespace skerry::test {
namespace {

class program : public workspace {
 protected:
  program() { write("a.pgm", pgm_bytes("3 2\n255\n1 0 0\n0 0 5")); }

  // Runs a command of the shell, where "skerry" is the program.
  [[nodiscard]] outcome shell(const std::string& command) const {
    const std::string line = "cd '" + folder_.string() + "' || exit 99; PATH='" +
                             std::filesystem::path(SKERRY_PROGRAM).parent_path().string() + "':$PATH; { " + command +
                             " ; } > .out 2> .err";
    const int status = std::system(("bash -c \"$(cat <<'END_OF_COMMAND'\n" + line + "\nEND_OF_COMMAND\n)\"").c_str());
    outcome result{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read(".out"), read(".err")};
    std::filesystem::remove(path(".out"));
    std::filesystem::remove(path(".err"));
    return result;
  }

  // Starts the program with its standard error on a terminal.
  [[nodiscard]] std::pair<int, std::string> on_a_terminal(const std::vector<std::string>& arguments) const {
    int terminal = -1;
    const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
    if (child == 0) {
      if (::chdir(folder_.c_str()) != 0) ::_exit(99);
      std::vector<char*> words = {const_cast<char*>("skerry")};
      for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
      words.push_back(nullptr);
      ::execv(SKERRY_PROGRAM, words.data());
      ::_exit(98);
    }
    std::string seen;
    char piece[4096];
    for (ssize_t got; (got = ::read(terminal, piece, sizeof piece)) > 0;)
      seen.append(piece, static_cast<std::size_t>(got));
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(terminal);
    return {WEXITSTATUS(status), seen};
  }

  // Starts the program on a pipe that never ends, waits until its output is begun, and sends a signal.
  int interrupted_by(int signal, const std::string& output) const {
    ::mkfifo(path("endless.npy").c_str(), 0600);
    const pid_t child = ::fork();
    if (child == 0) {
      for (const int each : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) std::signal(each, SIG_DFL);  // nohup ignores the last
      const rlimit no_core{0, 0};
      ::setrlimit(RLIMIT_CORE, &no_core);
      const std::string in = path("endless.npy"), out = path(output);
      ::execl(SKERRY_PROGRAM, "skerry", "label", in.c_str(), "-o", out.c_str(), static_cast<char*>(nullptr));
      ::_exit(98);
    }
    const int feed = ::open(path("endless.npy").c_str(), O_WRONLY);  // waits for the reader
    const auto begun = [&] {
      const auto names = files();
      return std::any_of(names.begin(), names.end(), [](const std::string& name) { return name.ends_with(".part"); });
    };
    for (int i = 0; i < 1000 && !begun(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(begun());
    ::kill(child, signal);
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(feed);
    std::filesystem::remove(path("endless.npy"));
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
};

TEST_F(program, exit_codes) {
  EXPECT_EQ(shell("skerry label a.pgm").code, 0);
  EXPECT_EQ(shell("skerry --help").code, 0);
  EXPECT_EQ(shell("skerry").code, 2);
  EXPECT_EQ(shell("skerry label none.pgm").code, 2);
  EXPECT_EQ(shell("skerry label none.pgm").err, "skerry: none.pgm: no such file\n");
  EXPECT_EQ(shell("skerry label none.pgm").out, "");
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
}

TEST_F(program, a_closed_standard_output_is_an_error_and_no_other_file) {
  const outcome measured = shell("skerry measure a.pgm --labels l.npy >&-");
  EXPECT_EQ(measured.code, 2);
  EXPECT_EQ(measured.err, "skerry: standard output cannot be written\n");
  EXPECT_EQ(shell("skerry label l.npy; rm l.npy").out, "l.npy: 2 components\n");
  const outcome labelled = shell("skerry label a.pgm -o - >&-");
  EXPECT_EQ(labelled.code, 2);
  EXPECT_EQ(labelled.err, "skerry: standard output: cannot be written: Bad file descriptor\n");
  EXPECT_EQ(files(), std::vector<std::string>{"a.pgm"});
  EXPECT_EQ(shell("skerry label a.pgm -q -o l.npy <&- >&- 2>&-; skerry label l.npy").out, "l.npy: 2 components\n");
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
  EXPECT_EQ(shell("cp a.pgm i.png; skerry measure a.pgm --intensity i.png --labels i.png -q").err,
            "skerry: --labels: i.png is also an input or another output\n");
  for (const char* table : {"", "-o -"}) {
    const outcome both = shell(std::string("skerry measure a.pgm --labels - ") + table);
    EXPECT_EQ(both.code, 2);
    EXPECT_EQ(both.err, "skerry: --labels: standard output has room for one result\n");
    EXPECT_EQ(both.out, "");
  }
  EXPECT_EQ(shell("skerry measure a.pgm -o t.csv --labels - | skerry label -").out, "-: 2 components\n");
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

TEST_F(program, too_little_memory_is_an_error_and_no_abort) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer needs all addresses";
#endif
  int last = 0;
  for (const int megabytes : {300, 360, 400, 420, 440, 460, 500, 700}) {
    const outcome result = shell("ulimit -v " + std::to_string(1000 * megabytes) + "; skerry --version");
    if (result.code == 2) {
      EXPECT_TRUE(result.err.starts_with("skerry: not enough memory")) << megabytes << ": " << result.err;
    } else {
      EXPECT_TRUE(result.code == 0 || result.code == 127) << megabytes << ": " << result.code;  // 127: the loader's
    }
    last = result.code;
  }
  EXPECT_EQ(last, 0);
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
  const outcome measured = shell("ulimit -f 4; skerry measure b.pgm -o t.csv --labels l.npy -q");
  EXPECT_EQ(measured.code, 2);
  EXPECT_EQ(measured.err, "skerry: l.npy: cannot be written: File too large\n");
  for (const char* name : {"e.jsonl", "t.csv"}) EXPECT_EQ(read(name), "old");
  EXPECT_EQ(files(), (std::vector<std::string>{"a.pgm", "b.pgm", "e.jsonl", "t.csv"}));
}

TEST_F(program, a_reader_that_goes_away_leaves_nothing) {
  const outcome result = shell("set -o pipefail; skerry measure a.pgm --labels l.npy | true; ls");
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

TEST_F(program, progress_is_shown_on_a_terminal_and_taken_back) {
  write("b.pgm", pgm_bytes("2 1\n255\n0 3"));
  const auto [code, seen] = on_a_terminal({"label", "a.pgm", "b.pgm"});
  EXPECT_EQ(code, 0);
  EXPECT_NE(seen.find("\r[1/2] reading a.pgm\x1b[K"), std::string::npos) << seen;
  EXPECT_NE(seen.find("\r[2/2] labelling b.pgm\x1b[K"), std::string::npos) << seen;
  EXPECT_NE(seen.find("\r\x1b[Ka.pgm: 2 components"), std::string::npos) << seen;
  EXPECT_EQ(on_a_terminal({"label", "a.pgm", "b.pgm", "-q"}).second, "");
  EXPECT_NE(on_a_terminal({"measure", "a.pgm", "b.pgm", "--features", "area"}).second.find("\r\x1b[Kimage"),
            std::string::npos);
  EXPECT_EQ(on_a_terminal({"label", "a.pgm"}).second, "a.pgm: 2 components\r\n");
  EXPECT_EQ(shell("skerry label a.pgm b.pgm").err, "");
}

TEST_F(program, a_table_is_text_on_a_terminal_and_csv_elsewhere) {
  EXPECT_EQ(on_a_terminal({"measure", "a.pgm", "--features", "area"}).second,
            "label  area\r\n    1     1\r\n    2     1\r\n");
  EXPECT_EQ(shell("skerry measure a.pgm --features area").out, "label,area\n1,1\n2,1\n");
}

TEST_F(program, a_film_plays_in_the_terminal) {
  const auto [code, seen] = on_a_terminal({"track", "--demo", "--frames", "3", "--rate", "50"});
  EXPECT_EQ(code, 0);
  EXPECT_EQ(seen.find("\x1b[2J\x1b[H\x1b[38;2;"), 0U) << seen.substr(0, 100);
  std::size_t pictures = 0;
  for (std::size_t at = 0; (at = seen.find("\x1b[H", at)) != std::string::npos; ++at) ++pictures;
  EXPECT_EQ(pictures, 3U);
  EXPECT_NE(seen.find("\x1b[0m\r\ndemo: 3 frames, "), std::string::npos) << seen.substr(seen.size() - 200);
  EXPECT_TRUE(shell("skerry track --demo --frames 3").out.starts_with("demo: 3 frames, "));
}

TEST_F(program, a_film_plays_to_its_last_row_and_column) {
  const auto places = [](const std::string& text, const std::string& what) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++count;
    return count;
  };
  write("f.raw", std::string("\0\1\0\0\1\1", 6));
  const std::string small = on_a_terminal({"track", "f.raw", "--width", "2", "--height", "3", "--play", "-q"}).second;
  EXPECT_EQ(places(small, "\x1b[0m\r\n"), 2U);
  EXPECT_EQ(places(small, "m\u2580"), 4U);
  EXPECT_EQ(places(small, ";49m\u2580"), 2U);  // half characters
  // On 80 × 24 characters one is 2 · 2 pixels: the last of 131 columns and 81 rows is less.
  write("f.raw", std::string(131 * 81, '\1'));
  const std::string large =
      on_a_terminal({"track", "f.raw", "--width", "131", "--height", "81", "--play", "-q"}).second;
  EXPECT_EQ(places(large, "\x1b[0m\r\n"), 21U);
  EXPECT_EQ(places(large, "m\u2580"), 21U * 66U);
}

TEST_F(program, raw_frames_come_through_a_pipe) {
  EXPECT_EQ(shell("printf '\\000\\001\\001\\001\\000\\001' | skerry track - --width 3 --height 1 --events - -q").out,
            "{\"frame\":0,\"objects\":1,\"events\":[{\"event\":\"birth\",\"id\":1}]}\n"
            "{\"frame\":1,\"objects\":2,\"events\":[{\"event\":\"birth\",\"id\":2}]}\n");
  EXPECT_EQ(shell("printf abcd | skerry track - --width 3 --height 1").err,
            "skerry: standard input: ends within a frame: 1 of 3 bytes are there\n");
  EXPECT_EQ(shell("skerry track - --width 3 --height 1 < /dev/null").err, "skerry: standard input: has no frames\n");
}

// The second frame is sent when the events of the first have been seen.
TEST_F(program, events_come_while_the_pipe_is_open) {
  const std::string camera =
      "{ printf '\\000\\001\\001'; for i in $(seq 100); do grep -q '\"frame\":0' seen && break; sleep 0.1; done; "
      "grep -q '\"frame\":0' seen && printf '\\001\\000\\001'; }";
  EXPECT_EQ(shell("touch seen; " + camera + " | skerry track - --width 3 --height 1 --events - -q >> seen").code, 0);
  EXPECT_EQ(shell("wc -l < seen").out, "2\n");
}

TEST_F(program, completion_scripts_are_good_for_their_shells) {
  EXPECT_EQ(shell("skerry completion bash > c.bash && bash -n c.bash").code, 0);
  // What bash offers after "skerry label --con", "skerry m" and "skerry label --engine c".
  const std::string ask =
      "source <(skerry completion bash); ask() { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _skerry; echo "
      "\"${COMPREPLY[*]}\"; }; ";
  EXPECT_EQ(shell(ask + "ask skerry label --con").out, "--connectivity\n");
  EXPECT_EQ(shell(ask + "ask skerry m").out, "measure\n");
  EXPECT_EQ(shell(ask + "ask skerry label --engine c").out, "cpu cuda\n");
  EXPECT_EQ(shell(ask + "ask skerry label a").out, "a.pgm\n");
  EXPECT_EQ(shell(ask + "ask skerry completion f").out, "fish\n");
}

TEST_F(program, completion_script_for_zsh) {
  if (shell("command -v zsh").code != 0) GTEST_SKIP() << "zsh is not installed";
  EXPECT_EQ(shell("skerry completion zsh > _skerry && zsh -n _skerry").code, 0);
}

TEST_F(program, completion_script_for_fish) {
  if (shell("command -v fish").code != 0) GTEST_SKIP() << "fish is not installed";
  EXPECT_EQ(shell("skerry completion fish > c.fish && fish --no-execute c.fish").code, 0);
}

}  // namespace
}  // namespace skerry::test
