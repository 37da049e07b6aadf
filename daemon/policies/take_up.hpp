#pragma once
// Decides which stored versions of policies over one table may be open together. A program that publishes a
// version records in it the versions beside which it was found sound (policy::PolicyVersion::beside). Some
// versions lack an entry: those that another program or an older pgveil stored without the check, and those
// whose policy was absent or accepted more meanwhile. They stay closed until they have been counted together
// with the others. Pure.
#include <memory>
#include <string>
#include <vector>

#include "policy/spec/spec.hpp"
#include "policy/version/version.hpp"

namespace pgveil::app {

// One policy over a table, and its current version.
struct Release {
  std::shared_ptr<const policy::PolicySpec> spec;
  std::shared_ptr<const policy::PolicyVersion> version;  // null: not built, withdrawn, or of an older text
};

// Whether this policy is compared with the others. It is not if its owner accepts by name what they show
// together.
[[nodiscard]] bool is_judged(const policy::PolicySpec& spec);

// Per release: whether its version may be open. Versions are opened in the order of their age. A version that
// must be judged is opened only if one of the versions that are already open names all the others. So of two
// versions that were never compared, the older one is open. A release without a version gets false.
[[nodiscard]] std::vector<bool> taken_up(const std::vector<Release>& releases);

// "policy a (version 3)": the open versions that are judged together with this one, for messages.
[[nodiscard]] std::string neighbours_of(const std::vector<Release>& releases, std::size_t at);

}  // namespace pgveil::app
