#pragma once
// What readers are told of the columns of a masked table, as values; mask_notice.hpp and own_relation.hpp
// make texts of them. Classes and levels are the owner's words. The share of rows is what a reader could have
// counted through the mask when the version was built.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "policy/spec/spec.hpp"
#include "rewriter/snapshot/snapshot.hpp"

namespace pgveil::rewriter {

struct ToldColumn {
  std::string name;
  std::optional<policy::ColumnClass> column_class;  // nullopt: the policy does not list it, so it is hidden
  int shown_percent = 0;                            // of rows; whole_percent
  const policy::Level* level = nullptr;             // null: it shows exact values. Owned by the policy
};

// 0 only for none and 100 only for all (or more); otherwise the nearest of 1 to 99.
[[nodiscard]] int whole_percent(std::uint64_t part, std::uint64_t whole);

// In the table's order. REQUIRES: the policy is open.
[[nodiscard]] std::vector<ToldColumn> told_columns(const Snapshot::ProtectedTable& table);

// Whether the mask shows the column as it is, whatever the tree. It does not of a key: readers see
// pseudonyms, and NULL in rows that are linked to nobody.
[[nodiscard]] bool is_shown_as_it_is(const ToldColumn& column);
// identifier, quasi_identifier, sensitive, insensitive, key, unlisted
[[nodiscard]] std::string_view class_name(std::optional<policy::ColumnClass> column_class);

// What kind of level it is: width, bounds, period, prefix, hierarchy. Not which: a hierarchy lists values.
[[nodiscard]] std::string_view level_name(const policy::LevelMethod& method);

// query, stored, copy
[[nodiscard]] std::string_view enforcement_name(policy::Enforcement enforcement);

// The role reads this table through its mask, or would, if the policy were not closed.
[[nodiscard]] bool is_told_of(const Snapshot::ProtectedTable& table, const std::string& role,
                              const Snapshot& snapshot);

}  // namespace pgveil::rewriter
