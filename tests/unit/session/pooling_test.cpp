// What a session does with a connection that is not its own: when it is given back, when it is closed, and
// what it takes for granted on one that others have used. tests/integration/pooling_test.py asks a real
// server.
#include <doctest/doctest.h>

#include "proxy/session/own_statement.hpp"
#include "tests/unit/session/frames.hpp"
#include "tests/unit/session/render.hpp"
#include "tests/unit/session/script.hpp"

namespace pgveil::session::testing {

namespace {

// A client of role ann, and what is sent for it.
class Pooled {
 public:
  explicit Pooled(PoolMode mode, std::initializer_list<std::pair<std::string, std::string>> parameters = {},
                  std::size_t statement_bytes = SessionLimits{}.statement_bytes)
      : session_(config(mode, statement_bytes), gate) {
    std::string startup;
    wire::StartupMessage message{.parameters = {{"user", "ann"}, {"database", "demo"}}};
    message.parameters.insert(message.parameters.end(), parameters.begin(), parameters.end());
    wire::encode(message, startup);
    step(ClientBytes{startup});
  }

  // → what was sent to the server and which commands were given.
  std::string step(const Event& event) {
    Actions actions = session_.step(event);
    for (const Command& command : actions.commands) {
      if (const auto* asked = std::get_if<ConnectBackend>(&command)) lender = asked->lender;
      if (const auto* given = std::get_if<ReturnBackend>(&command)) {
        returned = given->state;
        is_cleaned = given->must_be_cleaned;
      }
    }
    to_client = render_to_client(actions.to_client);
    const std::string sent = render_to_backend(actions.to_backend, Beginning::frame);
    const std::string commands = render(actions.commands);
    return sent + (sent.empty() || commands.empty() ? "" : " ") + commands;
  }
  std::string client(const std::string& bytes) { return step(ClientBytes{bytes}); }
  std::string server(const std::string& bytes) { return step(BackendBytes{bytes}); }
  std::string lend(std::shared_ptr<BackendState> state) { return step(BackendLent{std::move(state)}); }
  // A connection that another session has logged in.
  static std::shared_ptr<BackendState> idle() {
    auto state = std::make_shared<BackendState>();
    state->pid = 41;
    state->secret = secret(42);
    note_parameter(state->parameters, "DateStyle", "ISO, MDY");
    return state;
  }

  FakeGate gate;
  std::string to_client;
  Lender lender;
  std::shared_ptr<BackendState> returned;
  bool is_cleaned = false;
  [[nodiscard]] bool is_closed() const { return session_.is_closed(); }

