// A statement that met a new version of its policy is sent again, and the client does not notice; unless it
// was told something already, or sending it twice would do something twice.
#include "proxy/session/retry.hpp"

#include <doctest/doctest.h>

#include "tests/unit/session/script.hpp"

namespace pgveil::session::retry_test {

using namespace pgveil::session::testing;

namespace {

const std::string kParsed = frames(wire::ParseComplete{});
const std::string kBound = frames(wire::BindComplete{});
const std::string kRead = "SELECT people";
const std::string kOther = server_error("PV001", "pgveil: another version of the policy is current");
const std::string kTold =
    "E(ERROR 40001 the policy was built again meanwhile, or after this transaction began / run the "
    "transaction again)";
const std::string kWaits = "AwaitServing(demo 1)";

void build(FakeGate& gate) {
  ++gate.version;
  ++gate.generation;
}

std::function<Event()> looked(bool is_other) {
  return [is_other] { return ServingLooked{is_other}; };
}

// What the extended protocol asks at once.
std::string asked(const std::string& statement = "") {
  return bind_message("", statement) + describe_portal("") + execute("");
}

const std::string kAnswer = row_description("city") + row("Hamlet") + complete("SELECT 1") + ready('I');
const std::string kShown = "T(city:0/0) D(Hamlet) C(SELECT 1) Z(I)";

}  // namespace

TEST_CASE("a query that meets another version is sent again when that is served") {
  Script::logged_in()
      .client(query(kRead), {.to_backend = "Q(ok: SELECT people)"})
      .backend(row_description("town") + kOther, {})
      .backend(ready('I'), {.commands = kWaits})
      .world(build)
      .event(looked(true), {.to_backend = "Q(ok: SELECT people)"})
      .backend(kAnswer, {.to_client = kShown})
      .client(query(kRead), {.to_backend = "Q(ok: SELECT people)"})
      .backend(kAnswer, {.to_client = kShown})
      .check();
}

TEST_CASE("columns are told with the first row, or with the end") {
  Script::logged_in()
      .client(query(kRead), {.to_backend = "Q(ok: SELECT people)"})
      .backend(row_description("city"), {})
      .backend(row("Hamlet"), {.to_client = "T(city:0/0) D(Hamlet)"})
      .backend(complete("SELECT 1") + ready('I'), {.to_client = "C(SELECT 1) Z(I)"})
      .client(query(kRead), {.to_backend = "Q(ok: SELECT people)"})
      .backend(row_description("city"), {})
      .backend(server_notice("x"),
               {.to_client = "T(city:0/0) N(NOTICE 00000 notice while running a protected statement)"})
      .backend(complete("SELECT 0"), {.to_client = "C(SELECT 0)"})
      .check();
}

TEST_CASE("when no other version is served in time, the client is told what the server said") {
  Script::logged_in()
      .client(query(kRead), {.to_backend = "Q(ok: SELECT people)"})
      .backend(row_description("city") + kOther + ready('I'), {.commands = kWaits})
      .event(looked(false), {.to_client = "T(city:0/0) " + kTold + " Z(I)"})
      .event(looked(true), {})  // nobody waits
      .client(query(kRead), {.to_backend = "Q(ok: SELECT people)"})
      .backend(kAnswer, {.to_client = kShown})
      .check();
}

TEST_CASE("who cancels while it waits is told at once") {
  Script::logged_in()
      .client(query(kRead), {.to_backend = "Q(ok: SELECT people)"})
      .backend(kOther + ready('I'), {.commands = kWaits})
      .event([] { return CancelRequested{}; }, {.to_client = kTold + " Z(I)"})
      .world(build)
      .event(looked(true), {})
      .check();
}

TEST_CASE("builds that follow each other are told in the end, and each statement counts for itself") {
  Script script = Script::logged_in();
  for (int statement = 0; statement < 2; ++statement) {
    script.client(query(kRead), {.to_backend = "Q(ok: SELECT people)"});
    for (int time = 0; time < retry::kMostTimes; ++time) {
      const std::string generation = std::to_string(1 + statement * retry::kMostTimes + time);
      script.backend(kOther + ready('I'), {.commands = "AwaitServing(demo " + generation + ")"})
          .world(build)
          .event(looked(true), {.to_backend = "Q(ok: SELECT people)"});
    }
    script.backend(kOther + ready('I'), {.to_client = kTold + " Z(I)"});
  }
  script.check();
}

TEST_CASE("what comes behind it waits") {
  Script::logged_in()
      .client(query(kRead) + query("SELECT 1"), {.to_backend = "Q(ok: SELECT people)"})
      .backend(kOther + ready('I'), {.commands = kWaits})
      .client(query("SELECT 2"), {})
      .world(build)
      .event(looked(true), {.to_backend = "Q(ok: SELECT people)"})
      .backend(kAnswer, {.to_client = kShown, .to_backend = "Q(ok: SELECT 1)"})
      .backend(complete("SELECT 0") + ready('I'),
               {.to_client = "C(SELECT 0) Z(I)", .to_backend = "Q(ok: SELECT 2)"})
      .check();
}

TEST_CASE("it is judged again: what may not be read any more is refused") {
  Script::logged_in()
      .client(query(kRead), {.to_backend = "Q(ok: SELECT people)"})
      .backend(kOther + ready('I'), {.commands = kWaits})
      .world([](FakeGate& gate) {
        build(gate);
        gate.refuses_people = true;
      })
      .event(looked(true), {.to_client = "E(ERROR 42501 not open / ask less @3) Z(I)"})
      .check();
}

TEST_CASE("COPY is sent again too, before its first line") {
  const std::string begins = frames(wire::CopyOutResponse{});
  Script::logged_in()
      .client(query("COPY people"), {.to_backend = "Q(ok: COPY people)"})
      .backend(begins + kOther + ready('I'), {.commands = kWaits})
      .world(build)
      .event(looked(true), {.to_backend = "Q(ok: COPY people)"})
      .backend(complete("COPY 0") + ready('I'), {.to_client = "C(COPY 0) Z(I)"})
      .check();
}

TEST_CASE("what was begun to be answered, withdrawn or wrong is told at once") {
  for (const auto& [answer, shown] :
       {std::pair{row_description("city") + row("Hamlet") + kOther, "T(city:0/0) D(Hamlet) " + kTold},
        std::pair{server_error("PV002", "pgveil: the policy has no current version"),
                  std::string("E(ERROR 42501 the policy was withdrawn / BUILD POLICY is needed)")},
        std::pair{row_description("city") + server_error("22012", "x"),
                  std::string("T(city:0/0) E(ERROR 22012 division by zero)")},
        std::pair{server_error("40001", "could not serialize access"),
                  std::string("E(ERROR 40001 could not serialize access)")}}) {
    Script::logged_in()
        .client(query(kRead), {.to_backend = "Q(ok: SELECT people)"})
        .backend(answer + ready('I'), {.to_client = shown + " Z(I)"})
        .check();
  }
}

TEST_CASE("only one SELECT or COPY by itself is sent again") {
  for (const std::string sql : {"SELECT people;SELECT 1", "SELECT 1;SELECT people", "EXECUTE people",
                                "PREPARE a AS people", "DECLARE c CURSOR people", "SELECT 1"}) {
    CAPTURE(sql);
    std::string sent = sql;
    if (const auto at = sent.find(';'); at != std::string::npos) sent.insert(at + 1, "ok: ");
    Script::logged_in()
        .client(query(sql), {.to_backend = "Q(ok: " + sent + ")"})
        .backend(kOther + ready('I'), {.to_client = kTold + " Z(I)"})
        .check();
  }
}

TEST_CASE("in a transaction block the client has to begin again") {
  Script::logged_in()
      .client(query("BEGIN"), {.to_backend = "Q(ok: BEGIN)"})
      .backend(complete("BEGIN") + ready('T'), {.to_client = "C(BEGIN) Z(T)"})
      .client(query(kRead), {.to_backend = "Q(ok: SELECT people)"})
      .backend(kOther + ready('E'), {.to_client = kTold + " Z(E)"})
      .check();
}

TEST_CASE("messages of the extended protocol are sent again together") {
  const std::string sent = "P(,ok: SELECT people) B(,) D(P) E(,0) S";
  Script::logged_in()
      .client(parse("", kRead) + asked() + sync_message(), {.to_backend = sent})
      .backend(kParsed + kBound + row_description("town") + kOther, {})
      .backend(ready('I'), {.commands = kWaits})
      .world(build)
      .event(looked(true), {.to_backend = sent})
      .backend(kParsed + kBound + kAnswer, {.to_client = "1 2 " + kShown})
      .check();
}

TEST_CASE("parameters are sent again to the byte") {
  FakeGate gate;
  Session session(Script::default_config(), gate);
  const auto step = [&](const Event& event) { return session.step(event); };
  const std::string startup =
      frames(wire::StartupMessage{.parameters = {{"user", "ann"}, {"database", "demo"}}});
  static_cast<void>(step(ClientBytes{startup}));
  static_cast<void>(step(BackendConnected{}));
  const std::string welcome = frames(wire::AuthenticationOk{}) + ready('I');
  static_cast<void>(step(BackendBytes{welcome}));
  const std::string bind =
      frames(wire::Bind{.parameter_formats = {1}, .parameters = {std::string("\0\x01", 2), std::nullopt}});
  const std::string batch = parse("", kRead) + bind + execute("") + sync_message();
  const std::string first = step(ClientBytes{batch}).to_backend;
  CHECK(first.find(bind) != std::string::npos);
  const std::string failed = kParsed + kBound + kOther + ready('I');
  CHECK(step(BackendBytes{failed}).to_client.empty());
  build(gate);
  CHECK(step(ServingLooked{true}).to_backend == first);
}

TEST_CASE("a Sync that comes after the error belongs to what is sent again") {
  Script::logged_in()
      .client(parse("", kRead) + asked(), {.to_backend = "P(,ok: SELECT people) B(,) D(P) E(,0)"})
      .backend(kParsed + kBound + row_description("town") + kOther, {})
      .client(sync_message(), {.to_backend = "S"})
      .backend(ready('I'), {.commands = kWaits})
      .world(build)
      .event(looked(true), {.to_backend = "P(,ok: SELECT people) B(,) D(P) E(,0) S"})
      .backend(kParsed + kBound + kAnswer, {.to_client = "1 2 " + kShown})
      .check();
}

TEST_CASE("a statement that was prepared before is prepared again and bound again") {
  Script::logged_in()
      .client(parse("s", kRead) + sync_message(), {.to_backend = "P(s,ok: SELECT people) S"})
      .backend(kParsed + ready('I'), {.to_client = "1 Z(I)"})
      .client(asked("s") + sync_message(), {.to_backend = "B(,s) D(P) E(,0) S"})
      .backend(kBound + row_description("city") + kOther + ready('I'), {.commands = kWaits})
      .world(build)
      .event(looked(true), {.to_backend = "C(Ss) P(s,ok: SELECT people) D(Ss) H"})
      .backend(frames(wire::CloseComplete{}) + kParsed + frames(wire::ParameterDescription{}) +
                   row_description("city"),
               {.to_backend = "B(,s) D(P) E(,0) S"})
      .backend(kBound + kAnswer, {.to_client = "2 " + kShown})
      .check();
}

TEST_CASE("what the client waits for, and what would be there twice, is not held") {
  const std::string told = "1 2 T(town:0/0) " + kTold + " Z(I)";
  const std::string answer = kParsed + kBound + row_description("town") + kOther + ready('I');
  Script named = Script::logged_in();
  named
      .client(parse("s", kRead) + asked("s") + sync_message(),
              {.to_backend = "P(s,ok: SELECT people) B(,s) D(P) E(,0) S"})
      .backend(answer, {.to_client = told})
      .check();
  Script flushed = Script::logged_in();
  flushed.client(parse("", kRead) + flush_message(), {.to_backend = "P(,ok: SELECT people) H"})
      .backend(kParsed, {.to_client = "1"})
      .client(asked() + sync_message(), {.to_backend = "B(,) D(P) E(,0) S"})
      .backend(kBound + row_description("town") + kOther + ready('I'),
               {.to_client = "2 T(town:0/0) " + kTold + " Z(I)"})
      .check();
  Script twice = Script::logged_in();
  twice
      .client(parse("", kRead) + asked() + asked() + sync_message(),
              {.to_backend = "P(,ok: SELECT people) B(,) D(P) E(,0) B(,) D(P) E(,0) S"})
      .backend(answer, {.to_client = told})
      .check();
}

TEST_CASE("more than is kept is sent once") {
  const std::string big = kRead + std::string(retry::kMostBytes, ' ');
  Script::logged_in()
      .client(query(big), {.to_backend = "Q(ok: " + big + ")"})
      .backend(kOther + ready('I'), {.to_client = kTold + " Z(I)"})
      .not_in_pieces()
      .check();
}

}  // namespace pgveil::session::retry_test
