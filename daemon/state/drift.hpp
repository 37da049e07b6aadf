#pragma once
// Checks whether stored versions still keep their promises on the tables as they are now. check_drift_of
// checks open versions. count_waiting makes up for the count of a version that was stored without one. Both
// store their result only if nothing that they looked at was replaced meanwhile.
#include <string>

#include "daemon/state/serving_state.hpp"

namespace pgveil::app {

enum class Looked {
  done,
  again  // another version was stored meanwhile and must be looked at
};

// Makes one drift check of one policy, now. It counts the policy again, alone and together with the other
// policies over its table. If something falls short, it repairs the policy or only reports it, as
// drift.action says. If policies fall short together, the checked policy is the one that shows less
// afterwards. Does nothing for a closed policy. Errors: the table could not be counted.
[[nodiscard]] Result<Looked> check_drift_of(ServingState& serving, const policy::PolicySpec& spec);

// What this policy shows too much of, together with other policies over its table, as text for CHECK POLICY
// and the log. Empty: nothing.
[[nodiscard]] Result<std::string> joint_drift_of(const Present& present, const policy::PolicySpec& spec,
                                                 const policy::PolicyVersion& version);

// Not empty: a stored version of the policy waits to be counted together with others
// (daemon/policies/take_up.hpp). The text changes whenever there is a new reason to try.
[[nodiscard]] std::string waits_for(const Present& present, const policy::PolicySpec& spec);
// Counts the waiting version and stores it again with the names of the versions that it may be open beside.
// That opens it. Errors: why it stays closed; the table could not be counted.
[[nodiscard]] Result<Looked> count_waiting(ServingState& serving, const policy::PolicySpec& spec);

}  // namespace pgveil::app
