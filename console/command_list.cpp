#include "console/command_list.hpp"

#include <algorithm>

#include "common/assert.hpp"

namespace pgveil::console {
namespace {

const std::vector<std::string> kPolicyColumns = {
    "policy",      "database",     "table",      "k",           "unit",           "version",
    "state",       "built_at",     "cohorts",    "smallest",    "disclosed",      "computable",
    "equal",       "at_most",      "mean_error", "least_shown", "closed_because", "building",
    "enforcement", "last_failure", "failure",    "last_check",  "finding"};
const std::vector<std::string> kReleaseColumns = {"rows",      "units",      "cohorts", "smallest",
                                                  "disclosed", "computable", "equal"};
const std::vector<std::string> kUtilityColumns = {"at_most", "mean_error", "least_shown"};

// PgBouncer's names, from the version that has most of them. Columns that make no sense here are left out.
const std::vector<std::string> kLinkColumns = {"type",
                                               "user",
                                               "database",
                                               "replication",
                                               "state",
                                               "addr",
                                               "port",
                                               "local_addr",
                                               "local_port",
                                               "connect_time",
                                               "request_time",
                                               "wait",
                                               "wait_us",
                                               "close_needed",
                                               "ptr",
                                               "link",
                                               "remote_pid",
                                               "tls",
                                               "application_name",
                                               "prepared_statements",
                                               "id"};
const std::vector<std::string> kPoolColumns = {"database",
                                               "user",
                                               "cl_active",
                                               "cl_waiting",
                                               "cl_active_cancel_req",
                                               "cl_waiting_cancel_req",
                                               "sv_active",
                                               "sv_active_cancel",
                                               "sv_being_canceled",
                                               "sv_idle",
                                               "sv_used",
                                               "sv_tested",
                                               "sv_login",
                                               "maxwait",
                                               "maxwait_us",
                                               "pool_mode",
                                               "load_balance_hosts"};
const std::vector<std::string> kTotalColumns = {"database",         "total_server_assignment_count",
                                                "total_xact_count", "total_query_count",
                                                "total_received",   "total_sent",
                                                "total_xact_time",  "total_query_time",
                                                "total_wait_time"};
const std::vector<std::string> kAverageColumns = {"avg_server_assignment_count",
                                                  "avg_xact_count",
                                                  "avg_query_count",
                                                  "avg_recv",
                                                  "avg_sent",
                                                  "avg_xact_time",
                                                  "avg_query_time",
                                                  "avg_wait_time"};

std::vector<std::string> joined(std::vector<std::string> first, const std::vector<std::string>& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

// The index of a type among Command's alternatives.
template <class Wanted, std::size_t at = 0>
constexpr std::size_t alternative_of() {
  if constexpr (std::is_same_v<Wanted, std::variant_alternative_t<at, Command>>) {
    return at;
  } else {
    return alternative_of<Wanted, at + 1>();
  }
}

std::vector<CommandInfo> make_list() {
  return {
      {alternative_of<ShowPolicies>(), "SHOW POLICIES", "SHOW POLICIES",
       "every policy, its version and how much it discloses", Standing::stats, kPolicyColumns},
      {alternative_of<ShowTree>(),
       "SHOW TREE",
       "SHOW TREE policy",
       "the disclosure tree of the current version",
       Standing::admin,
       {"tree", "rows", "units", "cohort", "shows"}},
      {alternative_of<ShowTreeAs>(),
       "SHOW TREE AS",
       "SHOW TREE policy AS format",
       "DOT: the tree for Graphviz; JSON: the whole version for programs",
       Standing::admin,
       {"tree"}},
      {alternative_of<ShowRules>(),
       "SHOW RULES",
       "SHOW RULES policy [FOR column [= 'value']] [LIMIT n] [OFFSET n]",
       "per column, when a row's value is shown",
       Standing::admin,
       {"column", "shown_when", "rows"}},
      {alternative_of<ShowCohorts>(),
       "SHOW COHORTS",
       "SHOW COHORTS policy [FOR column [= 'value']] [LIMIT n] [OFFSET n]",
       "the cohorts: predicate, size and what each shows",
       Standing::admin,
       {"cohort", "rows", "units", "predicate", "shows"}},
      {alternative_of<ShowUtility>(),
       "SHOW UTILITY",
       "SHOW UTILITY policy",
       "how wrong GROUP BY is: per column, pair of columns and question of the workload",
       Standing::admin,
       {"kind", "question", "rows_shown", "groups", "groups_shown", "mean_error", "p95_error", "largest"}},
      {alternative_of<ShowStored>(),
       "SHOW STORED",
       "SHOW STORED policy",
       "for enforcement: stored, the SQL with which the table's owner adds the column",
       Standing::admin,
       {"sql"}},
      {alternative_of<ShowRefusals>(),
       "SHOW REFUSALS",
       "SHOW REFUSALS",
       "how many query texts were refused since the start, by reason",
       Standing::stats,
       {"reason", "total_count", "last_at"}},
      {alternative_of<ShowJobs>(),
       "SHOW JOBS",
       "SHOW JOBS",
       "the jobs of the configuration, and how the last run of each went",
       Standing::stats,
       {"job", "state", "started_by", "started_at", "ended_at", "checks", "best", "rows", "message"}},
      {alternative_of<ShowClients>(), "SHOW CLIENTS", "SHOW CLIENTS", "the connected clients",
       Standing::stats, kLinkColumns},
      {alternative_of<ShowServers>(), "SHOW SERVERS", "SHOW SERVERS", "the connections to PostgreSQL",
       Standing::stats, kLinkColumns},
      {alternative_of<ShowPools>(), "SHOW POOLS", "SHOW POOLS", "clients and servers by database and user",
       Standing::stats, kPoolColumns},
      {alternative_of<ShowStats>(), "SHOW STATS", "SHOW STATS",
       "traffic by database since the start, and per second of the last minute", Standing::stats,
       joined(kTotalColumns, kAverageColumns)},
      {alternative_of<ShowStatsTotals>(),
       "SHOW STATS_TOTALS",
       "SHOW STATS_TOTALS",
       "traffic by database since the start",
       Standing::stats,
       {"database", "server_assignment_count", "xact_count", "query_count", "bytes_received", "bytes_sent",
        "xact_time", "query_time", "wait_time"}},
      {alternative_of<ShowDatabases>(),
       "SHOW DATABASES",
       "SHOW DATABASES",
       "the databases that clients may connect to",
       Standing::stats,
       {"name", "host", "port", "database", "force_user", "pool_size", "min_pool_size", "reserve_pool",
        "pool_mode", "max_connections", "current_connections", "paused", "disabled"}},
      {alternative_of<ShowUsers>(),
       "SHOW USERS",
       "SHOW USERS",
       "the roles that may log in",
       Standing::stats,
       {"name", "pool_mode"}},
      {alternative_of<ShowConfig>(),
       "SHOW CONFIG",
       "SHOW CONFIG",
       "every key of the configuration, and whether RELOAD can change it",
       Standing::admin,
       {"key", "value", "default", "changeable"}},
      {alternative_of<ShowLists>(),
       "SHOW LISTS",
       "SHOW LISTS",
       "how many objects of each kind there are",
       Standing::stats,
       {"list", "items"}},
      {alternative_of<ShowMem>(),
       "SHOW MEM",
       "SHOW MEM",
       "memory in use",
       Standing::stats,
       {"name", "size", "used", "free", "memtotal"}},
      {alternative_of<ShowVersion>(),
       "SHOW VERSION",
       "SHOW VERSION",
       "the version of pgveil",
       Standing::stats,
       {"version"}},
      {alternative_of<ShowHelp>(),
       "SHOW HELP",
       "SHOW HELP",
       "this list",
       Standing::stats,
       {"command", "meaning"}},
      {alternative_of<BuildPolicy>(), "BUILD POLICY", "BUILD POLICY policy [FRESH]",
       "builds a new version from the table and makes it current; with FRESH, independently of the "
       "version before",
       Standing::admin, joined(joined({"policy", "version"}, kReleaseColumns), kUtilityColumns)},
      {alternative_of<CheckPolicy>(), "CHECK POLICY", "CHECK POLICY policy",
       "recounts the live table: smallest cohort, disclosure, errors, drift", Standing::admin,
       joined(joined(joined({"policy", "version"}, kReleaseColumns), kUtilityColumns),
              {"splits_below_k", "finding"})},
      {alternative_of<AttackPolicy>(),
       "ATTACK POLICY",
       "ATTACK POLICY policy [KNOWS (a, b)] [AS format]",
       "what readers can compute or guess of hidden cells, like `pgveil attack`. TEXT (the default) is one "
       "line a row, JSON and HTML are one cell",
       Standing::admin,
       {"report"}},
      {alternative_of<CheckTable>(),
       "CHECK TABLE",
       "CHECK TABLE schema.table [IN DATABASE database] AS JOB job | COLUMNS (a, b) …",
       "which privacy models a table satisfies, and which of the required ones it breaks",
       Standing::admin,
       {"about", "figure", "value"}},
      {alternative_of<MeasureRisk>(),
       "RISK",
       "RISK schema.table [IN DATABASE database] COLUMNS (a, b) [THRESHOLD share] [SETS n]",
       "the re-identification risk of a table's records",
       Standing::admin,
       {"about", "figure", "value"}},
      {alternative_of<ExplainPolicy>(),
       "EXPLAIN POLICY",
       "EXPLAIN POLICY FOR ROLE role [IN DATABASE database] [FULL] 'SQL'",
       "the SQL that would be sent for this role, or every refusal",
       Standing::admin,
       {"verdict", "text", "detail", "hint", "position", "place"}},
      {alternative_of<Reload>(),
       "RELOAD",
       "RELOAD",
       "reads configuration, policies, users and catalogs again; all or nothing",
       Standing::admin,
       {"item", "outcome", "message"}},
      {alternative_of<ExportToTable>(), "EXPORT POLICY TO TABLE",
       "EXPORT POLICY policy TO TABLE schema.table [WITH CERTIFICATE 'name.json']",
       "writes the anonymized table as a new table", Standing::admin,
       joined({"policy", "target"}, kReleaseColumns)},
      {alternative_of<ExportToFile>(), "EXPORT POLICY TO FILE",
       "EXPORT POLICY policy TO FILE 'name.csv' [WITH CERTIFICATE 'name.json']",
       "writes the anonymized table as a new file below export_dir", Standing::admin,
       joined({"policy", "target"}, kReleaseColumns)},
      {alternative_of<AnonymizeJob>(),
       "ANONYMIZE JOB",
       "ANONYMIZE JOB job [TO TABLE schema.table]",
       "starts a job, which publishes a k-anonymous table in the background",
       Standing::admin,
       {"job", "state"}},
      {alternative_of<CancelJob>(),
       "CANCEL JOB",
       "CANCEL JOB job",
       "ends a running job, which then publishes nothing",
       Standing::admin,
       {"job", "state"}},
      {alternative_of<Pause>(),
       "PAUSE",
       "PAUSE [database]",
       "hands out no more connections to PostgreSQL, and waits until none is in use",
       Standing::admin,
       {}},
      {alternative_of<Resume>(), "RESUME", "RESUME [database]", "ends a PAUSE", Standing::admin, {}},
      {alternative_of<Reconnect>(),
       "RECONNECT",
       "RECONNECT [database]",
       "replaces connections to PostgreSQL as soon as nobody uses them",
       Standing::admin,
       {}},
      {alternative_of<KillClient>(),
       "KILL_CLIENT",
       "KILL_CLIENT id",
       "ends the session of the client with this id in SHOW CLIENTS",
       Standing::admin,
       {}},
      {alternative_of<Shutdown>(),
       "SHUTDOWN",
       "SHUTDOWN [WAIT_FOR_CLIENTS | WAIT_FOR_SERVERS]",
       "ends pgveil: at once, when the clients have disconnected, or each session at the end of its "
       "transaction",
       Standing::admin,
       {}},
      {alternative_of<SignInLink>(),
       "SIGN IN LINK",
       "SIGN IN LINK",
       "a link that signs you in to the page, once and within ten minutes",
       Standing::stats,
       {"link", "valid_for"}}};
}

}  // namespace

std::span<const CommandInfo> command_list() {
  static const std::vector<CommandInfo> list = make_list();
  return list;
}

const CommandInfo& info_of(const Command& command) {
  const auto list = command_list();
  const auto found = std::ranges::find(list, command.index(), &CommandInfo::alternative);
  PGVEIL_ASSERT(found != list.end());
  return *found;
}

std::vector<std::string> columns_of(const Command& command) {
  if (const auto* benign = std::get_if<Benign>(&command)) return benign->columns;
  return info_of(command).columns;
}

Table lines_table(const Command& command, std::string_view text) {
  Table table{columns_of(command), {}, "SHOW", {}};
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    table.rows.push_back({std::string(text.substr(0, end))});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return table;
}

Table help_table() {
  Table table{columns_of(ShowHelp{}), {}, "SHOW", {}};
  for (const auto& info : command_list()) {
    table.rows.push_back({std::string(info.syntax), std::string(info.meaning)});
  }
  return table;
}

}  // namespace pgveil::console
