#include <doctest/doctest.h>

#include <string>
#include <type_traits>
#include <vector>

#include "console/command_list.hpp"
#include "console/console.hpp"
#include "console/tokens.hpp"

namespace pgveil::console::parse_command_test {
namespace {

// A command as one line, so that tables can be compared.
struct Spelled {
  std::string operator()(const ShowPolicies&) const { return "show policies"; }
  std::string operator()(const ShowTree& it) const { return "show tree " + it.policy; }
  std::string operator()(const ShowTreeAs& it) const {
    return "show tree " + it.policy + (it.format == TreeFormat::dot ? " dot" : " json");
  }
  std::string operator()(const ShowRules& it) const { return "show rules " + it.policy + shown(it.excerpt); }
  std::string operator()(const ShowCohorts& it) const {
    return "show cohorts " + it.policy + shown(it.excerpt);
  }
  static std::string shown(const Excerpt& excerpt) {
    std::string out = excerpt.column ? " for=" + *excerpt.column : "";
    if (excerpt.value) out += " value=" + *excerpt.value;
    if (excerpt.limit != kExcerptRows)
      out += excerpt.limit ? " limit=" + std::to_string(*excerpt.limit) : " all";
    return excerpt.offset == 0 ? out : out + " offset=" + std::to_string(excerpt.offset);
  }
  std::string operator()(const ShowUtility& it) const { return "show utility " + it.policy; }
  std::string operator()(const ShowStored& it) const { return "show stored " + it.policy; }
  std::string operator()(const ShowRefusals&) const { return "show refusals"; }
  std::string operator()(const ShowJobs&) const { return "show jobs"; }
  std::string operator()(const ShowVersion&) const { return "show version"; }
  std::string operator()(const ShowHelp&) const { return "show help"; }
  std::string operator()(const BuildPolicy& it) const {
    return "build " + it.policy + (it.is_fresh ? " fresh" : "");
  }
  std::string operator()(const CheckPolicy& it) const { return "check " + it.policy; }
  std::string operator()(const AttackPolicy& it) const {
    const std::string form = it.format == ReportFormat::text   ? ""
                             : it.format == ReportFormat::json ? " as json"
                                                               : " as html";
    return "attack " + it.policy + " knows=" + joined(it.columns) + form;
  }
  static std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const auto& name : names) text += "[" + name + "]";
    return text;
  }
  std::string operator()(const CheckTable& it) const {
    return "check [" + it.schema + "][" + it.table + "] database=" + it.database.value_or("-") +
           (it.job.empty() ? "" : " job=" + it.job) + " columns=" + joined(it.columns) +
           " sensitive=" + joined(it.sensitive) + " k=" + (it.k ? std::to_string(*it.k) : "-") +
           " require=" + joined(it.required) + " risk=" + joined(it.risks) + " order=" + joined(it.orders);
  }
  std::string operator()(const MeasureRisk& it) const {
    return "risk [" + it.schema + "][" + it.table + "] database=" + it.database.value_or("-") +
           " columns=" + joined(it.columns) + " threshold=" + std::to_string(it.threshold) +
           " sets=" + std::to_string(it.most_columns);
  }
  std::string operator()(const ExplainPolicy& it) const {
    return "explain role=" + it.role + " database=" + it.database.value_or("-") +
           (it.is_full ? " full" : "") + " sql=" + it.sql;
  }
  std::string operator()(const Reload&) const { return "reload"; }
  std::string operator()(const ExportToTable& it) const {
    return "export " + it.policy + " [" + it.schema + "][" + it.table + "]" + with(it.certificate);
  }
  std::string operator()(const ExportToFile& it) const {
    return "export " + it.policy + " file=" + it.file + with(it.certificate);
  }
  static std::string with(const std::optional<std::string>& certificate) {
    return certificate ? " certificate=" + *certificate : "";
  }
  std::string operator()(const AnonymizeJob& it) const {
    return "anonymize " + it.job + (it.table.empty() ? "" : " [" + it.schema + "][" + it.table + "]");
  }
  std::string operator()(const ShowClients&) const { return "show clients"; }
  std::string operator()(const ShowServers&) const { return "show servers"; }
  std::string operator()(const ShowPools&) const { return "show pools"; }
  std::string operator()(const ShowStats&) const { return "show stats"; }
  std::string operator()(const ShowStatsTotals&) const { return "show stats_totals"; }
  std::string operator()(const ShowDatabases&) const { return "show databases"; }
  std::string operator()(const ShowUsers&) const { return "show users"; }
  std::string operator()(const ShowConfig&) const { return "show config"; }
  std::string operator()(const ShowLists&) const { return "show lists"; }
  std::string operator()(const ShowMem&) const { return "show mem"; }
  std::string operator()(const Pause& it) const { return "pause " + it.database; }
  std::string operator()(const Resume& it) const { return "resume " + it.database; }
  std::string operator()(const Reconnect& it) const { return "reconnect " + it.database; }
  std::string operator()(const KillClient& it) const { return "kill " + std::to_string(it.id); }
  std::string operator()(const Shutdown& it) const {
    return "shutdown " + std::to_string(static_cast<int>(it.ending));
  }
  std::string operator()(const SignInLink&) const { return "sign in link"; }
  std::string operator()(const CancelJob& it) const { return "cancel " + it.job; }
  std::string operator()(const Benign& it) const {
    std::string out = "benign " + it.tag;
    for (const auto& row : it.rows) out += " " + row.front();
    return out;
  }
};

