#include "review/owner_decisions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "rewriter/catalog/own_schema.hpp"

namespace pgveil::review {

using policy::ColumnClass;
using policy::PolicySpec;

bool is_own(const rewriter::Relation& relation) {
  return relation.schema == rewriter::kOwnSchema;
}

OwnerDecisions::OwnerDecisions(const rewriter::Catalog& catalog,
                               const std::vector<const PolicySpec*>& policies,
                               const std::vector<std::string>& open_tables) {
  for (const auto& [key, relation] : catalog.relations) relations_.emplace(relation.oid, &relation);
  for (const PolicySpec* spec : policies) {
    const rewriter::Relation* relation = catalog.find(spec->schema, spec->table);
    if (relation != nullptr && spec->database == catalog.database) policies_[relation->oid].push_back(spec);
  }
  for (const std::string& entry : open_tables) {
    const auto dot = entry.find('.');
    if (dot == std::string::npos) continue;
    const rewriter::Relation* relation = catalog.find(entry.substr(0, dot), entry.substr(dot + 1));
    if (relation == nullptr) continue;
    (relation->kind == rewriter::RelationKind::view ? expanded_ : open_).insert(relation->oid);
  }
  for (const auto& [oid, relation] : relations_) {
    const bool is_system = relation->schema == "pg_catalog" || relation->schema == "information_schema";
    if (has_policy(oid)) {
      protected_.push_back(relation);
    } else if (!is_system && !is_own(*relation)) {
      others_.push_back(relation);
    }
  }
}

const rewriter::Relation* OwnerDecisions::find(rewriter::RelationOid oid) const {
  const auto at = relations_.find(oid);
  return at == relations_.end() ? nullptr : at->second;
}

std::span<const PolicySpec* const> OwnerDecisions::policies_of(rewriter::RelationOid oid) const {
  const auto at = policies_.find(oid);
  return at == policies_.end() ? std::span<const PolicySpec* const>() : std::span(at->second);
}

std::string name_of(const rewriter::Relation& relation) {
  return fmt::format("{}.{}", relation.schema, relation.name);
}

std::string name_of(const rewriter::Relation& relation, const rewriter::Column& column) {
  return fmt::format("{}.{}", name_of(relation), column.name);
}

namespace {

const policy::ColumnRule* rule_of(const PolicySpec& spec, std::string_view column) {
  const auto at = std::ranges::find(spec.columns, column, &policy::ColumnRule::name);
  return at == spec.columns.end() ? nullptr : &*at;
}

}  // namespace

// A key is not: readers see a pseudonym, which says nothing of the key itself.
bool is_shown(const PolicySpec& spec, std::string_view column) {
  const auto* rule = rule_of(spec, column);
  return rule != nullptr &&
         (rule->column_class == ColumnClass::sensitive || rule->column_class == ColumnClass::insensitive);
}

bool is_quasi_identifier(const PolicySpec& spec, std::string_view column) {
  const auto* rule = rule_of(spec, column);
  return rule != nullptr && rule->column_class == ColumnClass::quasi_identifier;
}

bool is_ordinary_name(std::string_view column) {
  constexpr auto kOrdinary = std::to_array<std::string_view>(
      {"id",         "uuid",       "guid",       "name",        "title",       "label",      "description",
       "created",    "created_at", "created_on", "created_by",  "updated",     "updated_at", "updated_on",
       "updated_by", "modified",   "deleted_at", "inserted_at", "modified_at", "version",    "position",
       "sort_order", "is_active",  "active",     "enabled"});
  return std::ranges::find(kOrdinary, column) != kOrdinary.end();
}

bool is_of_one_family(const rewriter::Column& a, const rewriter::Column& b) {
  const auto family = [](const rewriter::Column& column) {
    return column.type_kind == 'e' ? 'S' : column.type_category;
  };
  if (family(a) != family(b)) return false;
  return family(a) != 'U' || (a.type_schema == b.type_schema && a.type_name == b.type_name);
}

}  // namespace pgveil::review
