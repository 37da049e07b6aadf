#pragma once
// Tells when builds are due that policies ask for by `rebuild_every`. Not thread-safe; the caller passes the
// time.
#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "policy/spec/spec.hpp"
#include "policy/version/version.hpp"

namespace pgveil::app {

class Rebuilds {
 public:
  // When this process first meets the policy, the interval counts from the time of the version, so a restart
  // does not delay a build. Later it counts from this process's own builds, so versions that drift repair
  // makes in between do not delay it either. A policy without a version is never due, because its owner has
  // not built it yet. now: seconds since 1970, UTC.
  [[nodiscard]] bool is_due(const policy::PolicySpec& spec, const policy::PolicyVersion* version,
                            std::int64_t now);
  // Records the end of a build of all these policies, so that an entity whose policies all ask for it is
  // built once in each interval. The next one is due after the interval, or after a failed build in an hour
  // if that is sooner. Policies without `rebuild_every` are ignored.
  void done(const policy::Specs& built_together, bool is_built, std::int64_t now);

 private:
  std::map<std::string, std::int64_t> due_;  // by policy
};

}  // namespace pgveil::app
