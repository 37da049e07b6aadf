#pragma once
// When the builds are due that policies ask for by `rebuild_every`. Not thread-safe; the clock is an argument.
#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "policy/spec.hpp"
#include "policy/version.hpp"

namespace pgveil::cli {

class Rebuilds {
 public:
  // Counted from the version's time when the policy is met first, so a restart doesn't put it off; later from this process's own
  // builds, so the versions that drift repair makes in between don't either. A policy that has no version is never due: its owner
  // has not begun. now: seconds since 1970, UTC.
  [[nodiscard]] bool is_due(const policy::PolicySpec& spec, const policy::PolicyVersion* version,
                            std::int64_t now);
  // The next is due after the interval, or if this one failed, after an hour if that is sooner.
  void done(const policy::PolicySpec& spec, bool is_built, std::int64_t now);

 private:
  std::map<std::string, std::int64_t> due_;  // by policy
};

}  // namespace pgveil::cli
