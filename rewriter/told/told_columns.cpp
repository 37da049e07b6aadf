#include "rewriter/told/told_columns.hpp"

#include <algorithm>

#include "common/assert.hpp"

namespace pgveil::rewriter {
namespace {

using policy::ColumnClass;

// Columns that an attribute of the tree shows; 0 of all others.
int shown_percent_of(const policy::PolicyVersion& version, std::string_view column) {
  const auto& attributes = version.tree.attributes;
  const auto at = std::ranges::find(attributes, column, &policy::TreeAttribute::name);
  const auto index = static_cast<std::size_t>(at - attributes.begin());
  const policy::Disclosure& disclosure = version.disclosure;
  if (at == attributes.end() || index >= disclosure.disclosed_by_attribute.size()) return 0;
  return whole_percent(disclosure.disclosed_by_attribute[index], disclosure.rows);
}

ToldColumn told_column(const Column& column, const policy::PolicySpec& spec,
                       const policy::PolicyVersion& version) {
  const auto rule = std::ranges::find(spec.columns, column.name, &policy::ColumnRule::name);
  ToldColumn out{.name = column.name, .column_class = std::nullopt};
  if (rule == spec.columns.end()) return out;
  out.column_class = rule->column_class;
  if (rule->level) out.level = &*rule->level;
  switch (rule->column_class) {
    case ColumnClass::identifier: break;
    case ColumnClass::quasi_identifier: out.shown_percent = shown_percent_of(version, column.name); break;
    case ColumnClass::sensitive:
    case ColumnClass::insensitive:
    case ColumnClass::key: out.shown_percent = 100; break;
  }
  return out;
}

struct NameOfLevel {
  std::string_view operator()(const policy::Bins&) const { return "width"; }
  std::string_view operator()(const policy::Bounds&) const { return "bounds"; }
  std::string_view operator()(const policy::Period&) const { return "period"; }
  std::string_view operator()(const policy::Prefix&) const { return "prefix"; }
  std::string_view operator()(const policy::Groups&) const { return "hierarchy"; }
};

}  // namespace

int whole_percent(std::uint64_t part, std::uint64_t whole) {
  if (part == 0) return 0;
  if (part >= whole) return 100;
  return std::clamp(static_cast<int>((part * 100 + whole / 2) / whole), 1, 99);
}

std::vector<ToldColumn> told_columns(const Snapshot::ProtectedTable& table) {
  PGVEIL_ASSERT(table.relation != nullptr && table.state.version != nullptr);
  std::vector<ToldColumn> out;
  for (const Column& column : table.relation->columns)
    out.push_back(told_column(column, *table.state.spec, *table.state.version));
  return out;
}

bool is_shown_as_it_is(const ToldColumn& column) {
  return column.column_class == ColumnClass::sensitive || column.column_class == ColumnClass::insensitive;
}

std::string_view class_name(std::optional<ColumnClass> column_class) {
  if (!column_class) return "unlisted";
  switch (*column_class) {
    case ColumnClass::identifier: return "identifier";
    case ColumnClass::quasi_identifier: return "quasi_identifier";
    case ColumnClass::sensitive: return "sensitive";
    case ColumnClass::insensitive: return "insensitive";
    case ColumnClass::key: return "key";
  }
  return {};
}

std::string_view level_name(const policy::LevelMethod& method) {
  return std::visit(NameOfLevel{}, method);
}

std::string_view enforcement_name(policy::Enforcement enforcement) {
  switch (enforcement) {
    case policy::Enforcement::query: return "query";
    case policy::Enforcement::stored: return "stored";
    case policy::Enforcement::copy: return "copy";
  }
  return {};
}

bool is_told_of(const Snapshot::ProtectedTable& table, const std::string& role, const Snapshot& snapshot) {
  if (table.relation == nullptr || snapshot.policy_for(*table.relation, role) != &table) return false;
  const auto& exempt = table.state.spec->exempt_roles;
  return std::ranges::find(exempt, role) == exempt.end();
}

}  // namespace pgveil::rewriter
