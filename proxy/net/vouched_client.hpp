#pragma once
// A client of our own server, for the page: asks one statement as a role that the caller vouches for, over
// the protocol and through a session like everybody's, so that what it is given is what that role is given.
// Blocks the calling thread; no thread of the server's.
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
  std::size_t byte_limit = 1 << 20;        // of all that is answered
  std::chrono::milliseconds time{20'000};  // for all of it; the statement itself is given three quarters
};

struct VouchedRows {
  std::vector<std::string> columns;
  std::vector<std::vector<std::optional<std::string>>> rows;  // text; nullopt: NULL
  bool has_more = false;
};

// Only a statement that answers rows is run, and no further than the limit. Errors: what the role would be
// told, with its SQLSTATE (kind usage, or server where the server is to blame); kind limit: too many bytes,
// no answer in time, no place for a client; kind usage: it answers no rows; kind connection: the session
// ended.
[[nodiscard]] Result<VouchedRows> ask_vouched(Server& server, const VouchedQuestion& question);

}  // namespace pgveil::net
