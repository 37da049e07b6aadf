#pragma once
// SET TIME ZONE INTERVAL '+05:30' HOUR TO MINUTE, which Sequelize sends, is the one form of SET whose value
// is not a constant.
#include "pg/build.hpp"

namespace pgveil::rewriter {

// The constant that is sent in place of the value: the text INTERVAL '+05:30', which PostgreSQL itself makes
// from it. Null: another value, or another setting.
[[nodiscard]] pg::Node* time_zone_offset(const PgQuery__VariableSetStmt& set, const pg::Node& value,
                                         pg::Builder& build);

}  // namespace pgveil::rewriter
