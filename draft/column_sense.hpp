#pragma once
// What a column holds, from its name, its type and what the values of the sample look like.
#include <cstddef>
#include <optional>
#include <string_view>

#include "draft/facts.hpp"
#include "draft/meaning.hpp"
#include "engine/risk/safe_harbor.hpp"

namespace pgveil::draft {

enum class TypeKind { boolean, number, date, moment, text, other };
[[nodiscard]] TypeKind kind_of(const rewriter::Column& column);
// Whether a value of this type can be a whole document: json, xml, bytea, …
[[nodiscard]] bool is_document(const rewriter::Column& column);
// The same, and arrays and rows.
[[nodiscard]] bool holds_anything(const rewriter::Column& column);

// The name's meaning, if the type can have it. nullopt: none.
[[nodiscard]] std::optional<Meaning> sense_of(const ColumnFacts& column);

// Sets looks_like of all columns. To be called once, when the table has a sample.
void look_at_sample(TableFacts& table);

// Whether the values are sentences rather than words.
[[nodiscard]] bool is_free_text(const TableFacts& table, std::size_t column);

}  // namespace pgveil::draft
