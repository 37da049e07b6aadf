// Which candidates outside pg_catalog are safe, and what an owner is told of the others.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "review/candidate_check.hpp"

using namespace pgveil;
using namespace pgveil::review;
using rewriter::Candidate;
using rewriter::Catalog;
using rewriter::RunFunction;

namespace {

// strpos of citext as it was reviewed (rewriter/lists/extension_functions.inc).
RunFunction strpos_of_citext() {
  return {.schema = "public",
          .name = "strpos",
          .extension = "citext",
          .signature = "strpos(citext.citext,citext.citext)",
          .definition = 0xea16f8e3b6203512,
          .body = "SELECT pg_catalog.strpos( pg_catalog.lower( $1::pg_catalog.text ), ...)",
          .is_code = false,
          .volatility = 'i',
          .is_pure_here = true};
}

RunFunction of_user(const std::string& name) {
  return {.schema = "public", .name = name, .is_code = false, .volatility = 's'};
}

Candidate candidate(RunFunction runs, std::string arguments) {
  Candidate out;
  out.schema = runs.schema;
  out.object = "function " + runs.schema + "." + runs.name;
  out.runs = std::move(runs);
  out.arguments = std::move(arguments);
  return out;
}

Catalog catalog_with(const std::string& name, Candidate one) {
  Catalog out;
  out.server_version = 150'000;
  out.search_path = {"pg_catalog", "public"};
  out.functions_elsewhere[name] = {std::move(one)};
  return out;
}

bool is_safe(const Catalog& catalog, const std::string& name) {
  return catalog.functions_elsewhere.at(name).front().is_safe;
}

const Finding* first_of_kind(const std::vector<Finding>& findings, FindingKind kind) {
  const auto at = std::ranges::find(findings, kind, &Finding::kind);
  return at == findings.end() ? nullptr : &*at;
}

}  // namespace

TEST_CASE("a reviewed function is safe as it was reviewed, and nothing is said") {
  auto catalog = catalog_with("strpos", candidate(strpos_of_citext(), "??"));
  CHECK(judge_candidates(catalog, {}).empty());
  CHECK(is_safe(catalog, "strpos"));
}

TEST_CASE("a function of a reviewed extension that differs is closed, and check says so in one line") {
  RunFunction other = strpos_of_citext();
  other.definition ^= 1;
  auto catalog = catalog_with("strpos", candidate(other, "??"));
  RunFunction added = strpos_of_citext();
  added.name = "citext_new";
  added.signature = "citext_new(citext.citext)";
  catalog.functions_elsewhere["citext_new"] = {candidate(added, "?")};
  const auto findings = judge_candidates(catalog, {});
  CHECK_FALSE(is_safe(catalog, "strpos"));
  CHECK_FALSE(is_safe(catalog, "citext_new"));
  CHECK(std::ranges::count(findings, FindingKind::extension_changed, &Finding::kind) == 1);
  CHECK(first_of_kind(findings, FindingKind::extension_changed)->what ==
        "extension citext: 2 of its functions are not those that were reviewed, citext_new(citext.citext) "
        "among them");
  static_cast<void>(judge_candidates(catalog, {"extension:citext"}));
  CHECK(is_safe(catalog, "strpos"));
}

TEST_CASE("a reviewed function in SQL is closed while a word of it may mean something else") {
  auto catalog = catalog_with("strpos", candidate(strpos_of_citext(), "??"));
  catalog.functions_elsewhere["lower"] = {candidate(of_user("lower"), "?")};
  static_cast<void>(judge_candidates(catalog, {}));
  CHECK_FALSE(is_safe(catalog, "strpos"));
  catalog.functions_elsewhere["lower"].front().has_twin = true;  // pg_catalog's comes first
  static_cast<void>(judge_candidates(catalog, {}));
  CHECK(is_safe(catalog, "strpos"));
  catalog.types_elsewhere[{"public", "text"}] = {.oid = 1};
  static_cast<void>(judge_candidates(catalog, {}));
  CHECK_FALSE(is_safe(catalog, "strpos"));
}

