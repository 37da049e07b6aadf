#include "tests/unit/review/surroundings_world.hpp"

#include <algorithm>

namespace pgveil::review::test {
using rewriter::Column;
using rewriter::Relation;
using rewriter::RelationKind;
using rewriter::RelationOid;

namespace {

constexpr RelationOid kFirstOid = 20'000;

Column column_of(int number, const std::string& text) {
  const auto colon = text.find(':');
  Column column;
  column.number = number;
  column.name = text.substr(0, colon);
  column.type_schema = "pg_catalog";
  column.type_name = colon == std::string::npos ? "text" : text.substr(colon + 1);
  column.type_text = column.type_name;
  column.type_category = column.type_name == "text" ? 'S' : column.type_name.starts_with("int") ? 'N' : 'U';
  return column;
}

policy::ColumnClass class_of(char letter) {
  switch (letter) {
    case 'i': return policy::ColumnClass::identifier;
    case 'q': return policy::ColumnClass::quasi_identifier;
    case 's': return policy::ColumnClass::sensitive;
    default: return policy::ColumnClass::insensitive;
  }
}

}  // namespace

RelationOid SurroundingsWorld::add(const std::string& name, const std::vector<std::string>& columns,
                                   RelationKind kind) {
  Relation relation;
  relation.oid = kFirstOid + static_cast<RelationOid>(catalog.relations.size());
  const auto dot = name.find('.');
  relation.schema = name.substr(0, dot);
  relation.name = name.substr(dot + 1);
  relation.kind = kind;
  for (const auto& text : columns)
    relation.columns.push_back(column_of(static_cast<int>(relation.columns.size()) + 1, text));
  const auto oid = relation.oid;
  catalog.relations.emplace(std::pair{relation.schema, relation.name}, std::move(relation));
  return oid;
}

Relation& SurroundingsWorld::relation(RelationOid oid) {
  return std::ranges::find_if(catalog.relations, [&](const auto& entry) { return entry.second.oid == oid; })
      ->second;
}

policy::PolicySpec& SurroundingsWorld::protect(const std::string& table,
                                               const std::vector<std::string>& columns) {
  policy::PolicySpec spec;
  spec.name = "policy" + std::to_string(policies.size() + 1);
  spec.database = catalog.database;
  spec.schema = table.substr(0, table.find('.'));
  spec.table = table.substr(table.find('.') + 1);
  spec.k = 2;
  spec.readers = {"analyst"};
  for (const auto& text : columns)
    spec.columns.push_back({text.substr(0, text.find(':')), class_of(text.back()), {}, {}});
  policies.push_back(std::move(spec));
  return policies.back();
}

OwnerDecisions SurroundingsWorld::standings() const {
  std::vector<const policy::PolicySpec*> specs;
  for (const auto& spec : policies) specs.push_back(&spec);
  return {catalog, specs, open_tables};
}

const Finding* find(const std::vector<Finding>& findings, FindingKind kind, const std::string& object) {
  const auto at = std::ranges::find_if(
      findings, [&](const Finding& finding) { return finding.kind == kind && finding.object == object; });
  return at == findings.end() ? nullptr : &*at;
}

PeopleWorld::PeopleWorld() {
  catalog.database = "demo";
  policies.reserve(8);  // protect() hands out references
  people = add("public.people", {"id:int4", "name", "city", "visits:int4"});
  protect("public.people", {"id:i", "name:i", "city:q", "visits:v"});
}

}  // namespace pgveil::review::test
