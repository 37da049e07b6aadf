#include <doctest/doctest.h>

#include <functional>
#include <utility>

#include "policy/tree/tree_check.hpp"
#include "policy/version/version.hpp"
#include "rows.hpp"

namespace pgveil::policy::testing {

namespace {

PolicyVersion example_version() {
  const Counts counts = count(worked_example());
  PolicyVersion version;
  version.policy = "people_k2";
  version.number = 7;
  version.spec_hash = std::string(64, 'a');
  version.built_at = "2026-01-31T12:00:00Z";
  version.shape = {16384,
                   16390,
                   "public",
                   "people",
                   {{1, "id", 23, -1, 0},
                    {2, "occupation", 25, -1, 100},
                    {4, "city", 25, -1, 100},
                    {6, "state", 1043, 6, 100}}};
  version.tree = build_tree(counts, 2, kGreedy).value();
  version.disclosure = measure(version.tree, counts);
  return version;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a version survives the way to JSON and back") {
  const PolicyVersion version = example_version();
  const std::string text = to_json(version);
  const auto read = version_from_json(text, "v.json");
  REQUIRE(read.has_value());
  CHECK(*read == version);
  CHECK(to_json(*read) == text);
}

TEST_CASE("what answers are worth survives the way to JSON and back") {
  PolicyVersion version = example_version();
  version.utility =
      measure_utility(version.tree, count(worked_example()), {.workload = {{{"city", "state"}, 2}}});
  const std::string text = to_json(version);
  const auto read = version_from_json(text, "v.json");
  REQUIRE_MESSAGE(read.has_value(), one_line(read.error()));
  CHECK(*read == version);
  CHECK(to_json(*read) == text);
  version.utility->most_cells.reset();
  CHECK(version_from_json(to_json(version), "v.json").value() == version);
}

TEST_CASE("a version from before answers were measured says nothing of them") {
  const auto read = version_from_json(to_json(example_version()), "v.json");
  REQUIRE(read.has_value());
  CHECK(!read->utility);
}

TEST_CASE("figures of answers that can't be are refused") {
  PolicyVersion version = example_version();
  version.utility = measure_utility(version.tree, count(worked_example()), {.priority = {"city"}});
  const std::string good = to_json(version);
  REQUIRE(version_from_json(good, "v.json").has_value());
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"\"rows_shown\": 5", "\"rows_shown\": 12"},
           {"\"groups_shown\": 2", "\"groups_shown\": 4"},
           {"\"mean_error_ppm\": 466667", "\"mean_error_ppm\": 1000001"},
           {"\"mean_error_ppm\": 466667", "\"mean_error_ppm\": -1"},
           {"\"p95_error_ppm\": 1000000", "\"p95_error_ppm\": 1000001"},
           {"\"top_kept\": 2", "\"top_kept\": 4"},
           {"\"top_groups\": 3", "\"top_groups\": 4"},
           {"{\"columns\": [\"occupation\"],", "{\"columns\": [\"profession\"],"},
           {"{\"columns\": [\"occupation\"],", "{\"columns\": [7],"},
           {"{\"columns\": [\"occupation\"],", "{\"columns\": [],"},
           {"{\"columns\": [\"occupation\"],", "{\"columns\": [\"city\"],"},
           {"{\"columns\": [\"occupation\", \"city\"]", "{\"columns\": [\"city\", \"city\"]"},
           {"\"declared\"", "\"wished\""},
           {"{\"column\": \"state\", \"by\": \"city\"}", "{\"column\": \"state\"}"},
           {"\"by\": \"city\"", "\"by\": \"town\""},
           {"\"most_cells\": 23", "\"most_cells\": 22.5"}}) {
    CAPTURE(to);
    CHECK(!version_from_json(replaced(good, from, to), "v.json"));
  }
}

