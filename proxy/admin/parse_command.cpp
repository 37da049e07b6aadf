#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <span>
#include <utility>

#include "proxy/admin/benign.hpp"
#include "proxy/admin/console.hpp"
#include "proxy/admin/tokens.hpp"

namespace pgveil::admin {
namespace {

// Reads tokens one by one; the first thing that does not fit is remembered and everything after is ignored.
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
  void expect_symbol(std::string_view symbol) {
    if (error_) return;
    if (peek().kind != TokenKind::symbol || peek().text != symbol)
      return fail(fmt::format("\"{}\" expected", symbol));
    ++at_;
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
  std::uint64_t number(std::string_view what) {
    std::uint64_t value = 0;
    const std::string& text = peek().text;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_number =
        peek().kind == TokenKind::number && problem == std::errc{} && end == text.data() + text.size();
    if (!is_number) fail(fmt::format("{} expected", what));
    if (!error_) ++at_;
    return value;
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
  static std::string upper(std::string_view word) {
    std::string out(word);
    for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return out;
  }

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
  if (in.accept("rules")) return in.finish(ShowRules{in.name("a policy's name")});
  if (in.accept("stored")) return in.finish(ShowStored{in.name("a policy's name")});
  if (in.accept("cohorts")) return in.finish(ShowCohorts{in.name("a policy's name")});
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

Result<Command> parse_export(Reader& in) {
  in.expect("policy");
  std::string policy = in.name("a policy's name");
  in.expect("to");
  if (in.accept("file"))
    return in.finish(ExportToFile{std::move(policy), in.string("a file name as a string")});
  if (!in.accept("table")) in.fail("TABLE or FILE expected");
  std::string schema = in.name("schema.table");
  in.expect_symbol(".");
  std::string table = in.name("a table's name");
  return in.finish(ExportToTable{std::move(policy), std::move(schema), std::move(table)});
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
  if (in.accept("kill_client")) return in.finish(KillClient{in.number("an id of SHOW CLIENTS")});
  if (in.accept("shutdown")) return parse_shutdown(in);
  if (in.accept("build")) {
    in.expect("policy");
    BuildPolicy build{in.name("a policy's name"), false};
    build.is_fresh = in.accept("fresh");
    return in.finish(std::move(build));
  }
  if (in.accept("check")) {
    in.expect("policy");
    return in.finish(CheckPolicy{in.name("a policy's name")});
  }
  in.fail("not a command of the console");
  return in.finish(ShowHelp{});
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

}  // namespace pgveil::admin
