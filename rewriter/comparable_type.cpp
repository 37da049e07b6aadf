#include "rewriter/comparable_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/sqlstate.hpp"

namespace pgveil::rewriter {
namespace {

constexpr auto kAsIs =
    std::to_array<std::string_view>({"bool", "date", "int2", "int4", "int8", "macaddr", "macaddr8", "name",
                                     "oid", "text", "time", "timestamp", "timestamptz", "uuid", "varchar"});

Error refused(const Column& column, std::string_view because) {
  return Error{
      .kind = ErrorKind::policy,
      .sqlstate = std::string(sqlstate::kFeatureNotSupported),
      .public_message = fmt::format("column \"{}\" of type {} can't be a quasi-identifier: {}", column.name,
                                    column.type_text, because),
      .hint = "list it as identifier (always NULL) or leave it unlisted, or add a column of a plain type"};
}

}  // namespace

Result<ComparableType> comparable_type(const Column& column) {
  if (!column.collation_is_deterministic) {
    return refused(
        column, "its collation calls different texts equal, so one spelling would tell more than its class");
  }
  if (column.type_kind == 'e') return ComparableType{column.type_schema, column.type_name, Canonical::as_is};
  if (column.type_schema != "pg_catalog" || column.type_kind != 'b') {
    return refused(column, "its equality is not one that pgveil knows");
  }
  const std::string& type = column.type_name;
  if (std::ranges::find(kAsIs, type) != kAsIs.end()) {
    // varchar compares as text; the literal's own length limit must not matter.
    return ComparableType{"pg_catalog", type == "varchar" ? "text" : type, Canonical::as_is};
  }
  if (type == "bpchar") {
    return ComparableType{"pg_catalog", type, column.typmod >= 0 ? Canonical::as_is : Canonical::rtrim};
  }
  if (type == "numeric") {
    return ComparableType{"pg_catalog", type, column.typmod >= 0 ? Canonical::as_is : Canonical::trim_scale};
  }
  if (type == "float4" || type == "float8") return ComparableType{"pg_catalog", type, Canonical::plus_zero};
  return refused(column, "values that are equal can look different, and no canonical form is known");
}

std::string canonical_value_sql(const std::string& quoted_column, const ComparableType& type) {
  switch (type.canonical) {
    case Canonical::as_is: return quoted_column;
    case Canonical::trim_scale: return fmt::format("pg_catalog.trim_scale({})", quoted_column);
    case Canonical::plus_zero:
      return fmt::format("({} OPERATOR(pg_catalog.+) '0'::pg_catalog.{})", quoted_column, type.literal_type);
    case Canonical::rtrim:
      return fmt::format("pg_catalog.rtrim({}::pg_catalog.text)::pg_catalog.bpchar", quoted_column);
  }
  return {};
}

std::string canonical_text_sql(const std::string& quoted_column, const ComparableType& type) {
  return fmt::format("({})::pg_catalog.text", canonical_value_sql(quoted_column, type));
}

}  // namespace pgveil::rewriter
