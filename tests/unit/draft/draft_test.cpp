#include "draft/draft.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "draft/yaml_text.hpp"
#include "policy/spec/spec_reader.hpp"
#include "tests/unit/draft/tables.hpp"

namespace pgveil::draft {
namespace {

Database odd_shop() {
  auto customers =
      made_table("Cust\"omers #1", {"Customer Id int4", "Last Name text", "true text", "Ci\"ty text",
                                    "St\xc3\xa4"
                                    "dt\\e text"});
  customers.schema = "My Shop";
  for (auto& column : customers.columns) column.distinct = 10;
  auto again = made_table("Cust\"omers #1", {"id int4", "last_name text", "sex text"});
  again.columns[2].distinct = 2;
  return {"shop db",
          true,
          {std::move(customers), std::move(again), made_table("colours", {"id int4", "on text"}, 10)}};
}

}  // namespace

TEST_CASE("a drafted policy is read back as it was meant, whatever the names are") {
  const auto database = odd_shop();
  const auto planned = plan(database);
  std::set<std::string> names;
  for (const auto& one : planned) {
    if (one.policy.empty()) continue;
    CHECK(names.insert(one.policy).second);
    const std::string text = policy_text(database, one, {"data analyst"});
    CAPTURE(text);
    const auto specs = policy::read_policy_text(text, "draft.yaml");
    REQUIRE(specs.has_value());
    REQUIRE(specs->size() == 1);
    const auto& spec = specs->front();
    CHECK(spec.database == "shop db");
    CHECK(spec.schema == database.tables[one.table].schema);
    CHECK(spec.table == database.tables[one.table].name);
    CHECK(spec.readers == std::vector<std::string>{"data analyst"});
    REQUIRE(spec.columns.size() == database.tables[one.table].columns.size());
    for (std::size_t i = 0; i < spec.columns.size(); ++i) {
      CHECK(spec.columns[i].name == database.tables[one.table].columns[i].column.name);
      CHECK(spec.columns[i].column_class == one.draft.columns[i].column_class);
    }
  }
  CHECK(names.size() == 2);
}

TEST_CASE("a configuration lists open tables, and closed ones as comments with reasons") {
  auto database = odd_shop();
  database.tables.push_back(made_table("secrets", {"id int4", "payload jsonb"}));
  const auto text = config_text(database, plan(database), {"/run/postgresql", 5433, 7000, 7001, "require"});
  CAPTURE(text);
  CHECK(text.find("\n  - public.colours  # ") != std::string::npos);
  CHECK(text.find("\n#   - public.secrets  # payload can hold anything") != std::string::npos);
  CHECK(text.find("tls: {backend: {mode: require}}") != std::string::npos);
  CHECK(text.find("host: \"/run/postgresql\"") != std::string::npos);
  CHECK(text.find("schemas: [public, \"My Shop\"]") != std::string::npos);
  CHECK(text.find("http: {port: 7001, policy_authors: [operator]}") != std::string::npos);
}

TEST_CASE("a configuration checks the server's certificate as the login of the owner did") {
  const auto database = odd_shop();
  const auto tls_line = [&](std::string mode, std::string authorities, std::string revoked = {}) {
    ServerPlace place{"db.example",      5432, 7000, 7001, std::move(mode), std::move(authorities),
                      std::move(revoked)};
    const auto text = config_text(database, plan(database), place);
    const auto at = text.find("\ntls: ");
    return at == std::string::npos ? "" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
  };
  CHECK(tls_line("", "").empty());
  CHECK(tls_line("verify-full", "/etc/my ca.crt") ==
        "tls: {backend: {mode: verify-full, ca_file: \"/etc/my ca.crt\"}}");
  CHECK(tls_line("verify-ca", "/ca.crt", "/ca.crl") ==
        "tls: {backend: {mode: verify-ca, ca_file: \"/ca.crt\", crl_file: \"/ca.crl\"}}"
        "  # verify-full with a ca_file checks the server's name too");
}

TEST_CASE("names can't end a comment or a quoted text") {
  CHECK(yaml_name("people") == "people");
  CHECK(yaml_name("public.people") == "public.people");
  CHECK(yaml_name("No") == "\"No\"");
  CHECK(yaml_name("a\"b\\c\nd") == "\"a\\\"b\\\\c\\x0ad\"");
  CHECK(yaml_name("") == "\"\"");
  CHECK(in_comment("a\nb\rc") == "a?b?c");
  const std::string lines =
      comment(std::string(300, 'x') + " " + std::string(60, 'y') + " " + std::string(60, 'z'), "  ");
  for (std::size_t at = 0; at < lines.size(); at = lines.find('\n', at) + 1)
    CHECK(lines.substr(at, 4) == "  # ");
}

}  // namespace pgveil::draft
