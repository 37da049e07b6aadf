#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "common/ascii.hpp"
#include "console/console.hpp"
#include "console/tokens.hpp"

namespace pgveil::console {
namespace {

// Reads tokens one by one. The first mismatch is remembered, and everything after it is ignored.
class Reader {
 public:
  explicit Reader(std::span<const Token> tokens) : tokens_(tokens) {}

  [[nodiscard]] bool is_next(std::string_view word) const {
    return !error_ && peek().kind == TokenKind::word && peek().text == word;
  }
  bool accept(std::string_view word) {
    const bool fits = is_next(word);
    if (fits) ++at_;
    return fits;
  }
  void expect(std::string_view word) {
    if (!accept(word)) fail(fmt::format("{} expected", upper(word)));
  }
  bool accept_symbol(std::string_view symbol) {
    const bool fits = !error_ && peek().kind == TokenKind::symbol && peek().text == symbol;
    if (fits) ++at_;
    return fits;
  }
  void expect_symbol(std::string_view symbol) {
    if (!accept_symbol(symbol)) fail(fmt::format("\"{}\" expected", symbol));
  }
  std::string name(std::string_view what) {
    if (peek().kind == TokenKind::word || peek().kind == TokenKind::quoted_name) return take();
    fail(fmt::format("{} expected", what));
    return {};
  }
  std::string string(std::string_view what) {
    if (peek().kind == TokenKind::string) return take();
    fail(fmt::format("{} expected", what));
    return {};
  }
  // A whole number, or a fraction for double.
  template <class Number>
  Number number(std::string_view what) {
    Number value = 0;
    const std::string& text = peek().text;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_number =
        peek().kind == TokenKind::number && problem == std::errc{} && end == text.data() + text.size();
    if (!is_number) fail(fmt::format("{} expected", what));
    if (!error_) ++at_;
    return value;
  }
  // (age, "home zip")
  std::vector<std::string> names() {
    std::vector<std::string> made;
    expect_symbol("(");
    do {
      made.push_back(name("a column's name"));
    } while (accept_symbol(","));
    expect_symbol(")");
    return made;
  }
  // 'illness=distinct 3', 'income=t_closeness 0.2'
  std::vector<std::string> strings(std::string_view what) {
    std::vector<std::string> made;
    do {
      made.push_back(string(what));
    } while (accept_symbol(","));
    return made;
  }
  void fail(std::string what) {
    if (!error_) error_ = command_error(std::move(what), peek().position);
  }

  std::string name_or_nothing() {
    const bool is_name = peek().kind == TokenKind::word || peek().kind == TokenKind::quoted_name;
    return is_name ? take() : std::string();
  }

  Result<Command> finish(Command command) {
    if (!error_ && peek().kind != TokenKind::end) fail("end of the command expected");
    if (error_) return *error_;
    return command;
  }

