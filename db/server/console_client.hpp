#pragma once
// A client of the admin console of a running pgveil. Finds its password as psql does: PGPASSWORD, PGPASSFILE,
// ~/.pgpass. TLS is as libpq's environment variables say (PGSSLMODE …).
#include <cstdint>
#include <memory>
#include <string>

#include "common/error.hpp"
#include "common/text_table.hpp"

struct pg_conn;  // libpq's

namespace pgveil::db {

struct ConsolePlace {
  std::string host;  // a name, an address or the folder of a Unix socket
  std::uint16_t port = 6432;
  std::string role;
};

// Not thread-safe.
class ConsoleClient {
 public:
  // Errors: ErrorKind::connection with libpq's reason; ErrorKind::authentication: there is no password.
  [[nodiscard]] static Result<std::unique_ptr<ConsoleClient>> open(const ConsolePlace& place);

  // Errors: what the console answers, with its SQLSTATE (ErrorKind::server); ErrorKind::connection.
  [[nodiscard]] Result<TextTable> run(const std::string& command);

 private:
  explicit ConsoleClient(pg_conn* connection);
  std::unique_ptr<pg_conn, void (*)(pg_conn*)> connection_;
};

}  // namespace pgveil::db
