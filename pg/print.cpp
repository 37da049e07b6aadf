#include "pg/print.hpp"

#include <algorithm>
#include <array>

#include "common/ascii.hpp"
#include "common/sql_quoting.hpp"
#include "pg/writer.hpp"

namespace pgveil::pg {
namespace {

// Key words that are not UNRESERVED in any of PostgreSQL 15 to 18 (SELECT word FROM pg_get_keywords() WHERE
// catcode <> 'U'): they are quoted wherever they are names, so that the text means the same to each server,
// also where the parser is of another major. Sorted.
constexpr auto kKeyWords = std::to_array<std::string_view>({"all",
                                                            "analyse",
                                                            "analyze",
                                                            "and",
                                                            "any",
                                                            "array",
                                                            "as",
                                                            "asc",
                                                            "asymmetric",
                                                            "authorization",
                                                            "between",
                                                            "bigint",
                                                            "binary",
                                                            "bit",
                                                            "boolean",
                                                            "both",
                                                            "case",
                                                            "cast",
                                                            "char",
                                                            "character",
                                                            "check",
                                                            "coalesce",
                                                            "collate",
                                                            "collation",
                                                            "column",
                                                            "concurrently",
                                                            "constraint",
                                                            "create",
                                                            "cross",
                                                            "current_catalog",
                                                            "current_date",
                                                            "current_role",
                                                            "current_schema",
                                                            "current_time",
                                                            "current_timestamp",
                                                            "current_user",
                                                            "dec",
                                                            "decimal",
                                                            "default",
                                                            "deferrable",
                                                            "desc",
                                                            "distinct",
                                                            "do",
                                                            "else",
                                                            "end",
                                                            "except",
                                                            "exists",
                                                            "extract",
                                                            "false",
                                                            "fetch",
                                                            "float",
                                                            "for",
                                                            "foreign",
                                                            "freeze",
                                                            "from",
                                                            "full",
                                                            "grant",
                                                            "greatest",
                                                            "group",
                                                            "grouping",
                                                            "having",
                                                            "ilike",
                                                            "in",
                                                            "initially",
                                                            "inner",
                                                            "inout",
                                                            "int",
                                                            "integer",
                                                            "intersect",
                                                            "interval",
                                                            "into",
                                                            "is",
                                                            "isnull",
                                                            "join",
                                                            "json",
                                                            "json_array",
                                                            "json_arrayagg",
                                                            "json_exists",
                                                            "json_object",
                                                            "json_objectagg",
                                                            "json_query",
                                                            "json_scalar",
                                                            "json_serialize",
                                                            "json_table",
                                                            "json_value",
                                                            "lateral",
                                                            "leading",
                                                            "least",
                                                            "left",
                                                            "like",
                                                            "limit",
                                                            "localtime",
                                                            "localtimestamp",
                                                            "merge_action",
                                                            "national",
                                                            "natural",
                                                            "nchar",
                                                            "none",
                                                            "normalize",
                                                            "not",
                                                            "notnull",
                                                            "null",
                                                            "nullif",
                                                            "numeric",
                                                            "offset",
                                                            "on",
                                                            "only",
                                                            "or",
                                                            "order",
                                                            "out",
                                                            "outer",
                                                            "overlaps",
                                                            "overlay",
                                                            "placing",
                                                            "position",
                                                            "precision",
                                                            "primary",
                                                            "real",
                                                            "references",
                                                            "returning",
                                                            "right",
                                                            "row",
                                                            "select",
                                                            "session_user",
                                                            "setof",
                                                            "similar",
                                                            "smallint",
                                                            "some",
                                                            "substring",
                                                            "symmetric",
                                                            "system_user",
                                                            "table",
                                                            "tablesample",
                                                            "then",
                                                            "time",
                                                            "timestamp",
                                                            "to",
                                                            "trailing",
                                                            "treat",
                                                            "trim",
                                                            "true",
                                                            "union",
                                                            "unique",
                                                            "user",
                                                            "using",
                                                            "values",
                                                            "varchar",
                                                            "variadic",
                                                            "verbose",
                                                            "when",
                                                            "where",
                                                            "window",
                                                            "with",
                                                            "xmlattributes",
                                                            "xmlconcat",
                                                            "xmlelement",
                                                            "xmlexists",
                                                            "xmlforest",
                                                            "xmlnamespaces",
                                                            "xmlparse",
                                                            "xmlpi",
                                                            "xmlroot",
                                                            "xmlserialize",
                                                            "xmltable"});

bool is_simple(std::string_view name) {
  if (name.empty() || !(is_lower(name[0]) || name[0] == '_')) return false;
  return std::ranges::all_of(name, [](char c) { return is_lower(c) || is_digit(c) || c == '_'; });
}

}  // namespace

std::string quote_identifier(std::string_view name) {
  static_assert(std::ranges::is_sorted(kKeyWords));
  if (is_simple(name) && !std::ranges::binary_search(kKeyWords, name)) return std::string(name);
  return quoted_name(name);
}

std::string print_statement(const Node& statement) {
  Writer writer;
  writer.statement(statement);
  return writer.take();
}

std::string print_expression(const Node& expression) {
  Writer writer;
  writer.expression(expression);
  return writer.take();
}

}  // namespace pgveil::pg
