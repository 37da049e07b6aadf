#pragma once
// Everything that a verdict depends on, in one immutable value: catalog, policies, versions, lists, compiled
// masks. BUILD, RELOAD, drift repair and catalog changes make a new snapshot (make_snapshot.hpp), which
// replaces the old one as a whole.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "common/in_parts.hpp"
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
struct PolicyMask;  // policy_mask.hpp: the mask and everything that it was made from
struct Notice;      // statement/notice.hpp
class Snapshot;

// One policy with its current version, or the reason why it has none.
struct PolicyState {
  std::shared_ptr<const policy::PolicySpec> spec;
  std::shared_ptr<const policy::PolicyVersion>
      version;                 // null: the table answers 42501 with `closed_because`
  std::string closed_because;  // "build needed", "the table changed since version 3 …"
  // With enforcement: stored, why masks are nevertheless in each query; empty when they are not. Set by
  // make_snapshot.
  std::string not_stored_because = {};
};

// What a snapshot is made for.
enum class Occasion {
  // The start, RELOAD or check. An entry of open_tables that does not fit is an error. To leave it closed
  // would not do: what it kept closed, such as a partition of its own, may be opened by another entry.
  owner_asked,
  catalog_changed  // while the proxy serves: what nobody has looked at is shut, and the rest is served
};

// What to do about masks that the previous snapshot does not have.
enum class NewMasks {
  make,
  wait  // do not make them; their policies are closed for now
};

// Whether readers are told what masks do to an answer.
enum class ReaderNotices { no, yes };

struct SnapshotInput {
  std::shared_ptr<const Catalog> catalog;
  std::vector<PolicyState> policies;               // of this database only
  std::vector<std::string> open_tables;            // "schema.table", or a view
  std::set<std::string> by_pattern = {};           // those of open_tables that only a pattern opens
  std::map<std::string, Access> open_access = {};  // for open tables and views that not everybody may read
  std::uint64_t generation = 0;                    // differs between any two snapshots of one process
  VersionGuard version_guard = VersionGuard::absent;
  MaskSource mask_source = MaskSource::text;  // view: query_role can't read the tables of policies
  MaskChoice mask_choice = MaskChoice::cheapest;
  LookUps look_ups = LookUps::yes;
  Estimates estimates = Estimates::large_tables;
  ReaderNotices notices = ReaderNotices::yes;
  std::shared_ptr<const Snapshot> before =
      nullptr;  // masks that were made of the same are taken over from it
  NewMasks new_masks = NewMasks::make;
  // The tables of any policy, whether the policy still exists or not. The versions in `policies` need not be
  // included.
  std::vector<BuiltTable> built_tables = {};
  // catalog_changed also shuts an open table above a partition that was a table of its own in `before`,
  // because the configuration did not open its rows.
  Occasion occasion = Occasion::owner_asked;
  InParts in_parts = in_turn;  // how new masks are made and verified
};

class Snapshot {
 public:
  struct ProtectedTable {
    PolicyState state;
    const Relation* relation = nullptr;  // owned by the catalog; null: the table does not exist (closed)
    std::shared_ptr<const Mask> mask;    // null when closed
    std::shared_ptr<const PolicyMask> made = nullptr;  // the value that `mask` is part of
    bool is_waiting = false;            // closed only because its mask is not made yet (NewMasks::wait)
    std::shared_ptr<const Mask> plain;  // what exempt roles read; null: the table itself
    std::set<std::string, std::less<>> granted = {};  // access: from_database: who may read it, masked
    std::shared_ptr<const Notice> notice = nullptr;   // what readers are told of it; null: nothing
  };