TEST_CASE("a version from when one figure stood for computable and equal counts all of it as computable") {
  PolicyVersion version = example_version();
  std::string text = to_json(version);
  const auto replace_line = [&](const std::string& key, const std::string& line) {
    const auto at = text.find("    \"" + key + "\"");
    REQUIRE(at != std::string::npos);
    text.replace(at, text.find('\n', at) + 1 - at, line);
  };
  replace_line("computable", "");
  replace_line("equal", "    \"disclosed_or_implied\": 21,\n");
  replace_line("computable_by_attribute", "");
  replace_line("equal_by_attribute", "    \"disclosed_or_implied_by_attribute\": [7, 6, 8]\n");
  version.disclosure.computable = 6;
  version.disclosure.equal = 0;
  version.disclosure.computable_by_attribute = {2, 2, 2};
  version.disclosure.equal_by_attribute = {0, 0, 0};
  const auto read = version_from_json(text, "v.json");
  REQUIRE_MESSAGE(read.has_value(), one_line(read.error()));
  CHECK(*read == version);
  CHECK(!version_from_json(replaced(text, "implied\": 21", "implied\": 14"), "v.json"));
  CHECK(!version_from_json(replaced(text, "[7, 6, 8]", "[4, 6, 8]"), "v.json"));
  CHECK(!version_from_json(
      replaced(text, "    \"disclosed_or_implied\"", "    \"equal\": 6,\n    \"disclosed_or_implied\""),
      "v.json"));
}

TEST_CASE("a version remembers its lineage, and one from before there were lineages has none") {
  PolicyVersion version = example_version();
  version.lineage = continued(nullptr, 3, version.tree, count(worked_example()));
  version.lineage.seen[1] = std::nullopt;
  REQUIRE(version.lineage.seen[0]->size() == 3);
  version.tree.nodes.back().is_closed = true;
  const auto read = version_from_json(to_json(version), "v.json");
  REQUIRE(read.has_value());
  CHECK(*read == version);
  CHECK(to_json(version).find("Columbus") == std::string::npos);  // one person's city: never spelled out
  std::string old = to_json(example_version());
  old = old.substr(0, old.find(",\n  \"lineage\"")) + "\n}\n";
  const auto without = version_from_json(old, "v.json");
  REQUIRE(without.has_value());
  CHECK(without->lineage == Lineage{});
}

TEST_CASE("a version remembers the turns of its columns, and turns that are none are refused") {
  PolicyVersion version = example_version();
  CHECK(to_json(version).find("turns") == std::string::npos);
  version.tree.turns = {{1, 0, 0, false}, {0, 3, 4, true}, {1, 0, 0, false}};
  const std::string good = to_json(version);
  CHECK(version_from_json(good, "v.json").value() == version);
  const std::string one = R"({"rank": 0, "favour": 3, "rarity": 4, "by_cost": true})";
  for (const char* other :
       {R"({"rank": 9, "favour": 3, "rarity": 4, "by_cost": true})",
        R"({"rank": 0, "favour": 25, "rarity": 4, "by_cost": true})",
        R"({"rank": 0, "favour": 3, "rarity": 9, "by_cost": true})",
        R"({"rank": -1, "favour": 3, "rarity": 4, "by_cost": true})",
        R"({"rank": 0, "favour": 3, "rarity": 4, "by_cost": 1})", R"({"rank": 0, "favour": 3, "rarity": 4})",
        R"({"rank": 0, "favour": 3, "rarity": 4, "by_cost": true, "x": 1})", "7"}) {
    CAPTURE(other);
    CHECK(!version_from_json(replaced(good, one, other), "v.json"));
  }
  CHECK(!version_from_json(replaced(good, one + ",", ""), "v.json"));
}

TEST_CASE("a version remembers what it was published beside") {
  PolicyVersion version = example_version();
  CHECK(to_json(version).find("beside") == std::string::npos);
  version.beside = {{"other", 3}, {"third", 1}};
  const std::string text = to_json(version);
  CHECK(version_from_json(text, "v.json").value() == version);
  CHECK(!version_from_json(replaced(text, "\"number\": 3}", "\"number\": 0}"), "v.json"));
}

TEST_CASE("a lineage that is none is refused") {
  PolicyVersion version = example_version();
  version.lineage = {2, {std::vector<std::uint64_t>{5, 9}, std::nullopt, std::vector<std::uint64_t>{}}};
  const std::string good = to_json(version);
  REQUIRE(version_from_json(good, "v.json").has_value());
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"[5, 9]", "[9, 5]"},
                                                        {"[5, 9]", "[5, 5]"},
                                                        {"[5, 9]", "[-5, 9]"},
                                                        {"[5, 9]", "[5.5, 9]"},
                                                        {"[5, 9]", "5"},
                                                        {"[5, 9],", "[5, 9], null,"},
                                                        {"\"first\": 2", "\"first\": -2"},
                                                        {"\"first\": 2,", ""},
                                                        {"\"seen\"", "\"scene\""}}) {
    CAPTURE(to);
    CHECK(!version_from_json(replaced(good, from, to), "v.json"));
  }
  version.tree.nodes.front().is_closed = true;  // only leaves can be; a split does not say it
  CHECK(find_flaw(version.tree) == "node 0: it is closed, but is no leaf");
}

