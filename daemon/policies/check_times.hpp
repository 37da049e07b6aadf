#pragma once
// Tells when the drift checks of policies are due. The policy that has waited longest comes first. A check
// that had to wait for others does not delay those after it, so a policy with a short check_every never keeps
// another one from its turn. Not thread-safe; the caller passes the time.
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "settings/policy_files.hpp"

namespace pgveil::app {

class CheckTimes {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // The policy whose check has been due for the longest time. A policy that this process has never checked
  // comes before all others. Null: none is due.
  [[nodiscard]] std::shared_ptr<const policy::PolicySpec> most_overdue(const Specs& specs, Time now) const;
  // The check of this policy has ended. The next one is due check_every after this one was due, but not
  // before now.
  void done(const policy::PolicySpec& spec, Time now);
  // The time until the first check is due, within these bounds.
  [[nodiscard]] std::chrono::milliseconds pause(const Specs& specs, Time now, std::chrono::milliseconds least,
                                                std::chrono::milliseconds most) const;

 private:
  // nullopt: it was never checked.
  [[nodiscard]] std::optional<Time> due(const policy::PolicySpec& spec) const;
  std::map<std::string, Time>
      counted_from_;  // by policy; the check is due check_every later, which a RELOAD may change
};

}  // namespace pgveil::app
