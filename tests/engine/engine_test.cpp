// SPDX-License-Identifier: Apache-2.0
#include "skerry/engine.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "engine/cpu/instruction_set.hpp"
#include "engine/cpu/new_memory.hpp"
#include "skerry/error.hpp"
#include "skerry/label.hpp"
#include "support/compare.hpp"
#include "support/engines.hpp"
#include "support/mask.hpp"

namespace skerry::test {
namespace {

TEST(engine, chooses_its_instructions_before_the_first_call) {
  hwy::GetChosenTarget().DeInit();
  const engine on = engine::cpu(1);
  EXPECT_TRUE(hwy::GetChosenTarget().IsInitialized());
}

TEST(engine, knows_memory_that_is_new) {
  constexpr std::size_t bytes = std::size_t{8} << 20;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* const middle = static_cast<char*>(memory) + bytes / 2 + 5;
  EXPECT_TRUE(is_new_memory(middle));
  *middle = 1;
  EXPECT_FALSE(is_new_memory(middle));
  munmap(memory, bytes);
  EXPECT_FALSE(is_new_memory(middle));  // of nobody: the system does not say
}

TEST(engine, has_new_pages_provided_and_keeps_what_they_hold) {
  constexpr std::size_t bytes = std::size_t{1} << 20;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  auto* const first = static_cast<char*>(memory);
  first[5] = 7;
  const bool can = madvise(memory, 1, populate_write) == 0;  // Linux 5.14
  provide_pages(first + 5, bytes / 2);
  EXPECT_EQ(first[5], 7);
  EXPECT_EQ(is_new_memory(first + bytes / 2 + 4), !can);  // its page holds the last byte
  EXPECT_TRUE(is_new_memory(first + bytes / 2 + (std::size_t{64} << 10)));
  munmap(memory, bytes);
  provide_pages(memory, bytes);  // of nobody: nothing happens
}

// Flags of the mapping of this address; none where the system does not say.
std::string mapping_flags(const void* at) {
  std::ifstream maps("/proc/self/smaps");
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  bool found = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    if (std::istringstream range(line); range >> std::hex >> begin >> dash >> end && dash == '-')
      found = begin <= address && address < end;
    if (found && line.starts_with("VmFlags:")) return line + ' ';
  }
  return {};
}

TEST(engine, wishes_for_large_pages_where_they_are_worth_it) {
  constexpr std::size_t bytes = std::size_t{8} << 20;
  for (const std::size_t wanted : {bytes - 5, bytes / 4}) {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    auto* const inside = static_cast<char*>(memory) + 5;
    prefer_large_pages(inside, wanted);
    const std::string flags = mapping_flags(inside + wanted / 2);
    EXPECT_TRUE(is_new_memory(inside + wanted / 2));
    if (std::filesystem::exists("/sys/kernel/mm/transparent_hugepage") && !flags.empty()) {
      EXPECT_EQ(flags.find(" hg ") != std::string::npos, wanted > bytes / 2);
    }
    munmap(memory, bytes);
  }
}

TEST(engine, says_what_it_is) {
  const engine slow = engine::reference();
  EXPECT_EQ(slow.kind(), engine_kind::reference);
  EXPECT_EQ(slow.name(), "reference");
  EXPECT_EQ(slow.threads(), 1);
  EXPECT_EQ(slow.instruction_set(), "none");
  const engine fast = engine::cpu(3);
  EXPECT_EQ(fast.kind(), engine_kind::cpu);
  EXPECT_EQ(fast.name(), "cpu");
  EXPECT_EQ(fast.threads(), 3);
  EXPECT_EQ(fast.instruction_set(), available_instruction_sets().at(0));
  EXPECT_EQ(engine::cpu(1).threads(), 1);
  EXPECT_EQ(engine::automatic(2).threads(), 2);
}

TEST(engine, has_a_thread_for_each_processor_that_the_process_may_use) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(getpid(), sizeof(all), &all), 0);
  EXPECT_EQ(engine::cpu().threads(), CPU_COUNT(&all));
}

TEST(engine, automatic_is_a_kind_of_its_own) {
  const engine chooses = engine::automatic();
  EXPECT_EQ(chooses.kind(), engine_kind::automatic);
  EXPECT_EQ(chooses.name(), "automatic");
  EXPECT_EQ(chooses.threads(), engine::cpu().threads());
  EXPECT_EQ(chooses.instruction_set(), engine::cpu().instruction_set());
}

TEST(engine, a_device_that_is_not_there_is_named) {
  try {
    const engine never = engine::cuda(1000);
    ADD_FAILURE() << "there is a device 1000";
  } catch (const device_error& none) {
    EXPECT_EQ(std::string(none.what()).rfind("engine cuda: ", 0), 0U) << none.what();
  }
}