struct Case {
  std::string text;
  std::string expected;
};

TEST_CASE("every command is understood, in any case and layout") {
  const std::vector<Case> cases{
      {"SHOW POLICIES", "show policies"},
      {"show policies;", "show policies"},
      {"  Show\n\tPolicies ; ; ", "show policies"},
      {"SHOW /* a /* nested */ comment */ POLICIES -- end", "show policies"},
      {"SHOW TREE people_k2", "show tree people_k2"},
      {"SHOW TREE People_K2", "show tree people_k2"},
      {"SHOW TREE \"People K2\"", "show tree People K2"},
      {"SHOW TREE \"a\"\"b\"", "show tree a\"b"},
      {"SHOW TREE p AS DOT", "show tree p dot"},
      {"show tree \"P\" as json;", "show tree P json"},
      {"SHOW RULES p", "show rules p"},
      {"show Stored \"P\"", "show stored P"},
      {"SHOW utility p;", "show utility p"},
      {"SHOW COHORTS p", "show cohorts p"},
      {"show cohorts p for City limit 5;", "show cohorts p for=city limit=5"},
      {"SHOW COHORTS p FOR \"home zip\" = '1''2' LIMIT 0 OFFSET 7",
       "show cohorts p for=home zip value=1'2 limit=0 offset=7"},
      {"SHOW RULES p LIMIT ALL", "show rules p all"},
      {"SHOW RULES p FOR for = '' OFFSET 3", "show rules p for=for value= offset=3"},
      {"show Refusals;", "show refusals"},
      {"SHOW VERSION", "show version"},
      {"SHOW HELP", "show help"},
      {"BUILD POLICY p", "build p"},
      {"build policy \"Fresh\" fresh;", "build Fresh fresh"},
      {"CHECK POLICY p", "check p"},
      {"ATTACK POLICY p", "attack p knows="},
      {"ATTACK POLICY p AS text", "attack p knows="},
      {"ATTACK POLICY p KNOWS (a) AS JSON", "attack p knows=[a] as json"},
      {"attack policy p as html;", "attack p knows= as html"},
      {"attack policy \"a p\" knows (city, \"zip code\");", "attack a p knows=[city][zip code]"},
      {"CHECK TABLE public.people AS JOB j",
       "check [public][people] database=- job=j columns= sensitive= k=- require= risk= order="},
      {"check table s.\"T\" in database d columns (age, \"home zip\")",
       "check [s][T] database=d columns=[age][home zip] sensitive= k=- require= risk= order="},
      {"CHECK TABLE s.t COLUMNS (a) SENSITIVE (b,c) K 5 REQUIRE 'b=distinct 3','c=entropy 2' "
       "RISK 'average_risk 0.05' ORDER 'c=number';",
       "check [s][t] database=- columns=[a] sensitive=[b][c] k=5 require=[b=distinct 3][c=entropy 2] "
       "risk=[average_risk 0.05] order=[c=number]"},
      {"RISK s.t COLUMNS (a)", "risk [s][t] database=- columns=[a] threshold=0.200000 sets=2"},
      {"risk s.t in database d columns (a, b) threshold 0.05 sets 3",
       "risk [s][t] database=d columns=[a][b] threshold=0.050000 sets=3"},
      {"RELOAD", "reload"},
      {"EXPLAIN POLICY FOR ROLE analyst 'SELECT 1'", "explain role=analyst database=- sql=SELECT 1"},
      {"EXPLAIN POLICY FOR ROLE analyst IN DATABASE demo FULL 'SELECT 1'",
       "explain role=analyst database=demo full sql=SELECT 1"},
      {"EXPLAIN POLICY FOR ROLE analyst 'SELECT ''x'''", "explain role=analyst database=- sql=SELECT 'x'"},
      {"EXPLAIN POLICY FOR ROLE \"Ann\" IN DATABASE demo $$SELECT 'x';$$",
       "explain role=Ann database=demo sql=SELECT 'x';"},
      {"EXPLAIN POLICY FOR ROLE a $q$SELECT $$x$$$q$", "explain role=a database=- sql=SELECT $$x$$"},
      {"EXPORT POLICY p TO TABLE public.people_public", "export p [public][people_public]"},
      {"EXPORT POLICY p TO TABLE \"S.x\" . \"T\"", "export p [S.x][T]"},
      {"EXPORT POLICY p TO FILE 'a/b.csv'", "export p file=a/b.csv"},
      {"EXPORT POLICY p TO FILE 'b.csv' WITH CERTIFICATE 'b.json'", "export p file=b.csv certificate=b.json"},
      {"export policy p to table s.t with certificate 'b.json';", "export p [s][t] certificate=b.json"},
      {"SHOW JOBS;", "show jobs"},
      {"ANONYMIZE JOB residents", "anonymize residents"},
      {"anonymize job r to table s.\"T\"", "anonymize r [s][T]"},
      {"CANCEL JOB r", "cancel r"},
      {"show clients", "show clients"},
      {"SHOW SERVERS;", "show servers"},
      {"SHOW POOLS", "show pools"},
      {"SHOW STATS", "show stats"},
      {"show stats_totals", "show stats_totals"},
      {"SHOW DATABASES", "show databases"},
      {"SHOW USERS", "show users"},
      {"SHOW CONFIG", "show config"},
      {"SHOW LISTS", "show lists"},
      {"SHOW MEM", "show mem"},
      {"PAUSE", "pause "},
      {"pause Demo;", "pause demo"},
      {"PAUSE \"Demo\"", "pause Demo"},
      {"RESUME demo", "resume demo"},
      {"RECONNECT", "reconnect "},
      {"KILL_CLIENT 12;", "kill 12"},
      {"kill_client 18446744073709551615", "kill 18446744073709551615"},
      {"SHUTDOWN", "shutdown 0"},
      {"SHUTDOWN WAIT_FOR_SERVERS", "shutdown 1"},
      {"shutdown wait_for_clients;", "shutdown 2"},
      {"sign IN link;", "sign in link"},
      {"", "benign "},
      {" ; -- ping", "benign "},
      {"SET client_min_messages TO 'x'", "benign SET"},
      {"BEGIN", "benign BEGIN"},
      {"COMMIT", "benign COMMIT"},
      {"ROLLBACK;", "benign ROLLBACK"},
      {"DISCARD ALL", "benign DISCARD ALL"},
      {"SELECT 1", "benign SELECT 1 1"},
      {"select pg_catalog.version()", "benign SELECT 1 PostgreSQL 15.0 (pgveil console)"},
      {"SHOW client_encoding", "benign SHOW UTF8"},
      {"SHOW transaction isolation level", "benign SHOW read committed"},
      {"show STANDARD_CONFORMING_STRINGS", "benign SHOW on"}};
  for (const auto& [text, expected] : cases) {
    CAPTURE(text);
    const auto command = parse_command(text);
    REQUIRE(command.has_value());
    CHECK(std::visit(Spelled{}, *command) == expected);
  }
}

