#include "rewriter/verify/verify_own_relation.hpp"

#include <algorithm>
#include <array>

#include "common/sql_quoting.hpp"
#include "rewriter/verify/verify_stand_in.hpp"

namespace pgveil::rewriter {
namespace {

using policy::ColumnClass;

constexpr auto kNames = std::to_array<std::string_view>(
    {"table_schema", "table_name", "column_name", "policy", "class", "shown_percent", "hidden_as", "level_of",
     "level", "k", "enforcement", "built_at", "copy_age", "state", "relation", "number", "note", "numbers"});

constexpr std::string_view kColumnsHead =
    "SELECT t.column1 AS \"table_schema\", t.column2 AS \"table_name\", t.column3 AS \"column_name\", "
    "t.column4 AS \"policy\", t.column5 AS \"class\", t.column6 AS \"shown_percent\", "
    "t.column7 AS \"hidden_as\", t.column8 AS \"level_of\", t.column9 AS \"level\", t.column10 AS \"k\", "
    "t.column11 AS \"enforcement\", t.column12 AS \"built_at\", "
    "CASE WHEN t.column11 OPERATOR(pg_catalog.=) 'copy'::pg_catalog.text "
    "THEN pg_catalog.statement_timestamp() OPERATOR(pg_catalog.-) t.column12 "
    "ELSE NULL::pg_catalog.interval END AS \"copy_age\" FROM (VALUES (NULL::pg_catalog.text, "
    "NULL::pg_catalog.text, NULL::pg_catalog.text, NULL::pg_catalog.text, NULL::pg_catalog.text, "
    "NULL::pg_catalog.int4, NULL::pg_catalog.text, NULL::pg_catalog.text, NULL::pg_catalog.text, "
    "NULL::pg_catalog.int8, NULL::pg_catalog.text, NULL::pg_catalog.timestamptz)";
constexpr std::string_view kPoliciesHead =
    "SELECT t.column1 AS \"policy\", t.column2 AS \"table_schema\", t.column3 AS \"table_name\", "
    "t.column4 AS \"state\", t.column5 AS \"k\", t.column6 AS \"enforcement\", t.column7 AS \"built_at\", "
    "CASE WHEN t.column6 OPERATOR(pg_catalog.=) 'copy'::pg_catalog.text "
    "THEN pg_catalog.statement_timestamp() OPERATOR(pg_catalog.-) t.column7 "
    "ELSE NULL::pg_catalog.interval END AS \"copy_age\" FROM (VALUES (NULL::pg_catalog.text, "
    "NULL::pg_catalog.text, NULL::pg_catalog.text, NULL::pg_catalog.text, NULL::pg_catalog.int8, "
    "NULL::pg_catalog.text, NULL::pg_catalog.timestamptz)";
constexpr std::string_view kCommentsHead =
    "SELECT t.column1 AS \"relation\", t.column2 AS \"number\", t.column3 AS \"note\" FROM (VALUES "
    "(NULL::pg_catalog.oid, NULL::pg_catalog.int4, NULL::pg_catalog.text)";
constexpr std::string_view kNullableHead =
    "SELECT t.column1 AS \"relation\", t.column2 AS \"table_schema\", t.column3 AS \"table_name\", "
    "t.column4 AS \"numbers\" FROM (VALUES (NULL::pg_catalog.oid, NULL::pg_catalog.text, "
    "NULL::pg_catalog.text, NULL::pg_catalog._int4)";
constexpr std::string_view kTail = ") AS t WHERE t.column1 IS NOT NULL";

std::string text_or_null(std::string_view text) {
  return text.empty() ? std::string("NULL") : quoted_literal(text);
}

std::string built(const Snapshot::ProtectedTable& table) {
  return table.state.version ? text_or_null(table.state.version->built_at) : std::string("NULL");
}

std::string word_of(policy::Enforcement enforcement) {
  switch (enforcement) {
    case policy::Enforcement::query: return "'query'";
    case policy::Enforcement::stored: return "'stored'";
    case policy::Enforcement::copy: return "'copy'";
  }
  return {};
}

std::string kind_of(const policy::LevelMethod& method) {
  if (std::holds_alternative<policy::Bins>(method)) return "'width'";
  if (std::holds_alternative<policy::Bounds>(method)) return "'bounds'";
  if (std::holds_alternative<policy::Period>(method)) return "'period'";
  return std::holds_alternative<policy::Prefix>(method) ? "'prefix'" : "'hierarchy'";
}

// Of what the tree shows in this column; 100 and 0 only when it is so.
std::uint64_t percent_of(const policy::PolicyVersion& version, std::string_view column) {
  const policy::Disclosure& found = version.disclosure;
  for (std::size_t i = 0; i < version.tree.attributes.size(); ++i) {
    if (version.tree.attributes[i].name != column) continue;
    if (i >= found.disclosed_by_attribute.size() || found.disclosed_by_attribute[i] == 0) return 0;
    const std::uint64_t shown = found.disclosed_by_attribute[i];
    if (shown >= found.rows) return 100;
    return std::clamp<std::uint64_t>((200 * shown + found.rows) / (2 * found.rows), 1, 99);
  }
  return 0;
}

std::string row(const Snapshot::ProtectedTable& table, const Column& column) {
  const policy::PolicySpec& spec = *table.state.spec;
  const policy::ColumnRule* listed = nullptr;
  for (const policy::ColumnRule& rule : spec.columns) {
    if (rule.name == column.name) listed = &rule;
  }
  std::string of_class = "'unlisted', 0, 'NULL'";
  if (listed != nullptr) {
    switch (listed->column_class) {
      case ColumnClass::identifier: of_class = "'identifier', 0, 'NULL'"; break;
      case ColumnClass::quasi_identifier:
        of_class = "'quasi_identifier', " + std::to_string(percent_of(*table.state.version, column.name)) +
                   ", 'NULL'";
        break;
      case ColumnClass::sensitive: of_class = "'sensitive', 100, NULL"; break;
      case ColumnClass::insensitive: of_class = "'insensitive', 100, NULL"; break;
      case ColumnClass::key: of_class = "'key', 100, 'NULL'"; break;
    }
  }
  std::string level = "NULL, NULL";
  if (listed != nullptr && listed->level)
    level = quoted_literal(listed->level->source) + ", " + kind_of(listed->level->method);
  return ", (" + quoted_literal(spec.schema) + ", " + quoted_literal(spec.table) + ", " +
         quoted_literal(column.name) + ", " + quoted_literal(spec.name) + ", " + of_class + ", " + level +
         ", " + std::to_string(spec.k) + ", " + word_of(spec.enforcement) + ", " + built(table) + ")";
}

std::string policy_row(const Snapshot::ProtectedTable& table) {
  const policy::PolicySpec& spec = *table.state.spec;
  return ", (" + quoted_literal(spec.name) + ", " + quoted_literal(spec.schema) + ", " +
         quoted_literal(spec.table) + ", " + (table.mask ? "'open'" : "'closed'") + ", " +
         std::to_string(spec.k) + ", " + word_of(spec.enforcement) + ", " + built(table) + ")";
}

// ", (oid, number, note)" of the table and of each column that some row hides.
std::string comments(const Snapshot::ProtectedTable& table) {
  const policy::PolicySpec& spec = *table.state.spec;
  const std::string begin = ", ('" + std::to_string(table.relation->oid) + "', ";
  const std::string masked = "masked by policy " + spec.name + ": ";
  std::string at = table.state.version->built_at;
  if (at.size() >= 16) at = at.substr(0, 10) + " " + at.substr(11, 5) + " UTC";
  const std::string_view since = spec.enforcement == policy::Enforcement::copy ? ", a copy of " : ", built ";
  std::string out = begin + "0, " +
                    quoted_literal(masked + "k = " + std::to_string(spec.k) + std::string(since) + at) + ")";
  for (const Column& column : table.relation->columns) {
    const auto rule = std::ranges::find(spec.columns, column.name, &policy::ColumnRule::name);
    const bool is_listed = rule != spec.columns.end();
    if (is_listed &&
        (rule->column_class == ColumnClass::sensitive || rule->column_class == ColumnClass::insensitive))
      continue;
    const bool may_show = is_listed && rule->column_class == ColumnClass::quasi_identifier;
    const std::uint64_t percent = may_show ? percent_of(*table.state.version, column.name) : 0;
    std::string shown = percent == 0 ? "never shown" : "shown in " + std::to_string(percent) + " % of rows";
    if (is_listed && rule->column_class == ColumnClass::key) shown = "a pseudonym";
    out += begin + std::to_string(column.number) + ", " + quoted_literal(masked + shown) + ")";
  }
  return out;
}

// ", (oid, schema, name, {numbers})" of the columns that the policy does not show as they are.
std::string nullable(const Snapshot::ProtectedTable& table) {
  std::string numbers;
  for (const Column& column : table.relation->columns) {
    bool is_shown = false;
    for (const policy::ColumnRule& rule : table.state.spec->columns) {
      if (rule.name != column.name) continue;
      is_shown = rule.column_class == ColumnClass::sensitive || rule.column_class == ColumnClass::insensitive;
    }
    if (is_shown) continue;
    if (!numbers.empty()) numbers += ',';
    numbers += std::to_string(column.number);
  }
  return ", ('" + std::to_string(table.relation->oid) + "', " + quoted_literal(table.relation->schema) +
         ", " + quoted_literal(table.relation->name) + ", '{" + numbers + "}')";
}

// The role reads this table and nothing but its mask.
bool is_for(const Snapshot::ProtectedTable& table, std::string_view role, const Snapshot& snapshot) {
  return table.relation != nullptr && protected_for(table.relation->oid, role, snapshot) == &table &&
         snapshot.policy_for(*table.relation, std::string(role)) == &table && !is_exempt_from(table, role);
}

std::string_view head_of(OwnRelation which) {
  switch (which) {
    case OwnRelation::columns: return kColumnsHead;
    case OwnRelation::policies: return kPoliciesHead;
    case OwnRelation::comments: return kCommentsHead;
    case OwnRelation::nullable: return kNullableHead;
  }
  return {};
}

}  // namespace

std::optional<OwnRelation> own_stand_in(std::string_view relation_name) {
  if (relation_name == "pgveil.columns") return OwnRelation::columns;
  if (relation_name == "pgveil.policies") return OwnRelation::policies;
  if (relation_name == "pgveil.comments") return OwnRelation::comments;
  if (relation_name == "pgveil.nullable") return OwnRelation::nullable;
  return std::nullopt;
}

std::string expected_own_relation(OwnRelation which, std::string_view role, const Snapshot& snapshot) {
  std::string out(head_of(which));
  for (const Snapshot::ProtectedTable& table : snapshot.protected_tables()) {
    if (!is_for(table, role, snapshot)) continue;
    if (which == OwnRelation::policies) out += policy_row(table);
    if (which == OwnRelation::policies || !table.mask) continue;
    if (which == OwnRelation::comments) out += comments(table);
    if (which == OwnRelation::nullable) out += nullable(table);
    if (which == OwnRelation::comments || which == OwnRelation::nullable) continue;
    for (const Column& column : table.relation->columns) out += row(table, column);
  }
  return out + std::string(kTail);
}

bool is_own_column(std::string_view name) {
  return std::ranges::find(kNames, name) != kNames.end();
}

}  // namespace pgveil::rewriter
