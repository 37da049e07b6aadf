// Masks that are views of the schema pgveil: what is sent names the view, never the table, and nothing else
// gets at either.
#include "rewriter/mask/mask_view.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "fixture.hpp"
#include "pg/parse.hpp"
#include "rewriter/mask/masks.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "rewriter/verify/verify.hpp"
#include "rewriter/verify/verify_mask.hpp"

namespace pgveil::rewriter::mask_view_test {

namespace {

const Mask& people_mask(const Snapshot& snapshot) {
  return *snapshot.protected_tables().front().mask;
}

Verdict verdict_of(const std::string& sql, const std::string& role, const Snapshot& snapshot) {
  return rewrite(sql, {role}, snapshot);
}

std::string refusal(const std::string& sql, const std::string& role, const Snapshot& snapshot) {
  const auto verdict = verdict_of(sql, role, snapshot);
  const auto* refused = std::get_if<Refusal>(&verdict);
  return refused == nullptr ? "" : refused->message;
}

bool is_verified(const std::string& text, const std::string& role, const Snapshot& snapshot) {
  const auto tree = pg::parse_own(text, 100'000).value();
  return verify(text, tree.result->stmts[0]->stmt->base, role, snapshot, 100'000).has_value();
}

// A mask of its own that a test may spoil.
std::shared_ptr<CompiledMask> mask_to_spoil(const Snapshot& snapshot) {
  const auto& table = snapshot.protected_tables().front();
  return compile_mask(*table.state.spec, *table.state.version, *table.relation, VersionGuard::present,
                      MaskSource::view)
      .value();
}

}  // namespace

TEST_CASE("a mask's view has a name of its own") {
  const std::string name = mask_view_name("people_k2", 7);
  CHECK(name.starts_with("people_k2.7."));
  CHECK(name == mask_view_name("people_k2", 7));
  CHECK(name != mask_view_name("people_k2", 8));
  const std::string long_name(62, 'p');
  CHECK(mask_view_name(long_name + "a", 7) != mask_view_name(long_name + "b", 7));
  CHECK(mask_view_name(std::string(63, 'p'), 18'446'744'073'709'551'615U).size() <= 63);
}

TEST_CASE("statements read the view in place of the table") {
  const auto snapshot = rewriter::test::demo_snapshot_with_views();
  const Mask& mask = people_mask(*snapshot);
  CHECK(mask.text.find("pgveil.guard(") != std::string::npos);
  for (const std::string sql : {"SELECT city FROM people", "TABLE people", "COPY people TO STDOUT",
                                "SELECT p FROM people p JOIN people q USING (id)"}) {
    const auto verdict = verdict_of(sql, "analyst", *snapshot);
    REQUIRE_MESSAGE(std::holds_alternative<Rewritten>(verdict), sql);
    const std::string& sent = std::get<Rewritten>(verdict).statements.front().sql;
    CHECK_MESSAGE(sent.find("(" + mask.view_select + ")") != std::string::npos, sent);
    CHECK_MESSAGE(sent.find("public.people") == std::string::npos, sent);
    CHECK_MESSAGE(sent.find(kStandInSchema) == std::string::npos, sent);
  }
}

TEST_CASE("what needs the table itself is refused") {
  const auto snapshot = rewriter::test::demo_snapshot_with_views();
  CHECK(refusal("SELECT * FROM people", "dpo", *snapshot) ==
        "relation \"people\" can't be read by exempt roles where masks are views");
  CHECK(refusal("SELECT * FROM people", "dpo", *rewriter::test::demo_snapshot()).empty());
}

TEST_CASE("no client names a view") {
  const auto snapshot = rewriter::test::demo_snapshot_with_views();
  const Mask& mask = people_mask(*snapshot);
  CHECK_FALSE(refusal("SELECT * FROM pgveil.\"" + mask.view + "\"", "analyst", *snapshot).empty());
  CHECK_FALSE(refusal(mask.view_select, "analyst", *snapshot).empty());
}

TEST_CASE("the verifier accepts the stand-in and nothing else of the mask") {
  const auto snapshot = rewriter::test::demo_snapshot_with_views();
  const Mask& mask = people_mask(*snapshot);
  const auto from = [](const std::string& select) { return "SELECT 1 FROM (" + select + ") AS p"; };
  CHECK(is_verified(from("SELECT * FROM \"pgveil mask\".\"100\""), "analyst", *snapshot));
  CHECK_FALSE(is_verified(from(mask.text), "analyst", *snapshot));
  CHECK_FALSE(is_verified(from(mask.view_select), "analyst", *snapshot));
  CHECK_FALSE(is_verified("SELECT 1 FROM public.people", "analyst", *snapshot));
  CHECK_FALSE(is_verified("SELECT 1 FROM public.people", "dpo", *snapshot));
  const auto without_views = rewriter::test::demo_snapshot();
  const auto exempt = rewrite("SELECT 1 FROM people", {"dpo"}, *without_views);
  CHECK(is_verified(std::get<Rewritten>(exempt).statements[0].sql, "dpo", *without_views));
  CHECK_FALSE(is_verified("SELECT 1 FROM ONLY public.people", "dpo", *without_views));
}

TEST_CASE("without the version guard nothing is shown through views") {
  const auto snapshot = rewriter::test::demo_snapshot_with_views(VersionGuard::absent);
  CHECK(snapshot->protected_tables().front().mask == nullptr);
  CHECK(snapshot->protected_tables().front().state.closed_because.starts_with("mask_views needs"));
}

TEST_CASE("what reads a view asks whether it still is the one that was made") {
  const auto snapshot = rewriter::test::demo_snapshot_with_views();
  const Mask& mask = people_mask(*snapshot);
  const std::string guard = " AS t WHERE (SELECT CASE WHEN pgveil.is_mask('" + mask.view +
                            "'::pg_catalog.text) THEN true ELSE "
                            "pg_catalog.concat('pgveil:view')::pg_catalog.int4 IS NULL END)";
  CHECK_MESSAGE(mask.view_select.ends_with(guard), mask.view_select);
}

TEST_CASE("a reading of another view, or of other columns, fails its check") {
  const auto snapshot = rewriter::test::demo_snapshot_with_views();
  const auto& table = snapshot->protected_tables().front();
  const auto is_accepted = [&](const CompiledMask& mask) {
    return verify_mask(mask, *table.state.spec, *table.state.version, *table.relation, VersionGuard::present)
        .has_value();
  };
  const auto whole = mask_to_spoil(*snapshot);
  CHECK(is_accepted(*whole));
  const std::string guard = whole->view_select.substr(whole->view_select.find(" WHERE "));
  const auto replaced = [&](const std::string& part, const std::string& by) {
    const auto mask = mask_to_spoil(*snapshot);
    const auto at = mask->view_select.find(part);
    REQUIRE_MESSAGE(at != std::string::npos, mask->view_select);
    mask->view_select.replace(at, part.size(), by);
    return mask;
  };
  for (const auto& [part, by] : {std::pair<std::string, std::string>{"pgveil.", "public."},
                                 {whole->view, "people"},
                                 {"t.city", "t.name"},
                                 {"t.city", "t.city AS name"},
                                 {"t.city", "t.city || ''"},
                                 {" WHERE (SELECT", " WHERE true OR (SELECT"},
                                 {whole->view + "'", "people_k2.7.0000000000000000'"},
                                 {"pgveil.is_mask(", "pgveil.is_open("},
                                 {"pgveil.is_mask(", "is_mask("},
                                 {"pgveil.is_mask(", "NOT pgveil.is_mask("},
                                 {"::pg_catalog.text", ""},
                                 {"'pgveil:view'", "'0'"},
                                 {"ELSE ", "ELSE true OR "},
                                 {"ELSE ", "WHEN true THEN true ELSE "},
                                 {"IS NULL", "IS NOT NULL"},
                                 {"END)", "END) LIMIT 1"},
                                 {"END)", "END FROM public.people)"},
                                 {guard, ""},
                                 {" AS t", " AS t, public.people AS u"},
                                 {"SELECT ", "SELECT DISTINCT "},
                                 {"SELECT ", "SELECT 1, "},
                                 {"END)", "END); SELECT 1"}}) {
    CHECK_FALSE_MESSAGE(is_accepted(*replaced(part, by)), by);
  }
}

}  // namespace pgveil::rewriter::mask_view_test
