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

// Whether it belongs to the schema pgveil: versions, masks as views (mask_view.hpp). No client can name such
// a relation, so it needs no decision.
[[nodiscard]] bool is_own(const rewriter::Relation& relation);

// REQUIRES: the catalog and the policies outlive this object.
class OwnerDecisions {
 public:
  OwnerDecisions(const rewriter::Catalog& catalog, const std::vector<const policy::PolicySpec*>& policies,
                 const std::vector<std::string>& open_tables);

  [[nodiscard]] const rewriter::Relation* find(
      rewriter::RelationOid oid) const;  // nullptr: it is temporary, or queries cannot read it
  [[nodiscard]] bool is_open(rewriter::RelationOid oid) const { return open_.contains(oid); }
  // Whether it is a listed view: readers see what the view makes of the tables that they may read, masked
  // where those are.
  [[nodiscard]] bool is_expanded(rewriter::RelationOid oid) const { return expanded_.contains(oid); }
  [[nodiscard]] bool has_policy(rewriter::RelationOid oid) const { return policies_.contains(oid); }
  // Empty if there are none.
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

// "public.people", as in open_tables and `acknowledged`.
[[nodiscard]] std::string name_of(const rewriter::Relation& relation);
// "public.people.city"
[[nodiscard]] std::string name_of(const rewriter::Relation& relation, const rewriter::Column& column);

// Whether readers see every value of the column: true for sensitive and insensitive columns.
[[nodiscard]] bool is_shown(const policy::PolicySpec& spec, std::string_view column);
[[nodiscard]] bool is_quasi_identifier(const policy::PolicySpec& spec, std::string_view column);

// Whether so many tables have a column of this name that the name says nothing: id, created_at, name, ….
[[nodiscard]] bool is_ordinary_name(std::string_view column);

// Whether values of the two columns could denote the same things. Compares the categories of the types, and
// for types without a category the types themselves.
[[nodiscard]] bool is_of_one_family(const rewriter::Column& a, const rewriter::Column& b);

}  // namespace pgveil::review
