#pragma once
// Everything a verdict depends on, in one immutable value: catalog, policies, versions, lists, compiled
// masks. BUILD, RELOAD, drift repair and catalog changes make a new snapshot (make_snapshot.hpp) and replace
// the old one whole.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "policy/spec/spec.hpp"
#include "policy/version/version.hpp"
#include "rewriter/catalog/access.hpp"
#include "rewriter/catalog/built_table.hpp"
#include "rewriter/catalog/catalog.hpp"
#include "rewriter/catalog/own_schema.hpp"
#include "rewriter/mask/mask_form.hpp"

namespace pgveil::rewriter {

struct TableGuard;  // table_guard.hpp
struct Mask;        // mask.hpp: the compiled masking sub-select of one version
struct PolicyMask;  // policy_mask.hpp: it, and all that it was made of
class Snapshot;

// One policy with its current version, or the reason why it has none.
struct PolicyState {
  std::shared_ptr<const policy::PolicySpec> spec;
  std::shared_ptr<const policy::PolicyVersion>
      version;                 // null: the table answers 42501 with `closed_because`
  std::string closed_because;  // "build needed", "the table changed since version 3 …"
  // enforcement: stored: why masks are in each query all the same; empty when they are not. Set by
  // make_snapshot.
  std::string not_stored_because = {};
};

// What a partition is that was a table of its own in the snapshot before.
enum class Attached {
  belongs,  // part of its table, as all others
  stranger  // an open table above it is shut
};

// Masks that the snapshot before does not have.
enum class NewMasks {
  make,
  wait  // their policies are closed for now
};

struct SnapshotInput {
  std::shared_ptr<const Catalog> catalog;
  std::vector<PolicyState> policies;               // of this database only
  std::vector<std::string> open_tables;            // "schema.table", or a view
  std::map<std::string, Access> open_access = {};  // of those of them that not everybody may read
  std::uint64_t generation = 0;                    // differs between any two snapshots of one process
  VersionGuard version_guard = VersionGuard::absent;
  MaskSource mask_source = MaskSource::text;  // view: query_role can't read the tables of policies
  MaskChoice mask_choice = MaskChoice::cheapest;
  LookUps look_ups = LookUps::yes;
  std::shared_ptr<const Snapshot> before =
      nullptr;  // masks that were made of the same are taken over from it
  NewMasks new_masks = NewMasks::make;
  // Of any policy, whether it is there or not. The versions in `policies` need not be among them.
  std::vector<BuiltTable> built_tables = {};
  // A table of its own in `before` that is a partition by now: its rows were not what the configuration
  // opened. RELOAD takes it so.
  Attached attached = Attached::belongs;
};

class Snapshot {
 public:
  struct ProtectedTable {
    PolicyState state;
    const Relation* relation = nullptr;  // owned by the catalog; null: the table does not exist (closed)
    std::shared_ptr<const Mask> mask;    // null when closed
    std::shared_ptr<const PolicyMask> made = nullptr;  // what `mask` is of
    bool is_waiting = false;            // closed only because its mask is not made yet (NewMasks::wait)
    std::shared_ptr<const Mask> plain;  // what exempt roles read; null: the table itself
    std::set<std::string, std::less<>> granted = {};  // access: from_database: who may read it, masked
  };

  [[nodiscard]] const Catalog& catalog() const { return *catalog_; }
  [[nodiscard]] std::uint64_t generation() const { return generation_; }
  // view: only masks stand for protected tables, so nobody reads one by exemption and none is sampled.
  [[nodiscard]] MaskSource mask_source() const { return mask_source_; }
  [[nodiscard]] MaskChoice mask_choice() const { return mask_choice_; }
  [[nodiscard]] const std::vector<ProtectedTable>& protected_tables() const { return protected_; }
  // A table that may stand in SQL that is sent for this role.
  [[nodiscard]] bool is_open(const Relation& relation, std::string_view role) const;
  // What a statement that reads this table as it is asks of it; null: no table of the database is protected.
  [[nodiscard]] const TableGuard* table_guard(const Relation& relation) const;
  // A listed table that nobody reads for now, and why; null: it is not listed, or open.
  [[nodiscard]] const std::string* shut_because(const Relation& relation) const;
  [[nodiscard]] const std::map<std::uint32_t, std::string>& shut_tables() const { return shut_; }
  // Partitions that were tables of their own when the configuration was read.
  [[nodiscard]] const std::set<std::uint32_t>& strangers() const { return strangers_; }
  // Every table that this process knows a version or a policy of, under the names that they had.
  [[nodiscard]] const std::vector<BuiltTable>& built_tables() const { return built_tables_; }
  // A listed view that this role may read: it never stands in SQL that is sent, its definition takes its
  // place (resolve/resolve_view.cpp).
  [[nodiscard]] bool is_expanded(const Relation& relation, std::string_view role) const;
  [[nodiscard]] bool is_listed_view(const Relation& relation) const;
  // PostgreSQL's grants say who reads it.
  [[nodiscard]] bool asks_database(const Relation& relation) const;
  // Somebody may read something here that `later` keeps from him, and not only until a mask is made.
  [[nodiscard]] bool shows_more_than(const Snapshot& later) const;
  // Every role that is named as somebody who may read something.
  [[nodiscard]] std::set<std::string> roles() const;
  // The policy on this relation that lists the role as reader or exempt; null: none does.
  [[nodiscard]] const ProtectedTable* policy_for(const Relation& relation, const std::string& role) const {
    return policy_for(relation.oid, role);
  }
  [[nodiscard]] const ProtectedTable* policy_for(std::uint32_t oid, const std::string& role) const;
  [[nodiscard]] bool has_policy(const Relation& relation) const;
  // The compiled mask of a readable system catalog; null: not one.
  [[nodiscard]] const Mask* catalog_mask(const Relation& relation) const {
    return catalog_mask(relation.oid);
  }
  [[nodiscard]] const Mask* catalog_mask(std::uint32_t oid) const;
  // What this role reads the table of this OID through, a mask or, exempt, its plain columns; null: nothing,
  // or the table itself.
  [[nodiscard]] const Mask* mask_for(std::uint32_t oid, const std::string& role) const;

 private:
  friend class SnapshotMaker;  // make_snapshot.cpp
  std::shared_ptr<const Catalog> catalog_;
  std::uint64_t generation_ = 0;
  MaskSource mask_source_ = MaskSource::text;
  MaskChoice mask_choice_ = MaskChoice::cheapest;
  std::vector<ProtectedTable> protected_;
  std::multimap<std::uint32_t, std::size_t> by_oid_;
  // Who may read it; nullopt: everybody.
  using Readers = std::optional<std::set<std::string, std::less<>>>;
  [[nodiscard]] static bool lets_in(const std::map<std::uint32_t, Readers>& relations,
                                    const Relation& relation, std::string_view role);
  [[nodiscard]] static bool keeps_from_somebody(const std::map<std::uint32_t, Readers>& relations,
                                                const std::map<std::uint32_t, Readers>& later);
  std::map<std::uint32_t, Readers> open_;
  std::map<std::uint32_t, std::shared_ptr<const TableGuard>> guards_;
  std::map<std::uint32_t, std::string> shut_;
  std::set<std::uint32_t> strangers_;
  std::vector<BuiltTable> built_tables_;
  std::map<std::uint32_t, Readers> expanded_;
  std::set<std::uint32_t> from_database_;
  std::map<std::uint32_t, std::shared_ptr<const Mask>> catalog_masks_;
};

}  // namespace pgveil::rewriter
