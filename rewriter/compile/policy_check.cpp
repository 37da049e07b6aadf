#include "rewriter/compile/policy_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "rewriter/catalog/own_schema.hpp"
#include "rewriter/compile/level_check.hpp"
#include "rewriter/mask/comparable_type.hpp"

namespace pgveil::rewriter {
namespace {

using policy::ColumnClass;
using policy::ColumnRule;
using policy::PolicySpec;

struct KindObjection {
  std::string_view what;
  std::string_view fix;
};

// What keeps one evaluation of them per BUILD, and reads that one.
constexpr std::string_view kWriteSource =
    "write source: schema.name in place of table:, and enforcement: copy";

// Empty: a policy without `source` can be kept for this kind of relation. A version is valid while file and
// columns stay the same, which PostgreSQL tells from its newest catalog. For other kinds of relation it
// cannot tell whether they show other rows than were counted.
KindObjection reason_against(RelationKind kind) {
  switch (kind) {
    case RelationKind::table:
    case RelationKind::partitioned_table: return {};
    case RelationKind::view:
      return {
          "a view: its rows depend on the settings of the client, and it can be replaced "
          "unnoticed",
          kWriteSource};
    case RelationKind::materialized_view:
      return {"a materialized view: after each REFRESH, its rows are not the counted ones", kWriteSource};
    case RelationKind::foreign_table:
      return {"a foreign table: another server can change its rows and columns unnoticed", kWriteSource};
    case RelationKind::sequence: return {"a sequence", "name the table that contains the rows"};
  }
  return {"of an unknown kind", "name the table that contains the rows"};
}

bool is_select(const PolicySpec& spec) {
  return spec.source && !spec.source->select.empty();
}

// Of pgveil's own relations, those that a policy could be named like.
constexpr auto kOwnNames = std::to_array<std::string_view>(
    {"built_table", "columns", kCurrentView, "mask_view", "policies", "version"});

// What can be said of a source without asking what it reads.
void check_source(const PolicySpec& spec, const Relation* relation, PolicyFindings& findings) {
  if (!spec.source) return;
  const auto refuse = [&](std::string_view what, std::string_view fix) {
    findings.errors.push_back(yaml::error_at(spec.at, what, fix));
  };
  if (spec.enforcement != policy::Enforcement::copy)
    refuse("a source is evaluated only by BUILD", "write enforcement: copy");
  if (is_select(spec) && std::ranges::find(kOwnNames, spec.name) != kOwnNames.end()) {
    refuse(fmt::format("policy \"{0}\" would be published as {1}.{0}, which is pgveil's own", spec.name,
                       kOwnSchema),
           "give the policy another name");
  }
  const bool is_table = relation != nullptr && (relation->kind == RelationKind::table ||
                                                relation->kind == RelationKind::partitioned_table);
  if (!spec.exempt_roles.empty() && (is_select(spec) || !is_table)) {
    refuse("exempt_roles would read a source that is not a table", "leave exempt_roles out");
  }
}

constexpr int kDigestDigits = 32;  // of a pseudonym that is a text

// Empty: its values can be shown as pseudonyms.
std::string_view reason_against_key(const Column& column) {
  const auto is = [&](std::string_view type) {
    return column.type_schema == "pg_catalog" && column.type_name == type;
  };
  if (is("varchar") && column.typmod >= 0 && column.typmod - 4 < kDigestDigits)
    return "it is too short for a pseudonym, which has 32 characters";
  const bool is_key = column.type_kind == 'b' &&
                      (is("int2") || is("int4") || is("int8") || is("uuid") || is("text") || is("varchar"));
  return is_key ? "" : "keys are of int2, int4, int8, uuid, text or varchar";
}

void check_relation(const PolicySpec& spec, const Relation& relation, PolicyFindings& findings) {
  const auto refuse = [&](std::string_view what, std::string_view fix) {
    findings.errors.push_back(yaml::error_at(spec.at, what, fix));
  };
  const std::string name = fmt::format("\"{}.{}\"", relation.schema, relation.name);
  const bool has_source = spec.source.has_value() && relation.kind != RelationKind::sequence;
  if (const auto no = reason_against(relation.kind); !no.what.empty() && !has_source)
    refuse(fmt::format("{} is {}", name, no.what), no.fix);
  if (spec.enforcement == policy::Enforcement::stored && relation.kind == RelationKind::partitioned_table) {
    refuse(fmt::format("enforcement: stored does not support {}, because each partition can have its "
                       "own column",
                       name),
           "write enforcement: query");
  }
  if (relation.schema == "pg_catalog" || relation.schema == "information_schema") {
    refuse(fmt::format("{} is a system catalog", name), "name a table of your own");
  }
  if (relation.schema == kOwnSchema && !is_select(spec))
    refuse(fmt::format("{} is pgveil's own", name), "name a table of your own");
  // An inheritance parent has children, so it can neither have a policy nor be open, and is closed to
  // everybody. A partitioned parent can have a policy or be open.
  if (relation.is_partition) {
    refuse(fmt::format("{} is a partition, and its rows are also visible through its parent", name),
           "write the policy for the parent");
  }
  if (relation.has_children && relation.kind != RelationKind::partitioned_table) {
    refuse(fmt::format("{} has inheritance children, which show its rows under other names", name),
           "make it a partitioned table, or end the inheritance");
  }
  if (relation.is_distributed) {
    findings.closing =
        yaml::error_at(spec.at, fmt::format("{} is {}", name, kDistributed),
                       "the table stays closed, and everything else is served. Copy it into a plain "
                       "table or a materialized view under a lock (docs/larger.md)");
  }
  if (relation.has_row_security) {
    findings.closing = yaml::error_at(
        spec.at, fmt::format("{} has row-level security, so two roles may see different rows", name),
        "the table stays closed, and everything else is served. Disable row-level "
        "security on it, or publish a copy");
  }
}

// A reader's statement would compute it, and its errors tell of rows that are hidden.
std::optional<Error> reason_against_virtual(const PolicySpec& spec, const ColumnRule& rule,
                                            const Column& column) {
  const bool is_read = rule.column_class != ColumnClass::identifier;
  if (!column.is_virtual || !is_read || spec.enforcement == policy::Enforcement::copy) return std::nullopt;
  return yaml::error_at(
      rule.at,
      fmt::format("\"{}\" is a virtual generated column, which each statement of a reader would "
                  "compute from hidden values too",
                  column.name),
      "make it STORED, write enforcement: copy, or give it the class identifier");
}

void check_column(const PolicySpec& spec, const ColumnRule& rule, const Relation& relation,
                  PolicyFindings& findings) {
  if (rule.level) {
    if (auto error = check_level(rule, relation)) {
      findings.errors.push_back(std::move(*error));
      return;
    }
  }
  const Column* column = relation.find_column(rule.name);
  if (column == nullptr) {
    findings.errors.push_back(yaml::error_at(
        rule.at, fmt::format("\"{}.{}\" has no column \"{}\"", relation.schema, relation.name, rule.name),
        "correct the name or remove the entry"));
    return;
  }
  if (auto error = reason_against_virtual(spec, rule, *column)) findings.errors.push_back(std::move(*error));
  if (rule.column_class == ColumnClass::key) {
    if (const auto why = reason_against_key(*column); !why.empty()) {
      findings.errors.push_back(
          yaml::error_at(rule.at,
                         fmt::format("column \"{}\" of type {} can't have class key: {}", column->name,
                                     column->type_text, why),
                         "name a column of such a type, or give it the class identifier"));
      return;
    }
  }
  // Whatever is counted must have one text per value: quasi-identifiers, and sensitive columns with
  // constraints.
  const bool is_counted =
      rule.column_class == ColumnClass::quasi_identifier || rule.column_class == ColumnClass::key;
  if (!is_counted && rule.constraints.empty()) return;
  if (const auto type = comparable_type(*column); !type) {
    findings.errors.push_back(yaml::error_at(rule.at, type.error().public_message, type.error().hint));
    return;
  }
  if (needs_order(rule) && !has_meaningful_order(*column)) {
    findings.errors.push_back(
        yaml::error_at(rule.at,
                       fmt::format("column \"{}\" of type {} has no order that a distance could follow",
                                   column->name, column->type_text),
                       "write distance: equal, or name a column of numbers, dates, times or an enum"));
  }
  for (const auto& [mode, name] : {std::pair(policy::ConstraintMode::refine, "refine"),
                                   std::pair(policy::ConstraintMode::hide, "hide")}) {
    if (!has_constraint(rule, mode)) continue;
    findings.warnings.push_back(
        fmt::format("{}: column \"{}\" has mode: {}, so what the tree discloses of other columns "
                    "reveals something about its values (docs/attack-model.md)",
                    yaml::to_string(rule.at), rule.name, name));
  }
}

// Persons of a table with a key are told apart by it.
void warn_of_unit(const PolicySpec& spec, PolicyFindings& findings) {
  const bool has_key = std::ranges::any_of(
      spec.columns, [](const ColumnRule& rule) { return rule.column_class == ColumnClass::key; });
  if (spec.unit || has_key) return;
  findings.warnings.push_back(
      fmt::format("{}: policy \"{}\" names no unit, so each row counts as one person. If a person "
                  "can have several rows, name the column that identifies persons with unit:",
                  yaml::to_string(spec.at), spec.name));
}

}  // namespace

PolicyFindings check_policy(const PolicySpec& spec, const Catalog& catalog) {
  PolicyFindings findings;
  if (spec.database != catalog.database) {
    findings.errors.push_back(yaml::error_at(spec.at,
                                             fmt::format("policy \"{}\" is for database \"{}\", not \"{}\"",
                                                         spec.name, spec.database, catalog.database),
                                             "correct the database"));
    return findings;
  }
  const Relation* relation = catalog.find(spec.schema, spec.table);
  check_source(spec, relation, findings);
  if (relation == nullptr && is_select(spec)) {
    warn_of_unit(spec, findings);
    return findings;  // BUILD makes it
  }
  if (relation == nullptr) {
    findings.errors.push_back(yaml::error_at(
        spec.at,
        fmt::format("there is no table \"{}.{}\" in database \"{}\"", spec.schema, spec.table, spec.database),
        "correct the name, or create the table"));
    return findings;
  }
  check_relation(spec, *relation, findings);
  for (const ColumnRule& rule : spec.columns) check_column(spec, rule, *relation, findings);
  if (!spec.unit) {
    warn_of_unit(spec, findings);
  } else if (const Column* unit = relation->find_column(*spec.unit); unit != nullptr) {
    if (const auto type = comparable_type(*unit); !type) {
      findings.errors.push_back(
          yaml::error_at(spec.at, "unit: " + type.error().public_message, "name a column of a plain type"));
    }
  } else {
    findings.errors.push_back(
        yaml::error_at(spec.at,
                       fmt::format("\"{}.{}\" has no column \"{}\", which the policy names as unit",
                                   spec.schema, spec.table, *spec.unit),
                       "correct unit:"));
  }
  return findings;
}

}  // namespace pgveil::rewriter
