#pragma once
// A version: what one BUILD made, and from what. Nothing is answered under a version whose policy text or
// table shape is not the current one. Versions are immutable and are replaced as a whole.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "policy/level/enum_label.hpp"
#include "policy/release/lineage.hpp"
#include "policy/tree/disclosure.hpp"
#include "policy/tree/tree.hpp"
#include "policy/utility/utility.hpp"

namespace pgveil::policy {

// The table as the build saw it. Columns are bound by number. Any difference except additional columns closes
// the table until the next BUILD.
struct ShapeColumn {
  int number = 0;
  std::string name;
  std::uint32_t type_oid = 0;
  std::int32_t typmod = -1;
  std::uint32_t collation_oid = 0;
  // The labels of an enum, ascending; none: another type, or a version from before labels were kept.
  std::optional<std::vector<EnumLabel>> labels = std::nullopt;
  bool operator==(const ShapeColumn&) const = default;
};
struct TableShape {
  std::uint32_t table_oid = 0;
  std::uint32_t relfilenode = 0;
  std::string schema;
  std::string name;
  std::vector<ShapeColumn> columns;  // live columns, ascending by number
  bool operator==(const TableShape&) const = default;
};

// Whether a version built on `built` is still right about `now`: the shapes are equal except for labels. In
// the columns with the numbers in `labeled`, each label must still belong to the same value; types may have
// got new labels.
[[nodiscard]] bool still_fits(const TableShape& built, const TableShape& now, const std::set<int>& labeled);

// The same, but the table may have got columns since. PostgreSQL never gives a column's number again, so these
// columns come after all that the table had, and no policy of that time lists them.
[[nodiscard]] bool has_only_grown(const TableShape& built, const TableShape& now,
                                  const std::set<int>& labeled);

// The same as still_fits for one column.
[[nodiscard]] bool still_fits(const ShapeColumn& built, const ShapeColumn& now, bool is_labeled);

struct PolicySpec;
struct PolicyVersion;

// The version was built from this text, or from the same text when another strategy was the default
// (PolicySpec::hash_before): it may be used, and a build goes on from it.
[[nodiscard]] bool is_built_from(const PolicyVersion& version, const PolicySpec& spec);

// The numbers of the columns that the tree tests.
[[nodiscard]] std::set<int> asked_columns(const DisclosureTree& tree);

// Whether the copy's columns have the table's names, types, modifiers and collations, in its order. The
// numbers may differ where columns of the table were dropped.
[[nodiscard]] bool is_copy_of(const TableShape& copy, const TableShape& table);

// With `enforcement: stored`: the generated column that keeps what the tree releases of each row
// (rewriter/mask/stored_decision.hpp).
struct StoredDecision {
  std::string column;  // its name, which distinguishes its expression from those of other trees
  std::string digest;  // hex SHA-256 of the expression as this server prints it
  bool operator==(const StoredDecision&) const = default;
};

// Another policy's version over the same table.
struct Companion {
  std::string policy;
  std::uint64_t number = 0;
  bool operator==(const Companion&) const = default;
};

struct PolicyVersion {
  std::string policy;
  std::uint64_t number = 0;  // 1, 2, … per policy
  std::string spec_hash;     // PolicySpec::hash it was built from
  TableShape shape;
  std::optional<TableShape> copy =
      std::nullopt;  // enforcement: copy: the table of masked rows, which is_copy_of the table
  std::optional<StoredDecision> stored = std::nullopt;  // none: masks are in each query
  DisclosureTree tree;
  Disclosure disclosure;
  std::string built_at;  // UTC, ISO 8601, passed in by the caller
  Lineage lineage = {};  // versions without one are from before there were lineages
  // The versions that were current over the table when this one was published and that were found sound
  // together with it (joint_release.hpp). A version that is published later names this one.
  std::vector<Companion> beside = {};
  // Of the rows that `disclosure` is of. none: a version from before this was measured.
  std::optional<Utility> utility = std::nullopt;
  bool operator==(const PolicyVersion&) const = default;
};

inline constexpr int kVersionFormat = 1;
inline constexpr std::size_t kMaxVersionBytes = std::size_t{64} << 20;  // some 600,000 nodes

// Stable, human-readable JSON with a format number; from_json refuses unknown, missing and duplicate keys,
// more than kMaxVersionBytes, a broken tree (tree_check.hpp says what is checked), tree attributes that are
// not columns of the shape, and other format numbers. Errors: ErrorKind::configuration, with the file and the
// place in it.
[[nodiscard]] std::string to_json(const PolicyVersion& version);
[[nodiscard]] Result<PolicyVersion> version_from_json(std::string_view text, std::string_view file_name);

}  // namespace pgveil::policy