TEST_CASE("a reviewed function in SQL is closed while an operator of it may run what was not reviewed") {
  RunFunction reviewed = strpos_of_citext();
  reviewed.body = "SELECT 2 * $1";
  auto catalog = catalog_with("strpos", candidate(reviewed, "??"));
  catalog.operators_elsewhere["*"] = {candidate(of_user("evil"), "NN")};
  static_cast<void>(judge_candidates(catalog, {}));
  CHECK_FALSE(is_safe(catalog, "strpos"));
  catalog.operators_elsewhere["*"].front().has_twin = true;
  static_cast<void>(judge_candidates(catalog, {}));
  CHECK(is_safe(catalog, "strpos"));
}

TEST_CASE("what calls a closed function is closed, and so is what calls one that an extension was given") {
  RunFunction outer = strpos_of_citext();
  outer.body = "SELECT replace($1, $2)";
  RunFunction inner = strpos_of_citext();
  inner.name = "replace";
  inner.body = "SELECT lower($1)";
  auto catalog = catalog_with("strpos", candidate(outer, "??"));
  catalog.functions_elsewhere["replace"] = {candidate(inner, "??")};
  static_cast<void>(judge_candidates(catalog, {}));
  CHECK(is_safe(catalog, "strpos"));
  catalog.functions_elsewhere["lower"] = {candidate(of_user("lower"), "?")};
  static_cast<void>(judge_candidates(catalog, {}));
  CHECK_FALSE(is_safe(catalog, "replace"));
  CHECK_FALSE(is_safe(catalog, "strpos"));

  RunFunction added = of_user("lower");
  added.extension = "citext";
  added.signature = "lower(citext.citext)";
  catalog.functions_elsewhere["lower"] = {candidate(added, "?")};
  static_cast<void>(judge_candidates(catalog, {}));
  CHECK_FALSE(is_safe(catalog, "replace"));
  catalog.functions_elsewhere["lower"].front().runs.is_code = true;  // taken out of the list by a person
  static_cast<void>(judge_candidates(catalog, {}));
  CHECK(is_safe(catalog, "replace"));
}

TEST_CASE(
    "a user's function of an allowed name is a warning, or a note where only its own types can mean it") {
  auto catalog = catalog_with("upper", candidate(of_user("upper"), "S"));
  auto findings = judge_candidates(catalog, {});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == FindingKind::function_overload);
  CHECK(findings[0].severity == Severity::warning);
  catalog.functions_elsewhere["upper"].front().needs_value = true;
  CHECK(judge_candidates(catalog, {})[0].severity == Severity::note);
  catalog.functions_elsewhere["upper"].front().has_twin = true;
  CHECK(judge_candidates(catalog, {}).empty());
  catalog = catalog_with("pg_sleep", candidate(of_user("pg_sleep"), "N"));
  CHECK(judge_candidates(catalog, {}).empty());  // clients may not call it anyway
}

TEST_CASE("an owner can vouch for a function, and is told what it can do") {
  Catalog catalog = catalog_with("peek", candidate(of_user("peek"), "N"));
  catalog.functions_elsewhere["peek"].front().runs.body = "SELECT secret FROM Diary";
  catalog.functions_elsewhere["peek"].front().runs.is_definer = true;
  rewriter::Relation diary;
  diary.schema = "public";
  diary.name = "diary";
  catalog.relations.emplace(std::pair("public", "diary"), diary);
  CHECK(judge_candidates(catalog, {}).empty());
  CHECK_FALSE(is_safe(catalog, "peek"));
  const auto findings = judge_candidates(catalog, {"public.peek"});
  CHECK(is_safe(catalog, "peek"));
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].what ==
        "open_functions opens function public.peek: it reads with the rights of its owner (SECURITY "
        "DEFINER), is "
        "not in C, and its body names public.diary");
  CHECK(judge_candidates(catalog, {"public.other"})[0].what ==
        "open_functions names public.other, which this database does not have");
}

