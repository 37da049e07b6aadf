#pragma once
// One connection of pgveil's own to one database, with pinned settings, so that texts of values never depend
// on settings of a role or database. Only db/*.cpp includes this. libpq stays behind it, in db/server.
#include <array>
#include <atomic>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"
#include "db/server/failure.hpp"
#include "db/server/parameter.hpp"
#include "db/server/rows.hpp"

struct pg_cancel;  // libpq's
struct pg_conn;

namespace pgveil::db {

enum class Access {
  read_only,  // default_transaction_read_only = on
  read_write  // EXPORT TO TABLE only
};

// Not thread-safe. Never reconnects by itself: a lost transaction is a failure.
class Connection {
 public:
  // Tries all servers of the endpoint, and fetches its password if a command has it. Errors:
  // ErrorKind::connection; ErrorKind::server when what answers is not a supported PostgreSQL, but another
  // version, a fork or a pooler, or when the command for the password failed. Where the endpoint keeps
  // connections, a read-only one is taken from there, with all settings as after a login, and goes back when
  // it is destroyed outside of a COPY and without a cancel.
  [[nodiscard]] static Result<std::unique_ptr<Connection>> open(const Endpoint& endpoint,
                                                                const std::string& database, Access access);
  Connection(const Endpoint& endpoint, const std::string& database, Access access);  // throws LostConnection
  Connection(const Endpoint& endpoint, const std::string& database, KeptConnections::Kept kept);

  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();  // may end a transaction, if the connection is to be kept

  // Only of a server that has been found to be what it must be: nobody asks again when it is taken.
  void keep_in(std::shared_ptr<KeptConnections> kept, std::string user, std::string login);

  // Asks the server to cancel what runs, and closes the connection if the server does not answer within a
  // second. May be called from any thread. Failures are ignored.
  void cancel() noexcept;

  // All of these throw SqlFailure or LostConnection; call them inside guarded().
  Rows run(const std::string& sql);
  template <class... Arguments>
  Rows run(const std::string& sql, const Arguments&... arguments) {
    const std::array<Parameter, sizeof...(Arguments)> parameters{Parameter(arguments)...};
    return run_with(sql, parameters);
  }
  // COPY table (columns) FROM STDIN. Names must already be quoted. fill(write) calls write(line) for each
  // row; a line is in COPY's text format, without its line end. If fill throws, nothing is copied.
  template <class Fill>
  void copy_into(const std::string& table, const std::vector<std::string>& columns, Fill fill) {
    begin_copy_into(table, columns);
    try {
      fill([this](std::string_view line) { write_line(line); });
    } catch (...) {
      give_up_copy_into();
      throw;
    }
    end_copy_into();
  }
  // COPY (query) TO STDOUT. Calls on_line(line) for each row with a std::string&, which it may change: a line
  // in COPY's text format without its line end. If on_line throws, the query ends.
  template <class OnLine>
  void copy_out(const std::string& query, OnLine on_line) {
    begin_copy_out(query);
    try {
      std::string line;
      while (read_line(line)) on_line(line);
    } catch (...) {
      give_up_copy_out();
      throw;
    }
  }
  // What this connection's start-up packet set kEchoSetting to (server_identity.hpp).
  [[nodiscard]] const std::string& echo() const { return echo_; }
  [[nodiscard]] int socket() const;
  [[nodiscard]] int server_version() const;
  [[nodiscard]] const std::string& database() const { return database_; }

 private:
  void begin_use();
  bool end_transaction() noexcept;
  void refuse_if_ended() const;
  Rows run_with(const std::string& sql, std::span<const Parameter> parameters);
  // Takes the result over. Throws if it is not of the wanted kind (libpq's ExecStatusType).
  Rows checked(pg_result* result, std::initializer_list<int> wanted);
  void begin_copy_into(const std::string& table, const std::vector<std::string>& columns);
  void write_line(std::string_view line);
  void send_lines();
  void end_copy_into();
  void give_up_copy_into() noexcept;
  void begin_copy_out(const std::string& query);
  bool read_line(std::string& line);  // false: there is none left
  void give_up_copy_out() noexcept;
  void take_all_results();  // throws what the server says of the statement that just ended

  std::shared_ptr<Interrupt> interrupt_;
  std::shared_ptr<KeptConnections> kept_;  // null: it is closed when it is destroyed
  std::string user_, login_;               // what it is kept under
  std::string database_;
  std::string echo_;
  LibpqConnection connection_;
  std::atomic<bool> is_cancelled_ = false;
  int own_socket_ = -1;                   // a duplicate: another thread may use it while libpq closes its own
  std::shared_ptr<pg_cancel> canceller_;  // its own copy of what a cancel needs
  std::string lines_;                     // of a COPY, not sent yet
};

// The keyword/value text for libpq, with escaped values. Without the password it may appear in a message.
[[nodiscard]] std::string connection_string(const Endpoint& endpoint, const std::string& database,
                                            Access access, std::string_view echo);

}  // namespace pgveil::db