TEST_CASE("a version keeps the name of its stored column and what the server prints of it") {
  PolicyVersion version = example_version();
  CHECK(to_json(version).find("stored") == std::string::npos);
  version.stored = StoredDecision{"pgveil shown \"0123", std::string(64, 'a')};
  const auto read = version_from_json(to_json(version), "v.json");
  REQUIRE(read.has_value());
  CHECK(*read == version);
  CHECK(to_json(*read) == to_json(version));
  std::string text = to_json(version);
  for (const std::string from : {"\"digest\"", "\"column\": \"pgveil"}) {
    std::string spoiled = text;
    spoiled.replace(spoiled.find(from), from.size(), "\"other\"" + from.substr(from.find('"', 1) + 1));
    CHECK(version_from_json(spoiled, "v.json").has_error());
  }
}

TEST_CASE("a version keeps the labels of enums with the values they belong to") {
  PolicyVersion version = example_version();
  version.shape.columns[2].labels = {{{16400, "it's \"so\", \\so"}, {16402, ""}}};
  version.shape.columns[3].labels.emplace();
  const std::string text = to_json(version);
  const auto read = version_from_json(text, "v.json");
  REQUIRE(read.has_value());
  CHECK(*read == version);
  CHECK(to_json(*read) == text);
  CHECK(version_from_json(replaced(text, R"({"oid": 16402,)", R"({"oid": 16400,)"), "v.json").has_error());
  CHECK(version_from_json(replaced(text, R"({"oid": 16402,)", R"({"oid": 0,)"), "v.json").has_error());
  CHECK(version_from_json(replaced(text, R"({"oid": 16402,)", R"({"more": 1, "oid": 16402,)"), "v.json")
            .has_error());
}

TEST_CASE("a shape still fits while the labels of the columns that are asked are the same values'") {
  PolicyVersion version = example_version();
  const auto asked = asked_columns(version.tree);
  CHECK(asked == std::set<int>{2, 4, 6});
  TableShape& built = version.shape;
  built.columns[2].labels = {{{16400, "a"}, {16402, "b"}}};
  TableShape now = built;
  CHECK(still_fits(built, now, asked));
  const auto fits_with = [&](std::vector<EnumLabel> labels) {
    now.columns[2].labels = std::move(labels);
    return still_fits(built, now, asked);
  };
  CHECK(fits_with({{16400, "a"}, {16401, "new"}, {16402, "b"}}));
  CHECK_FALSE(fits_with({{16400, "b"}, {16402, "a"}}));
  CHECK_FALSE(fits_with({{16400, "a"}, {16402, "c"}}));
  CHECK_FALSE(fits_with({{16400, "a"}}));
  CHECK(still_fits(built, now, {}));  // a column that is shown as it is
  now = built;
  built.columns[2].labels.reset();
  CHECK_FALSE(still_fits(built, now, asked));  // of before labels were kept
  built = now;
  now.columns[1].typmod = 7;
  CHECK_FALSE(still_fits(built, now, asked));
  now = built;
  now.relfilenode = 1;
  CHECK_FALSE(still_fits(built, now, asked));
}

TEST_CASE("a table that got columns since its build has only grown") {
  const PolicyVersion version = example_version();
  const auto asked = asked_columns(version.tree);
  const TableShape& built = version.shape;
  TableShape now = built;
  const auto has_grown = [&] { return has_only_grown(built, now, asked); };
  CHECK(has_grown());
  now.columns.push_back({.number = 90, .name = "leak", .type_oid = 25});
  CHECK(has_grown());
  CHECK_FALSE(still_fits(built, now, asked));
  now.columns.push_back({.number = 92, .name = "more", .type_oid = 25});
  CHECK(has_grown());
  now.columns.erase(now.columns.end() - 2);
  CHECK(has_grown());
  now.columns.front().name = "renamed";
  CHECK_FALSE(has_grown());
  now = built;
  now.columns.erase(now.columns.begin());  // dropped, and another one made in its place
  now.columns.push_back(built.columns.front());
  now.columns.back().number = 90;
  CHECK_FALSE(has_grown());
  now = built;
  now.columns.pop_back();
  CHECK_FALSE(has_grown());
  now = built;
  now.columns.push_back({.number = 90, .name = "leak", .type_oid = 25});
  now.relfilenode = 1;  // rewritten for a default that is computed for each row
  CHECK_FALSE(has_grown());
}

