#pragma once
// Which column types can be quasi-identifiers, and how their values are compared, written as literals and
// shown. The rule (docs/disclosure-tree.md, "Equality"): equality is that of the default operator class.
// Where equal values have several renderings, a canonical value is shown that is a pure function of the
// equality class; where there is none, the type is refused. Literals never depend on a session setting.
#include <string>

#include "common/error.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::rewriter {

// The function that turns the raw value into the value that is shown and that the dictionary is counted by.
enum class Canonical {
  as_is,       // one rendering per equality class: int4, text with a deterministic collation, date, uuid, …
  trim_scale,  // numeric without scale: 1.0 and 1.00
  plus_zero,   // float4, float8: -0 and 0
  rtrim,       // bpchar without length
  modifier     // numeric(p, s), bpchar(n): a cast to the modifier, without effect while the column has it
};

struct ComparableType {
  std::string literal_schema;  // the type of the literal: 'x'::pg_catalog.text; an enum's own schema
  std::string literal_type;
  Canonical canonical = Canonical::as_is;
};

// Errors: ErrorKind::policy, "type … can't be a quasi-identifier: …", with a remedy.
[[nodiscard]] Result<ComparableType> comparable_type(const Column& column);

// Whether the order of the values tells how alike they are: true for numbers, dates, times and enums, false
// for texts.
[[nodiscard]] bool has_meaningful_order(const Column& column);

// SQL text of the canonical value of a column as text, for the counting query only (db/), never for client
// SQL: canonical_text_sql("\"price\"", …) → "(pg_catalog.trim_scale(\"price\"))::pg_catalog.text".
[[nodiscard]] std::string canonical_text_sql(const std::string& quoted_column, const ComparableType& type);
// The same without the cast to text, for GROUP BY and exports.
[[nodiscard]] std::string canonical_value_sql(const std::string& quoted_column, const ComparableType& type);

}  // namespace pgveil::rewriter
