#pragma once
// What has to be known of a connection to PostgreSQL to lend it to one client after another: a plain value that
// goes with the connection from the session that logged it in to the next one. Never shared by two sessions at a
// time.
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pgveil::session {

using Settings = std::vector<std::pair<std::string, std::string>>;

// none: a connection of its own for each client, closed with it. session: given back when the client ends.
// transaction: given back whenever no transaction is open.
enum class PoolMode { none, session, transaction };

// The statements that sessions have prepared on a connection in transaction mode, under names of ours. Their keys
// are the text that was sent and the types of its parameters; a text names the versions it was rewritten under,
// so a statement of an earlier version is never taken for a current one.
class PreparedStatements {
 public:
  // The server's name of it; null: it is not prepared here. What is found counts as used last.
  [[nodiscard]] const std::string* find(const std::string& key);
  // A name that the server has never heard, for a Parse that is about to be sent.
  [[nodiscard]] std::string add(const std::string& key);
  // The name of the one that has not been used for the longest time, which is forgotten. REQUIRES: size() > 0.
  [[nodiscard]] std::string take_oldest();
  // The server refused its Parse, or skipped it.
  void forget(const std::string& key) { by_key_.erase(key); }
  void forget_all() { by_key_.clear(); }
  [[nodiscard]] std::size_t size() const { return by_key_.size(); }

 private:
  struct Prepared {
    std::string name;
    std::uint64_t used = 0;
  };
  std::map<std::string, Prepared> by_key_;
  std::uint64_t last_name_ = 0;
  std::uint64_t last_use_ = 0;
};

struct BackendState {
  std::uint32_t pid = 0;
  std::uint32_t secret = 0;
  Settings parameters;  // as ParameterStatus named them last
  Settings settings;    // in force beside those of its start-up packet, sorted by name
  PreparedStatements statements;
  std::string unnamed;     // the key of its unnamed statement; empty: none that is known
  bool is_soiled = false;  // statements were dropped that may still be there: it has to be cleaned
};

// Enters what a ParameterStatus said.
void note_parameter(Settings& parameters, const std::string& name, const std::string& value);

}  // namespace pgveil::session