TEST_CASE("a version keeps the shape of its copy, whose columns are the table's") {
  PolicyVersion version = example_version();
  version.copy = version.shape;
  version.copy->table_oid = 17000;
  version.copy->relfilenode = 17001;
  version.copy->schema = "pgveil";
  version.copy->name = "people_k2.copy.\"7";
  for (std::size_t i = 0; i < version.copy->columns.size(); ++i)
    version.copy->columns[i].number = static_cast<int>(i) + 1;
  const auto read = version_from_json(to_json(version), "v.json");
  REQUIRE(read.has_value());
  CHECK(*read == version);
  CHECK(to_json(*read) == to_json(version));
  for (const auto& spoil :
       {std::function<void(TableShape&)>([](TableShape& it) { it.columns.pop_back(); }),
        std::function<void(TableShape&)>([](TableShape& it) { it.columns[1].name = "job"; }),
        std::function<void(TableShape&)>([](TableShape& it) { it.columns[3].typmod = 7; }),
        std::function<void(TableShape&)>([](TableShape& it) { it.columns[2].type_oid = 23; }),
        std::function<void(TableShape&)>([](TableShape& it) { it.columns[2].collation_oid = 950; })}) {
    PolicyVersion spoiled = version;
    spoil(*spoiled.copy);
    const auto refused = version_from_json(to_json(spoiled), "v.json");
    REQUIRE(refused.has_error());
    CHECK(refused.error().public_message.find("not the columns of the table") != std::string::npos);
  }
}

TEST_CASE("versions of random tables survive JSON, odd texts included") {
  std::mt19937_64 random(9);
  for (int i = 0; i < 200; ++i) {
    Table table = random_table(random, {.max_attributes = 3, .has_units = i % 2 == 0});
    for (Row& row : table.rows) {
      for (Text& text : row.values) {
        if (text) *text += "\"\\\n\t\x01 é \xF0\x9F\x90\x98 :{}[]";
      }
    }
    const auto tree = build_tree(count(table), 2, kGreedy);
    if (!tree) continue;
    PolicyVersion version = example_version();
    version.tree = *tree;
    version.disclosure = measure(*tree, count(table));
    version.shape.columns.clear();
    for (const TreeAttribute& a : tree->attributes)
      version.shape.columns.push_back({a.number, a.name, 25, -1, 100});
    const auto read = version_from_json(to_json(version), "v.json");
    REQUIRE(read.has_value());
    CHECK(*read == version);
  }
}

