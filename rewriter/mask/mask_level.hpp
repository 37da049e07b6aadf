#pragma once
// The condition that a raw value has one of a level's values, that is, lies in the value's pre-image
// (policy/level/preimage.hpp). For rewriter/mask only.
//
//   t.age >= '30'::pg_catalog.int8 AND t.age < '40'::pg_catalog.int8
//   t.seen >= '1987-01-01 00:00:00+00'::pg_catalog.timestamptz AND …
//   pg_catalog."left"(t.city, 3) = 'Ham'::pg_catalog.text
//
// Operators are qualified, and constants are typed and unambiguous, so no setting changes them. Whole numbers
// are compared with int8, which holds every bound of a level. NULL is in no pre-image.
#include <span>
#include <string>
#include <string_view>

#include "pg/build.hpp"
#include "policy/level/level.hpp"
#include "rewriter/mask/comparable_type.hpp"

namespace pgveil::rewriter {

struct RawValue {
  std::string_view column;
  ComparableType type;
  std::string_view alias;  // of the table; empty: none
};

// REQUIRES: values is not empty, and each value has a pre-image.
[[nodiscard]] pg::Node* has_level_value(const policy::Level& level, std::span<const std::string> values,
                                        const RawValue& raw, pg::Builder& build);

// t.city, or city without an alias.
[[nodiscard]] pg::Node* raw_column(std::string_view alias, std::string_view name, pg::Builder& build);

// raw = value, or = ANY of several.
[[nodiscard]] pg::Node* is_equal_to_one(pg::Node* raw, std::span<const std::string> values,
                                        const ComparableType& type, pg::Builder& build);

}  // namespace pgveil::rewriter
