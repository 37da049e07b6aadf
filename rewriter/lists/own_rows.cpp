#include "rewriter/lists/own_rows.hpp"

#include <fmt/format.h>

#include "rewriter/catalog/catalog.hpp"
#include "rewriter/catalog/own_schema.hpp"
#include "rewriter/lists/quoting_index.hpp"

namespace pgveil::rewriter {
namespace {

// Everything in masks is qualified, so no setting of the session decides what it means.
constexpr std::string_view kIs = "OPERATOR(pg_catalog.=)";

std::string any(std::string_view value, const std::string& query) {
  return fmt::format("{} {} ANY ({})", value, kIs, query);
}

std::string column_of(std::string_view name) {
  return fmt::format("t.{}", name);
}

std::string schema_names() {
  return fmt::format("'{{{},pg_toast}}'::pg_catalog.text[]", kOwnSchema);
}

// Compares bytes. If somebody gives a column of theirs such a name, it is left out, too.
std::string is_stored_decision(std::string_view name) {
  std::string past(kStoredPrefix);
  ++past.back();
  const std::string text = fmt::format("{}::pg_catalog.text COLLATE pg_catalog.\"C\"", name);
  return fmt::format(
      "({0} OPERATOR(pg_catalog.>=) '{1}'::pg_catalog.text AND {0} OPERATOR(pg_catalog.<) "
      "'{2}'::pg_catalog.text)",
      text, kStoredPrefix, past);
}

std::string schemas() {
  return fmt::format(
      "SELECT n.oid FROM pg_catalog.pg_namespace AS n WHERE n.nspname::pg_catalog.text {} ANY ({})", kIs,
      schema_names());
}

// The OIDs of objects of a catalog whose schema is pgveil's.
std::string in_schemas(std::string_view catalog, std::string_view schema) {
  return fmt::format("SELECT o.oid FROM pg_catalog.{} AS o WHERE {}", catalog,
                     any(fmt::format("o.{}", schema), schemas()));
}

std::string relations() {
  return in_schemas("pg_class", "relnamespace");
}

std::string of_relations(std::string_view catalog, std::string_view relation) {
  return fmt::format("SELECT o.oid FROM pg_catalog.{} AS o WHERE {}", catalog,
                     any(fmt::format("o.{}", relation), relations()));
}

std::string stored_columns() {
  return "SELECT a.attrelid, a.attnum FROM pg_catalog.pg_attribute AS a WHERE " +
         is_stored_decision("a.attname");
}

std::string stored_defaults() {
  return fmt::format("SELECT d.oid FROM pg_catalog.pg_attrdef AS d WHERE {}",
                     any("(d.adrelid, d.adnum)", stored_columns()));
}

std::string stored_statistics() {
  return "SELECT s.oid FROM pg_catalog.pg_statistic_ext AS s WHERE " + is_stored_decision("s.stxname");
}

std::string is_of_own_schema(const std::string& name) {
  return fmt::format("{}::pg_catalog.text {} ANY ({})", name, kIs, schema_names());
}

std::string objects() {
  std::string out =
      fmt::format("SELECT n.oid FROM pg_catalog.pg_namespace AS n WHERE n.nspname {} '{}'::pg_catalog.name",
                  kIs, kOwnSchema);
  for (const std::string& query :
       {relations(), in_schemas("pg_proc", "pronamespace"), in_schemas("pg_type", "typnamespace"),
        in_schemas("pg_constraint", "connamespace"), of_relations("pg_rewrite", "ev_class"),
        of_relations("pg_trigger", "tgrelid"), of_relations("pg_attrdef", "adrelid"), stored_defaults(),
        stored_statistics()}) {
    out += " UNION ALL " + query;
  }
  return out;
}

}  // namespace

std::string own_rows_condition(const OwnRowsRule& rule) {
  const std::string column = column_of(rule.column);
  switch (rule.rows) {
    case OwnRows::none: return {};
    case OwnRows::schema_name: return is_of_own_schema(column);
    case OwnRows::own_schema: return fmt::format("{} {} '{}'::pg_catalog.name", column, kIs, kOwnSchema);
    case OwnRows::schema: return any(column, schemas());
    case OwnRows::relation: return any(column, relations());
    case OwnRows::relation_column:
      return any(column, relations()) + " OR " +
             any(fmt::format("({}, {})", column, column_of(rule.detail)), stored_columns());
    case OwnRows::attribute:
      return any(column, relations()) + " OR " + is_stored_decision(column_of(rule.detail));
    case OwnRows::column_name:
      return is_of_own_schema(column) + " OR " + is_stored_decision(column_of(rule.detail));
    case OwnRows::object: return any(column, objects());
    case OwnRows::index: return any(column, relations()) + " OR " + is_quoting_index("t");
    case OwnRows::class_of_index:
      return any(column, schemas()) + " OR " + any(column_of(rule.detail), quoting_indexes());
    case OwnRows::name_of_index:
      return is_of_own_schema(column) + " OR " +
             any(fmt::format("({}, {})", column, column_of(rule.detail)), quoting_index_names());
    case OwnRows::index_relation:
      return is_of_own_schema(column) + " OR " + any(column_of(rule.detail), quoting_indexes());
    case OwnRows::dependency: {
      const std::string stored = stored_columns();
      return any("t.objid", objects()) + " OR " + any("t.refobjid", objects()) + " OR " +
             any("(t.refobjid, t.refobjsubid)", stored);
    }
  }
  return {};
}

}  // namespace pgveil::rewriter