TEST(engine, refuses_threads_out_of_range) {
  for (const int threads : {-1, 1025, 1 << 30}) {
    try {
      const engine never = engine::cpu(threads);
      FAIL() << threads << " threads were accepted";
    } catch (const invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("threads"), std::string::npos) << error.what();
    }
    EXPECT_THROW((void)engine::automatic(threads), invalid_argument);
  }
  EXPECT_EQ(engine::cpu(1024).threads(), 1024);
}

TEST(engine, uses_the_instruction_set_that_is_forced) {
  const engine on = engine::cpu(1);
  std::vector<std::string> seen;
  with_each_instruction_set([&](const std::string& name) {
    EXPECT_EQ(on.instruction_set(), name);
    seen.push_back(name);
  });
  std::vector<std::string> wanted = available_instruction_sets();
  if (looks_for_races()) wanted.resize(1);
  EXPECT_EQ(seen, wanted);
  EXPECT_EQ(on.instruction_set(), seen.at(0));
  EXPECT_THROW(force_instruction_set("abacus"), invalid_argument);
  EXPECT_EQ(on.instruction_set(), seen.at(0));
}

TEST(engine, holds_and_releases_scratch) {
  const mask image = random_mask(extent(100, 100), 1, 50, 1);
  for (const int threads : {1, 3}) {
    engine on = engine::cpu(threads);
    EXPECT_EQ(on.scratch_bytes(), 0U);
    const std::uint64_t count = count_components(on, image.view(), with_connectivity(8));
    const std::size_t held = on.scratch_bytes();
    EXPECT_GT(held, 0U);
    on.release_scratch();
    EXPECT_EQ(on.scratch_bytes(), 0U);
    EXPECT_EQ(count_components(on, image.view(), with_connectivity(8)), count);
    EXPECT_EQ(on.scratch_bytes(), held);
  }
}

TEST(engine, can_be_moved) {
  const mask image = picture("#.#");
  engine first = engine::cpu(2);
  engine second = std::move(first);
  EXPECT_EQ(count_components(second, image.view(), with_connectivity(4)), 2U);
  second = engine::reference();
  EXPECT_EQ(second.name(), "reference");
  EXPECT_EQ(count_components(second, image.view(), with_connectivity(4)), 2U);
}

TEST(engine, measures_stages_only_when_asked) {
  const mask image = random_mask(extent(500, 500), 1, 50, 1);
  std::vector<std::uint32_t> labels(image.pixels.size());
  const auto total = [](const engine& on) {
    double sum = 0;
    for (const double each : on.last_profile().milliseconds) {
      EXPECT_GE(each, 0);
      sum += each;
    }
    return sum;
  };
  for (const int threads : {1, 2}) {
    engine on = engine::cpu(threads);
    label(on, image.view(), with_connectivity(8), {labels.data(), image.size});
    EXPECT_EQ(total(on), 0);
    on.set_profiling(true);
    label(on, image.view(), with_connectivity(8), {labels.data(), image.size});
    const stage_times times = on.last_profile();
    EXPECT_GT(times.milliseconds[0], 0) << stage_names[0];
    EXPECT_GT(times.milliseconds[1], 0) << stage_names[1];
    EXPECT_GT(times.milliseconds[5], 0) << stage_names[5];
    on.set_profiling(false);
    label(on, image.view(), with_connectivity(8), {labels.data(), image.size});
    EXPECT_EQ(total(on), 0);
  }
  engine slow = engine::reference();
  slow.set_profiling(true);
  count_components(slow, image.view(), with_connectivity(8));
  EXPECT_EQ(total(slow), 0);
}

// One engine for each thread: they share nothing.
TEST(engine, engines_work_side_by_side) {
  const mask image = random_mask(extent(300, 200), 2, 50, 3);
  engine alone = engine::cpu(1);
  const std::uint64_t want = count_components(alone, image.view(), with_connectivity(8));
  std::vector<std::uint64_t> counts(6);
  std::vector<std::thread> callers;
  for (std::size_t i = 0; i < counts.size(); ++i)
    callers.emplace_back([&, i] {
      engine own = engine::cpu(static_cast<int>(i % 3) + 1);
      for (int repeat = 0; repeat < 5; ++repeat) counts[i] = count_components(own, image.view(), with_connectivity(8));
    });
  for (std::thread& caller : callers) caller.join();
  for (const std::uint64_t count : counts) EXPECT_EQ(count, want);
}

}  // namespace
}  // namespace skerry::test