TEST_CASE("what is no command is a syntax error with its place and the way to the list") {
  struct Wrong {
    std::string text;
    std::string words;
    int position;
  };
  const std::vector<Wrong> cases{{"nonsense", "not a command", 1},
                                 {"DROP POLICY p", "not a command", 1},
                                 {"SHOW TREE p AS XML", "DOT or JSON expected", 16},
                                 {"SELECT * FROM people", "not a command", 1},
                                 {"SELECT '1'", "not a command", 1},
                                 {"SHOW", "POLICIES, CLIENTS", 5},
                                 {"SHOW NOTHING", "POLICIES, CLIENTS", 6},
                                 {"PAUSE 7", "end of the command", 7},
                                 {"RESUME a b", "end of the command", 10},
                                 {"KILL_CLIENT", "id of SHOW CLIENTS", 12},
                                 {"KILL_CLIENT x", "id of SHOW CLIENTS", 13},
                                 {"KILL_CLIENT 1.5", "id of SHOW CLIENTS", 13},
                                 {"KILL_CLIENT -1", "id of SHOW CLIENTS", 13},
                                 {"KILL_CLIENT 18446744073709551616", "id of SHOW CLIENTS", 13},
                                 {"SHUTDOWN NOW", "end of the command", 10},
                                 {"SIGN", "IN expected", 5},
                                 {"SIGN IN", "LINK expected", 8},
                                 {"SIGN IN LINK operator", "end of the command", 14},
                                 {"SHOW TREE", "policy's name expected", 10},
                                 {"SHOW TREE 'p'", "policy's name expected", 11},
                                 {"SHOW TREE p q", "end of the command", 13},
                                 {"SHOW POLICIES; SHOW POLICIES", "one command at a time", 14},
                                 {"SET x = 1; EXPORT POLICY p TO FILE 'x'", "one command at a time", 10},
                                 {"BUILD p", "POLICY expected", 7},
                                 {"EXPORT POLICY p TO FILE 'b.csv' WITH 'c'", "CERTIFICATE expected", 38},
                                 {"EXPORT POLICY p TO TABLE s.t WITH CERTIFICATE c", "as a string", 47},
                                 {"CHECK p", "POLICY or TABLE expected", 7},
                                 {"CHECK TABLE t", "\".\" expected", 14},
                                 {"CHECK TABLE s.t", "COLUMNS expected", 16},
                                 {"CHECK TABLE s.t COLUMNS a", "\"(\" expected", 25},
                                 {"CHECK TABLE s.t COLUMNS (a", "\")\" expected", 27},
                                 {"CHECK TABLE s.t COLUMNS ()", "column's name expected", 26},
                                 {"CHECK TABLE s.t COLUMNS (a) K x", "how many records expected", 31},
                                 {"CHECK TABLE s.t COLUMNS (a) REQUIRE b", "as a string", 37},
                                 {"CHECK TABLE s.t AS JOB j K 2", "end of the command", 26},
                                 {"RISK s.t", "COLUMNS expected", 9},
                                 {"RISK s.t COLUMNS (a) THRESHOLD a", "a share", 32},
                                 {"RISK s.t COLUMNS (a) SETS 1.5", "how many columns", 27},
                                 {"EXPLAIN POLICY FOR analyst 'SELECT 1'", "ROLE expected", 20},
                                 {"EXPLAIN POLICY FOR ROLE analyst SELECT", "statement as a string", 33},
                                 {"EXPLAIN POLICY FOR ROLE analyst IN demo 'x'", "DATABASE expected", 36},
                                 {"EXPORT POLICY p", "TO expected", 16},
                                 {"EXPORT POLICY p TO", "TABLE or FILE", 19},
                                 {"EXPORT POLICY p TO TABLE t", "\".\" expected", 27},
                                 {"EXPORT POLICY p TO FILE x", "file name as a string", 25},
                                 {"ANONYMIZE r", "JOB expected", 11},
                                 {"ANONYMIZE JOB", "job's name expected", 14},
                                 {"ANONYMIZE JOB r TO FILE 'x'", "TABLE expected", 20},
                                 {"ANONYMIZE JOB r TO TABLE t", "\".\" expected", 27},
                                 {"CANCEL r", "JOB expected", 8},
                                 {"SHOW TREE 'open", "unterminated string", 11},
                                 {"SHOW TREE \"open", "unterminated quoted name", 11},
                                 {"SHOW TREE \"\"", "empty quoted name", 11},
                                 {"SHOW /* open", "unterminated /*", 6},
                                 {"EXPLAIN POLICY FOR ROLE a $$open", "unterminated dollar", 27},
                                 {"SHOW TREE \xc3\xa9 \xc3\xa9", "end of the command", 13}};
  for (const auto& [text, words, position] : cases) {
    CAPTURE(text);
    const auto command = parse_command(text);
    REQUIRE(command.has_error());
    const Error& error = command.error();
    CHECK(error.sqlstate == "42601");
    CHECK_MESSAGE(error.public_message.find(words) != std::string::npos, error.public_message);
    CHECK(error.position == position);
    CHECK(error.hint.find("SHOW HELP") != std::string::npos);
  }
}

TEST_CASE("a command over the limit is refused, one at the limit is not") {
  const std::string fits = "SHOW HELP" + std::string(kMaxCommandBytes - 9, ' ');
  CHECK(parse_command(fits).has_value());
  CHECK(parse_command(fits + " ").has_error());
}

TEST_CASE("every command knows its columns, and SHOW HELP lists every command once") {
  const auto help = help_table();
  CHECK(help.columns == std::vector<std::string>{"command", "meaning"});
  CHECK(help.rows.size() + 1 == std::variant_size_v<Command>);
  CHECK(columns_of(ShowCohorts{}) ==
        std::vector<std::string>{"cohort", "rows", "units", "predicate", "shows"});
  CHECK(columns_of(Benign{"SET", {}, {}}).empty());
  CHECK(columns_of(ExportToTable{}) == columns_of(ExportToFile{}));
}

}  // namespace
}  // namespace pgveil::console::parse_command_test
