#pragma once
// One connection of pgveil's own to one database, with pinned settings, so that texts of values never depend
// on settings of a role or database. Only db/*.cpp includes this, which keeps libpqxx inside db.
#include <memory>
#include <pqxx/pqxx>
#include <pqxx/tablereader>
#include <pqxx/tablewriter>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"

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
  // version, a fork or a pooler, or when the command for the password failed.
  [[nodiscard]] static Result<std::unique_ptr<Connection>> open(const Endpoint& endpoint,
                                                                const std::string& database, Access access);
  Connection(const Endpoint& endpoint, const std::string& database, Access access);  // throws pqxx exceptions

  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  // Asks the server to cancel what runs. May be called from any thread. Failures are ignored.
  void cancel() noexcept;

  // All of these throw pqxx exceptions; call them inside guarded().
  pqxx::result run(const std::string& sql) {
    refuse_if_ended();
    return work_.exec(sql);
  }
  template <class... Arguments>
  pqxx::result run(const std::string& sql, Arguments&&... arguments) {
    refuse_if_ended();
    return work_.exec_params(sql, std::forward<Arguments>(arguments)...);
  }
  // COPY table (columns) FROM STDIN. Names must already be quoted. fill(write) calls write(line) for each
  // row; a line is in COPY's text format, without its line end.
  template <class Fill>
  void copy_into(const std::string& table, const std::vector<std::string>& columns, Fill fill) {
    refuse_if_ended();
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored \
    "-Wdeprecated-declarations"  // for stream_to the width of rows must be known at compile time
    pqxx::tablewriter writer(work_, table, columns.begin(), columns.end());
#pragma GCC diagnostic pop
    fill([&writer](const std::string& line) { writer.write_raw_line(line); });
    writer.complete();
  }
  // COPY (query) TO STDOUT. Calls on_line(line) for each row with a std::string&, which it may change: a line
  // in COPY's text format without its line end. If on_line throws, the query ends.
  template <class OnLine>
  void copy_out(const std::string& query, OnLine on_line) {
    refuse_if_ended();
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // stream_from takes no query
    pqxx::tablereader reader(work_, "(" + query + ")");
#pragma GCC diagnostic pop
    try {
      std::string line;
      while (reader.get_raw_line(line)) {
        if (line.ends_with('\n')) line.pop_back();  // ends the line; a line feed in the data is escaped
        on_line(line);
      }
    } catch (...) {
      cancel();  // or the reader would read all that is left
      throw;
    }
    reader.complete();
  }
  [[nodiscard]] int socket() const {
    return connection_.sock();
  }
  [[nodiscard]] int server_version() const {
    return connection_.server_version();
  }
  [[nodiscard]] const std::string& database() const {
    return database_;
  }
  // What this connection's start-up packet set kEchoSetting to (server_identity.hpp).
  [[nodiscard]] const std::string& echo() const {
    return echo_;
  }

 private:
  void refuse_if_ended() const;
  std::shared_ptr<Interrupt> interrupt_;
  std::string database_;
  std::string echo_;
  pqxx::connection connection_;
  pqxx::nontransaction work_;  // pgveil itself sends BEGIN and COMMIT
};

// The keyword/value text for libpq, with escaped values. Without the password it may appear in a message.
[[nodiscard]] std::string connection_string(const Endpoint& endpoint, const std::string& database,
                                            Access access, std::string_view echo);

}  // namespace pgveil::db
