#pragma once
// Decides which stored versions of policies over one table may be open together. Whoever publishes a version
// writes into it beside which others it was found sound (policy::PolicyVersion::beside). Some versions have
// no such line: those that another program or an older pgveil stored without looking, and those whose policy
// was absent or accepted more meanwhile. They stay closed until somebody has counted them together with the
// others. Pure.
#include <memory>
#include <string>
#include <vector>

#include "policy/spec/spec.hpp"
#include "policy/version/version.hpp"

namespace pgveil::app {

// One policy over a table, and its current version.
struct Release {
  std::shared_ptr<const policy::PolicySpec> spec;
  std::shared_ptr<const policy::PolicyVersion> version;  // null: not built, withdrawn, or of another text
};

// Is this policy held against the others? It is not when its owner accepts by name what they show together.
[[nodiscard]] bool is_judged(const policy::PolicySpec& spec);

// Per release: may its version be open? Versions are opened in the order of their age. One that has to be
// judged is opened only if one of those that are already open names all the others. So of two versions that
// nobody has held against each other, the older one is open. Without a version: false.
[[nodiscard]] std::vector<bool> taken_up(const std::vector<Release>& releases);

// "policy a (version 3)": the open versions that are judged together with this one, for messages.
[[nodiscard]] std::string neighbours_of(const std::vector<Release>& releases, std::size_t at);

}  // namespace pgveil::app
