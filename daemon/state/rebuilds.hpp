#pragma once
// Tells when the builds are due that policies ask for by `rebuild_every`. Not thread-safe; the clock is an
// argument.
#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "policy/spec/spec.hpp"
#include "policy/version/version.hpp"

namespace pgveil::app {

class Rebuilds {
 public:
  // The interval is counted from the time of the version when this process meets the policy first, so a
  // restart does not put a build off. Later it is counted from this process's own builds, so versions that
  // drift repair makes in between do not put it off either. A policy without a version is never due, because
  // its owner has not built it yet. now: seconds since 1970, UTC.
  [[nodiscard]] bool is_due(const policy::PolicySpec& spec, const policy::PolicyVersion* version,
                            std::int64_t now);
  // A build has ended. The next is due after the interval. After a failed build it is due after an hour, if
  // that is sooner.
  void done(const policy::PolicySpec& spec, bool is_built, std::int64_t now);

 private:
  std::map<std::string, std::int64_t> due_;  // by policy
};

}  // namespace pgveil::app