 private:
  [[nodiscard]] const Token& peek() const { return tokens_[at_]; }
  std::string take() { return error_ ? std::string() : tokens_[at_++].text; }
  std::span<const Token> tokens_;
  std::size_t at_ = 0;
  std::optional<Error> error_;
};

Result<Command> parse_show_tree(Reader& in) {
  std::string policy = in.name("a policy's name");
  if (!in.accept("as")) return in.finish(ShowTree{std::move(policy)});
  if (in.accept("json")) return in.finish(ShowTreeAs{std::move(policy), TreeFormat::json});
  if (!in.accept("dot")) in.fail("DOT or JSON expected");
  return in.finish(ShowTreeAs{std::move(policy), TreeFormat::dot});
}

ReportFormat report_format(Reader& in) {
  if (in.accept("text")) return ReportFormat::text;
  if (in.accept("json")) return ReportFormat::json;
  if (!in.accept("html")) in.fail("TEXT, JSON or HTML expected");
  return ReportFormat::html;
}

// [FOR column [= 'value']] [LIMIT n | ALL] [OFFSET n]
Excerpt read_excerpt(Reader& in) {
  Excerpt excerpt;
  if (in.accept("for")) {
    excerpt.column = in.name("a column's name");
    if (in.accept_symbol("=")) excerpt.value = in.string("a value as a string");
  }
  if (in.accept("limit")) {
    excerpt.limit.reset();
    if (!in.accept("all")) excerpt.limit = in.number<std::uint64_t>("how many rows, or ALL,");
  }
  if (in.accept("offset")) excerpt.offset = in.number<std::uint64_t>("how many rows to leave out");
  return excerpt;
}

// The policy first: arguments of a braced list are read in their order.
template <class Shown>
Result<Command> parse_excerpt(Reader& in) {
  Shown shown{in.name("a policy's name"), read_excerpt(in)};
  return in.finish(std::move(shown));
}

Result<Command> parse_show(Reader& in) {
  if (in.accept("policies")) return in.finish(ShowPolicies{});
  if (in.accept("refusals")) return in.finish(ShowRefusals{});
  if (in.accept("jobs")) return in.finish(ShowJobs{});
  if (in.accept("clients")) return in.finish(ShowClients{});
  if (in.accept("servers")) return in.finish(ShowServers{});
  if (in.accept("pools")) return in.finish(ShowPools{});
  if (in.accept("stats")) return in.finish(ShowStats{});
  if (in.accept("stats_totals")) return in.finish(ShowStatsTotals{});
  if (in.accept("databases")) return in.finish(ShowDatabases{});
  if (in.accept("users")) return in.finish(ShowUsers{});
  if (in.accept("config")) return in.finish(ShowConfig{});
  if (in.accept("lists")) return in.finish(ShowLists{});
  if (in.accept("mem")) return in.finish(ShowMem{});
  if (in.accept("version")) return in.finish(ShowVersion{});
  if (in.accept("help")) return in.finish(ShowHelp{});
  if (in.accept("tree")) return parse_show_tree(in);
  if (in.accept("rules")) return parse_excerpt<ShowRules>(in);
  if (in.accept("utility")) return in.finish(ShowUtility{in.name("a policy's name")});
  if (in.accept("stored")) return in.finish(ShowStored{in.name("a policy's name")});
  if (in.accept("cohorts")) return parse_excerpt<ShowCohorts>(in);
  in.fail("POLICIES, CLIENTS, STATS or another word of SHOW HELP expected");
  return in.finish(ShowHelp{});
}

Result<Command> parse_explain(Reader& in) {
  ExplainPolicy explain;
  in.expect("policy");
  in.expect("for");
  in.expect("role");
  explain.role = in.name("a role's name");
  if (in.accept("in")) {
    in.expect("database");
    explain.database = in.name("a database's name");
  }
  explain.is_full = in.accept("full");
  explain.sql = in.string("the statement as a string");
  return in.finish(std::move(explain));
}

// schema.table [IN DATABASE database]
template <class Named>
void read_table(Reader& in, Named& named) {
  named.schema = in.name("schema.table");
  in.expect_symbol(".");
  named.table = in.name("a table's name");
  if (!in.accept("in")) return;
  in.expect("database");
  named.database = in.name("a database's name");
}

Result<Command> parse_check_table(Reader& in) {
  CheckTable check;
  read_table(in, check);
  if (in.accept("as")) {
    in.expect("job");
    check.job = in.name("a job's name");
    return in.finish(std::move(check));
  }
  in.expect("columns");
  check.columns = in.names();
  if (in.accept("sensitive")) check.sensitive = in.names();
  if (in.accept("k")) check.k = in.number<std::uint64_t>("how many records");
  if (in.accept("require")) check.required = in.strings("a model as a string, 'illness=distinct 3',");
  if (in.accept("risk")) check.risks = in.strings("a model as a string, 'average_risk 0.05',");
  if (in.accept("order")) check.orders = in.strings("an order as a string, 'income=number',");
  return in.finish(std::move(check));
}

Result<Command> parse_risk(Reader& in) {
  MeasureRisk risk;
  read_table(in, risk);
  in.expect("columns");
  risk.columns = in.names();
  if (in.accept("threshold")) risk.threshold = in.number<double>("a share, such as 0.2,");
  if (in.accept("sets")) risk.most_columns = in.number<std::uint64_t>("how many columns");
  return in.finish(std::move(risk));
}

// [WITH CERTIFICATE 'name.json']
std::optional<std::string> read_certificate(Reader& in) {
  if (!in.accept("with")) return std::nullopt;
  in.expect("certificate");
  return in.string("a file name as a string");
}

Result<Command> parse_export(Reader& in) {
  in.expect("policy");
  std::string policy = in.name("a policy's name");
  in.expect("to");
  if (in.accept("file")) {
    ExportToFile to_file{std::move(policy), in.string("a file name as a string"), std::nullopt};
    to_file.certificate = read_certificate(in);
    return in.finish(std::move(to_file));
  }
  if (!in.accept("table")) in.fail("TABLE or FILE expected");
  ExportToTable to_table{std::move(policy), in.name("schema.table"), "", std::nullopt};
  in.expect_symbol(".");
  to_table.table = in.name("a table's name");
  to_table.certificate = read_certificate(in);
  return in.finish(std::move(to_table));
}

Result<Command> parse_anonymize(Reader& in) {
  in.expect("job");
  AnonymizeJob anonymize{in.name("a job's name"), "", ""};
  if (in.accept("to")) {
    in.expect("table");
    anonymize.schema = in.name("schema.table");
    in.expect_symbol(".");
    anonymize.table = in.name("a table's name");
  }
  return in.finish(std::move(anonymize));
}

Result<Command> parse_shutdown(Reader& in) {
  if (in.accept("wait_for_clients")) return in.finish(Shutdown{Ending::when_clients_go});
  if (in.accept("wait_for_servers")) return in.finish(Shutdown{Ending::at_rest});
  return in.finish(Shutdown{Ending::at_once});
}

Result<Command> parse_ours(Reader& in) {
  if (in.accept("show")) return parse_show(in);
  if (in.accept("explain")) return parse_explain(in);
  if (in.accept("export")) return parse_export(in);
  if (in.accept("anonymize")) return parse_anonymize(in);
  if (in.accept("cancel")) {
    in.expect("job");
    return in.finish(CancelJob{in.name("a job's name")});
  }
  if (in.accept("reload")) return in.finish(Reload{});
  if (in.accept("pause")) return in.finish(Pause{in.name_or_nothing()});
  if (in.accept("resume")) return in.finish(Resume{in.name_or_nothing()});
  if (in.accept("reconnect")) return in.finish(Reconnect{in.name_or_nothing()});
  if (in.accept("kill_client"))
    return in.finish(KillClient{in.number<std::uint64_t>("an id of SHOW CLIENTS")});
  if (in.accept("shutdown")) return parse_shutdown(in);
  if (in.accept("sign")) {
    in.expect("in");
    in.expect("link");
    return in.finish(SignInLink{});
  }
  if (in.accept("build")) {
    in.expect("policy");
    BuildPolicy build{in.name("a policy's name"), false};
    build.is_fresh = in.accept("fresh");
    return in.finish(std::move(build));
  }
  if (in.accept("attack")) {
    in.expect("policy");
    AttackPolicy attack{in.name("a policy's name"), {}};
    if (in.accept("knows")) attack.columns = in.names();
    if (in.accept("as")) attack.format = report_format(in);
    return in.finish(std::move(attack));
  }
  if (in.accept("risk")) return parse_risk(in);
  if (in.accept("check")) {
    if (in.accept("table")) return parse_check_table(in);
    if (!in.is_next("policy")) in.fail("POLICY or TABLE expected");
    in.expect("policy");
    return in.finish(CheckPolicy{in.name("a policy's name")});
  }
  in.fail("not a command of the console");
  return in.finish(ShowHelp{});
}

struct Fixed {
  std::string_view words;
  std::string_view column;
  std::string_view value;
};

// SHOW of settings that drivers ask for. The values are those in the console's own ParameterStatus messages.
constexpr std::array<Fixed, 12> kSettings{{
    {"server_version", "server_version", "15.0 (pgveil)"},
    {"server_encoding", "server_encoding", "UTF8"},
    {"client_encoding", "client_encoding", "UTF8"},
    {"standard_conforming_strings", "standard_conforming_strings", "on"},
    {"datestyle", "DateStyle", "ISO, MDY"},
    {"timezone", "TimeZone", "UTC"},
    {"time zone", "TimeZone", "UTC"},
    {"search_path", "search_path", "pg_catalog"},
    {"transaction_isolation", "transaction_isolation", "read committed"},
    {"transaction isolation level", "transaction_isolation", "read committed"},
    {"transaction_read_only", "transaction_read_only", "on"},
    {"default_transaction_read_only", "default_transaction_read_only", "on"},
}};

constexpr std::array<Fixed, 8> kSelects{{
    {"1", "?column?", "1"},
    {"version ( )", "version", "PostgreSQL 15.0 (pgveil console)"},
    {"pg_catalog . version ( )", "version", "PostgreSQL 15.0 (pgveil console)"},
    {"current_database ( )", "current_database", "pgveil"},
    {"pg_catalog . current_database ( )", "current_database", "pgveil"},
    {"current_schema ( )", "current_schema", "pg_catalog"},
    {"current_schema", "current_schema", "pg_catalog"},
    {"pg_is_in_recovery ( )", "pg_is_in_recovery", "f"},
}};

// Statements that only carry a tag: first word, tag.
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kTags{{
    {"set", "SET"},
    {"reset", "RESET"},
    {"begin", "BEGIN"},
    {"start", "START TRANSACTION"},
    {"commit", "COMMIT"},
    {"end", "COMMIT"},
    {"rollback", "ROLLBACK"},
    {"abort", "ROLLBACK"},
    {"deallocate", "DEALLOCATE"},
    {"discard", "DISCARD ALL"},
    {"unlisten", "UNLISTEN"},
    {"close", "CLOSE CURSOR"},
}};

std::string words_after_first(std::span<const Token> tokens) {
  std::string words;
  for (const Token& token : tokens.subspan(1)) {
    if (token.kind == TokenKind::end) break;
    if (token.kind == TokenKind::string || token.kind == TokenKind::quoted_name) return {};
    if (!words.empty()) words += ' ';
    words += token.text;
  }
  return words;
}

template <std::size_t N>
std::optional<Benign> fixed_answer(const std::array<Fixed, N>& list, const std::string& words,
                                   std::string tag) {
  for (const Fixed& fixed : list) {
    if (words == fixed.words) {
      return Benign{std::move(tag), {std::string(fixed.column)}, {{std::string(fixed.value)}}};
    }
  }
  return std::nullopt;
}

// Answers what drivers and psql send on connect (SET, BEGIN, SELECT version() …) without doing anything, so
// that any driver can talk to the console. nullopt: the command is not one of these. An empty command has no
// tokens before the end and gives a Benign with an empty tag.
std::optional<Benign> benign_of(std::span<const Token> tokens) {
  const Token& first = tokens.front();
  if (first.kind == TokenKind::end) return Benign{};
  if (first.kind != TokenKind::word) return std::nullopt;
  if (first.text == "show") return fixed_answer(kSettings, words_after_first(tokens), "SHOW");
  if (first.text == "select") return fixed_answer(kSelects, words_after_first(tokens), "SELECT 1");
  for (const auto& [word, tag] : kTags) {
    if (first.text == word) return Benign{std::string(tag), {}, {}};
  }
  return std::nullopt;
}

}  // namespace

Result<Command> parse_command(std::string_view text) {
  auto tokens = tokens_of(text);
  if (!tokens) return tokens.error();
  while (tokens->size() > 1 && (*tokens)[tokens->size() - 2].kind == TokenKind::symbol &&
         (*tokens)[tokens->size() - 2].text == ";") {
    tokens->erase(tokens->end() - 2);
  }
  for (const Token& token : *tokens) {
    if (token.kind == TokenKind::symbol && token.text == ";") {
      return command_error("one command at a time", token.position);
    }
  }
  if (auto benign = benign_of(*tokens)) return Command(std::move(*benign));
  Reader in(*tokens);
  return parse_ours(in);
}

}  // namespace pgveil::console
