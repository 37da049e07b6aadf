// Rights are asked when something runs: whatever the server keeps for a session is judged again at its next
// use, and who may not be here any more goes.
#include <doctest/doctest.h>

#include "tests/unit/session/script.hpp"

namespace pgveil::session::rights_test {

using namespace pgveil::session::testing;

namespace {

const std::string kParsed = frames(wire::ParseComplete{});
const std::string kBound = frames(wire::BindComplete{});
const std::string kClosed = frames(wire::CloseComplete{});
const std::string kRefused = "E(ERROR 42501 not open / ask less)";
const std::string kOtherwise =
    "E(ERROR 26000 prepared statement \"a\" would be answered otherwise since the policies changed; prepare "
    "it "
    "again)";
const std::string kOtherPortal =
    "E(ERROR 34000 portal \"c\" would be answered otherwise since the policies changed; open it again)";

// From then on the client's role is exempt, masked, or refused; nobody built anything.
void exempt(FakeGate& gate) {
  ++gate.generation;
  gate.is_people_raw = true;
  gate.refuses_people = false;
}
void masked(FakeGate& gate) {
  ++gate.generation;
  gate.is_people_raw = false;
  gate.refuses_people = false;
}
void refused(FakeGate& gate) {
  ++gate.generation;
  gate.refuses_people = true;
}
void reload(FakeGate& gate) {
  ++gate.generation;
}

struct Change {
  void (*to)(FakeGate&);
  std::string statement, portal;  // what the client is told of each
};
const Change kChanges[] = {{masked, kOtherwise, kOtherPortal}, {refused, kRefused, kRefused}};

Script& says(Script& script, const std::string& sql, const std::string& tag, char status = 'I',
             const std::string& how = "ok: ") {
  return script.client(query(sql), {.to_backend = "Q(" + how + sql + ")"})
      .backend(complete(tag) + ready(status), {.to_client = "C(" + tag + ") Z(" + status + ")"});
}

Script exempt_client() {
  Script script = Script::logged_in();
  script.world(exempt);
  return script;
}

Script& in_transaction_refused(Script& script, const std::string& bytes, const std::string& error,
                               const std::string& stand_in) {
  return script.client(bytes, {.to_backend = stand_in})
      .backend(server_error("42601", "x") + ready('E'), {.to_client = error + " Z(E)"});
}

}  // namespace

TEST_CASE("what PREPARE kept of raw rows is not executed when the role is not exempt any more") {
  for (const Change& change : kChanges) {
    for (const bool has_run : {false, true}) {
      Script script = exempt_client();
      says(script, "PREPARE a AS people", "PREPARE", 'I', "raw: ");
      if (has_run) says(script, "EXECUTE a", "SELECT 1");
      script.client(parse("x", "EXECUTE a") + sync_message(), {.to_backend = "P(x,ok: EXECUTE a) S"})
          .backend(kParsed + ready('I'), {.to_client = "1 Z(I)"})
          .world(change.to)
          .client(query("EXECUTE a"), {.to_client = change.statement + " Z(I)"})
          .client(query("SELECT 1;EXECUTE a"), {.to_client = change.statement + " Z(I)"})
          .client(bind_message("", "a") + sync_message(), {.to_client = change.statement + " Z(I)"})
          .client(describe_statement("a") + sync_message(), {.to_client = change.statement + " Z(I)"})
          .client(bind_message("", "x") + sync_message(), {.to_client = change.statement + " Z(I)"})
          .world(exempt);
      says(script, "EXECUTE a", "SELECT 1");
      script.check();
    }
  }
}

TEST_CASE("an open table that a policy was put over is not read by what was prepared before") {
  Script script = Script::logged_in();
  says(script, "PREPARE a AS towns", "PREPARE");
  says(script, "PREPARE b AS rivers", "PREPARE");
  script.world([](FakeGate& gate) {
    ++gate.generation;
    gate.refused_word = "towns";
  });
  script.client(query("EXECUTE a"), {.to_client = kRefused + " Z(I)"});
  says(script, "EXECUTE b", "SELECT 1");
  script.check();
}

TEST_CASE("nor what a message prepared and SQL executes") {
  for (const Change& change : kChanges) {
    exempt_client()
        .client(parse("a", "SELECT people") + sync_message(), {.to_backend = "P(a,raw: SELECT people) S"})
        .backend(kParsed + ready('I'), {.to_client = "1 Z(I)"})
        .world(change.to)
        .client(query("EXECUTE a"), {.to_client = change.statement + " Z(I)"})
        .check();
  }
}

TEST_CASE("a message's own statement is prepared again when the role is masked by now") {
  exempt_client()
      .client(parse("a", "SELECT people") + sync_message(), {.to_backend = "P(a,raw: SELECT people) S"})
      .backend(kParsed + ready('I'), {.to_client = "1 Z(I)"})
      .world(masked)
      .client(bind_message("", "a") + execute("") + sync_message(),
              {.to_backend = "C(Sa) P(a,ok: SELECT people) B(,a) E(,0) S"})
      .backend(kClosed + kParsed + kBound + complete("SELECT 1") + ready('I'),
               {.to_client = "2 C(SELECT 1) Z(I)"})
      .check();
}

TEST_CASE("behind a ROLLBACK in the same batch nothing runs that is not judged") {
  for (const Change& change : kChanges) {
    Script script = exempt_client();
    script
        .client(parse("a", "SELECT people") + parse("r", "ROLLBACK") + sync_message(),
                {.to_backend = "P(a,raw: SELECT people) P(r,ok: ROLLBACK) S"})
        .backend(kParsed + kParsed + ready('I'), {.to_client = "1 1 Z(I)"});
    says(script, "BEGIN", "BEGIN", 'T');
    script.client(query("SELECT 1"), {.to_backend = "Q(ok: SELECT 1)"})
        .backend(server_error("22012", "division by zero") + ready('E'),
                 {.to_client = "E(ERROR 22012 division by zero / try again) Z(E)"})
        .world(change.to)
        .client(bind_message("", "r") + execute("") + bind_message("", "a") + execute("") + sync_message(),
                {.to_backend = "B(,r) E(,0) P(,PGVEIL REFUSED) S"})
        .backend(kBound + complete("ROLLBACK") + server_error("42601", "x") + ready('I'),
                 {.to_client = "2 C(ROLLBACK) " + change.statement + " Z(I)"})
        .check();
  }
}

TEST_CASE("a cursor is not read further, in its transaction or held over it") {
  for (const Change& change : kChanges) {
    Script held = exempt_client();
    says(held, "DECLARE c CURSOR people", "DECLARE CURSOR", 'I', "raw: ");
    says(held, "FETCH c", "FETCH 1");
    held.world(change.to)
        .client(query("FETCH c"), {.to_client = change.portal + " Z(I)"})
        .client(query("SELECT 1;FETCH c"), {.to_client = change.portal + " Z(I)"});
    says(held, "CLOSE c", "CLOSE CURSOR");
    held.check();

    Script open = exempt_client();
    says(open, "BEGIN", "BEGIN", 'T');
    says(open, "DECLARE c CURSOR people", "DECLARE CURSOR", 'T', "raw: ");
    says(open, "FETCH c", "FETCH 1", 'T');
    open.world(change.to);
    in_transaction_refused(open, query("FETCH c"), change.portal, "Q(PGVEIL REFUSED)").check();
  }
}

TEST_CASE("a portal is not run further, nor described") {
  for (const Change& change : kChanges) {
    for (const std::string& use : {execute("c", 1), describe_portal("c")}) {
      Script script = exempt_client();
      says(script, "BEGIN", "BEGIN", 'T');
      script
          .client(parse("", "SELECT people") + bind_message("c", "") + execute("c", 1) + sync_message(),
                  {.to_backend = "P(,raw: SELECT people) B(c,) E(c,1) S"})
          .backend(kParsed + kBound + row("x") + frames(wire::PortalSuspended{}) + ready('T'),
                   {.to_client = "1 2 D(x) s Z(T)"})
          .world(change.to);
      in_transaction_refused(script, use + sync_message(), change.portal, "P(,PGVEIL REFUSED) S").check();
    }
  }
}

TEST_CASE("a portal that executes a name is judged by what the name stands for") {
  Script script = exempt_client();
  says(script, "PREPARE a AS people", "PREPARE", 'I', "raw: ");
  says(script, "BEGIN", "BEGIN", 'T');
  script
      .client(parse("", "EXECUTE a") + bind_message("c", "") + sync_message(),
              {.to_backend = "P(,ok: EXECUTE a) B(c,) S"})
      .backend(kParsed + kBound + ready('T'), {.to_client = "1 2 Z(T)"})
      .world(refused);
  in_transaction_refused(script, execute("c") + sync_message(), kRefused, "P(,PGVEIL REFUSED) S").check();
}

TEST_CASE("what a message's PREPARE made is judged, too") {
  exempt_client()
      .client(parse("", "PREPARE a AS people") + bind_message("", "") + execute("") + sync_message(),
              {.to_backend = "P(,raw: PREPARE a AS people) B(,) E(,0) S"})
      .backend(kParsed + kBound + complete("PREPARE") + ready('I'), {.to_client = "1 2 C(PREPARE) Z(I)"})
      .world(masked)
      .client(query("EXECUTE a"), {.to_client = kOtherwise + " Z(I)"})
      .check();
}

TEST_CASE("what reads the same goes on, in every snapshot") {
  Script script = Script::logged_in();
  script
      .client(query("SELECT 1;PREPARE a AS people;PREPARE b AS towns"),
              {.to_backend = "Q(ok: SELECT 1;ok: PREPARE a AS people;ok: PREPARE b AS towns)"})
      .backend(complete("SELECT 1") + complete("PREPARE") + complete("PREPARE") + ready('I'),
               {.to_client = "C(SELECT 1) C(PREPARE) C(PREPARE) Z(I)"});
  says(script, "DECLARE c CURSOR people", "DECLARE CURSOR");
  for (int again = 0; again < 2; ++again) {
    script.world(reload);
    says(script, "EXECUTE a", "SELECT 1");
    says(script, "EXECUTE b", "SELECT 1");
    says(script, "FETCH c", "FETCH 1");
  }
  script.check();
}

TEST_CASE("a kept text is judged under the path it was kept under") {
  Script script = Script::logged_in();
  says(script, "PREPARE a AS people", "PREPARE");
  says(script, "PATH other", "SET");
  script.world(reload);
  script.client(query("EXECUTE a"), {.to_backend = "Q(ok: EXECUTE a in other)"})
      .backend(complete("SELECT 1") + ready('I'), {.to_client = "C(SELECT 1) Z(I)"})
      .check();
}

TEST_CASE("while nothing of the database is answered, nothing kept is") {
  Script script = Script::logged_in();
  says(script, "PREPARE a AS people", "PREPARE");
  script.world([](FakeGate& gate) {
    gate.generation = 0;
    gate.refuses_people = true;
  });
  script.client(query("EXECUTE a"), {.to_client = kRefused + " Z(I)"}).check();
}

// ---- who may not be here any more

namespace {

void put_out(FakeGate& gate) {
  ++gate.reloads;
  gate.is_put_out = true;
}

const std::string kPutOut = "E(FATAL 28000 not any more)";

Event access_changed() {
  return AccessChanged{};
}

}  // namespace

TEST_CASE("who may not be here any more is told so at the next message, and nothing of it is sent") {
  for (const std::string& message : {query("SELECT 1"), parse("a", "SELECT 1"), sync_message()}) {
    Script::logged_in()
        .world(put_out)
        .client(message, {.to_client = kPutOut, .to_backend = "X", .commands = "CloseBackend CloseClient"})
        .check();
  }
}

TEST_CASE("or without one, and what runs is cancelled") {
  Script::logged_in()
      .world(put_out)
      .event(access_changed,
             {.to_client = kPutOut, .to_backend = "X", .commands = "CloseBackend CloseClient"})
      .check();
  Script::logged_in()
      .client(query("SELECT people"), {.to_backend = "Q(ok: SELECT people)"})
      .world(put_out)
      .event(access_changed, {.to_client = kPutOut,
                              .to_backend = "X",
                              .commands = "ForwardCancel(41 42) CloseBackend CloseClient"})
      .check();
}

TEST_CASE("the console ends, too") {
  Script::on_console()
      .world(put_out)
      .client(query("SHOW POLICIES"), {.to_client = kPutOut, .commands = "CloseClient"})
      .check();
}

TEST_CASE("who may stay goes on") {
  Script script = Script::logged_in();
  script.world([](FakeGate& gate) { ++gate.reloads; }).event(access_changed, {});
  says(script, "SELECT 1", "SELECT 1");
  script.check();
}

// ---- how much text is kept

namespace {

const std::string kTooLong =
    "E(ERROR 54000 the prepared statements and portals of this session are too long in all, masks included / "
    "close some of them; limits.session_statement_bytes is how long they may be)";

// Each PREPARE below is sent as 27 bytes, each DECLARE as 25, each SELECT as 17.
SessionConfig short_config(std::size_t bytes) {
  SessionConfig config = Script::default_config();
  config.limits.statement_bytes = bytes;
  return config;
}

}  // namespace

TEST_CASE("what is kept by PREPARE and DECLARE is counted as it was sent, and freed") {
  CHECK(std::string("ok: PREPARE a AS SELECT one").size() == 27);
  Script script = Script::logged_in(short_config(60));
  says(script, "PREPARE a AS SELECT one", "PREPARE");
  says(script, "DECLARE c CURSOR once", "DECLARE CURSOR");
  script.client(query("PREPARE b AS SELECT one"), {.to_client = kTooLong + " Z(I)"})
      .client(query("DECLARE d CURSOR once"), {.to_client = kTooLong + " Z(I)"})
      .client(parse("s", "SELECT twice") + sync_message(), {.to_client = kTooLong + " Z(I)"});
  says(script, "SELECT 1", "SELECT 1");
  says(script, "DEALLOCATE a", "DEALLOCATE");
  says(script, "PREPARE b AS SELECT one", "PREPARE");
  says(script, "CLOSE ALL", "CLOSE CURSOR ALL");
  says(script, "DECLARE d CURSOR once", "DECLARE CURSOR");
  says(script, "DISCARD ALL", "DISCARD ALL");
  says(script, "PREPARE a AS SELECT one", "PREPARE");
  script.check();
}

TEST_CASE("what the server refused is not counted") {
  Script script = Script::logged_in(short_config(40));
  for (int again = 0; again < 3; ++again) {
    script.client(query("PREPARE a AS SELECT one"), {.to_backend = "Q(ok: PREPARE a AS SELECT one)"})
        .backend(server_error("42P01", "x") + ready('I'), {.to_client = "E(ERROR 42P01 x / try again) Z(I)"});
  }
  script.check();
}

TEST_CASE("a portal keeps a plan of its own, until its transaction ends") {
  Script script = Script::logged_in(short_config(50));
  script.client(parse("s", "SELECT twice") + sync_message(), {.to_backend = "P(s,ok: SELECT twice) S"})
      .backend(kParsed + ready('I'), {.to_client = "1 Z(I)"});
  says(script, "BEGIN", "BEGIN", 'T');
  script
      .client(bind_message("p", "s") + bind_message("q", "s") + sync_message(),
              {.to_backend = "B(p,s) B(q,s) S"})
      .backend(kBound + kBound + ready('T'), {.to_client = "2 2 Z(T)"});
  in_transaction_refused(script, bind_message("r", "s") + sync_message(), kTooLong, "P(,PGVEIL REFUSED) S");
  says(script, "ROLLBACK", "ROLLBACK");
  script.client(bind_message("r", "s") + sync_message(), {.to_backend = "B(r,s) S"})
      .backend(kBound + ready('I'), {.to_client = "2 Z(I)"})
      .check();
}

TEST_CASE("who has filled the limit can still run what is prepared") {
  Script script = Script::logged_in(short_config(20));
  script
      .client(parse("s", "SELECT twice") + bind_message("", "s") + execute("") + sync_message(),
              {.to_backend = "P(s,ok: SELECT twice) B(,s) E(,0) S"})
      .backend(kParsed + kBound + complete("SELECT 1") + ready('I'), {.to_client = "1 2 C(SELECT 1) Z(I)"})
      .check();
}

TEST_CASE("the unnamed ones take the place of those before, in one batch too") {
  std::string asked, sent, answered, told;
  for (int i = 0; i < 5; ++i) {
    asked += parse("", "SELECT twice") + bind_message("", "") + execute("");
    sent += "P(,ok: SELECT twice) B(,) E(,0) ";
    answered += kParsed + kBound + complete("SELECT 1");
    told += "1 2 C(SELECT 1) ";
  }
  Script::logged_in(short_config(60))
      .client(asked + sync_message(), {.to_backend = sent + "S"})
      .backend(answered + ready('I'), {.to_client = told + "Z(I)"})
      .check();
}

TEST_CASE("what is longer when it is prepared again has to fit, too") {
  Script::logged_in(short_config(40))
      .client(parse("s", "SELECT twice") + sync_message(), {.to_backend = "P(s,ok: SELECT twice) S"})
      .backend(kParsed + ready('I'), {.to_client = "1 Z(I)"})
      .world([](FakeGate& gate) {
        ++gate.generation;
        gate.mark = std::string(40, '!');
      })
      .client(bind_message("", "s") + sync_message(), {.to_client = kTooLong + " Z(I)"})
      .world([](FakeGate& gate) {
        ++gate.generation;
        gate.mark.clear();
      })
      .client(bind_message("", "s") + sync_message(), {.to_backend = "C(Ss) P(s,ok: SELECT twice) B(,s) S"})
      .backend(kClosed + kParsed + kBound + ready('I'), {.to_client = "2 Z(I)"})
      .check();
}

}  // namespace pgveil::session::rights_test