TEST_CASE("of an extension that was not reviewed, only what can't write is opened at once") {
  RunFunction f{
      .schema = "public", .name = "f", .extension = "semver", .signature = "f(text)", .volatility = 'i'};
  auto catalog = catalog_with("f", candidate(f, "S"));
  CHECK(judge_candidates(catalog, {"extension:semver"}).empty());
  CHECK(is_safe(catalog, "f"));
  catalog.functions_elsewhere["f"].front().runs.volatility = 'v';
  static_cast<void>(judge_candidates(catalog, {"extension:semver"}));
  CHECK_FALSE(is_safe(catalog, "f"));
  static_cast<void>(judge_candidates(catalog, {"public.f"}));
  CHECK(is_safe(catalog, "f"));
}

TEST_CASE("extensions that reach more than their arguments are never opened") {
  RunFunction f{.schema = "public", .name = "dblink", .extension = "dblink", .volatility = 's'};
  auto catalog = catalog_with("dblink", candidate(f, "S"));
  const auto findings = judge_candidates(catalog, {"extension:dblink", "public.dblink"});
  CHECK_FALSE(is_safe(catalog, "dblink"));
  CHECK(has_errors(findings));
}

TEST_CASE("nobody can vouch for Citus, whose stable functions run SQL text on other servers") {
  RunFunction run{.schema = "pg_catalog",
                  .name = "master_run_on_worker",
                  .extension = "citus",
                  .signature = "master_run_on_worker(text[],integer[],text[],boolean)",
                  .volatility = 's'};
  auto catalog = catalog_with("master_run_on_worker", candidate(run, "AAAB"));
  const auto findings = judge_candidates(catalog, {"extension:citus", "pg_catalog.master_run_on_worker"});
  CHECK_FALSE(is_safe(catalog, "master_run_on_worker"));
  CHECK(has_errors(findings));
  // Nor does check propose it where a name of Citus' is one of PostgreSQL's, too.
  RunFunction equal{.schema = "pg_catalog",
                    .name = "cluster_clock_eq",
                    .extension = "citus",
                    .signature = "cluster_clock_eq(citus.cluster_clock,citus.cluster_clock)",
                    .volatility = 'i'};
  Catalog other;
  other.server_version = 150'000;
  other.search_path = {"pg_catalog", "public"};
  Candidate clocks = candidate(equal, "??");
  clocks.schema = "pg_catalog";
  other.operators_elsewhere["="].push_back(clocks);
  const auto told = judge_candidates(other, {});
  REQUIRE(told.size() == 1);
  CHECK(told[0].mend.find("never opened") != std::string::npos);
}

TEST_CASE("a type is castable if all that it runs was reviewed") {
  Catalog catalog;
  catalog.server_version = 150'000;
  catalog.search_path = {"pg_catalog", "public"};
  rewriter::TypeElsewhere citext{.oid = 1, .extension = "citext", .is_base = true};
  citext.runs = {strpos_of_citext(), {.schema = "pg_catalog", .name = "x", .is_ours = true}};
  catalog.types_elsewhere[{"public", "citext"}] = citext;
  citext.runs[0].definition ^= 1;
  catalog.types_elsewhere[{"lab", "citext"}] = citext;
  catalog.types_elsewhere[{"public", "mine"}] = {.oid = 2, .is_base = true};
  static_cast<void>(judge_candidates(catalog, {}));
  CHECK(catalog.types_elsewhere.at({"public", "citext"}).is_castable);
  CHECK_FALSE(catalog.types_elsewhere.at({"lab", "citext"}).is_castable);
  CHECK_FALSE(catalog.types_elsewhere.at({"public", "mine"}).is_castable);
}

TEST_CASE("what runs without being named must be reviewed or in C") {
  Catalog catalog;
  catalog.server_version = 150'000;
  catalog.unnamed_functions = {
      {"function public.strpos(citext,citext)", "operator family f", strpos_of_citext()}};
  CHECK(judge_candidates(catalog, {}).empty());
  catalog.unnamed_functions[0].runs.definition ^= 1;
  CHECK(has_errors(judge_candidates(catalog, {})));
  catalog.unnamed_functions = {{"function public.f(t,t)", "operator family f", of_user("f")}};
  CHECK(has_errors(judge_candidates(catalog, {})));
  catalog.unnamed_functions[0].runs.extension = "semver";
  CHECK_FALSE(has_errors(judge_candidates(catalog, {})));
}