TEST_CASE("JSON that is not a version of ours is refused, with the place and without a data value") {
  struct Case {
    std::string name;
    std::function<std::string(std::string)> breaking;
    std::string expected;  // the beginning of the message after the file name
  };
  const auto swap = [](std::string from, std::string to) {
    return [from = std::move(from), to = std::move(to)](std::string text) {
      return replaced(std::move(text), from, to);
    };
  };
  const std::vector<Case> cases = {
      {"empty", [](std::string) { return ""; }, "not valid JSON"},
      {"not an object", [](std::string) { return "[]"; }, "not an object"},
      {"cut", [](std::string text) { return text.substr(0, text.size() / 2); }, "not valid JSON"},
      {"trailing text", [](std::string text) { return text + "x"; }, "not valid JSON"},
      {"a comment", [](std::string text) { return "// hi\n" + text; }, "not valid JSON"},
      {"broken UTF-8", swap("Hamlet", "Haml\xFF"), "not valid JSON"},
      {"deep nesting", [](std::string) { return std::string(100, '[') + std::string(100, ']'); },
       "not valid JSON"},
      {"too large", [](std::string) { return std::string(kMaxVersionBytes + 1, ' '); }, "larger than"},
      {"other format", swap("\"format\": 1", "\"format\": 2"),
       "\"format\" is not a whole number from 1 to 1"},
      {"no format", swap("\"format\": 1,", ""), "\"format\" is missing"},
      {"unknown key", swap("\"policy\"", "\"comment\": 1, \"policy\""), "\"comment\" is an unknown key"},
      {"unknown key in a node", swap("{\"rows\": 11,", "{\"x\": 0, \"rows\": 11,"),
       "tree.nodes[0]: \"x\" is an unknown key"},
      {"missing key", swap("\"spec_hash\"", "\"spec_hush\""), "\"spec_hash\" is missing"},
      {"duplicate key", swap("\"k\": 2", "\"k\": 2, \"k\": 2"), "a key is there twice"},
      {"number 0", swap("\"number\": 7", "\"number\": 0"), "\"number\" is not a whole number from 1 to"},
      {"a fraction", swap("\"rows\": 11", "\"rows\": 11.0"), "tree.nodes[0]: \"rows\" is not a whole number"},
      {"a negative count", swap("\"rows\": 11", "\"rows\": -11"),
       "tree.nodes[0]: \"rows\" is not a whole number"},
      {"a count over 2^63", swap("\"rows\": 11", "\"rows\": 9223372036854775808"),
       "tree.nodes[0]: \"rows\" is not a whole number"},
      {"text for a number", swap("\"oid\": 16384", "\"oid\": \"16384\""),
       "table: \"oid\" is not a whole number"},
      {"oid too large", swap("\"oid\": 16384", "\"oid\": 4294967296"),
       "table: \"oid\" is not a whole number"},
      {"number for a text", swap("\"name\": \"people\"", "\"name\": 1"), "table: \"name\" is not a text"},
      {"NUL in a text", swap("Hamlet", "Haml\\u0000t"), "tree.nodes[1]: \"value\" is not a text"},
      {"columns not a list", swap("\"columns\": [", "\"columns\": 1, \"colums\": ["),
       "table: \"columns\" is not a list"},
      {"columns out of order", swap("{\"number\": 1, \"name\": \"id\"", "{\"number\": 3, \"name\": \"id\""),
       "table.columns[1]: not ascending by number"},
      {"attribute not in the table",
       swap("{\"number\": 2, \"name\": \"occupation\"}", "{\"number\": 3, \"name\": \"occupation\"}"),
       "tree.attributes[0]: no such column in the table"},
      {"split on no attribute", swap("\"attribute\": \"state\"", "\"attribute\": \"id\""),
       "tree: node 0: its attribute is out of range"},
      {"a split without value", swap("\"value\": \"OH\", ", ""), "tree.nodes[0]: \"value\" is missing"},
      {"a leaf with children", swap("{\"rows\": 2, \"units\": 2}", "{\"rows\": 2, \"units\": 2, \"yes\": 1}"),
       "tree.nodes[3]: \"yes\" is an unknown key"},
      {"a cycle", swap("\"no\": 6", "\"no\": 1"), "tree: node 0: its no child is out of range"},
      {"below k", swap("\"k\": 2", "\"k\": 3"), "tree: node 3: fewer than k units"},
      {"disclosure of other attributes",
       swap("\"disclosed_by_attribute\": [5, 4, 6]", "\"disclosed_by_attribute\": [5, 4]"),
       "disclosure.disclosed_by_attribute: not one number per attribute"},
      {"disclosure not numbers", swap("[5, 4, 6]", "[5, 4, \"6\"]"),
       "disclosure.disclosed_by_attribute: not whole numbers"}};
  const std::string good = to_json(example_version());
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const auto result = version_from_json(c.breaking(good), "v.json");
    REQUIRE(!result);
    CHECK(result.error().kind == ErrorKind::configuration);
    CHECK(result.error().public_message.substr(0, 8 + c.expected.size()) == "v.json: " + c.expected);
    CHECK(result.error().public_message.find("Hamlet") == std::string::npos);
  }
}

TEST_CASE("no prefix of a version is a version") {
  const std::string good = to_json(example_version());
  for (std::size_t size = 0; size + 2 < good.size(); ++size) {
    REQUIRE(!version_from_json(std::string_view(good).substr(0, size), "v.json"));
  }
}

}  // namespace pgveil::policy::testing