 private:
  static SessionConfig config(PoolMode mode, std::size_t statement_bytes) {
    SessionConfig config = Script::default_config();
    config.pool_mode = [mode](const std::string&, const std::string&) { return mode; };
    config.limits.prepared_statements = 2;
    config.limits.statement_bytes = statement_bytes;
    return config;
  }
  Session session_;
};

}  // namespace

TEST_CASE("settings are put in force by texts that read the same under either standard_conforming_strings") {
  CHECK(text_to_apply({{"a.b", R"(it's \' OR \)"}}) ==
        R"(RESET ALL; SELECT pg_catalog.set_config('a.b', E'it''s \\'' OR \\', false))");
  CHECK(text_to_apply({{"a", "b"}, {"c", ""}}) ==
        "RESET ALL; SELECT pg_catalog.set_config('a', 'b', false), pg_catalog.set_config('c', '', false)");
}

TEST_CASE("a session gives its connection back at its end, to be cleaned") {
  Pooled one(PoolMode::session);
  CHECK(one.lend(Pooled::idle()) == "LoginDone");
  CHECK(one.to_client == "S(DateStyle=ISO, MDY) K(1 2) Z(I)");
  CHECK(one.client(query("SELECT 1")) == "Q(ok: SELECT 1)");
  CHECK(one.server(row_description("a") + complete("SELECT 0") + ready('I')) == "");
  CHECK(one.client(frames(wire::Terminate{})) == "ReturnBackend CloseClient");
  CHECK(one.is_cleaned);
  CHECK(one.returned->pid == 41);
}

TEST_CASE("of a lent connection that reports its search_path the client is told its own") {
  const auto reporting = [] {
    auto state = Pooled::idle();
    note_parameter(state->parameters, "search_path", "public, pg_temp");
    return state;
  };
  Pooled one(PoolMode::transaction);
  CHECK(one.lend(reporting()) == "LoginDone ReturnBackend");
  CHECK(one.to_client == "S(DateStyle=ISO, MDY) S(search_path=public) K(1 2) Z(I)");
  one.client(query("SELECT 1"));
  one.lend(reporting());
  CHECK(one.to_client.find("search_path") == std::string::npos);
}

TEST_CASE("clients that were told the same share it, and what one is told later is its own") {
  const SharedSettings before = Pooled::idle()->parameters;
  const auto reporting = [&before] {
    auto state = Pooled::idle();
    state->parameters = before;
    return state;
  };
  Pooled one(PoolMode::transaction), other(PoolMode::transaction);
  one.lend(reporting());
  other.lend(reporting());
  other.returned = nullptr;
  CHECK(before.use_count() == 4);  // ours, those of the two clients, and that of the connection of `one`
  one.client(query("SET DateStyle = 'SQL'"));
  one.lend(one.returned);
  one.server(frames(wire::ParameterStatus{.name = "DateStyle", .value = "SQL, MDY"}) + complete("SET") +
             ready('I'));
  CHECK(one.to_client.find("S(DateStyle=SQL, MDY)") != std::string::npos);
  CHECK(*before == Settings{{"DateStyle", "ISO, MDY"}});
  CHECK(before.use_count() == 2);
  other.client(query("SELECT 1"));
  other.lend(reporting());
  CHECK(other.to_client == "");
}

TEST_CASE("a connection that is not at rest is closed, however the client goes") {
  const std::string partial = complete("SELECT 0").substr(0, 4);
  const std::string scripts[][2] = {
      {query("SELECT 1"), ""},                                                   // owes everything
      {query("SELECT 1"), row_description("a") + row("1")},                      // in rows
      {query("BEGIN"), complete("BEGIN") + ready('T')},                          // in a transaction
      {query("SELECT 1"), server_error("22012", "division by zero")},            // failed, not ready
      {query("BEGIN"), complete("BEGIN") + ready('E')},                          // in a failed transaction
      {parse("", "SELECT 1") + flush_message(), frames(wire::ParseComplete{})},  // never synced
      {query("SELECT 1"),
       row_description("a") + complete("SELECT 0") + ready('I') + partial},  // a byte too many
  };
  for (const PoolMode mode : {PoolMode::session, PoolMode::transaction}) {
    for (const auto& [asked, answered] : scripts) {
      for (const bool says_goodbye : {true, false}) {
        CAPTURE(asked);
        CAPTURE(answered);
        Pooled one(mode);
        one.lend(Pooled::idle());
        if (mode == PoolMode::transaction) {
          one.returned = nullptr;
          one.client(asked);
          one.lend(Pooled::idle());
        } else {
          one.client(asked);
        }
        if (!answered.empty()) one.server(answered);
        says_goodbye ? one.client(frames(wire::Terminate{})) : one.step(ClientClosed{});
        one.step(ClientClosed{});
        CHECK(one.is_closed());
        CHECK(one.returned == nullptr);
      }
    }
  }
}

TEST_CASE("in transaction mode the connection is held from the first message to the end of the transaction") {
  Pooled one(PoolMode::transaction);
  CHECK(one.lend(Pooled::idle()) == "LoginDone ReturnBackend");
  CHECK_FALSE(one.is_cleaned);
  CHECK(one.client(query("BEGIN")) == "ConnectBackend");
  CHECK(one.lend(one.returned) == "Q(ok: BEGIN)");
  CHECK(one.server(complete("BEGIN") + ready('T')) == "");
  CHECK(one.client(query("COMMIT")) == "Q(ok: COMMIT)");
  CHECK(one.server(complete("COMMIT") + ready('I')) == "ReturnBackend");
  CHECK(one.to_client == "C(COMMIT) Z(I)");
  CHECK(one.client(frames(wire::Terminate{})) == "CloseClient");
}

TEST_CASE("the client's settings are in force before its first statement, and it is told of them") {
  Pooled one(PoolMode::transaction, {{"application_name", "it's"}, {"DateStyle", "German"}});
  CHECK(one.lender.start_up.find("it's") == std::string::npos);
  CHECK(one.lender.start_up.find("German") != std::string::npos);
  auto used = Pooled::idle();
  used->settings = {{"work_mem", "7"}};
  const std::string apply = "Q(RESET ALL; SELECT pg_catalog.set_config('application_name', 'it''s', false))";
  CHECK(one.lend(used) == apply);
  CHECK(one.to_client.empty());
  CHECK(one.server(complete("RESET") + parameter("application_name", "it's") + row_description("set_config") +
                   row("it's") + complete("SELECT 1") + ready('I')) ==
        "NoteName(it's) LoginDone ReturnBackend");
  CHECK(one.to_client == "S(DateStyle=ISO, MDY) S(application_name=it's) K(1 2) Z(I)");
  CHECK(one.returned->settings == Settings{{"application_name", "it's"}});
  CHECK(one.client(query("SELECT 1")) == "ConnectBackend");
  CHECK(one.lend(one.returned) == "Q(ok: SELECT 1)");  // they are in force already
}

TEST_CASE("settings that can't be put in force on a used connection are tried on a new one, once") {
  Pooled one(PoolMode::session, {{"application_name", "a"}});
  auto used = Pooled::idle();
  one.lend(used);
  CHECK(one.server(server_error("57014", "canceling statement due to statement timeout")) ==
        "CloseBackend ConnectBackend");
  CHECK(one.to_client.empty());
  one.lend(Pooled::idle());
  CHECK(one.server(server_error("57014", "canceling statement due to statement timeout")) ==
        "CloseBackend CloseClient");
  CHECK(one.is_closed());
}

TEST_CASE("a statement of another session is not to be had by its name") {
  Pooled one(PoolMode::transaction);
  one.lend(Pooled::idle());
  auto used = one.returned;
  const std::string name = used->statements.add("another's", 1, PreparedStatements::Origin::of_client);
  one.client(bind_message("", name) + sync_message());
  CHECK(one.lend(used) == "ReturnBackend");  // nothing was sent
  CHECK(one.to_client == "E(ERROR 26000 prepared statement \"" + name + "\" does not exist) Z(I)");
}

TEST_CASE("values of settings that join to the same lines are different readings of constants") {
  const auto reading = [](std::string_view interval_style, std::string_view time_zone, bool is_changed) {
    BackendState state;
    note_reading(state, "IntervalStyle", interval_style);
    note_reading(state, "TimeZone", time_zone);
    if (is_changed) note_unreported_change(state);
    return reading_of_constants(state);
  };
  CHECK(reading("a", "UTC\n?1", false) != reading("a", "UTC", true));
  CHECK(reading("a", "UTC?1", false) != reading("a", "UTC", true));
  CHECK(reading("a\nb", "UTC", false) != reading("a", "b\nUTC", false));
  // While settings are changing, something is appended to the key.
  CHECK(reading("a", "UTC#1", false) != reading("a", "UTC", false) + "#1");
  CHECK(reading("a", "UTC", true) == reading("a", "UTC", true));
  BackendState known, forged;
  note_settings(known, {{"bytea_output", "hex"}, {"extra_float_digits", "3"}, {"work_mem", "1"}});
  note_settings(forged, {{"bytea_output", "hex\nextra_float_digits=3"}, {"work_mem", "2"}});
  CHECK(reading_of_constants(known) != reading_of_constants(forged));
}

TEST_CASE("an error that quotes a statement has the client's name for it") {
  const std::pair<std::string, std::string> errors[] = {
      {"08P01", "bind message supplies 1 parameters, but prepared statement \"pgveil_1\" requires 2"},
      {"26000", "prepared statement \"pgveil_1\" does not exist"},
      {"22P02", "invalid input syntax for type integer: \"pgveil_1\""},  // the client's value
  };
  for (const auto& [sqlstate, message] : errors) {
    CAPTURE(sqlstate);
    Pooled one(PoolMode::transaction);
    one.lend(Pooled::idle());
    one.client(parse("s", "SELECT 1") + sync_message());
    one.lend(Pooled::idle());
    one.server(frames(wire::ParseComplete{}) + ready('I'));
    one.client(bind_message("", "s") + sync_message());
    CHECK(one.lend(one.returned) == "B(,pgveil_1) S");
    one.server(server_error(sqlstate, message) + ready('I'));
    std::string told = message;
    if (sqlstate != "22P02") told.replace(told.find("pgveil_1"), 8, "s");
    CHECK(one.to_client == "E(ERROR " + sqlstate + " " + told + " / try again) Z(I)");
  }
}

TEST_CASE("in a failed transaction only what may end it is told that its name exists") {
  Pooled one(PoolMode::transaction);
  one.lend(Pooled::idle());
  one.client(parse("s", "SELECT 1") + sync_message());
  one.lend(Pooled::idle());
  one.server(frames(wire::ParseComplete{}) + ready('I'));
  const std::string exists = "E(ERROR 42P05 prepared statement \"s\" already exists)";
  one.client(query("BEGIN"));
  one.lend(one.returned);
  one.server(complete("BEGIN") + ready('E'));
  one.client(parse("s", "SELECT 2") + sync_message());
  CHECK(one.to_client ==
        "E(ERROR 25P02 current transaction is aborted, commands ignored until end of transaction block) "
        "Z(E)");
  for (const std::string sql : {"ROLLBACK", ""}) {
    one.client(parse("s", sql) + sync_message());
    CHECK(one.to_client == exists + " Z(E)");
  }
  one.client(parse("s", "syntax") + sync_message());
  CHECK(one.to_client.starts_with("E(ERROR 42601 syntax error"));
  one.client(query("ROLLBACK"));
  one.server(complete("ROLLBACK") + ready('I'));
  one.client(parse("s", "SELECT 2") + sync_message());
  one.lend(one.returned);
  CHECK(one.to_client == exists + " Z(I)");
}

TEST_CASE("a statement is prepared where it is missing, and only there") {
  Pooled one(PoolMode::transaction);
  one.lend(Pooled::idle());
  one.client(parse("s", "SELECT 1") + sync_message());
  CHECK(one.lend(Pooled::idle()) == "P(pgveil_1,ok: SELECT 1) S");
  one.server(frames(wire::ParseComplete{}) + ready('I'));
  CHECK(one.to_client == "1 Z(I)");
  const auto first = one.returned;
  one.client(bind_message("", "s") + sync_message());
  CHECK(one.lend(first) == "B(,pgveil_1) S");
  one.server(frames(wire::BindComplete{}) + ready('I'));
  one.client(bind_message("", "s") + sync_message());
  CHECK(one.lend(Pooled::idle()) == "P(pgveil_1,ok: SELECT 1) B(,pgveil_1) S");
  one.server(frames(wire::ParseComplete{}, wire::BindComplete{}) + ready('I'));
  CHECK(one.to_client == "2 Z(I)");  // our Parse is none of its business
}

TEST_CASE("what the server skipped is not believed to be prepared") {
  Pooled one(PoolMode::transaction);
  one.lend(Pooled::idle());
  one.client(parse("a", "SELECT 1") + parse("b", "SELECT 2") + sync_message());
  CHECK(one.lend(Pooled::idle()) == "P(pgveil_1,ok: SELECT 1) P(pgveil_2,ok: SELECT 2) S");
  one.server(server_error("42703", "no such column") + ready('I'));
  CHECK(one.returned->statements.size() == 0);
}

TEST_CASE("after a SET the settings are read before the connection is given back") {
  Pooled one(PoolMode::transaction);
  one.lend(Pooled::idle());
  one.client(query("SET work_mem"));
  CHECK(one.lend(Pooled::idle()) == "Q(ok: SET work_mem)");
  CHECK(one.server(complete("SET") + ready('I'))
            .starts_with("Q(SELECT name, setting FROM pg_catalog.pg_settings"));
  CHECK(one.to_client == "C(SET) Z(I)");
  CHECK(one.returned->settings.empty());  // of the login
  const std::string rows =
      frames(wire::DataRow{{"work_mem", "7"}}) + frames(wire::DataRow{{"pgveil.search_path", "public"}});
  CHECK(one.server(row_description("name") + rows + complete("SELECT 2") + ready('I')) == "ReturnBackend");
  CHECK(one.returned->settings == Settings{{"pgveil.search_path", "public"}, {"work_mem", "7"}});
}

TEST_CASE("a cursor WITH HOLD keeps the connection until it is closed, in any way") {
  const std::pair<std::string, std::string> ways[] = {
      {query("CLOSE c"), complete("CLOSE CURSOR") + ready('I')},
      {query("CLOSE ALL"), complete("CLOSE CURSOR ALL") + ready('I')},
      {frames(wire::Close{.target = wire::Target::portal, .name = "c"}) + sync_message(),
       frames(wire::CloseComplete{}) + ready('I')}};
  for (const auto& [close, closed] : ways) {
    Pooled one(PoolMode::transaction);
    one.lend(Pooled::idle());
    one.client(query("DECLARE c HOLD people"));
    CHECK(one.lend(Pooled::idle()) == "Q(ok: DECLARE c HOLD people)");
    CHECK(one.server(complete("DECLARE CURSOR") + ready('I')) == "");
    CHECK(one.client(query("FETCH c")) == "Q(ok: FETCH c)");
    CHECK(one.server(row_description("a") + row("x") + complete("FETCH 1") + ready('I')) == "");
    one.client(close);
    CHECK(one.server(closed) == "ReturnBackend");
    CHECK_FALSE(one.is_cleaned);
  }
  Pooled one(PoolMode::transaction);
  one.lend(Pooled::idle());
  one.client(query("DECLARE c HOLD people"));
  one.lend(Pooled::idle());
  one.server(complete("DECLARE CURSOR") + ready('I'));
  CHECK(one.client(frames(wire::Terminate{})) == "ReturnBackend CloseClient");
  CHECK(one.is_cleaned);  // DISCARD ALL closes it
}

TEST_CASE("a cursor that could not be declared keeps nothing") {
  Pooled one(PoolMode::transaction);
  one.lend(Pooled::idle());
  one.client(query("DECLARE c HOLD people"));
  one.lend(Pooled::idle());
  CHECK(one.server(server_error("42P03", "cursor already exists") + ready('I')) == "ReturnBackend");
  one.client(query("DECLARE c x"));  // without HOLD it goes with its transaction
  one.lend(Pooled::idle());
  CHECK(one.server(complete("DECLARE CURSOR") + ready('I')) == "ReturnBackend");
}

TEST_CASE("a cancel reaches a connection only while it works for this client") {
  Pooled one(PoolMode::transaction);
  one.lend(Pooled::idle());
  CHECK(one.step(CancelRequested{}) == "");
  one.client(query("SELECT 1"));
  CHECK(one.step(CancelRequested{}) == "");
  one.lend(Pooled::idle());
  CHECK(one.step(CancelRequested{}) == "ForwardCancel(41 42)");
  one.server(row_description("a") + complete("SELECT 0") + ready('I'));
  CHECK(one.step(CancelRequested{}) == "");
}

TEST_CASE("the oldest statement makes room, and a name is never used twice") {
  PreparedStatements statements;
  CHECK(statements.add("a", 3, PreparedStatements::Origin::of_client) == "pgveil_1");
  CHECK(statements.add("b", 3, PreparedStatements::Origin::of_client) == "pgveil_2");
  CHECK(*statements.find("a") == "pgveil_1");
  CHECK(statements.take_oldest() == "pgveil_2");
  CHECK(statements.find("b") == nullptr);
  CHECK(statements.add("b", 3, PreparedStatements::Origin::of_client) == "pgveil_3");
  statements.forget_all();
  CHECK(statements.size() == 0);
  CHECK(statements.add("a", 3, PreparedStatements::Origin::of_client) == "pgveil_4");
}

TEST_CASE("a shared statement that is stale is closed, and is prepared again for the next Parse") {
  Pooled one(PoolMode::transaction);
  one.lend(Pooled::idle());
  one.client(parse("s", "SELECT 1") + describe_statement("s") + sync_message());
  one.lend(Pooled::idle());
  one.server(frames(wire::ParseComplete{}, wire::ParameterDescription{}) + row_description("a") + ready('I'));
  one.client(bind_message("", "s") + execute("") + sync_message());
  CHECK(one.lend(one.returned) == "B(,pgveil_1) E(,0) S");
  CHECK(one.server(stale_plan_error() + ready('I')) == "C(Spgveil_1) S");
  CHECK(one.to_client == "E(ERROR 0A000 cached plan must not change result type)");
  CHECK(one.server(frames(wire::CloseComplete{}) + ready('I')) == "ReturnBackend");
  CHECK(one.gate.stale_notes == 1);
  one.client(bind_message("", "s") + execute("") + sync_message());
  CHECK(one.lend(one.returned) == "ReturnBackend");
  CHECK(one.to_client == "E(ERROR 0A000 cached plan must not change result type) Z(I)");
  one.client(parse("t", "SELECT 1") + sync_message());
  CHECK(one.lend(one.returned) == "P(pgveil_2,ok: SELECT 1) S");
}

TEST_CASE("what another client left stale is prepared and sent again on the same connection") {
  Pooled one(PoolMode::transaction);
  Pooled other(PoolMode::transaction);
  one.lend(Pooled::idle());
  other.lend(Pooled::idle());
  one.client(query("SELECT KEPT 5"));
  CHECK(one.lend(Pooled::idle()) == "P(pgveil_1,ok: SELECT KEPT $1) B(,pgveil_1) D(P) E(,0) S");
  const std::string answer = row_description("a") + row("x") + complete("SELECT 1") + ready('I');
  one.server(frames(wire::ParseComplete{}, wire::BindComplete{}) + answer);
  other.client(query("SELECT KEPT 6"));
  CHECK(other.lend(one.returned) == "B(,pgveil_1) D(P) E(,0) S");
  CHECK(other.server(stale_plan_error() + ready('I')) == "C(Spgveil_1) S");
  CHECK(other.server(frames(wire::CloseComplete{}) + ready('I')) ==
        "P(pgveil_2,ok: SELECT KEPT $1) B(,pgveil_2) D(P) E(,0) S");
  CHECK(other.server(frames(wire::ParseComplete{}, wire::BindComplete{}) + answer) == "ReturnBackend");
  CHECK(other.to_client == "T(a:7/3) D(x) C(SELECT 1) Z(I)");
}

TEST_CASE("what was not used for longest makes room for a long text, too") {
  Pooled one(PoolMode::transaction, {}, 40);
  one.lend(Pooled::idle());
  auto shared = Pooled::idle();
  static_cast<void>(shared->statements.add("another's", 30, PreparedStatements::Origin::of_client));
  one.client(parse("s", "SELECT one") + sync_message());  // 14 bytes as it is sent
  CHECK(one.lend(shared) == "C(Spgveil_1) P(pgveil_2,ok: SELECT one) S");
  CHECK(shared->statements.size_bytes() == 14);
  shared->statements.forget_all();
  CHECK(shared->statements.size_bytes() == 0);
}

namespace {

// A connection with two statements, a third one that takes the place of the first, and a fourth one whose
// Close is skipped because the third was refused.
void skip_a_close(Pooled& one) {
  one.lend(Pooled::idle());
  one.client(parse("a", "SELECT 1") + parse("b", "SELECT 2") + sync_message());
  one.lend(Pooled::idle());
  one.server(frames(wire::ParseComplete{}, wire::ParseComplete{}) + ready('I'));
  one.client(parse("c", "SELECT 3") + parse("d", "SELECT 4") + sync_message());
  CHECK(one.lend(one.returned) ==
        "C(Spgveil_1) P(pgveil_3,ok: SELECT 3) C(Spgveil_2) P(pgveil_4,ok: SELECT 4) S");
  const std::string answer =
      frames(wire::CloseComplete{}) + server_error("42703", "no such column") + ready('I');
  CHECK(one.server(answer) == "C(Spgveil_2) S");
  CHECK(one.to_client == "E(ERROR 42703 no such column / try again)");
}

}  // namespace

TEST_CASE("a statement that made room is closed before ReadyForQuery if the server skipped its Close") {
  Pooled one(PoolMode::transaction);
  skip_a_close(one);
  CHECK(one.server(frames(wire::CloseComplete{}) + ready('I')) == "ReturnBackend");
  CHECK(one.to_client == "Z(I)");
  CHECK_FALSE(one.is_cleaned);
  CHECK(one.returned->statements.size() == 0);
}

TEST_CASE("a connection on which a statement could not be closed is cleaned before others get it") {
  Pooled one(PoolMode::transaction);
  skip_a_close(one);
  CHECK(one.server(server_error("57014", "canceling statement") + ready('I')) == "ReturnBackend");
  CHECK(one.to_client == "Z(I)");
  CHECK(one.is_cleaned);
}

TEST_CASE("one client may wait too long, and be told") {
  Pooled one(PoolMode::transaction);
  one.step(BackendTimedOut{});
  CHECK(one.to_client.starts_with("E(FATAL 53300"));
  CHECK(one.is_closed());
}

}  // namespace pgveil::session::testing
