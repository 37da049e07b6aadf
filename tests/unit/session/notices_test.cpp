// What a client is told beside its answers: once per session and table, in time, and only if it wants to.
#include "proxy/session/notices.hpp"

#include <doctest/doctest.h>

#include "rewriter/lists/session_settings.hpp"
#include "tests/unit/session/script.hpp"

using namespace pgveil;
using namespace pgveil::session;
using namespace pgveil::session::testing;

namespace {

const std::string kParseDone = frames(wire::ParseComplete{});
const std::string kBindDone = frames(wire::BindComplete{});
const std::string kMaskedNotice = "N(NOTICE 00000 people is masked, version 1)";

Script telling(SessionConfig config = Script::default_config()) {
  Script script = Script::logged_in(config);
  script.world([](FakeGate& gate) { gate.has_notices = true; });
  return script;
}

Script& asks(Script& script, const std::string& sql, const std::string& told, const std::string& tag) {
  return script.client(query(sql), {.to_client = told, .to_backend = "Q(ok: " + sql + ")"})
      .backend(complete(tag) + ready('I'), {.to_client = "C(" + tag + ") Z(I)"});
}

}  // namespace

TEST_CASE("a masked table is told of once, before its first answer") {
  Script script = telling();
  asks(script, "SELECT 1", "", "SELECT 1");
  asks(script, "SELECT people", kMaskedNotice, "SELECT 1");
  asks(script, "SELECT people again", "", "SELECT 1");
  script.world([](FakeGate& gate) {
    ++gate.version;
    ++gate.generation;
  });
  asks(script, "SELECT people", "", "SELECT 1");
  script.check();
}

TEST_CASE("COPY of a masked table is told of before its data") {
  Script script = telling();
  script.client(query("COPY people"), {.to_client = kMaskedNotice, .to_backend = "Q(ok: COPY people)"})
      .check();
}

TEST_CASE("in the extended protocol it is told when the statement runs, not when it is prepared") {
  Script script = telling();
  script.client(parse("a", "SELECT people") + sync_message(), {.to_backend = "P(a,ok: SELECT people) S"})
      .backend(kParseDone + ready('I'), {.to_client = "1 Z(I)"})
      .client(bind_message("", "a") + execute("") + sync_message(),
              {.to_client = kMaskedNotice, .to_backend = "B(,a) E(,0) S"})
      .backend(kBindDone + row("x") + complete("SELECT 1") + ready('I'),
               {.to_client = "2 D(x) C(SELECT 1) Z(I)"})
      .client(bind_message("", "a") + execute("") + sync_message(), {.to_backend = "B(,a) E(,0) S"})
      .check();
}

TEST_CASE("a client that sends ahead is told among the answers, once") {
  Script script = telling();
  script
      .client(parse("", "SELECT 1") + bind_message("", "") + execute("") + parse("", "SELECT people") +
                  bind_message("", "") + execute("") + parse("", "SELECT people") + bind_message("", "") +
                  execute("") + sync_message(),
              {.to_client = kMaskedNotice,
               .to_backend = "P(,ok: SELECT 1) B(,) E(,0) P(,ok: SELECT people) B(,) E(,0) "
                             "P(,ok: SELECT people) B(,) E(,0) S"})
      .check();
}

TEST_CASE("what PREPARE and DECLARE made is told of when it is asked for") {
  Script script = telling();
  asks(script, "PREPARE a AS people", kMaskedNotice, "PREPARE");
  asks(script, "EXECUTE a", "", "SELECT 1");
  script.check();
}

TEST_CASE("a refused statement tells nothing, so the next one does") {
  Script script = telling();
  script.world([](FakeGate& gate) { gate.refuses_people = true; });
  script.client(query("SELECT people"), {.to_client = "E(ERROR 42501 not open / ask less @3) Z(I)"});
  script.world([](FakeGate& gate) { gate.refuses_people = false; });
  asks(script, "SELECT people", kMaskedNotice, "SELECT 1");
  script.check();
}

TEST_CASE("an exempt reader is told nothing") {
  Script script = telling();
  script.world([](FakeGate& gate) { gate.is_people_raw = true; });
  script.client(query("SELECT people"), {.to_backend = "Q(raw: SELECT people)"}).check();
}

TEST_CASE("a condition that holds for no row is told each time the text is judged") {
  const std::string told = "N(NOTICE 00000 id is hidden / use another)";
  Script script = telling();
  asks(script, "SELECT hidden", told, "SELECT 0");
  asks(script, "SELECT hidden", told, "SELECT 0");
  script
      .client(parse("a", "SELECT hidden") + sync_message(),
              {.to_client = told, .to_backend = "P(a,ok: SELECT hidden) S"})
      .backend(kParseDone + ready('I'), {.to_client = "1 Z(I)"})
      .client(bind_message("", "a") + execute("") + sync_message(), {.to_backend = "B(,a) E(,0) S"})
      .check();
}

TEST_CASE("a session turns notices off and on") {
  struct Row {
    const char* name;
    const char* sql;
    bool is_told;
  };
  const Row rows[] = {
      {"off", "SET pgveil.notices off", false},
      {"no", "SET PgVeil.Notices no", false},
      {"on", "SET pgveil.notices on", true},
      {"level warning", "SET client_min_messages warning", false},
      {"level notice", "SET client_min_messages notice", true},
      {"off and on", "SET pgveil.notices off;SET pgveil.notices on", true},
      {"off, and RESET", "SET pgveil.notices off;RESET pgveil.notices", true},
      {"off, and RESET of the other", "SET pgveil.notices off;RESET client_min_messages", false},
      {"off, and DISCARD ALL", "SET pgveil.notices off;DISCARD ALL", true},
      {"both off, one on", "SET client_min_messages error;SET pgveil.notices off;SET pgveil.notices on",
       false},
      {"another setting", "SET work_mem off", true}};
  for (const Row& each : rows) {
    CAPTURE(each.name);
    NoticeBook book;
    FakeGate gate;
    const auto verdict = gate.judge(each.sql, {.role = "ann"}, "demo").verdict;
    for (const auto& statement : std::get<rewriter::Rewritten>(*verdict).statements)
      apply(book, statement.switches);
    CHECK((book.now.own && book.now.level) == each.is_told);
  }
  Script script = telling();
  asks(script, "SET pgveil.notices off", "", "SET");
  asks(script, "SELECT people hidden", "", "SELECT 1");
  asks(script, "RESET pgveil.notices", "", "RESET");
  asks(script, "SELECT people", kMaskedNotice, "SELECT 1");
  script.check();
}

TEST_CASE("RESET returns to what the start-up packet asked for") {
  NoticeBook book;
  begin(book, {{"application_name", "off"}, {"PGVEIL.notices", "off"}});
  CHECK_FALSE(book.now.own);
  apply(book, rewriter::switches_of("pgveil.notices", "on"));
  CHECK(book.now.own);
  apply(book, rewriter::reset_of("pgveil.notices"));
  CHECK_FALSE(book.now.own);
  CHECK(book.now.level);
}
