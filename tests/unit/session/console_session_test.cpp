#include "proxy/session/console_session.hpp"

#include <doctest/doctest.h>

#include "tests/unit/session/script.hpp"

using namespace pgveil;
using namespace pgveil::session;
using namespace pgveil::session::testing;

namespace {

// What SHOW VERSION says, with the columns the parser promises for it.
std::string version_column() {
  return console::columns_of(console::ShowVersion{}).at(0);
}

Event answered(std::size_t rows) {
  console::Table table{
      .columns = console::columns_of(console::ShowVersion{}), .rows = {}, .tag = "SHOW", .notices = {}};
  table.rows.assign(rows, std::vector<std::optional<std::string>>(table.columns.size(), "0.1"));
  return ConsoleAnswered{table};
}

Event answered_tag(std::string tag, std::vector<std::string> notices = {}) {
  return ConsoleAnswered{
      console::Table{.columns = {}, .rows = {}, .tag = std::move(tag), .notices = std::move(notices)}};
}

Event failed() {
  return ConsoleAnswered{Error{.kind = ErrorKind::policy, .sqlstate = "42704", .public_message = "no"}};
}

const std::string kRow = "D(0.1)";
std::string described() {
  return "T(" + version_column() + ":0/0)";
}

constexpr const char* kRun = "RunConsole(ann: SHOW VERSION)";

}  // namespace

TEST_CASE("a command in a query runs and answers as a table") {
  REQUIRE(console::columns_of(console::ShowVersion{}).size() == 1);
  Script::on_console()
      .client(query("SHOW VERSION"), {.commands = kRun})
      .event([] { return answered(1); }, {.to_client = described() + " " + kRow + " C(SHOW) Z(I)"})
      .client(query("SET a = 1"), {.commands = "RunConsole(ann: SET a = 1)"})
      .event([] { return answered_tag("SET", {"it does nothing"}); },
             {.to_client = "N(NOTICE 00000 it does nothing) C(SET) Z(I)"})
      .client(frames(wire::Terminate{}), {.commands = "CloseClient"})
      .check();
}

TEST_CASE("a command that fails, does not parse, or is none is answered and the console stays") {
  Script::on_console()
      .client(query("SHOW VERSION"), {.commands = kRun})
      .event(failed, {.to_client = "E(ERROR 42704 no) Z(I)"})
      .client(query(""), {.to_client = "I Z(I)"})
      .client(query(" ; -- nothing"), {.to_client = "I Z(I)"})
      .client(frames(wire::FunctionCall{}),
              {.to_client = "E(ERROR 42501 function-call messages are not open) Z(I)"})
      .check();
}

TEST_CASE("two commands in one query are a syntax error") {
  const auto error = console::parse_command("SHOW VERSION; SHOW HELP");
  REQUIRE(error.has_error());
  CHECK(error.error().sqlstate == "42601");
  SessionConfig config = Script::default_config();
  FakeGate gate;
  Session session(config, gate);
  std::string startup;
  wire::encode(wire::StartupMessage{.parameters = {{"user", "ann"}, {"database", "pgveil"}}}, startup);
  static_cast<void>(session.step(ClientBytes{startup}));
  const std::string bytes = query("SHOW VERSION; SHOW HELP");
  const Actions actions = session.step(ClientBytes{bytes});
  CHECK(actions.commands.empty());
  CHECK(actions.to_client.find("42601") != std::string::npos);
}

TEST_CASE("what is sent while a command runs waits for it") {
  Script::on_console()
      .client(query("SHOW VERSION") + query("RELOAD"), {.commands = kRun})
      .event([] { return answered(0); },
             {.to_client = described() + " C(SHOW) Z(I)", .commands = "RunConsole(ann: RELOAD)"})
      .event([] { return CancelRequested{}; }, {})
      .check();
}

TEST_CASE("the extended protocol describes a command before it runs") {
  Script::on_console()
      .client(parse("s", "SHOW VERSION") + describe_statement("s") + bind_message("p", "s") +
                  describe_portal("p") + execute("p") + frames(wire::Flush{}) + sync_message(),
              {.to_client = "1 t " + described() + " 2 " + described(), .commands = kRun})
      .event([] { return answered(2); }, {.to_client = kRow + " " + kRow + " C(SHOW) Z(I)"})
      .client(
          parse("", "SET a = 1") + bind_message("", "") + describe_portal("") + execute("") + sync_message(),
          {.to_client = "1 2 n", .commands = "RunConsole(ann: SET a = 1)"})
      .event([] { return answered_tag("SET"); }, {.to_client = "C(SET) Z(I)"})
      .client(close_statement("s") + sync_message(), {.to_client = "3 Z(I)"})
      .check();
}

TEST_CASE("a console portal is read in pieces") {
  Script::on_console()
      .client(parse("", "SHOW VERSION") + bind_message("", "") + execute("", 2),
              {.to_client = "1 2", .commands = kRun})
      .event([] { return answered(3); }, {.to_client = kRow + " " + kRow + " s"})
      .client(execute("", 2) + sync_message(), {.to_client = kRow + " C(SHOW) Z(I)"})
      .check();
}

