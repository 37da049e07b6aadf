#pragma once
// Reads rows of a policy's table as they are, each beside what a version of the policy shows of it. Both are
// columns of one statement, so they belong to the same row. Only for callers that may see raw rows; nothing
// here checks that.
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"
#include "policy/spec/spec.hpp"
#include "policy/version/version.hpp"

namespace pgveil::db {

inline constexpr int kMostRawCharacters = 500;  // per cell; the rest is cut off

struct RawRow {
  std::vector<std::optional<std::string>> raw, masked;  // by column; nullopt: NULL
};

struct RawRows {
  std::vector<std::string> columns;
  std::vector<RawRow> rows;
  bool is_in_key_order = false;  // the first rows by the primary key; else in no order
  bool has_more = false;
};

// REQUIRES: version is the policy's, limit is at least 1. Errors: ErrorKind::policy: the table has changed
// since the version, or no longer exists; ErrorKind::connection, ::server.
[[nodiscard]] Result<RawRows> read_raw_rows(const Endpoint& endpoint, const policy::PolicySpec& spec,
                                            const policy::PolicyVersion& version, std::size_t limit);

}  // namespace pgveil::db
