#include "daemon/access/auth_query.hpp"

#include <doctest/doctest.h>

#include <string>

#include "daemon/state/login_account.hpp"

namespace pgveil::app {
namespace {

const std::string kSecret = session::to_string(session::make_verifier("secret", "salt", 4096));

std::string why_not(const std::vector<db::FoundVerifier>& rows) {
  const auto verifier = verifier_in(rows, "ann");
  return verifier ? "" : verifier.error().public_message;
}

TEST_CASE("only one SCRAM verifier under the name itself is taken") {
  const auto good = verifier_in({{"ann", kSecret}}, "ann");
  REQUIRE(good.has_value());
  REQUIRE(good->has_value());
  CHECK(session::to_string(**good) == kSecret);
  const auto none = verifier_in({}, "ann");
  REQUIRE(none.has_value());
  CHECK_FALSE(none->has_value());

  CHECK(why_not({{"ann", kSecret}, {"ann", kSecret}}) == "the query returned 2 rows");
  CHECK(why_not({{"Ann", kSecret}}) == "the query returned a row with another name");
  CHECK(why_not({{std::nullopt, kSecret}}) == "the query returned a row with another name");
  CHECK(why_not({{"ann", std::nullopt}}) == "it has no password");
  CHECK(why_not({{"ann", "md5abc"}}) == "its password is stored as an md5 hash, which is not accepted");
  CHECK(why_not({{"ann", "tell-tale"}}) == "its password is not stored as a SCRAM verifier");
  CHECK(why_not({{"ann", ""}}) == "its password is not stored as a SCRAM verifier");
  CHECK(why_not({{"ann", kSecret + "x"}}) == "its verifier is malformed");
}

// operator is an admin, dba a bypass role, dpo exempt; file is listed in the users file.
Present present_of(std::vector<LetIn> rules) {
  Present present;
  present.config.admin.admin_users = {"operator"};
  present.config.bypass_roles = {{"dba", {"raw", ""}, {}}};
  present.config.auth_query.emplace();
  present.config.auth_query->let_in = std::move(rules);
  present.users.emplace("file", session::make_verifier("of the file", "salt", 4096));
  auto spec = std::make_shared<policy::PolicySpec>();
  spec->name = "p";
  spec->exempt_roles = {"dpo"};
  present.specs.push_back(std::move(spec));
  return present;
}

AuthQuery::Found found() {
  return {session::make_verifier("secret", "salt", 4096), false};
}

TEST_CASE("the first rule that fits says who a role is; without one it is nobody") {
  const Present present = present_of({{"ann", ""}, {"bob", "analyst"}});
  const auto ann = login_account(present, "ann", found());
  REQUIRE(ann.account.has_value());
  CHECK(ann.account->reads_as == "ann");
  CHECK(ann.account->is_looked_up);
  CHECK(login_account(present, "bob", found()).account->reads_as == "analyst");
  CHECK_FALSE(login_account(present, "eve", found()).account.has_value());
  CHECK(login_account(present_of({{"*", "analyst"}}), "eve", found()).account->reads_as == "analyst");
}

TEST_CASE("PostgreSQL's word makes nobody more than masked") {
  const Present everybody = present_of({{"*", ""}});
  for (const std::string role : {"operator", "dba", "dpo"}) {
    CAPTURE(role);
    CHECK_FALSE(login_account(everybody, role, found()).account.has_value());
    CHECK_FALSE(login_account(present_of({{"*", role}}), "ann", found()).account.has_value());
    CHECK_FALSE(login_account(present_of({{"*", "analyst"}}), role, found()).account.has_value());
  }
  CHECK(check_auth_query(everybody.config, everybody.specs).has_value());
  const Present as_exempt = present_of({{"*", "dpo"}});
  const auto checked = check_auth_query(as_exempt.config, as_exempt.specs);
  REQUIRE(checked.has_error());
  CHECK(checked.error().public_message ==
        "auth_query lets everybody in as dpo, which is exempt from policy p");
}

TEST_CASE("the users file comes first, and a failure is passed on whoever it is") {
  const Present present = present_of({{"*", "analyst"}});
  const auto file = login_account(present, "file", found());
  REQUIRE(file.account.has_value());
  CHECK(file.account->reads_as == "file");
  CHECK_FALSE(file.account->is_looked_up);
  CHECK(session::to_string(file.account->verifier) ==
        session::to_string(session::make_verifier("of the file", "salt", 4096)));
  CHECK_FALSE(file.is_incomplete);
  const AuthQuery::Found failed{std::nullopt, true};
  CHECK(login_account(present, "file", failed).is_incomplete);
  CHECK(login_account(present, "nobody", failed).is_incomplete);
  CHECK_FALSE(login_account(present, "nobody", failed).account.has_value());
  CHECK_FALSE(login_account(present, "nobody", std::nullopt).is_incomplete);
}

}  // namespace
}  // namespace pgveil::app
