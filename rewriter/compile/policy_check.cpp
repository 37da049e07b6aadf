#include "rewriter/compile/policy_check.hpp"

#include <fmt/format.h>

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

// Empty: a policy can be kept for this kind of relation. A version is valid while file and columns stay the
// same, which PostgreSQL tells from its newest catalog. For other kinds of relation it cannot tell whether
// they show other rows than were counted.
KindObjection reason_against(RelationKind kind) {
  switch (kind) {
    case RelationKind::table:
    case RelationKind::partitioned_table: return {};
    case RelationKind::view:
      return {"a view: what it shows depends on the settings of who asks, and it can be replaced unseen",
              "write policies for the tables it reads and list it in open_tables: it is masked inside"};
    case RelationKind::materialized_view:
      return {"a materialized view: each REFRESH shows other rows than were counted",
              "write the policy for the table that holds the rows, or for a copy of them"};
    case RelationKind::foreign_table:
      return {"a foreign table: another server can change its rows and columns unseen",
              "write the policy for a copy of its rows"};
    case RelationKind::sequence: return {"a sequence", "name the table that holds the rows"};
  }
  return {"of an unknown kind", "name the table that holds the rows"};
}

void check_relation(const PolicySpec& spec, const Relation& relation, PolicyFindings& findings) {
  const auto refuse = [&](std::string_view what, std::string_view fix) {
    findings.errors.push_back(yaml::error_at(spec.at, what, fix));
  };
  const std::string name = fmt::format("\"{}.{}\"", relation.schema, relation.name);
  if (const auto no = reason_against(relation.kind); !no.what.empty())
    refuse(fmt::format("{} is {}", name, no.what), no.fix);
  if (spec.enforcement == policy::Enforcement::stored && relation.kind == RelationKind::partitioned_table) {
    refuse(fmt::format("enforcement: stored does not go with {}: each partition can have a column of its own",
                       name),
           "write enforcement: query");
  }
  if (relation.schema == "pg_catalog" || relation.schema == "information_schema") {
    refuse(fmt::format("{} is a system catalog", name), "name a table of your own");
  }
  if (relation.schema == kOwnSchema) refuse(fmt::format("{} is pgveil's own", name), "name a table of yours");
  // An inheritance parent has children, so it can neither have a policy nor be open, and is closed to
  // everybody. A partitioned parent can have a policy or be open.
  if (relation.is_partition) {
    refuse(fmt::format("{} is a partition: its rows also show through its parent", name),
           "write the policy for the parent");
  }
  if (relation.has_children && relation.kind != RelationKind::partitioned_table) {
    refuse(fmt::format("{} has inheritance children, which show its rows under other names", name),
           "make it a partitioned table, or end the inheritance");
  }
  if (relation.has_row_security) {
    findings.closing = yaml::error_at(
        spec.at, fmt::format("{} has row-level security, so no two roles need see the same rows", name),
        "the table stays closed, and all else is served: disable row-level security on it, or publish a "
        "copy");
  }
}

void check_column(const ColumnRule& rule, const Relation& relation, PolicyFindings& findings) {
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
  // Whatever is counted must have one text per value: quasi-identifiers, and sensitive columns with
  // constraints.
  if (rule.column_class != ColumnClass::quasi_identifier && rule.constraints.empty()) return;
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
    findings.warnings.push_back(fmt::format(
        "{}: column \"{}\" has mode: {}: what the tree shows of the others then tells of its values "
        "(docs/attack-model.md)",
        yaml::to_string(rule.at), rule.name, name));
  }
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
  if (relation == nullptr) {
    findings.errors.push_back(yaml::error_at(
        spec.at,
        fmt::format("there is no table \"{}.{}\" in database \"{}\"", spec.schema, spec.table, spec.database),
        "correct the name, or create the table"));
    return findings;
  }
  check_relation(spec, *relation, findings);
  for (const ColumnRule& rule : spec.columns) check_column(rule, *relation, findings);
  if (!spec.unit) {
    findings.warnings.push_back(
        fmt::format("{}: policy \"{}\" names no unit: each row counts as one person; if a person can have "
                    "several rows, name "
                    "the column that tells persons apart with unit:",
                    yaml::to_string(spec.at), spec.name));
  } else if (const Column* unit = relation->find_column(*spec.unit); unit != nullptr) {
    if (const auto type = comparable_type(*unit); !type) {
      findings.errors.push_back(
          yaml::error_at(spec.at, "unit: " + type.error().public_message, "name a column of a plain type"));
    }
  } else {
    findings.errors.push_back(yaml::error_at(
        spec.at,
        fmt::format("\"{}.{}\" has no column \"{}\" to count units by", spec.schema, spec.table, *spec.unit),
        "correct unit:"));
  }
  return findings;
}

}  // namespace pgveil::rewriter
