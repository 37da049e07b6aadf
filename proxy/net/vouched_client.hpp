#pragma once
// A client of our own server, for the web page. It runs one statement as a role that the caller vouches for.
// The statement goes over the protocol and through a session like any other, so the answer is what that role
// gets. Blocks the calling thread, which must not be one of the server's.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "proxy/net/server.hpp"

namespace pgveil::net {

struct VouchedQuestion {
  std::string role, database, sql;
  std::int32_t row_limit = 100;            // at least 1
  std::size_t byte_limit = 1 << 20;        // of the whole answer
  std::chrono::milliseconds time{20'000};  // in total; the statement itself gets three quarters
};

struct VouchedRows {
  std::vector<std::string> columns;
  std::vector<std::vector<std::optional<std::string>>> rows;  // text; nullopt: NULL
  bool has_more = false;
};

// Runs only statements that return rows, and only up to the limit. Errors: what the role would be told, with
// its SQLSTATE (kind usage, or kind server if the server is to blame); kind limit: too many bytes, no answer
// in time, no place for a client; kind usage: the statement returns no rows; kind connection: the session
// ended.
[[nodiscard]] Result<VouchedRows> ask_vouched(Server& server, const VouchedQuestion& question);

}  // namespace pgveil::net
