#pragma once
// What must be known of a connection to PostgreSQL so that it can be lent to one client after another. It is
// a plain value that stays with the connection, from the session that logged it in to the next one. Two
// sessions never share it at the same time.
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/wire/primitives.hpp"

namespace pgveil::session {

using Settings = std::vector<std::pair<std::string, std::string>>;
// What a server said of its settings. Thousands of clients of a pool were told the same, and share it. Null:
// nothing yet.
using SharedSettings = std::shared_ptr<const Settings>;

// none: each client has a connection of its own, which is closed with it. session: the connection is given
// back when the client ends. transaction: it is given back whenever no transaction is open.
enum class PoolMode { none, session, transaction };

// What the names that pgveil chooses for statements begin with.
inline constexpr std::string_view kOwnNames = "pgveil_";

// The statements that are prepared on a connection under names that pgveil chose: those of sessions in
// transaction mode, and those whose plans are kept (kept_plan.hpp). The key of a statement is the text
// that was sent, the types of its parameters, and reading_of_constants(). The text names the versions it was
// rewritten under, so a statement of an earlier version is never taken for a current one.
class PreparedStatements {
 public:
  // of_client: a client has prepared it. kept: it was prepared so that its plan stays.
  enum class Origin { of_client, kept };

  // The name under which the server has it; null: it is not prepared on this connection. A statement that is
  // found becomes the one used last.
  [[nodiscard]] const std::string* find(const std::string& key);
  [[nodiscard]] bool has(const std::string& key) const { return by_key_.contains(key); }
  // A name that was never used on this connection, for a Parse that is about to be sent.
  [[nodiscard]] std::string add(const std::string& key, std::size_t size_bytes, Origin origin);
  // Forgets the statement that was not used for the longest time, and returns its name. REQUIRES: size() > 0.
  [[nodiscard]] std::string take_oldest();
  // The same among those that are kept. REQUIRES: kept_bytes() > 0.
  [[nodiscard]] std::string take_oldest_kept();
  // Whether find() would find it, or it was asked for before. Remembers the last ones that were asked for.
  [[nodiscard]] bool is_met_again(const std::string& key);
  // The server refused its Parse, or skipped it.
  void forget(const std::string& key);
  void forget_all();
  [[nodiscard]] std::size_t size() const { return by_key_.size(); }
  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }  // of their texts
  [[nodiscard]] std::size_t kept_bytes() const { return kept_bytes_; }  // of the texts that are kept

 private:
  struct Prepared {
    std::string name;
    std::uint64_t used = 0;
    std::size_t size_bytes = 0;
    Origin origin = Origin::of_client;
  };
  std::string take(std::map<std::string, Prepared>::iterator one);

  std::map<std::string, Prepared> by_key_;
  std::deque<std::string> met_;  // keys that were asked for once, the last one at the end
  std::size_t size_bytes_ = 0;
  std::size_t kept_bytes_ = 0;
  std::uint64_t last_name_ = 0;
  std::uint64_t last_use_ = 0;
};

struct BackendState {
  std::uint32_t pid = 0;  // 0: the server has given no key
  wire::CancelSecret secret;
  SharedSettings parameters;  // as the last ParameterStatus said; null with PoolMode::none
  // DateStyle, IntervalStyle and TimeZone, as last told. By these the server reads constants when it parses
  // a text: '02/03/1990' is another day under another DateStyle, and a plan keeps its day.
  std::array<std::string, 3> reading;
  // The same of settings by which values are read and written, and that the server does not report
  // (may_change_unreported): their values, or a text that nothing had before if these are not known.
  std::string unreported;
  std::uint64_t unreported_changes = 0;
  Settings settings;  // in force in addition to those of the start-up packet, sorted by name
  PreparedStatements statements;
  bool knows_statements = true;  // false: the server may have more of ours than `statements`
  std::string unnamed;           // the key of its unnamed statement; empty: none, or an unknown one
  bool is_soiled =
      false;  // statements that were dropped may still exist on the server: DISCARD ALL is needed
};

// The part of a statement's key that says how the server reads constants. A plan has computed what depends on
// constants alone: 0.1::float8::text is another text under another extra_float_digits.
[[nodiscard]] std::string reading_of_constants(const BackendState& server);

// Whether setting it may change `unreported`. An empty name stands for any setting.
[[nodiscard]] bool may_change_unreported(std::string_view setting);
// Something that may_change_unreported was set, or set back.
void note_unreported_change(BackendState& server);
// These settings are in force now.
void note_settings(BackendState& server, Settings settings);

// Records a ParameterStatus in `reading`, if it is about one of these.
void note_reading(BackendState& server, std::string_view name, std::string_view value);

// Records a ParameterStatus. Other holders of `parameters` keep theirs.
void note_parameter(SharedSettings& parameters, const std::string& name, const std::string& value);
// The same in both fields.
void note_parameter(BackendState& server, const std::string& name, const std::string& value);

}  // namespace pgveil::session
