#include "daemon/audit/line.hpp"

#include <doctest/doctest.h>

namespace pgveil::app {
namespace {

std::string line_of(session::AuditedThing thing, std::uint64_t request = 7) {
  const console::Address client{"10.0.0.9", 5555};
  const session::AuditEvent event{request, "ann", "demo", std::move(thing)};
  return audit_fields(net::AuditRecord{12, client, event, std::nullopt});
}

session::AuditedText text(std::string sql) {
  return std::make_shared<const std::string>(std::move(sql));
}

const std::string kWho = R"("role":"ann","database":"demo","client":"10.0.0.9:5555")";

}  // namespace

TEST_CASE("each kind of event is a line of its own shape") {
  CHECK(line_of(session::AuditedLogin{session::LoginMethod::scram_sha_256, true, ""}, 0) ==
        R"(,"event":"login","session":12,)" + kWho +
            R"(,"verdict":"let in","method":"scram-sha-256","as":"bypass")");
  CHECK(line_of(session::AuditedLogin{session::LoginMethod::sign_in_link, false, "28P01"}, 0)
            .find(R"("verdict":"refused","method":"sign-in link","sqlstate":"28P01")") != std::string::npos);
  CHECK(line_of(session::AuditedLogin{session::LoginMethod::trust, false, "28000"}, 0) ==
        R"(,"event":"login","session":12,)" + kWho +
            R"(,"verdict":"refused","method":"trust","sqlstate":"28000")");
  CHECK(line_of(session::AuditedLogout{}, 0) == R"(,"event":"logout","session":12,)" + kWho);
  CHECK(
      line_of(session::AuditedStatement{
          session::AuditVerdict::masked, "", "", text("SELECT ?"), {{"p", 1}, {"q", 22}}}) ==
      R"(,"event":"statement","session":12,"request":"12/7",)" + kWho +
          R"(,"verdict":"masked","policies":[{"policy":"p","version":1},{"policy":"q","version":22}],"sql":"SELECT ?")");
  CHECK(line_of(session::AuditedStatement{session::AuditVerdict::refused, "42501", "clause", nullptr, {}}) ==
        R"(,"event":"statement","session":12,"request":"12/7",)" + kWho +
            R"(,"verdict":"refused","sqlstate":"42501","reason":"clause")");
  CHECK(line_of(session::AuditedAnswer{5, "22012"}) ==
        R"(,"event":"answer","session":12,"request":"12/7",)" + kWho + R"(,"rows":5,"sqlstate":"22012")");
  CHECK(line_of(session::AuditedCommand{text("RELOAD")}) ==
        R"(,"event":"command","session":12,"request":"12/7",)" + kWho + R"(,"sql":"RELOAD")");
  CHECK(line_of(session::AuditedCommandEnd{""}).ends_with(R"(,"verdict":"done")"));
  CHECK(audit_fields(ProcessEvent{"policy_published", {{"policy", "p"}, {"version", "3"}}}) ==
        R"(,"event":"policy_published","policy":"p","version":"3")");
}

TEST_CASE("a name that is longer than PostgreSQL has is cut") {
  const console::Address client{"unix", 0};
  const session::AuditEvent event{0, std::string(10'000, 'x'), "demo", session::AuditedLogin{}};
  CHECK(audit_fields(net::AuditRecord{1, client, event, std::nullopt}).size() < 250);
}

TEST_CASE("no name can end a text, a line or the JSON") {
  CHECK(json_text("a\"b\\c\nd\x7f\x01"
                  "e") == R"("a\"b\\c\u000ad\u007f\u0001e")");
  CHECK(json_text("Zoë") == "\"Zoë\"");
  CHECK(json_text(std::string("a\xff\xfe"
                              "b\0c",
                              6)) == R"("a\ufffd\ufffdb\u0000c")");
  CHECK(json_text("\xc3") == R"("\ufffd")");
  CHECK(json_text("") == "\"\"");
}

}  // namespace pgveil::app