TEST_CASE("an empty statement on the console") {
  Script::on_console()
      .client(parse("", "") + bind_message("", "") + describe_portal("") + execute("") + sync_message(),
              {.to_client = "1 2 n I Z(I)"})
      .check();
}

TEST_CASE("what the console can't do in the extended protocol is an error up to Sync") {
  struct Row {
    const char* name;
    std::string bytes;
    std::string to_client;
  };
  const Row rows[] = {
      {"parameter types",
       frames(wire::Parse{.statement = "", .sql = "SHOW VERSION", .parameter_types = {25}}),
       "E(ERROR 0A000 the console takes no parameters)"},
      {"parameters",
       parse("", "SHOW VERSION") + frames(wire::Bind{.portal = "", .statement = "", .parameters = {"x"}}),
       "1 E(ERROR 0A000 the console takes no parameters)"},
      {"formats that do not fit",
       parse("", "SHOW VERSION") +
           frames(wire::Bind{.portal = "", .statement = "", .result_formats = {0, 0}}),
       "1 E(ERROR 08P01 result formats do not fit)"},
      {"a format that does not exist",
       parse("", "SHOW VERSION") + frames(wire::Bind{.portal = "", .statement = "", .result_formats = {2}}),
       "1 E(ERROR 08P01 result formats do not fit)"},
      {"a missing statement", bind_message("", "x"),
       "E(ERROR 26000 prepared statement \"x\" does not exist)"},
      {"a missing statement, described", describe_statement("x"),
       "E(ERROR 26000 prepared statement \"x\" does not exist)"},
      {"a missing portal", execute("x"), "E(ERROR 34000 portal \"x\" does not exist)"},
      {"a missing portal, described", describe_portal("x"), "E(ERROR 34000 portal \"x\" does not exist)"},
      {"a name that is taken", parse("s", "RELOAD") + parse("s", "RELOAD"),
       "1 E(ERROR 42P05 prepared statement \"s\" already exists)"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    Script::on_console()
        .client(row.bytes + execute("never") + query("never"), {.to_client = row.to_client})
        .client(sync_message(), {.to_client = "Z(I)"})
        .client(query("SHOW VERSION"), {.commands = kRun})
        .check();
  }
}

TEST_CASE("a command that fails in the extended protocol skips to Sync") {
  Script::on_console()
      .client(parse("", "SHOW VERSION") + bind_message("", "") + execute("") + execute("") + sync_message(),
              {.to_client = "1 2", .commands = kRun})
      .event(failed, {.to_client = "E(ERROR 42704 no) Z(I)"})
      .check();
}

TEST_CASE("BEGIN and COMMIT show in the status, as drivers expect") {
  Script::on_console()
      .client(query("BEGIN"), {.commands = "RunConsole(ann: BEGIN)"})
      .event([] { return answered_tag("BEGIN"); }, {.to_client = "C(BEGIN) Z(T)"})
      .client(query("SHOW VERSION"), {.commands = kRun})
      .event([] { return answered(0); }, {.to_client = described() + " C(SHOW) Z(T)"})
      .client(query("ROLLBACK"), {.commands = "RunConsole(ann: ROLLBACK)"})
      .event([] { return answered_tag("ROLLBACK"); }, {.to_client = "C(ROLLBACK) Z(I)"})
      .check();
}

TEST_CASE("the console has a limit of names, and of their text") {
  SessionConfig config = Script::default_config();
  SUBCASE("names") {
    config.limits.statements = 1;
  }
  SUBCASE("text") {
    config.limits.statement_bytes = 11;
  }
  std::string startup;
  wire::encode(wire::StartupMessage{.parameters = {{"user", "ann"}, {"database", "pgveil"}}}, startup);
  FakeGate gate;
  Session session(config, gate);
  static_cast<void>(session.step(ClientBytes{startup}));
  const std::string bytes =
      parse("a", "RELOAD") + bind_message("p", "a") + sync_message() + parse("b", "RELOAD");
  const std::string answer = session.step(ClientBytes{bytes}).to_client;
  const std::size_t first = answer.find("54000");
  REQUIRE(first != std::string::npos);
  CHECK(answer.find("54000", first + 1) != std::string::npos);
}

TEST_CASE("malformed messages end the console") {
  for (const std::string& bytes : {std::string("Q\0\0\0\5x", 6), std::string("B\0\0\0\5x", 6)}) {
    Script::on_console()
        .client(bytes, {.to_client = "E(FATAL 08P01 malformed message)", .commands = "CloseClient"})
        .check();
  }
  Script::on_console()
      .client(frames(wire::CopyDone{}),
              {.to_client = "E(FATAL 08P01 a message came out of turn)", .commands = "CloseClient"})
      .check();
}
