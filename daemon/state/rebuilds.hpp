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
  // does not delay a build. Later it counts from the builds that were due, so versions that drift repair or
  // BUILD POLICY makes in between do not delay it. An interval that a RELOAD changes counts at once, from the
  // same time. A policy without a version is never due, because its owner has not built it yet. now: seconds
  // since 1970, UTC.
  [[nodiscard]] bool is_due(const policy::PolicySpec& spec, const policy::PolicyVersion* version,
                            std::int64_t now);
  // Records the end of a build of all these policies, so that an entity whose policies all ask for it is
  // built once in each interval. The next one is due after the interval, or after a failed build in an hour
  // if that is sooner. Policies without `rebuild_every` are ignored.
  void done(const policy::Specs& built_together, bool is_built, std::int64_t now);

 private:
  struct Build {
    std::int64_t at = 0;  // its end, in seconds since 1970, UTC
    bool is_built = false;
  };

  std::map<std::string, Build> last_;  // by policy
};

}  // namespace pgveil::app