  [[nodiscard]] const Catalog& catalog() const { return *catalog_; }
  [[nodiscard]] std::uint64_t generation() const { return generation_; }
  // view: protected tables are only reachable through masks, so no role reads one by exemption, and none is
  // sampled.
  [[nodiscard]] MaskSource mask_source() const { return mask_source_; }
  [[nodiscard]] MaskChoice mask_choice() const { return mask_choice_; }
  [[nodiscard]] Estimates estimates() const { return estimates_; }
  [[nodiscard]] ReaderNotices notices() const { return notices_; }
  // The texts are those of policies' sources, which BUILD evaluates once for all readers
  // (compile/source_query.hpp). Nothing in them may depend on who asks, or when.
  [[nodiscard]] bool is_for_source() const { return is_for_source_; }
  [[nodiscard]] const std::vector<ProtectedTable>& protected_tables() const { return protected_; }
  // Whether the table may stand in SQL that is sent for this role.
  [[nodiscard]] bool is_open(const Relation& relation, std::string_view role) const;
  // The guard for statements that read this table as it is; null: no table of the database is protected.
  [[nodiscard]] const TableGuard* table_guard(const Relation& relation) const;
  // Why a listed table is shut for everybody for now; null: it is not listed, or it is open.
  [[nodiscard]] const std::string* shut_because(const Relation& relation) const;
  [[nodiscard]] const std::map<std::uint32_t, std::string>& shut_tables() const { return shut_; }
  // Of each entry of open_tables that fits no table any more: why, for the owner. Clients are not told.
  [[nodiscard]] const std::vector<std::string>& missing_tables() const { return missing_; }
  // Partitions that were tables of their own when the configuration was read.
  [[nodiscard]] const std::set<std::uint32_t>& strangers() const { return strangers_; }
  // Every table of which this process knows a version or a policy, under every name that it had.
  [[nodiscard]] const std::vector<BuiltTable>& built_tables() const { return built_tables_; }
  // Whether this is a listed view that the role may read. Such a view never stands in SQL that is sent; its
  // definition takes its place (resolve/resolve_view.cpp).
  [[nodiscard]] bool is_expanded(const Relation& relation, std::string_view role) const;
  [[nodiscard]] bool is_listed_view(const Relation& relation) const;
  // Whether PostgreSQL's grants decide who reads it.
  [[nodiscard]] bool asks_database(const Relation& relation) const;
  // Whether policies are closed only until their masks are made (NewMasks::wait), so that another snapshot
  // follows soon.
  [[nodiscard]] bool is_making_masks() const { return is_making_masks_; }
  // Whether somebody may read something in this snapshot that `later` denies, other than only until a mask is
  // made.
  [[nodiscard]] bool shows_more_than(const Snapshot& later) const;
  // Every role that is named as one that may read something.
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
  // What this role reads in place of the table of this OID: a mask or, for an exempt role, its plain columns;
  // null: nothing, or the table itself.
  [[nodiscard]] const Mask* mask_for(std::uint32_t oid, const std::string& role) const;

 private:
  friend class SnapshotMaker;        // make_snapshot.cpp
  friend class SourceSnapshotMaker;  // source_query.cpp
  std::shared_ptr<const Catalog> catalog_;
  std::uint64_t generation_ = 0;
  bool is_making_masks_ = false;
  MaskSource mask_source_ = MaskSource::text;
  MaskChoice mask_choice_ = MaskChoice::cheapest;
  Estimates estimates_ = Estimates::large_tables;
  ReaderNotices notices_ = ReaderNotices::yes;
  bool is_for_source_ = false;
  std::vector<ProtectedTable> protected_;
  std::multimap<std::uint32_t, std::size_t> by_oid_;
  // Who may read a relation; nullopt: everybody.
  using Readers = std::optional<std::set<std::string, std::less<>>>;
  [[nodiscard]] static bool lets_in(const std::map<std::uint32_t, Readers>& relations,
                                    const Relation& relation, std::string_view role);
  [[nodiscard]] static bool keeps_from_somebody(const std::map<std::uint32_t, Readers>& relations,
                                                const std::map<std::uint32_t, Readers>& later);
  std::map<std::uint32_t, Readers> open_;
  std::map<std::uint32_t, std::shared_ptr<const TableGuard>> guards_;
  std::map<std::uint32_t, std::string> shut_;
  std::vector<std::string> missing_;
  std::set<std::uint32_t> strangers_;
  std::vector<BuiltTable> built_tables_;
  std::map<std::uint32_t, Readers> expanded_;
  std::set<std::uint32_t> from_database_;
  std::map<std::uint32_t, std::shared_ptr<const Mask>> catalog_masks_;
};

}  // namespace pgveil::rewriter
