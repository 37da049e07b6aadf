#pragma once
// What the owner decided about each relation of one database: it has policies, it is open, or neither.
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "policy/spec/spec.hpp"
#include "rewriter/catalog/catalog.hpp"
#include "rewriter/catalog/surroundings.hpp"

namespace pgveil::review {

// Of the schema pgveil: versions, masks as views (mask_view.hpp). No client can name it, so it wants no
// decision.
[[nodiscard]] bool is_own(const rewriter::Relation& relation);

// REQUIRES: the catalog and the policies outlive it.
class OwnerDecisions {
 public:
  OwnerDecisions(const rewriter::Catalog& catalog, const std::vector<const policy::PolicySpec*>& policies,
                 const std::vector<std::string>& open_tables);

  [[nodiscard]] const rewriter::Relation* find(
      rewriter::RelationOid oid) const;  // nullptr: a temporary one, or not readable by queries
  [[nodiscard]] bool is_open(rewriter::RelationOid oid) const { return open_.contains(oid); }
  // A listed view: readers see what it makes of the tables that they may read, masked where those are.
  [[nodiscard]] bool is_expanded(rewriter::RelationOid oid) const { return expanded_.contains(oid); }
  [[nodiscard]] bool has_policy(rewriter::RelationOid oid) const { return policies_.contains(oid); }
  // Empty when there are none.
  [[nodiscard]] std::span<const policy::PolicySpec* const> policies_of(rewriter::RelationOid oid) const;
  // Relations with policies, by OID, and all others outside the system's schemas.
  [[nodiscard]] const std::vector<const rewriter::Relation*>& guarded() const { return protected_; }
  [[nodiscard]] const std::vector<const rewriter::Relation*>& others() const { return others_; }

 private:
  std::map<rewriter::RelationOid, const rewriter::Relation*> relations_;
  std::map<rewriter::RelationOid, std::vector<const policy::PolicySpec*>> policies_;
  std::set<rewriter::RelationOid> open_;
  std::set<rewriter::RelationOid> expanded_;
  std::vector<const rewriter::Relation*> protected_;
  std::vector<const rewriter::Relation*> others_;
};

// "public.people", as open_tables and `acknowledged` write it.
[[nodiscard]] std::string name_of(const rewriter::Relation& relation);
// "public.people.city"
[[nodiscard]] std::string name_of(const rewriter::Relation& relation, const rewriter::Column& column);

// Readers see every value of it: sensitive and insensitive columns.
[[nodiscard]] bool is_shown(const policy::PolicySpec& spec, std::string_view column);
[[nodiscard]] bool is_quasi_identifier(const policy::PolicySpec& spec, std::string_view column);

// Could their values be the same things? The category of the type, and for types of no category the type
// itself.
[[nodiscard]] bool is_of_one_family(const rewriter::Column& a, const rewriter::Column& b);

}  // namespace pgveil::review
