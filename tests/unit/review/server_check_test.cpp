#include "review/server_check.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "rewriter/lists/functions.hpp"
#include "rewriter/lists/supported_server.hpp"
#include "rewriter/lists/system_catalogs.hpp"

namespace pgveil::review {
namespace {

using rewriter::check_server_version;
using rewriter::find_pinned_function;
using rewriter::function_rule;
using rewriter::FunctionRule;
using rewriter::pinned_functions;

// What a fresh server of this major says.
ServerFacts fresh(int major = rewriter::kOldestMajor) {
  ServerFacts facts;
  facts.server_version = major * 10'000;
  for (const auto& pinned : pinned_functions(major))
    facts.functions.push_back({std::string(pinned.name), pinned.is_pure, pinned.definition});
  facts.quoting_columns = {{"pg_catalog", "pg_attrdef", "adbin", "pg_node_tree"},
                           {"pg_catalog", "pg_statistic", "stavalues1", "anyarray"},
                           {"pg_catalog", "pg_stats", "most_common_vals", "anyarray"}};
  return facts;
}

ServerFunction& function(ServerFacts& facts, std::string_view name) {
  return *std::ranges::find(facts.functions, name, &ServerFunction::name);
}

constexpr int kMajors[] = {15, 16, 17, 18};

TEST_CASE("a fresh server has no findings, and one of another major has") {
  for (const int major : kMajors) {
    CAPTURE(major);
    auto facts = fresh(major);
    const auto verdict = check_server(facts);
    CHECK(verdict.findings.empty());
    CHECK(verdict.dropped_functions.empty());
    facts.server_version = (major == 18 ? 17 : major + 1) * 10'000;
    CHECK(has_errors(check_server(facts).findings));
  }
}

TEST_CASE("every function with a rule of its own is pinned") {
  for (const int major : kMajors) {
    CAPTURE(major);
    std::size_t ruled = 0;
    for (const auto& pinned : pinned_functions(major))
      ruled += function_rule(pinned.name, major) == FunctionRule::refused ? 0 : 1;
    CHECK(ruled > 1500);
    CHECK(std::ranges::is_sorted(pinned_functions(major), {}, &rewriter::PinnedFunction::name));
    for (const char* name :
         {"pg_get_expr", "format_type", "pg_get_viewdef", "pg_get_constraintdef", "pg_get_indexdef",
          "current_setting", "clock_timestamp", "current_user", "upper", "count"}) {
      CAPTURE(name);
      CHECK(find_pinned_function(name, major) != nullptr);
    }
    CHECK(find_pinned_function("no_such_function", major) == nullptr);
  }
}

TEST_CASE("each major has its own functions") {
  struct Case {
    const char* name;
    FunctionRule rule;
    int from;
    int until;
  };
  const Case cases[] = {{"any_value", FunctionRule::allowed, 16, 18},
                        {"to_bin", FunctionRule::allowed, 17, 18},
                        {"casefold", FunctionRule::allowed, 18, 18},
                        {"uuidv4", FunctionRule::allowed, 18, 18},
                        {"to_regtypemod", FunctionRule::metadata, 17, 18},
                        {"system_user", FunctionRule::null_value, 16, 18},
                        {"interval_accum", FunctionRule::allowed, 15, 16},
                        {"pg_timezone_abbrevs", FunctionRule::metadata, 15, 17},
                        {"pg_stat_get_buf_written_backend", FunctionRule::null_value, 15, 16}};
  for (const auto& [name, rule, from, until] : cases) {
    CAPTURE(name);
    for (const int major : kMajors) {
      CAPTURE(major);
      const bool is_there = major >= from && major <= until;
      CHECK(function_rule(name, major) == (is_there ? rule : FunctionRule::refused));
    }
  }
  // They read the clock, other sessions, or a type's input function, which may be a user's.
  for (const char* name : {"uuidv7", "pg_input_is_valid", "pg_get_aios", "pg_stat_get_io", "random_normal"}) {
    CAPTURE(name);
    CHECK(function_rule(name, 18) == FunctionRule::refused);
  }
}

TEST_CASE("a listed function that is not the pinned one is dropped") {
  struct Case {
    const char* what;
    void (*change)(ServerFacts&);
  };
  const Case cases[] = {
      {"another definition or overload",
       [](ServerFacts& facts) { function(facts, "initcap").definition ^= 1; }},
      {"no longer for everybody", [](ServerFacts& facts) { function(facts, "initcap").is_pure = false; }},
      {"gone", [](ServerFacts& facts) {
         std::erase_if(facts.functions, [](const auto& it) { return it.name == "initcap"; });
       }}};
  for (const auto& [what, change] : cases) {
    CAPTURE(what);
    auto facts = fresh();
    change(facts);
    const auto verdict = check_server(facts);
    REQUIRE(verdict.findings.size() == 1);
    CHECK(verdict.findings[0].kind == FindingKind::function_dropped);
    CHECK(verdict.findings[0].severity == Severity::warning);
    CHECK(verdict.dropped_functions == std::set<std::string, std::less<>>{"initcap"});
  }
}

TEST_CASE("a metadata function may lose its grants, but not its definition") {
  auto facts = fresh();
  function(facts, "format_type").is_pure = false;
  CHECK(check_server(facts).findings.empty());
  function(facts, "format_type").definition ^= 1;
  CHECK(check_server(facts).dropped_functions.contains("format_type"));
}

TEST_CASE("a function that masks work through must be PostgreSQL's own") {
  for (const char* name : {"texteq", "int4eq", "date_in", "concat", "trim_scale", "pg_relation_filenode"}) {
    CAPTURE(name);
    auto facts = fresh();
    function(facts, name).definition ^= 1;
    const auto verdict = check_server(facts);
    REQUIRE(!verdict.findings.empty());
    CHECK(verdict.findings[0].kind == FindingKind::server_machinery);
    CHECK(has_errors(verdict.findings));
  }
}

TEST_CASE("an unlisted function may be anything") {
  auto facts = fresh();
  function(facts, "pg_read_file").definition ^= 1;
  facts.functions.push_back({"pg_file_write", false, 1});
  CHECK(check_server(facts).findings.empty());
}

TEST_CASE("a readable catalog with an unknown column that quotes data is an error") {
  auto facts = fresh();
  facts.quoting_columns.push_back({"pg_catalog", "pg_class", "relnewbound", "pg_node_tree"});
  const auto verdict = check_server(facts);
  REQUIRE(verdict.findings.size() == 1);
  CHECK(verdict.findings[0].kind == FindingKind::quoting_column);
  CHECK(has_errors(verdict.findings));
  CHECK(verdict.findings[0].object.empty());  // nothing can settle it
  facts.quoting_columns = {{"pg_catalog", "pg_stats_new", "vals", "anyarray"}};
  CHECK(check_server(facts).findings.empty());  // not readable
  // Hidden, but not by NULL: -1 in place of an expression would be an error of types, and a list gone wrong.
  facts.quoting_columns = {{"pg_catalog", "pg_class", "reltuples", "anyarray"}};
  CHECK(has_errors(check_server(facts).findings));
}

TEST_CASE("casts through users' functions are errors where a client's SQL reaches them") {
  struct Case {
    UserCast cast;
    Severity severity;
  };
  const Case cases[] = {{{"cast (integer as public.secret)", false, false}, Severity::note},
                        {{"cast (integer as public.secret)", true, false}, Severity::error},
                        {{"cast (public.mood as integer)", false, true}, Severity::error}};
  for (const auto& [cast, severity] : cases) {
    CAPTURE(cast.object);
    auto facts = fresh();
    facts.casts = {cast};
    const auto verdict = check_server(facts);
    REQUIRE(verdict.findings.size() == 1);
    CHECK(verdict.findings[0].kind == FindingKind::user_cast);
    CHECK(verdict.findings[0].severity == severity);
  }
}

TEST_CASE("what somebody put into pg_catalog is an error until it is acknowledged") {
  auto facts = fresh();
  facts.added = {"operator ===(text,text)"};
  const auto findings = check_server(facts).findings;
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == FindingKind::added_builtin);
  CHECK(has_errors(findings));
  CHECK_FALSE(has_errors(settle(findings, {{"operator ===(text,text)", "ours"}})));
}

TEST_CASE("PostgreSQL 15 to 18 are supported") {
  for (const int version : {150000, 150018, 160014, 170000, 180004})
    CHECK(check_server_version(version).has_value());
  for (const int version : {149999, 140012, 130000, 190000, 90624, 0}) {
    const auto checked = check_server_version(version);
    REQUIRE_FALSE(checked.has_value());
    CHECK(checked.error().public_message.find(std::to_string(version / 10'000)) != std::string::npos);
  }
}

}  // namespace
}  // namespace pgveil::review
