#pragma once
// The progress of the builds that run in this process, for SHOW POLICIES and the page. Thread-safe.
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "daemon/policies/build_progress.hpp"

namespace pgveil::app {

class RunningBuilds {
 public:
  struct Progress {
    std::string stage = "starting";
    std::uint64_t done = 0;                      // groups or rows of the stage so far
    std::optional<double> share = std::nullopt;  // of the stage, in [0, 1]; none: nobody knows how much it is
    std::chrono::milliseconds passed{0};         // since the stage began
  };

  // Represents one build as long as it lives, which may be of several policies together. The RunningBuilds
  // must outlive it. For one thread only.
  class Build {
   public:
    Build(RunningBuilds& builds, const std::vector<std::string>& policies);
    Build(const Build&) = delete;
    Build& operator=(const Build&) = delete;
    ~Build();
    void reached(const BuildStep& step);

   private:
    using Clock = std::chrono::steady_clock;
    std::string stage_;
    Clock::time_point stage_began_ = Clock::now();
    RunningBuilds& builds_;
    std::vector<std::multimap<std::string, Progress>::iterator> entries_;  // one for each policy
  };

  // The stage of the build and how much of it is done, for example "counting 120000" or "building the tree,
  // 37 %, some 20 s left". Empty: no build of this policy runs. If several run, this is the one that began
  // first.
  [[nodiscard]] std::string of(const std::string& policy) const;
  // All of them, by policy.
  [[nodiscard]] std::multimap<std::string, Progress> all() const;

 private:
  mutable std::mutex mutex_;
  std::multimap<std::string, Progress> running_;  // by policy
};

}  // namespace pgveil::app
