#include <doctest/doctest.h>

#include <fmt/format.h>

#include "policy/spec/spec_reader.hpp"
#include "policy/version/version.hpp"

namespace pgveil::policy::testing {

namespace {

constexpr std::string_view kFull = R"(version: 1
policies:
  - name: people_k2
    database: demo
    table: public.people
    k: 2
    unit: person_id
    readers: [analyst, bi]
    exempt_roles: [dpo]
    columns:
      id:         {class: identifier}
      occupation: {class: quasi_identifier}
      diagnosis:  {class: sensitive, l_diversity: {distinct: 3}}
      visits:     {class: insensitive}
    unlisted_columns: hide
    enforcement: query
    drift: {check_every: 90m, action: alert}
    rebuild_every: 7d
    accept_joint_release: "the other policy has two readers"
    accept_order_leak: "loaded in random order"
)";

PolicySpec read_one(std::string_view text) {
  const auto policies = read_policy_text(text, "p.yaml");
  if (!policies) FAIL(policies.error().public_message);
  REQUIRE(policies->size() == 1);
  return policies->front();
}

std::string with(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a full policy is read as written") {
  const PolicySpec policy = read_one(kFull);
  CHECK(policy.name == "people_k2");
  CHECK(policy.database == "demo");
  CHECK(policy.schema == "public");
  CHECK(policy.table == "people");
  CHECK(policy.k == 2);
  CHECK(policy.unit == "person_id");
  CHECK(policy.readers == std::vector<std::string>{"analyst", "bi"});
  CHECK(policy.exempt_roles == std::vector<std::string>{"dpo"});
  REQUIRE(policy.columns.size() == 4);
  CHECK(policy.columns[0].name == "id");
  CHECK(policy.columns[0].column_class == ColumnClass::identifier);
  CHECK(policy.columns[1].column_class == ColumnClass::quasi_identifier);
  CHECK(policy.columns[2].column_class == ColumnClass::sensitive);
  CHECK(policy.columns[2].constraints == std::vector<Constraint>{{DistinctL{3}, ConstraintMode::verify}});
  CHECK(policy.columns[2].at.line == 13);
  CHECK(policy.columns[2].at.column == 7);
  CHECK(policy.columns[3].column_class == ColumnClass::insensitive);
  CHECK(policy.columns[3].constraints.empty());
  CHECK(policy.drift.check_every_ms == 90 * 60 * 1000);
  CHECK(policy.drift.action == DriftAction::alert);
  CHECK(policy.rebuild_every_ms == 7LL * 24 * 60 * 60 * 1000);
  CHECK(policy.accept_joint_release == "the other policy has two readers");
  CHECK(policy.accept_order_leak == "loaded in random order");
  CHECK(policy.at.file == "p.yaml");
  CHECK(policy.at.line == 3);
}

TEST_CASE("the defaults are closed: no readers, nobody exempt, drift suppressed daily") {
  const PolicySpec policy = read_one(
      "{version: 1, policies: [{name: p, database: d, table: s.t, k: 2, columns: {a: {class: "
      "quasi_identifier}}}]}");
  CHECK(policy.readers.empty());
  CHECK(policy.exempt_roles.empty());
  CHECK(!policy.unit);
  CHECK(!policy.rebuild_every_ms);
  CHECK(!policy.accept_joint_release);
  CHECK(!policy.accept_order_leak);
  CHECK(policy.drift.check_every_ms == 24LL * 60 * 60 * 1000);
  CHECK(policy.drift.action == DriftAction::suppress);
}

TEST_CASE("the hash changes with what is released and with nothing else") {
  const std::string text(kFull);
  const std::string hash = read_one(text).hash;
  CHECK(hash.size() == 64);
  const std::vector<std::pair<std::string, std::string>> same = {
      {"readers: [analyst, bi]", "readers: [analyst]   # bi left"},
      {"exempt_roles: [dpo]", "exempt_roles: []"},
      {"drift: {check_every: 90m, action: alert}", "drift: {}"},
      {"    rebuild_every: 7d\n", ""},
      {"    accept_order_leak: \"loaded in random order\"\n", ""},
      {"accept_joint_release: \"the other policy has two readers\"", "accept_joint_release: other words"},
      {"    unlisted_columns: hide\n", ""},
      {"      id:         {class: identifier}\n      occupation: {class: quasi_identifier}\n",
       "      occupation:\n        class: quasi_identifier\n      id: {\"class\": \"identifier\"}\n"}};
  for (const auto& [from, to] : same) {
    CAPTURE(from);
    CHECK(read_one(with(text, from, to)).hash == hash);
  }
  const std::vector<std::pair<std::string, std::string>> different = {
      {"name: people_k2", "name: people_k3"},
      {"database: demo", "database: demo2"},
      {"public.people", "public.person"},
      {"public.people", "[public, people2]"},
      {"k: 2", "k: 3"},
      {"    unit: person_id\n", ""},
      {"unit: person_id", "unit: id"},
      {"distinct: 3", "distinct: 2"},
      {"distinct: 3", "distinct: 3, mode: refine"},
      {"distinct: 3", "entropy: 3"},
      {"l_diversity: {distinct: 3}", "t_closeness: {t: 0.5}"},
      {"visits:     {class: insensitive}", "visits:     {class: identifier}"},
      {"      visits:     {class: insensitive}\n", ""}};
  for (const auto& [from, to] : different) {
    CAPTURE(from);
    CHECK(read_one(with(text, from, to)).hash != hash);
  }
}

TEST_CASE("all models of diversity are read, and their modes") {
  const PolicySpec policy =
      read_one(with(std::string(kFull), "l_diversity: {distinct: 3}",
                    "l_diversity: {mode: refine, distinct: 3, entropy: 2.5, recursive: {c: 0.5, l: 4}}, "
                    "t_closeness: {t: 0.2, distance: ordered}"));
  CHECK(policy.columns[2].constraints ==
        std::vector<Constraint>{{DistinctL{3}, ConstraintMode::refine},
                                {EntropyL{2.5}, ConstraintMode::refine},
                                {RecursiveL{0.5, 4}, ConstraintMode::refine},
                                {TCloseness{0.2, Distance::ordered}, ConstraintMode::verify}});
  CHECK(needs_order(policy.columns[2]));
  CHECK(has_constraint(policy.columns[2], ConstraintMode::verify));
  CHECK(canonical_text(policy).find("sensitive distinct 3 refine entropy 2.5 refine recursive 0.5 4 refine "
                                    "t_closeness 0.2 ordered\n") != std::string::npos);
  const PolicySpec plain =
      read_one(with(std::string(kFull), "l_diversity: {distinct: 3}", "t_closeness: {t: 0.25}"));
  CHECK(plain.columns[2].constraints == std::vector<Constraint>{{TCloseness{0.25, Distance::equal}}});
  CHECK(!needs_order(plain.columns[2]));
}

TEST_CASE("a constraint out of range, of no model or on another class is refused at its place") {
  const auto refused = [](std::string_view constraints) {
    const auto policies =
        read_policy_text(with(std::string(kFull), "l_diversity: {distinct: 3}", constraints), "p.yaml");
    REQUIRE(!policies);
    return policies.error().public_message;
  };
  CHECK(refused("l_diversity: {distinct: 1}").find("p.yaml:13:") == 0);
  for (const std::string_view constraints : {"l_diversity: {distinct: 2.5}",
                                             "l_diversity: {entropy: 1}",
                                             "l_diversity: {entropy: -2}",
                                             "l_diversity: {entropy: 2e3}",
                                             "l_diversity: {entropy: \"2\"}",
                                             "l_diversity: {entropy: 02}",
                                             "l_diversity: {entropy: 2.}",
                                             "l_diversity: {entropy: nan}",
                                             "l_diversity: {recursive: {c: 0, l: 2}}",
                                             "l_diversity: {recursive: {c: 1, l: 1}}",
                                             "l_diversity: {recursive: {c: 1}}",
                                             "l_diversity: {recursive: 2}",
                                             "l_diversity: {recursive: {c: 1, l: 2, d: 3}}",
                                             "l_diversity: {mode: refine}",
                                             "l_diversity: {}",
                                             "l_diversity: {distinct: 2, mode: maybe}",
                                             "l_diversity: {distinct: 2, t: 1}",
                                             "t_closeness: {}",
                                             "t_closeness: {t: 0}",
                                             "t_closeness: {t: 1}",
                                             "t_closeness: {t: 0.2, distance: hierarchical}",
                                             "t_closeness: {t: 0.2, mode: both}",
                                             "t_closeness: 0.2"}) {
    CAPTURE(constraints);
    CHECK(refused(constraints).find("p.yaml:13:") == 0);
  }
  for (const std::string_view column_class : {"identifier", "quasi_identifier", "insensitive"}) {
    for (const std::string_view constraint : {"l_diversity: {distinct: 2}", "t_closeness: {t: 0.2}"}) {
      const auto policies =
          read_policy_text(with(std::string(kFull), "visits:     {class: insensitive}",
                                fmt::format("visits: {{class: {}, {}}}", column_class, constraint)),
                           "p.yaml");
      REQUIRE(!policies);
      CHECK(policies.error().public_message.find("on a sensitive column") != std::string::npos);
    }
  }
}

TEST_CASE("without a strategy it is thorough, and versions from when it was greedy stay in use") {
  const auto read = [](const std::string& text) { return read_policy_text(text, "p.yaml").value().front(); };
  const PolicySpec unsaid = read(std::string(kFull));
  const PolicySpec thorough = read(with(std::string(kFull), "k: 2", "k: 2\n    strategy: thorough"));
  const PolicySpec greedy = read(with(std::string(kFull), "k: 2", "k: 2\n    strategy: greedy"));
  CHECK(unsaid.growth.strategy == Strategy::thorough);
  CHECK(unsaid.hash == thorough.hash);
  CHECK(unsaid.hash_before == greedy.hash);
  CHECK(!thorough.hash_before);
  CHECK(!greedy.hash_before);
  PolicyVersion version;
  version.spec_hash = greedy.hash;
  CHECK(is_built_from(version, unsaid));
  CHECK(is_built_from(version, greedy));
  CHECK(!is_built_from(version, thorough));  // somebody asked for another tree
  version.spec_hash = thorough.hash;
  CHECK(is_built_from(version, unsaid));
  CHECK(!is_built_from(version, greedy));
}

TEST_CASE("mode hide goes with both strategies and changes the hash") {
  const std::string hiding = with(std::string(kFull), "distinct: 3", "distinct: 3, mode: hide");
  const auto policy = read_policy_text(hiding, "p.yaml");
  REQUIRE(policy.has_value());
  CHECK(policy->front().growth.strategy == Strategy::thorough);
  CHECK(canonical_text(policy->front()).find("sensitive distinct 3 hide") != std::string::npos);
  CHECK(policy->front().hash != read_policy_text(kFull, "p.yaml")->front().hash);
  const auto greedy = read_policy_text(with(hiding, "k: 2", "k: 2\n    strategy: greedy"), "p.yaml");
  CHECK(greedy.has_value());
}

TEST_CASE("mode refine and strategy thorough exclude each other") {
  const std::string refined = with(std::string(kFull), "distinct: 3", "distinct: 3, mode: refine");
  const auto alone = read_policy_text(refined, "p.yaml");
  REQUIRE(alone.has_value());
  CHECK(alone->front().growth.strategy == Strategy::greedy);
  CHECK(!alone->front().hash_before);
  CHECK(alone->front().hash ==
        read_policy_text(with(refined, "k: 2", "k: 2\n    strategy: greedy"), "p.yaml")->front().hash);
  const auto both = read_policy_text(with(refined, "k: 2", "k: 2\n    strategy: thorough"), "p.yaml");
  REQUIRE(!both);
  CHECK(both.error().public_message.find("mode: refine can't be combined with strategy: thorough") !=
        std::string::npos);
  CHECK(read_policy_text(with(std::string(kFull), "k: 2", "k: 2\n    strategy: thorough"), "p.yaml")
            .has_value());
}

TEST_CASE("canonical texts of different names never coincide") {
  PolicySpec a = read_one(kFull);
  PolicySpec b = a;
  a.columns[0].name = "x\" identifier\ncolumn \"y";
  b.columns[0].name = "x\\\" identifier\\ncolumn \\\"y";
  CHECK(canonical_text(a) != canonical_text(b));
  CHECK(canonical_text(a).find("identifier\ncolumn \"y\"") == std::string::npos);
}

TEST_CASE("the hash is SHA-256 of the canonical text") {
  PolicySpec policy = read_one(kFull);
  CHECK(canonical_text(policy) ==
        "pgveil policy, canonical form 1\n"
        "name \"people_k2\"\ndatabase \"demo\"\ntable \"public\".\"people\"\nk 2\nunit \"person_id\"\n"
        "column \"diagnosis\" sensitive distinct 3\ncolumn \"id\" identifier\n"
        "column \"occupation\" quasi_identifier\ncolumn \"visits\" insensitive\n"
        "strategy thorough\nunlisted_columns hide\nenforcement query\n");
  CHECK(policy.hash == "587e5e8c9286e2dbb3f39752f7f7f826fa0686835e3a8c04d526dcd65a9eaf07");
  // What versions of this text carry from when greedy was the default.
  CHECK(policy.hash_before == "20d70432a4ef7cdf036fb54aae6a66f951db0edacacaf0996f259ba88fa06099");
}

TEST_CASE("where masks are is no part of the hash, as long as they are of the rows as they are now") {
  const std::string text(kFull);
  const PolicySpec stored = read_one(with(text, "enforcement: query", "enforcement: stored"));
  const PolicySpec copy = read_one(with(text, "enforcement: query", "enforcement: copy"));
  CHECK(stored.enforcement == Enforcement::stored);
  CHECK(stored.hash == read_one(text).hash);
  CHECK(copy.hash != stored.hash);
}

TEST_CASE("a stored column has room for 31 quasi-identifiers") {
  const auto policy_of = [](int columns, const std::string& enforcement) {
    std::string text =
        "version: 1\npolicies:\n  - {name: p, database: d, table: public.t, k: 2, enforcement: " +
        enforcement + ", columns: {";
    for (int i = 0; i < columns; ++i)
      text += (i > 0 ? ", c" : "c") + std::to_string(i) + ": {class: quasi_identifier}";
    return read_policy_text(text + "}}\n", "p.yaml");
  };
  CHECK(policy_of(31, "stored").has_value());
  CHECK(policy_of(32, "query").has_value());
  const auto refused = policy_of(32, "stored");
  REQUIRE(refused.has_error());
  CHECK(refused.error().public_message.find("does not support 32 quasi-identifiers") != std::string::npos);
}

TEST_CASE("policies of several files are held against each other") {
  const std::string text(kFull);
  PolicySpec a = read_one(text);
  PolicySpec b = read_one(with(text, "people_k2", "people_k3"));
  b.readers = {"intern"};
  b.exempt_roles = {};
  CHECK(check_together({a, b}).has_value());
  b.readers = {"dpo"};  // exempt there, reader here
  CHECK(!check_together({a, b}));
  b.database = "other";
  CHECK(check_together({a, b}).has_value());
  CHECK_FALSE(check_together({a, a}).has_value());
}

TEST_CASE("as many quasi-identifiers as allowed, and one more") {
  const auto policy_of = [](std::size_t count) {
    std::string columns;
    for (std::size_t i = 0; i < count; ++i)
      columns += fmt::format("      c{}: {{class: quasi_identifier}}\n", i);
    return "version: 1\npolicies:\n  - name: p\n    database: d\n    table: s.t\n    k: 2\n    columns:\n" +
           columns;
  };
  CHECK(read_policy_text(policy_of(kMaxQuasiIdentifiers), "p.yaml").has_value());
  const auto result = read_policy_text(policy_of(kMaxQuasiIdentifiers + 1), "p.yaml");
  REQUIRE(!result);
  CHECK(result.error().public_message.find("more than 64 quasi-identifiers") != std::string::npos);
}

}  // namespace pgveil::policy::testing
