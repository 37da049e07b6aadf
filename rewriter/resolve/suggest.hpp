#pragma once
// Hints for names that may be misspelt, in PostgreSQL's words. They name only what the statement's scope or
// the list of relations that the caller passes names.
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "rewriter/catalog/catalog.hpp"
#include "rewriter/resolve/scope.hpp"

namespace pgveil::rewriter {

// Levenshtein's distance in bytes; 1 between names that differ only in the case of ASCII letters. Above
// `most` it is most + 1.
[[nodiscard]] std::size_t name_distance(std::string_view left, std::string_view right, std::size_t most);

// Of the columns that are in scope under `alias` (empty: under any). Empty: none is alike, or too many are.
[[nodiscard]] std::string suggest_column(const Scope& scope, std::string_view alias, std::string_view name);
// Of the relations that may be read. An empty schema in the name matches any.
[[nodiscard]] std::string suggest_relation(std::span<const Relation* const> readable, std::string_view schema,
                                           std::string_view name);
// Of a relation that is in scope under another name.
[[nodiscard]] std::string suggest_alias(const Scope& scope, std::string_view table);

}  // namespace pgveil::rewriter
