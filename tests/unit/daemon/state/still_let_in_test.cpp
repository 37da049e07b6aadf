// What a session has shown is held against what RELOAD put in force.
#include "daemon/state/still_let_in.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "daemon/state/login_account.hpp"
#include "policy/spec/spec.hpp"

using namespace pgveil;
using namespace pgveil::app;
using session::LoginDemand;

namespace {

session::ScramVerifier verifier(std::string_view password) {
  return session::make_verifier(password, "salt", 4096);
}

// ann and dpo have accounts; dpo is exempt from a policy, dba is passed on, "rita" of PostgreSQL comes in as
// ann.
Present present() {
  Present made;
  made.users = {{"ann", verifier("a")}, {"dpo", verifier("d")}, {"dba", verifier("r")}};
  auto spec = std::make_shared<policy::PolicySpec>();
  spec->exempt_roles = {"dpo"};
  made.specs = {spec};
  made.config.bypass_roles = {{.role = "dba", .backend = {"raw", "raw's"}, .databases = {}}};
  made.config.auth_query.emplace();
  made.config.auth_query->let_in = {{.user = "rita", .as = "ann"}};
  return made;
}

session::Admitted admitted(std::string_view role, std::string_view password) {
  return {.who = {role, false},
          .reads_as = role,
          .database = "demo",
          .origin = {"192.0.2.7", false},
          .verifier = verifier(password)};
}

session::Admitted found() {
  auto rita = admitted("rita", "r");
  rita.who.is_looked_up = true;
  rita.reads_as = "ann";
  return rita;
}

HbaRules rules(std::string_view text) {
  auto parsed = parse_hba(text, "access");
  REQUIRE(parsed.has_value());
  return *parsed;
}

}  // namespace

TEST_CASE("who would be let in again goes on") {
  const Present now = present();
  CHECK(still_let_in(now, admitted("ann", "a")).has_value());
  CHECK(still_let_in(now, admitted("dpo", "d")).has_value());
  CHECK(still_let_in(now, found()).has_value());
}

TEST_CASE("another password ends who gets more than masks, and nobody else") {
  const Present now = present();
  CHECK(still_let_in(now, admitted("ann", "before")).has_value());
  CHECK_FALSE(still_let_in(now, admitted("dpo", "before")).has_value());
  auto by_certificate = admitted("dpo", "");
  by_certificate.verifier = std::nullopt;
  CHECK(still_let_in(now, by_certificate).has_value());
}

TEST_CASE("a bypass role has to be one, of the same backend role") {
  auto dba = admitted("dba", "r");
  dba.passed_on_as = session::Credentials{"raw", "raw's"};
  Present now = present();
  CHECK(still_let_in(now, dba).has_value());
  now.config.bypass_roles.front().backend.user = "other";
  CHECK_FALSE(still_let_in(now, dba).has_value());
  now.config.bypass_roles.front().backend = {"raw", "another"};
  CHECK_FALSE(still_let_in(now, dba).has_value());
  now.config.bypass_roles.clear();
  CHECK_FALSE(still_let_in(now, dba).has_value());
}

TEST_CASE("an account of PostgreSQL's has to be let in by the same rule") {
  Present now = present();
  SUBCASE("as somebody else") {
    now.config.auth_query->let_in.front().as = "bob";
  }
  SUBCASE("by no rule") {
    now.config.auth_query->let_in.clear();
  }
  SUBCASE("at all") {
    now.config.auth_query.reset();
  }
  SUBCASE("and have no account of the file") {
    now.users.emplace("rita", verifier("r"));
  }
  SUBCASE("and no standing") {
    now.config.admin.stats_users = {"rita"};
  }
  SUBCASE("nor whom it reads as") {
    now.config.admin.admin_users = {"ann"};
  }
  CHECK_FALSE(still_let_in(now, found()).has_value());
}

TEST_CASE("the access file is asked, for no more than was shown") {
  Present now = present();
  struct Case {
    const char* rule;
    LoginDemand shown;
    bool goes_on;
  };
  for (const auto& [rule, shown, goes_on] : {
           Case{"host all all all scram-sha-256", LoginDemand::password, true},
           Case{"host all bob all scram-sha-256", LoginDemand::password, false},
           Case{"host all all 192.0.2.0/24 reject", LoginDemand::password, false},
           Case{"hostssl all all all scram-sha-256", LoginDemand::password, false},
       }) {
    CAPTURE(rule);
    now.hba = rules(rule);
    auto ann = admitted("ann", "a");
    ann.shown = shown;
    CHECK(still_let_in(now, ann).has_value() == goes_on);
  }
}

TEST_CASE("what is demanded by now has to have been shown") {
  Present now = present();
  const std::pair<const char*, std::vector<LoginDemand>> cases[] = {
      {"scram-sha-256",
       {LoginDemand::password, LoginDemand::password_and_certificate,
        LoginDemand::password_and_any_certificate}},
      {"cert", {LoginDemand::certificate, LoginDemand::password_and_certificate}},
      {"scram-sha-256 clientcert=verify-full", {LoginDemand::password_and_certificate}},
      {"scram-sha-256 clientcert=verify-ca",
       {LoginDemand::password_and_certificate, LoginDemand::password_and_any_certificate}}};
  for (const auto& [method, enough] : cases) {
    now.hba = rules(std::string("hostssl all all all ") + method);
    for (const auto shown :
         {LoginDemand::password, LoginDemand::certificate, LoginDemand::password_and_certificate,
          LoginDemand::password_and_any_certificate}) {
      CAPTURE(method);
      CAPTURE(static_cast<int>(shown));
      auto ann = admitted("ann", "a");
      ann.origin.is_secured = true;
      ann.shown = shown;
      CHECK(still_let_in(now, ann).has_value() == (std::ranges::find(enough, shown) != enough.end()));
    }
  }
}
