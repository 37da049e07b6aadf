#pragma once
// Relations of pgveil's own that readers may ask: told/own_relation.hpp. A stand-in for one is named as it
// is.
#include <string_view>

namespace pgveil::rewriter {

enum class OwnRelation {
  columns,   // the columns of the tables that a role reads masked
  policies,  // the policies over them
  comments,  // what comments of these tables and columns say of the masks; no client can name it
  nullable   // the columns of these tables in which masks may show NULL; no client can name it
};

inline constexpr std::string_view kOwnColumns = "columns";
inline constexpr std::string_view kOwnPolicies = "policies";
inline constexpr std::string_view kOwnComments = "comments";
inline constexpr std::string_view kOwnNullable = "nullable";

}  // namespace pgveil::rewriter
