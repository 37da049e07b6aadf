#pragma once
// The virtual database "pgveil": its commands as values. Parsing and authorization are pure and live here.
// The work (BUILD, EXPORT …) is behind the interface Console, which daemon/console/commands.hpp implements.
// Sessions offer it over the simple and the extended protocol.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/error.hpp"
#include "common/report_format.hpp"
#include "common/text_table.hpp"

namespace pgveil::console {

// ---- commands
struct ShowPolicies {};
struct ShowTree {
  std::string policy;
};
enum class TreeFormat { dot, json };
struct ShowTreeAs {
  std::string policy;
  TreeFormat format = TreeFormat::dot;
};
// Which rows of a long answer are wanted.
inline constexpr std::uint64_t kExcerptRows = 1'000;
struct Excerpt {
  std::optional<std::string> column = std::nullopt;   // those that show this column
  std::optional<std::string> value = std::nullopt;    // and this value in it
  std::optional<std::uint64_t> limit = kExcerptRows;  // none: all
  std::uint64_t offset = 0;
};
struct ShowRules {
  std::string policy;
  Excerpt excerpt = {};
};
struct ShowCohorts {
  std::string policy;
  Excerpt excerpt = {};
};
struct ShowStored {
  std::string policy;
};
struct ShowUtility {
  std::string policy;
};
struct ShowRefusals {};
struct ShowJobs {};
struct ShowClients {};
struct ShowServers {};
struct ShowPools {};
struct ShowStats {};
struct ShowStatsTotals {};
struct ShowDatabases {};
struct ShowUsers {};
struct ShowConfig {};
struct ShowLists {};
struct ShowMem {};
struct ShowVersion {};
struct ShowHelp {};
struct BuildPolicy {
  std::string policy;
  bool is_fresh = false;  // ignore what the earlier version showed
};
struct CheckPolicy {
  std::string policy;
};
struct AttackPolicy {
  std::string policy;
  std::vector<std::string> columns;  // that an attacker knows of every person
  ReportFormat format = ReportFormat::text;
};
// For any table that pgveil may read. database: none means the only one.
struct CheckTable {
  std::string schema, table;
  std::optional<std::string> database;
  std::string job;                              // replaces everything below; empty: none
  std::vector<std::string> columns, sensitive;  // columns: the quasi-identifiers
  std::optional<std::uint64_t> k;
  std::vector<std::string> required, orders, risks;  // like --require, --order and --risk of check-table
};
struct MeasureRisk {
  std::string schema, table;
  std::optional<std::string> database;
  std::vector<std::string> columns;
  double threshold = 0.2;
  std::uint64_t most_columns = 2;  // of the sets whose identifying power is measured
};
struct ExplainPolicy {
  std::string role;
  std::string sql;
  std::optional<std::string> database;
  bool is_full = false;  // show masks in their places
};
struct Reload {};
struct ExportToTable {
  std::string policy;
  std::string schema;
  std::string table;
  std::optional<std::string> certificate;  // file for the certificate
};
struct ExportToFile {
  std::string policy;
  std::string file;
  std::optional<std::string> certificate;
};
struct AnonymizeJob {
  std::string job;
  std::string schema, table;  // in place of the job's own output; empty: the job's output
};
struct CancelJob {
  std::string job;
};
// database: empty means all.
struct Pause {
  std::string database;
};
struct Resume {
  std::string database;
};
struct Reconnect {
  std::string database;
};
struct KillClient {
  std::uint64_t id = 0;
};
// at_rest: PgBouncer's WAIT_FOR_SERVERS; each session ends as soon as it has no open transaction.
enum class Ending { at_once, at_rest, when_clients_go };
struct Shutdown {
  Ending ending = Ending::at_once;
};
// A link that signs the role that asks for it in to the page, once.
struct SignInLink {};
// SET, SHOW of client settings, BEGIN/COMMIT, SELECT version() … that drivers send on connect. They are
// answered without any effect.
struct Benign {
  std::string tag;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};
using Command =
    std::variant<ShowPolicies, ShowTree, ShowTreeAs, ShowRules, ShowCohorts, ShowUtility, ShowStored,
                 ShowRefusals, ShowJobs, ShowClients, ShowServers, ShowPools, ShowStats, ShowStatsTotals,
                 ShowDatabases, ShowUsers, ShowConfig, ShowLists, ShowMem, ShowVersion, ShowHelp, BuildPolicy,
                 CheckPolicy, AttackPolicy, CheckTable, MeasureRisk, ExplainPolicy, Reload, ExportToTable,
                 ExportToFile, AnonymizeJob, CancelJob, Pause, Resume, Reconnect, KillClient, Shutdown,
                 SignInLink, Benign>;

// Keywords are accepted in any case, names bare or double-quoted, and a trailing semicolon is allowed; in '…'
// a quote is doubled. Errors: 42601 with what was expected and "SHOW HELP lists the commands".
[[nodiscard]] Result<Command> parse_command(std::string_view text);

// What a login may do on the console. stats: only the SHOWs that quote no data (not TREE, RULES, COHORTS,
// UTILITY, EXPLAIN).
enum class Standing { none, stats, admin };
// Errors: 42501, which names the command and who may run it.
[[nodiscard]] Result<void> authorize(const Command& command, Standing standing);

// The columns of a command's answer, known before it runs (for Describe). Empty: no rows, only a tag.
[[nodiscard]] std::vector<std::string> columns_of(const Command& command);

struct Request {
  std::string role;  // authenticated client role
  std::string text;  // one command
};

// All values are sent as text (type OID 25); nullopt is NULL.
struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<std::optional<std::string>>> rows;
  std::string tag;                   // "SHOW", "BUILD POLICY", …
  std::vector<std::string> notices;  // one line each
};
using Answer = Result<Table>;

// For a terminal (common/text_table.hpp).
[[nodiscard]] inline std::string text_of(const Table& table) {
  return pgveil::text_of(TextTable{table.columns, table.rows});
}

class Console {
 public:
  Console() = default;
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;
  virtual ~Console() = default;
  // Parses, authorizes and runs one command. May block for minutes, so never call it on a network thread.
  // Thread-safe.
  [[nodiscard]] virtual Answer run(const Request& request) = 0;
};

}  // namespace pgveil::console
