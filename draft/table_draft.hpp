#pragma once
// Proposes a policy for one table that holds persons or what happened to them: the class of each column,
// levels, k, the unit and the priority, each with its reason. It errs on the side of hiding.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "draft/facts.hpp"
#include "draft/roles.hpp"
#include "policy/spec/spec.hpp"

namespace pgveil::draft {

inline constexpr std::size_t kMostQuasiIdentifiers = 8;

struct ColumnDraft {
  std::string name;
  policy::ColumnClass column_class = policy::ColumnClass::identifier;
  std::string reason;
  std::string generalize;  // as YAML; empty: none
  std::string more;        // what the owner could add; empty: nothing
};

struct TableDraft {
  std::uint64_t k = 0;
  std::string k_reason;
  std::optional<std::string> unit;
  std::string unit_reason;
  std::vector<ColumnDraft> columns;
  std::vector<std::string> priority;  // empty: a single quasi-identifier needs none
  std::vector<std::string> findings;  // how far the quasi-identifiers single rows out, in sentences
};

// The draft, or why there is none.
struct Proposal {
  std::optional<TableDraft> draft;
  std::string why_not;
};
// REQUIRES: role is that of the table, and Role::persons or Role::events.
[[nodiscard]] Proposal propose(const Database& database, const TableFacts& table, const TableRole& role,
                               const std::vector<TableRole>& roles);

}  // namespace pgveil::draft
