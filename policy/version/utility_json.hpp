#pragma once
// What a version is worth to readers (policy/utility/utility.hpp) as JSON: in the version's file, and for the
// page.
#include <string>

#include "common/first_error.hpp"
#include "common/json_object.hpp"
#include "policy/tree/tree.hpp"
#include "policy/utility/utility.hpp"

namespace pgveil::policy {

// An object that spells columns by their names, on several lines.
[[nodiscard]] std::string utility_json(const DisclosureTree& tree, const Utility& utility);

// Reads it back. What is wrong goes to `errors`: unknown or missing keys, columns that are no
// attributes of the tree or stand there twice, parts that are larger than their whole, not one entry per
// attribute among the single columns.
[[nodiscard]] Utility read_utility(JsonObjectView object, const DisclosureTree& tree, FirstError& errors);

}  // namespace pgveil::policy
