#include "rewriter/mask/comparable_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "common/sql_quoting.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::rewriter {
namespace {

// Types with one rendering per equality class, under any settings that a literal could be read with. Also
// ranges over such types; PostgreSQL brings the discrete ones into one form.
constexpr auto kAsIs = std::to_array<std::string_view>(
    {"bit",          "bool",           "bytea",          "date",      "daterange",      "datemultirange",
     "inet",         "int2",           "int4",           "int4range", "int4multirange", "int8",
     "int8range",    "int8multirange", "macaddr",        "macaddr8",  "name",           "oid",
     "pg_lsn",       "text",           "time",           "timestamp", "timestamptz",    "timetz",
     "tsmultirange", "tsrange",        "tstzmultirange", "tstzrange", "uuid",           "varbit"});

// Types that are compared by the operator of another type, to which they are converted without a change.
constexpr auto kAsAnother =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"cidr", "inet"}, {"varchar", "text"}});

constexpr auto kReasons = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"interval", "24 hours and 1 day are equal"},
     {"json", "it has no equality"},
     {"jsonb", "the numbers in it can be equal and look different"},
     {"xml", "it has no equality"},
     {"money", "how its text reads depends on lc_monetary"},
     {"numrange", "its bounds can be equal and look different"},
     {"nummultirange", "its bounds can be equal and look different"},
     {"char", "a byte of it need not be a text"},
     {"point", "it has no order, and so no equality that PostgreSQL groups by"},
     {"box", "boxes of equal area are equal"},
     {"circle", "circles of equal area are equal"},
     {"path", "its equality is one of numbers of points"},
     {"lseg", "it has no order, and so no equality that PostgreSQL groups by"},
     {"line", "it has no order, and so no equality that PostgreSQL groups by"},
     {"polygon", "it has no order, and so no equality that PostgreSQL groups by"}});

template <class Pairs>
std::string_view found_in(const Pairs& pairs, std::string_view key) {
  const auto at = std::ranges::find(pairs, key, [](const auto& pair) { return pair.first; });
  return at == pairs.end() ? std::string_view() : at->second;
}

// Which of the equal spellings a cell would show depends on rows that are hidden, and a rare spelling tells
// more than the class that was counted. So the owner chooses one, in a column of its own.
Error refused_citext(const Column& column) {
  return Error{
      .kind = ErrorKind::policy,
      .sqlstate = std::string(sqlstate::kFeatureNotSupported),
      .public_message =
          fmt::format("column \"{}\" of type {} can't be a quasi-identifier: spellings that differ in "
                      "case are equal, and each spelling would reveal more than its equivalence class",
                      column.name, column.type_text),
      .hint = fmt::format(
          "add a column {} that is text GENERATED ALWAYS AS (lower({}::text)) STORED, list that one, "
          "and list this one as identifier (always NULL)",
          quoted_name(column.name + "_lower"), quoted_name(column.name))};
}

Error refused(const Column& column, std::string_view because) {
  return Error{
      .kind = ErrorKind::policy,
      .sqlstate = std::string(sqlstate::kFeatureNotSupported),
      .public_message = fmt::format("column \"{}\" of type {} can't be a quasi-identifier: {}", column.name,
                                    column.type_text, because),
      .hint = "list it as identifier (always NULL) or leave it unlisted, or add a column of a plain type"};
}

// A domain has the operators, the texts and the order of its base type, which ALTER DOMAIN can't change. Only
// base types of pg_catalog are known here. The name and the text of the type stay, for messages.
Column without_domain(const Column& column) {
  if (column.type_kind != 'd' || !column.base || column.base->schema != "pg_catalog") return column;
  Column out = column;
  out.type_kind = 'b';
  out.type_schema = column.base->schema;
  out.type_name = column.base->name;
  out.typmod = column.base->typmod;
  return out;
}

}  // namespace

Result<ComparableType> comparable_type(const Column& whole_column) {
  const Column column = without_domain(whole_column);
  if (!column.collation_is_deterministic) {
    return refused(column,
                   "its collation treats different texts as equal, so one spelling would reveal "
                   "more than its equivalence class");
  }
  if (column.type_kind == 'e') return ComparableType{column.type_schema, column.type_name, Canonical::as_is};
  if (column.type_kind == 'd')
    return refused(column, "it is a domain over a type that is not one of PostgreSQL's own");
  if (column.type_kind == 'c')
    return refused(column, "it is a row of values, and equal values may look different");
  if (column.type_category == 'A')
    return refused(column, "it is an array, and equal elements may look different");
  if (column.type_schema != "pg_catalog" && column.type_name == "citext") return refused_citext(column);
  if (column.type_schema != "pg_catalog") return refused(column, "pgveil does not know its equality");
  const std::string& type = column.type_name;
  if (std::ranges::find(kAsIs, type) != kAsIs.end())
    return ComparableType{"pg_catalog", type, Canonical::as_is};
  if (const auto another = found_in(kAsAnother, type); !another.empty())
    return ComparableType{"pg_catalog", std::string(another), Canonical::as_is};
  if (type == "bpchar") {
    return ComparableType{"pg_catalog", type, column.typmod >= 0 ? Canonical::modifier : Canonical::rtrim};
  }
  if (type == "numeric") {
    return ComparableType{"pg_catalog", type,
                          column.typmod >= 0 ? Canonical::modifier : Canonical::trim_scale};
  }
  if (type == "float4" || type == "float8") return ComparableType{"pg_catalog", type, Canonical::plus_zero};
  const auto reason = found_in(kReasons, type);
  return refused(column, reason.empty() ? "pgveil does not know its equality" : reason);
}

bool has_meaningful_order(const Column& whole_column) {
  const Column column = without_domain(whole_column);
  constexpr auto kOrdered =
      std::to_array<std::string_view>({"int2", "int4", "int8", "numeric", "float4", "float8", "date", "time",
                                       "timestamp", "timestamptz", "timetz"});
  if (column.type_kind == 'e') return true;
  return column.type_schema == "pg_catalog" &&
         std::ranges::find(kOrdered, column.type_name) != kOrdered.end();
}

std::string canonical_value_sql(const std::string& quoted_column, const ComparableType& type) {
  switch (type.canonical) {
    case Canonical::as_is: return quoted_column;
    case Canonical::modifier: return quoted_column;  // a version only fits the column as it was counted
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
