// What SHOW says of READ ONLY and READ WRITE: what the client asked for, under PostgreSQL's rules, while the
// server is always read only.
#include "proxy/session/transaction_mode.hpp"

#include <doctest/doctest.h>

#include "tests/unit/session/script.hpp"

namespace pgveil::session::transaction_mode_test {

using namespace pgveil::session::testing;

namespace {

using Effect = rewriter::PathEffect;
using Kind = Effect::Kind;

constexpr const char* kShow = "SHOW transaction_read_only";
constexpr const char* kShowDefault = "SHOW default_transaction_read_only";

// The server's answer, which is always the same, and what the client sees.
std::string on_server(std::string_view name, char status) {
  return row_description(name) + row("on") + complete("SHOW") + ready(status);
}
std::string shown(std::string_view name, std::string_view value, char status) {
  return "T(" + std::string(name) + ":7/3) D(" + std::string(value) + ") C(SHOW) Z(" + status + ")";
}

void show(Script& script, std::string_view value, char status) {
  script.client(query(kShow), {.to_backend = std::string("Q(ok: ") + kShow + ")"})
      .backend(on_server("transaction_read_only", status),
               {.to_client = shown("transaction_read_only", value, status)});
}

void run(Script& script, const std::string& sql, char status) {
  script.client(query(sql), {.to_backend = "Q(ok: " + sql + ")"})
      .backend(complete("X") + ready(status), {.to_client = std::string("C(X) Z(") + status + ")"});
}

}  // namespace

TEST_CASE("a client is told READ WRITE until it asks for READ ONLY") {
  Script script = Script::logged_in();
  show(script, "off", 'I');
  run(script, "BEGIN ro", 'T');
  show(script, "on", 'T');
  run(script, "MODE rw", 'T');
  show(script, "off", 'T');
  run(script, "MODE ro", 'T');
  run(script, "COMMIT", 'I');
  show(script, "off", 'I');
  run(script, "DEFAULTMODE ro", 'I');
  show(script, "on", 'I');
  run(script, "BEGIN rw", 'T');
  show(script, "off", 'T');
  run(script, "COMMIT CHAIN", 'T');
  show(script, "off", 'T');
  run(script, "ROLLBACK", 'I');
  show(script, "on", 'I');
  run(script, "RESET ALL", 'I');
  show(script, "off", 'I');
  script.check();
}

TEST_CASE("the default of later transactions is shown by its own name, in the extended protocol too") {
  Script::logged_in()
      .client(query("DEFAULTMODE ro"), {.to_backend = "Q(ok: DEFAULTMODE ro)"})
      .backend(complete("SET") + ready('I'), {.to_client = "C(SET) Z(I)"})
      .client(
          parse("", kShowDefault) + bind_message("", "") + describe_portal("") + execute("") + sync_message(),
          {.to_backend = std::string("P(,ok: ") + kShowDefault + ") B(,) D(P) E(,0) S"})
      .backend(frames(wire::ParseComplete{}, wire::BindComplete{}) +
                   row_description("default_transaction_read_only") + row("on") + complete("SHOW") +
                   ready('I'),
               {.to_client = "1 2 T(default_transaction_read_only:7/3) D(on) C(SHOW) Z(I)"})
      .client(query("DEFAULTMODE rw"), {.to_backend = "Q(ok: DEFAULTMODE rw)"})
      .backend(complete("SET") + ready('I'), {.to_client = "C(SET) Z(I)"})
      .client(query(kShowDefault), {.to_backend = std::string("Q(ok: ") + kShowDefault + ")"})
      .backend(on_server("default_transaction_read_only", 'I'),
               {.to_client = shown("default_transaction_read_only", "off", 'I')})
      .check();
}

TEST_CASE("a failed statement takes back the mode that it asked for") {
  Script script = Script::logged_in();
  script.client(query("DEFAULTMODE ro"), {.to_backend = "Q(ok: DEFAULTMODE ro)"})
      .backend(server_error("57014", "canceled") + ready('I'),
               {.to_client = "E(ERROR 57014 canceled / try again) Z(I)"});
  show(script, "off", 'I');
  script.check();
}

TEST_CASE("on a standby every transaction is read only") {
  Script script = Script::logged_in();
  script.backend(parameter("in_hot_standby", "on"), {.to_client = "S(in_hot_standby=on)"});
  show(script, "on", 'I');
  script.backend(parameter("in_hot_standby", "off"), {.to_client = "S(in_hot_standby=off)"});
  show(script, "off", 'I');
  script.check();
}

TEST_CASE("savepoints and rollbacks bring modes back") {
  TransactionMode mode;
  const auto apply = [&](Kind kind, std::optional<bool> reads_only = std::nullopt, std::string name = {}) {
    mode.apply(Effect{.kind = kind, .savepoint = std::move(name), .reads_only = reads_only});
  };
  apply(Kind::savepoint, {}, "s");
  apply(Kind::transaction_mode, true);
  apply(Kind::default_mode, true);
  apply(Kind::savepoint, {}, "t");
  mode.fail();
  apply(Kind::rollback_to, {}, "s");
  CHECK_FALSE(mode.reads_only());
  CHECK_FALSE(mode.reads_only_by_default());
  apply(Kind::rollback_to, {}, "t");  // there is none any more
  apply(Kind::default_mode, true);
  apply(Kind::release, {}, "s");
  apply(Kind::rollback_to, {}, "s");
  CHECK(mode.reads_only_by_default());
  mode.fail();
  mode.end_transaction();
  CHECK_FALSE(mode.reads_only_by_default());
  apply(Kind::default_mode, true);
  apply(Kind::rollback);
  CHECK_FALSE(mode.reads_only());
  apply(Kind::default_mode, true);
  mode.end_transaction();
  CHECK(mode.reads_only());
  const auto chain = [&] { mode.apply(Effect{.kind = Kind::rollback, .is_chained = true}); };
  apply(Kind::transaction_mode, false);
  chain();
  CHECK_FALSE(mode.reads_only());  // as it was
  apply(Kind::transaction_mode, true);
  mode.fail();
  chain();
  CHECK_FALSE(mode.reads_only());  // a failed transaction has lost what it set
  mode.end_transaction();
  CHECK(mode.reads_only());
  apply(Kind::set);  // of the search path
  apply(Kind::reset);
  CHECK(mode.reads_only());
  apply(Kind::reset_all);
  CHECK_FALSE(mode.reads_only_by_default());
  mode = TransactionMode(true);
  CHECK(mode.reads_only());
  apply(Kind::default_mode, false);
  mode.end_transaction();
  CHECK_FALSE(mode.reads_only());
  apply(Kind::default_mode);
  apply(Kind::commit);
  CHECK(mode.reads_only());
}

}  // namespace pgveil::session::transaction_mode_test
