// SPDX-License-Identifier: Apache-2.0
// Streams of raw frames through pipes: what comes while they are open, how they end, and who stops them.
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>
#include <utility>

#include "program.hpp"

namespace skerry::test {
namespace {

using camera = program;

// The program with pipes for its standard input and output that stay open.
class child_on_pipes {
 public:
  child_on_pipes(const std::string& folder, const std::vector<std::string>& arguments) {
    EXPECT_EQ(::pipe2(in_, O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(out_, O_CLOEXEC), 0);
    process_ = ::fork();
    if (process_ == 0) {
      for (const int each : {SIGINT, SIGTERM}) std::signal(each, SIG_DFL);
      std::vector<char*> words = {const_cast<char*>("skerry")};
      for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
      words.push_back(nullptr);
      if (::chdir(folder.c_str()) != 0 || ::dup2(in_[0], 0) != 0 || ::dup2(out_[1], 1) != 1) ::_exit(99);
      ::execv(SKERRY_PROGRAM, words.data());
      ::_exit(98);
    }
    ::close(in_[0]);
    ::close(out_[1]);
  }
  child_on_pipes(const child_on_pipes&) = delete;
  child_on_pipes& operator=(const child_on_pipes&) = delete;
  ~child_on_pipes() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
    }
    ::close(in_[1]);
    ::close(out_[0]);
  }

  void feed(std::string_view bytes) const {
    EXPECT_EQ(::write(in_[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  // Until nothing is taken for two seconds.
  void feed_until_it_is_full() const {
    ::fcntl(in_[1], F_SETFL, O_NONBLOCK);
    const std::string zeros(4096, '\0');
    pollfd free{in_[1], POLLOUT, 0};
    while (::poll(&free, 1, 2000) == 1 && ::write(in_[1], zeros.data(), zeros.size()) > 0) free.revents = 0;
  }
  // What was printed until a text came, or nothing after ten seconds.
  [[nodiscard]] std::string read_until(const std::string& text) const {
    std::string seen;
    pollfd there{out_[0], POLLIN, 0};
    while (::poll(&there, 1, 10000) == 1) {
      char piece[4096];
      const ssize_t got = ::read(out_[0], piece, sizeof piece);
      if (got <= 0) break;
      seen.append(piece, static_cast<std::size_t>(got));
      if (seen.find(text) != std::string::npos) return seen;
    }
    return {};
  }
  void send(int signal) const { ::kill(process_, signal); }
  [[nodiscard]] bool runs() const { return ::waitpid(process_, nullptr, WNOHANG) == 0; }
  [[nodiscard]] int end() {
    int status = 0;
    ::waitpid(std::exchange(process_, 0), &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  int in_[2] = {-1, -1}, out_[2] = {-1, -1};
  pid_t process_ = 0;
};

// Within the third frame of the camera.
TEST_F(camera, a_stream_that_is_stopped_keeps_what_it_has) {
  for (const int signal : {SIGINT, SIGTERM}) {
    child_on_pipes child(folder_.string(), {"track", "-", "--width", "3", "--height", "1", "--features", "area",
                                            "--events", "-", "-o", "t.csv", "-q"});
    child.feed({"\0\1\1\1\0\1\1", 7});
    EXPECT_NE(child.read_until("\"frame\":1,"), "");
    child.send(signal);
    EXPECT_EQ(child.end(), 0) << signal;
    EXPECT_EQ(read("t.csv"), "frame,id,parent,age,area\n0,1,0,0,2\n1,2,0,0,1\n1,1,0,1,1\n") << signal;
    std::filesystem::remove(path("t.csv"));
  }
}

// Nobody reads the results, so the stream cannot end.
TEST_F(camera, a_second_signal_leaves_nothing) {
  child_on_pipes child(folder_.string(),
                       {"track", "-", "--width", "3", "--height", "1", "--events", "-", "-o", "t.csv"});
  child.feed({"\1\1\1", 3});
  EXPECT_NE(child.read_until("\n"), "");  // it has begun
  child.feed_until_it_is_full();
  child.send(SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_TRUE(child.runs());
  child.send(SIGTERM);
  EXPECT_EQ(child.end(), 128 + SIGTERM);
  EXPECT_EQ(files(), std::vector<std::string>{"a.pgm"});
}

TEST_F(camera, objects_come_as_lines_while_the_pipe_is_open) {
  const std::string camera =
      "{ printf '\\000\\001\\001'; for i in $(seq 100); do grep -q '\"frame\": 0' seen && break; sleep 0.1; done; "
      "grep -q '\"frame\": 0' seen && printf '\\001\\000\\001'; }";
  EXPECT_EQ(
      shell("touch seen; " + camera + " | skerry track - --width 3 --height 1 -o - --format jsonl -q >> seen").code, 0);
  EXPECT_EQ(shell("wc -l < seen").out, "3\n");
}

TEST_F(camera, a_pipe_that_ends_within_a_frame) {
  const outcome cut =
      shell("printf '\\000\\001\\001\\001' | skerry track - --width 3 --height 1 --features area -o t.csv");
  EXPECT_EQ(cut.code, 1);
  EXPECT_EQ(cut.err, "skerry: standard input: frame 1: standard input: ends within a frame: 1 of 3 bytes are there\n");
  EXPECT_EQ(cut.out,
            "standard input: 2 frames, 1 object: 1 born, 0 split off, 0 merged, 0 died; 1 frame without result\n");
  EXPECT_EQ(read("t.csv"), "frame,id,parent,age,area\n0,1,0,0,2\n");
}

TEST_F(camera, raw_frames_come_through_a_pipe) {
  EXPECT_EQ(shell("printf '\\000\\001\\001\\001\\000\\001' | skerry track - --width 3 --height 1 --events - -q").out,
            "{\"frame\":0,\"objects\":1,\"events\":[{\"event\":\"birth\",\"id\":1}]}\n"
            "{\"frame\":1,\"objects\":2,\"events\":[{\"event\":\"birth\",\"id\":2}]}\n");
  EXPECT_EQ(shell("printf ab | skerry track - --width 3 --height 1").err,
            "skerry: standard input: ends within a frame: 2 of 3 bytes are there\n");
  EXPECT_EQ(shell("skerry track - --width 3 --height 1 < /dev/null").err, "skerry: standard input: has no frames\n");
}

// The second frame is sent when the events of the first have been seen.
TEST_F(camera, events_come_while_the_pipe_is_open) {
  const std::string camera =
      "{ printf '\\000\\001\\001'; for i in $(seq 100); do grep -q '\"frame\":0' seen && break; sleep 0.1; done; "
      "grep -q '\"frame\":0' seen && printf '\\001\\000\\001'; }";
  EXPECT_EQ(shell("touch seen; " + camera + " | skerry track - --width 3 --height 1 --events - -q >> seen").code, 0);
  EXPECT_EQ(shell("wc -l < seen").out, "2\n");
}

}  // namespace
}  // namespace skerry::test
