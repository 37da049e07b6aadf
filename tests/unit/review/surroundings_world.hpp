#pragma once
// A database written by hand for the checks of what surrounds a policy: tables with columns, and edges
// between them.
#include <string>
#include <vector>

#include "common/finding.hpp"
#include "policy/spec/spec.hpp"
#include "review/owner_decisions.hpp"
#include "rewriter/catalog/catalog.hpp"
#include "rewriter/catalog/surroundings.hpp"

namespace pgveil::review::test {

struct SurroundingsWorld {
  rewriter::Catalog catalog;
  std::vector<policy::PolicySpec> policies;
  std::vector<std::string> open_tables;
  rewriter::Surroundings around;

  // columns: "name" (text) or "name:type", numbered from 1. → its OID
  rewriter::RelationOid add(const std::string& name, const std::vector<std::string>& columns,
                            rewriter::RelationKind kind = rewriter::RelationKind::table);
  [[nodiscard]] rewriter::Relation& relation(rewriter::RelationOid oid);
  // The policy's columns: "name:i" identifier, q quasi-identifier, s sensitive, v insensitive.
  policy::PolicySpec& protect(const std::string& table, const std::vector<std::string>& columns);
  [[nodiscard]] OwnerDecisions standings() const;
};

[[nodiscard]] const Finding* find(const std::vector<Finding>& findings, FindingKind kind,
                                  const std::string& object);

// public.people (id, name, city, visits) with a policy: id and name identifiers, city quasi-identifier,
// visits shown.
struct PeopleWorld : SurroundingsWorld {
  rewriter::RelationOid people;
  PeopleWorld();
};

}  // namespace pgveil::review::test
