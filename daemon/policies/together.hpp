#pragma once
// Counts the policies over one table together. The table is counted once, and the result can be judged
// repeatedly while trees change. Blocks on PostgreSQL while it counts.
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "policy/release/joint_release.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

struct Released {
  const policy::PolicySpec* spec = nullptr;
  const policy::DisclosureTree* tree = nullptr;
};

class Together {
 public:
  // Counts the table's rows by the quasi-identifiers of all these policies, in each policy's unit, with their
  // constrained columns. REQUIRES: at least one policy, all over one table. Errors: as
  // db::TableReading::counts.
  [[nodiscard]] static Result<Together> count(const Config& config,
                                              const std::vector<const policy::PolicySpec*>& policies);

  // False: the tree uses columns that the table no longer has. Its version is closed until the policy is
  // built again.
  [[nodiscard]] bool covers(const policy::DisclosureTree& tree) const;

  struct Flaws {
    std::string what;  // the first one, in one line, for administrators
    std::set<policy::JointClass> classes;
  };
  // Returns nullopt if each joint class is as large and as diverse as all of these policies promise, whatever
  // rows come later. REQUIRES: the policies were counted; covers() is true for each tree.
  [[nodiscard]] std::optional<Flaws> judge(const std::vector<Released>& releases) const;

  // The counts in this policy's own unit. REQUIRES: the policy was counted.
  [[nodiscard]] const policy::Counts& counts_of(const policy::PolicySpec& spec) const;

 private:
  struct InUnit {
    std::optional<std::string> unit;
    policy::Counts counts;
    std::vector<policy::ConstrainedColumn> columns;
  };
  std::vector<InUnit> units_;
};

}  // namespace pgveil::app
