#pragma once
// Everything a verdict depends on, in one immutable value: catalog, policies, versions, lists, compiled masks.
// BUILD, RELOAD, drift repair and catalog changes make a new snapshot and replace the old one whole.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "policy/spec.hpp"
#include "policy/version.hpp"
#include "rewriter/access.hpp"
#include "rewriter/catalog.hpp"
#include "rewriter/mask_form.hpp"
#include "rewriter/mask_view.hpp"
#include "rewriter/version_guard.hpp"

namespace pgveil::rewriter {

struct Mask;  // masks.hpp: the compiled masking sub-select of one version

// One policy with its current version, or the reason why it has none.
struct PolicyState {
  std::shared_ptr<const policy::PolicySpec> spec;
  std::shared_ptr<const policy::PolicyVersion>
      version;                 // null: the table answers 42501 with `closed_because`
  std::string closed_because;  // "build needed", "the table changed since version 3 …"
  // enforcement: stored: why masks are in each query all the same; empty when they are not. Set by make_snapshot.
  std::string not_stored_because = {};
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
};

class Snapshot {
 public:
  struct ProtectedTable {
    PolicyState state;
    const Relation* relation = nullptr;  // owned by the catalog; null: the table does not exist (closed)
    std::shared_ptr<const Mask> mask;    // null when closed
    std::shared_ptr<const Mask> plain;   // what exempt roles read; null: the table itself
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
  // A listed view that this role may read: it never stands in SQL that is sent, its definition takes its place
  // (resolve/resolve_view.cpp).
  [[nodiscard]] bool is_expanded(const Relation& relation, std::string_view role) const;
  [[nodiscard]] bool is_listed_view(const Relation& relation) const;
  // PostgreSQL's grants say who reads it.
  [[nodiscard]] bool asks_database(const Relation& relation) const;
  // Every role that is named as somebody who may read something.
  [[nodiscard]] std::set<std::string> roles() const;
  // The policy on this relation that lists the role as reader or exempt; null: none does.
  [[nodiscard]] const ProtectedTable* policy_for(const Relation& relation, const std::string& role) const {
    return policy_for(relation.oid, role);
  }
  [[nodiscard]] const ProtectedTable* policy_for(std::uint32_t oid, const std::string& role) const;
  [[nodiscard]] bool has_policy(const Relation& relation) const;
  // The compiled mask of a readable system catalog; null: not one.
  [[nodiscard]] const Mask* catalog_mask(const Relation& relation) const;
  // What this role reads the table of this OID through, a mask or, exempt, its plain columns; null: nothing, or the table itself.
  [[nodiscard]] const Mask* mask_for(std::uint32_t oid, const std::string& role) const;

 private:
  friend Result<std::shared_ptr<const Snapshot>> make_snapshot(SnapshotInput input);
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
  std::map<std::uint32_t, Readers> open_;
  std::map<std::uint32_t, Readers> expanded_;
  std::set<std::uint32_t> from_database_;
  std::map<std::uint32_t, std::shared_ptr<const Mask>> catalog_masks_;
};

// Checks each policy against the catalog (policy_check.hpp), closes those that do not fit (closed_because says why) and
// compiles the masks of the others; each compiled mask is checked against its tree by verify_mask before it is used.
// Errors: an open_tables entry that does not exist, is neither a plain or partitioned table nor a view, also has a policy,
// or has inheritance relatives that are not open too.
[[nodiscard]] Result<std::shared_ptr<const Snapshot>> make_snapshot(SnapshotInput input);

// The shape of a table as the catalog shows it now; a version is current only while its own shape equals it.
[[nodiscard]] policy::TableShape shape_of(const Relation& relation);

// The version was built of this table as it is.
[[nodiscard]] bool is_of(const policy::PolicyVersion& version, const Relation& relation);

}  // namespace pgveil::rewriter
