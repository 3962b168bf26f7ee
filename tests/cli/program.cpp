// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

namespace skerry::test {

outcome program::shell(const std::string& command) const {
  const std::string line = "cd '" + folder_.string() + "' || exit 99; PATH='" +
                           std::filesystem::path(SKERRY_PROGRAM).parent_path().string() + "':$PATH; { " + command +
                           " ; } > .out 2> .err";
  const int status = std::system(("bash -c \"$(cat <<'END_OF_COMMAND'\n" + line + "\nEND_OF_COMMAND\n)\"").c_str());
  outcome result{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read(".out"), read(".err")};
  std::filesystem::remove(path(".out"));
  std::filesystem::remove(path(".err"));
  return result;
}

std::pair<int, std::string> program::on_a_terminal(const std::vector<std::string>& arguments) const {
  int terminal = -1;
  const winsize size{24, 80, 0, 0};
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
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

int program::interrupted_by(int signal, const std::string& output) const {
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

}  // namespace skerry::test
