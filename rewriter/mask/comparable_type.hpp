#pragma once
// Which column types can be quasi-identifiers, and how their values are compared, written as literals and
// shown. Rule (docs/disclosure-tree.md, "Equality"): equality is the default operator class's; where one
// equality class has several renderings, a canonical value that is a pure function of the class is shown;
// where none exists the type is refused. Literals never depend on a session setting.
#include <string>

#include "common/error.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::rewriter {

// The function of the raw value that is shown, and that the dictionary is counted by.
enum class Canonical {
  as_is,       // one rendering per equality class: int4, text with a deterministic collation, date, uuid, …
  trim_scale,  // numeric without scale: 1.0 and 1.00
  plus_zero,   // float4, float8: -0 and 0
  rtrim,       // bpchar without length
  modifier     // numeric(p, s), bpchar(n): cast to the modifier, which is nothing while the column has it
};

struct ComparableType {
  std::string
      literal_schema;  // the type the literal is written in: 'x'::pg_catalog.text; an enum's own schema
  std::string literal_type;
  Canonical canonical = Canonical::as_is;
};

// Errors: ErrorKind::policy, "type … can't be a quasi-identifier: …" with what to do instead.
[[nodiscard]] Result<ComparableType> comparable_type(const Column& column);

// Do values lie between others in a sense that tells how alike they are? Numbers, dates, times, enums; texts
// don't.
[[nodiscard]] bool has_meaningful_order(const Column& column);

// SQL text of the canonical value of a column as text, for the counting query only (db/), never for client
// SQL: canonical_text_sql("\"price\"", …) → "(pg_catalog.trim_scale(\"price\"))::pg_catalog.text".
[[nodiscard]] std::string canonical_text_sql(const std::string& quoted_column, const ComparableType& type);
// The same without the cast to text, for GROUP BY and exports.
[[nodiscard]] std::string canonical_value_sql(const std::string& quoted_column, const ComparableType& type);

}  // namespace pgveil::rewriter
