#pragma once
// Connections of pgveil's own that wait for their next use, so that the small queries of one operation (a
// RELOAD, `pgveil check`, the survey before a BUILD) log in once per role, not once per query. Each login is
// a process of the server and, with TLS, a handshake. An operation makes one, names it in its endpoints, and
// drops it at its end, which closes them. Not for what lives on: idle, they keep a database from a DROP.
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

struct pg_conn;  // libpq's

namespace pgveil::db {

using LibpqConnection = std::unique_ptr<pg_conn, void (*)(pg_conn*)>;

// Thread-safe.
class KeptConnections {
 public:
  struct Kept {
    std::string login;  // to which server and database it logged in, as whom and how
    std::string echo;
    LibpqConnection connection;
  };

  // The connection of this user that was kept, if it logged in like this; login "" fits none. One that does
  // not fit is closed before the next login, so that a kept connection never adds to those in use.
  [[nodiscard]] std::optional<Kept> take(const std::string& user, const std::string& login);
  void keep(const std::string& user, Kept kept);

 private:
  std::mutex mutex_;
  std::map<std::string, Kept> idle_;  // one per user
};

}  // namespace pgveil::db
