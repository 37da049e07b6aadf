#pragma once
// Indexes whose expressions or condition have a constant in them quote data (WHERE city = 'Withamsville').
// Their expressions cannot be shown, and an index without them misleads: tools take a partial unique index
// for a unique column, or fail where a column's number is 0 and no expression tells why. So the catalogs
// leave such an index out. All other expressions are of functions, operators and columns, and are shown.
#include <string>
#include <string_view>

namespace pgveil::rewriter {

// PostgreSQL prints a tree as {KIND :field value …}. The pattern finds any kind that is not known to have no
// constant and no text in it, so kinds of a later server count as quoting.
inline constexpr std::string_view kQuotingTree =
    "[{](?!(FUNCEXPR|OPEXPR|VAR|RELABELTYPE|COERCEVIAIO|BOOLEXPR|NULLTEST|BOOLEANTEST|COALESCE|COLLATE) )";

// The condition that the row of pg_index with this alias is of such an index. NULL counts as false.
[[nodiscard]] std::string is_quoting_index(std::string_view alias);

// Queries for the OIDs of these indexes, and for their schemas and names.
[[nodiscard]] std::string quoting_indexes();
[[nodiscard]] std::string quoting_index_names();

}  // namespace pgveil::rewriter
