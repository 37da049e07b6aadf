// The maker gone wrong, and the verifier's own line: names of stand-ins, whose mask stands where, the text
// that is sent with masks in it, and the parts of masks that it is joined of.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "fixture.hpp"
#include "pg/parse.hpp"
#include "pg/print.hpp"
#include "rewriter/compile/make_snapshot.hpp"
#include "rewriter/mask/look_up.hpp"
#include "rewriter/mask/mask_text.hpp"
#include "rewriter/mask/masks.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "rewriter/verify/verify.hpp"
#include "rewriter/verify/verify_catalog_mask.hpp"
#include "rewriter/verify/verify_look_up.hpp"
#include "rewriter/verify/verify_mask.hpp"

using namespace pgveil;
using namespace pgveil::rewriter;

namespace {

// people as analyst reads it, and with another k as bob does; staff is another table of the same columns.
struct World {
  std::shared_ptr<Catalog> catalog = rewriter::test::demo_catalog();
  std::shared_ptr<const Snapshot> snapshot;

  World() {
    Relation staff = *catalog->find("public", "people");
    staff.oid = 300;
    staff.relfilenode += 200;
    staff.name = "staff";
    catalog->relations.emplace(std::pair(staff.schema, staff.name), staff);
    const auto state = [&](std::string name, std::string table, std::string reader) {
      auto spec = std::make_shared<policy::PolicySpec>(rewriter::test::worked_example_policy());
      spec->name = std::move(name);
      spec->table = std::move(table);
      spec->readers = {std::move(reader)};
      spec->exempt_roles = {};
      auto version = std::make_shared<policy::PolicyVersion>(rewriter::test::version_of(
          *spec, rewriter::test::worked_example_counts(), *catalog->find("public", spec->table)));
      return PolicyState{spec, version, {}};
    };
    snapshot =
        make_snapshot({.catalog = catalog,
                       .policies = {state("people_a", "people", "analyst"),
                                    state("people_b", "people", "bob"), state("staff", "staff", "analyst")},
                       .open_tables = {},
                       .generation = 1,
                       .version_guard = VersionGuard::present})
            .value();
  }

  [[nodiscard]] Mask& mask(std::size_t policy) const {
    return const_cast<Mask&>(*snapshot->protected_tables()[policy].mask);
  }
  [[nodiscard]] bool is_answered(const std::string& sql, const std::string& role) const {
    return std::holds_alternative<Rewritten>(rewrite(sql, {role}, *snapshot));
  }
};

// A statement as the verifier saw it, and what it found.
struct Seen {
  std::string text;
  pg::Tree tree;
  std::vector<Splice> splices;

  Seen(std::string sql, const Snapshot& snapshot)
      : text(std::move(sql)), tree(pg::parse_own(text, 100'000).value()) {
    auto verified = verify(text, tree.result->stmts[0]->stmt->base, "analyst", snapshot, 100'000);
    REQUIRE(verified.has_value());
    splices = std::move(verified->splices);
  }

  // What the maker sends, when it puts these texts in the places, moved by so many bytes.
  [[nodiscard]] std::string sent(const std::function<std::string(const Splice&)>& put, int moved = 0) const {
    std::string out;
    std::size_t done = 0;
    for (const Splice& splice : splices) {
      const auto offset = static_cast<std::size_t>(static_cast<int>(splice.offset) + moved);
      out += text.substr(done, offset - done) + put(splice);
      done = offset + splice.bytes;
    }
    return out + text.substr(done);
  }
};

std::string right(const Splice& splice) {
  if (!splice.look_up.constants.empty()) return look_up_select(*splice.mask, splice.left_out, splice.look_up);
  return text_without(splice.mask->parts_in(splice.form), splice.left_out);
}

const std::string kStatement =
    "SELECT a.city, b.state FROM (SELECT * FROM \"pgveil mask\".\"100-1\") AS a CROSS JOIN (SELECT * FROM "
    "\"pgveil mask\".\"300-1-2\") AS b";

std::shared_ptr<CompiledMask> fresh_mask(const Snapshot& snapshot) {
  const auto& table = snapshot.protected_tables().front();
  return compile_mask(*table.state.spec, *table.state.version, *table.relation, VersionGuard::present)
      .value();
}

std::string objection_to(const CompiledMask& mask, const Snapshot& snapshot) {
  const auto& table = snapshot.protected_tables().front();
  const auto verified =
      verify_mask(mask, *table.state.spec, *table.state.version, *table.relation, VersionGuard::present);
  return verified ? "" : verified.error().public_message;
}

}  // namespace

TEST_CASE("the verifier reads each name that the maker writes, and no other way of writing it") {
  for (const StandInName& name :
       {StandInName{.oid = 1, .left_out = {}}, StandInName{.oid = 4'294'967'295U, .left_out = {0, 1, 17}},
        StandInName{.oid = 16'385, .form = MaskForm::by_row, .left_out = {2, 4}},
        StandInName{.oid = 16'385, .form = MaskForm::by_row, .left_out = {}}}) {
    const StandInName read = stand_in_of(print_name(name));
    CAPTURE(print_name(name));
    CHECK(read.oid == name.oid);
    CHECK(read.form == name.form);
    CHECK(read.left_out == name.left_out);
  }
  for (const char* text :
       {"",    "0",  "-1", "01",   "1-", "1-02",       "1-2-2",       "1-3-2",         "1R", "1rr",
        "1r2", " 1", "1 ", "1-2r", "+1", "4294967296", "99999999999", "1-99999999999", "x",  "1--2"}) {
    CAPTURE(text);
    CHECK(stand_in_of(text).oid == 0);
  }
}

TEST_CASE("a mask that says it is of another table, policy or version is read by nobody") {
  const World world;
  REQUIRE(world.is_answered("SELECT city FROM people", "analyst"));
  REQUIRE(world.is_answered("SELECT city FROM people", "bob"));
  REQUIRE(world.is_answered("SELECT city FROM staff", "analyst"));

  SUBCASE("two tables' masks are swapped") {
    std::swap(world.mask(0), world.mask(2));
    CHECK_FALSE(world.is_answered("SELECT city FROM people", "analyst"));
    CHECK_FALSE(world.is_answered("SELECT city FROM staff", "analyst"));
    CHECK(world.is_answered("SELECT city FROM people", "bob"));
  }
  SUBCASE("two roles' masks are swapped") {
    std::swap(world.mask(0), world.mask(1));
    CHECK_FALSE(world.is_answered("SELECT city FROM people", "analyst"));
    CHECK_FALSE(world.is_answered("SELECT city FROM people", "bob"));
  }
  SUBCASE("another version's") {
    ++world.mask(0).number;
    CHECK_FALSE(world.is_answered("SELECT city FROM people", "analyst"));
  }
  SUBCASE("nobody's, as a catalog's is") {
    world.mask(0).policy.clear();
    CHECK_FALSE(world.is_answered("SELECT city FROM people", "analyst"));
  }
}

TEST_CASE("what a role reads is read from the policies themselves") {
  const World world;
  CHECK(mask_of_role(100, "analyst", *world.snapshot) == &world.mask(0));
  CHECK(mask_of_role(100, "bob", *world.snapshot) == &world.mask(1));
  CHECK(mask_of_role(300, "analyst", *world.snapshot) == &world.mask(2));
  CHECK(mask_of_role(300, "bob", *world.snapshot) == nullptr);
  CHECK(mask_of_role(100, "eve", *world.snapshot) == nullptr);
  CHECK(mask_of_role(0, "analyst", *world.snapshot) == nullptr);
}

TEST_CASE("what is sent is what was verified with its masks, to the byte") {
  const World world;
  const Seen seen(kStatement, *world.snapshot);
  REQUIRE(seen.splices.size() == 2);
  const auto is_let_through = [&](const std::string& sent) {
    return verify_sent(sent, seen.text, seen.splices).has_value();
  };
  REQUIRE(is_let_through(seen.sent(right)));

  SUBCASE("a splice that is off by one") {
    CHECK_FALSE(is_let_through(seen.sent(right, 1)));
    CHECK_FALSE(is_let_through(seen.sent(right, -1)));
  }
  SUBCASE("the other table's mask") {
    CHECK_FALSE(is_let_through(seen.sent([&](const Splice& splice) {
      return right(seen.splices[splice.mask == seen.splices[0].mask ? 1 : 0]);
    })));
  }
  SUBCASE("another role's mask of the table") {
    CHECK_FALSE(is_let_through(seen.sent([&](const Splice& splice) {
      return splice.mask->table_oid == 100 ? text_without(world.mask(1).parts, splice.left_out)
                                           : right(splice);
    })));
  }
  SUBCASE("more or fewer columns left out, or in another form") {
    CHECK_FALSE(
        is_let_through(seen.sent([](const Splice& splice) { return whole_text(splice.mask->parts); })));
    CHECK_FALSE(is_let_through(seen.sent(
        [](const Splice& splice) { return text_without(splice.mask->parts, std::vector<std::size_t>{3}); })));
    if (world.mask(0).by_row) {
      CHECK_FALSE(is_let_through(seen.sent(
          [](const Splice& splice) { return text_without(splice.mask->by_row.value(), splice.left_out); })));
    }
  }
  SUBCASE("a stand-in that is still there") {
    CHECK_FALSE(is_let_through(seen.text));
    CHECK_FALSE(is_let_through(seen.sent([&](const Splice& splice) {
      return splice.mask->table_oid == 300 ? seen.text.substr(splice.offset, splice.bytes) : right(splice);
    })));
  }
  SUBCASE("the raw table, or something before, behind or in between") {
    const std::string sent = seen.sent(right);
    CHECK_FALSE(
        is_let_through(seen.sent([](const Splice&) { return std::string("SELECT * FROM public.people"); })));
    CHECK_FALSE(is_let_through(sent + " UNION ALL SELECT city, state FROM public.people"));
    CHECK_FALSE(is_let_through(sent.substr(0, sent.size() - 1)));
    CHECK_FALSE(is_let_through(" " + sent));
    std::string other = sent;
    other.replace(other.find("CROSS JOIN"), 5, "INNER");
    CHECK_FALSE(is_let_through(other));
  }
  SUBCASE("each byte of it") {
    const std::string sent = seen.sent(right);
    for (std::size_t i = 0; i < sent.size(); ++i) {
      std::string other = sent;
      other[i] = other[i] == 'x' ? 'y' : 'x';
      const bool is_caught = !is_let_through(other);
      if (!is_caught) CHECK_MESSAGE(false, "byte ", i);
    }
  }
}

TEST_CASE("a look-up is sent as the verifier writes it") {
  const auto snapshot = rewriter::test::demo_snapshot_with_indexes();
  const Seen seen(
      "SELECT p.city FROM (SELECT * FROM \"pgveil mask\".\"100\" WHERE city OPERATOR(pg_catalog.=) ANY "
      "(ARRAY['x', $1])) AS p WHERE p.city IN ('x', $1)",
      *snapshot);
  REQUIRE(seen.splices.size() == 1);
  const auto is_let_through = [&](const std::string& sent) {
    return verify_sent(sent, seen.text, seen.splices).has_value();
  };
  CHECK(is_let_through(seen.sent(right)));
  const auto changed = [&](const std::function<void(LookUp&)>& change) {
    return seen.sent([&](const Splice& splice) {
      LookUp look_up = splice.look_up;
      change(look_up);
      return look_up_select(*splice.mask, splice.left_out, look_up);
    });
  };
  CHECK_FALSE(is_let_through(changed([](LookUp& it) { std::ranges::reverse(it.constants); })));
  CHECK_FALSE(is_let_through(changed([](LookUp& it) { it.constants.pop_back(); })));
  CHECK_FALSE(is_let_through(changed([](LookUp& it) { it.constants[0] = "'y'"; })));
  CHECK_FALSE(is_let_through(changed([](LookUp& it) { ++it.position; })));
  CHECK_FALSE(is_let_through(seen.sent([](const Splice& splice) { return whole_text(splice.mask->parts); })));
  std::string unfenced = seen.sent(right);
  unfenced.erase(unfenced.rfind(" OFFSET 0"), 9);
  CHECK_FALSE(is_let_through(unfenced));
}

TEST_CASE("each part of a mask's text is verified by itself, so each choice of them is") {
  const World world;
  const auto change = [&](const std::function<void(MaskText&)>& fault) {
    const auto mask = fresh_mask(*world.snapshot);
    fault(mask->parts);
    mask->text = whole_text(mask->parts);
    return objection_to(*mask, *world.snapshot);
  };
  REQUIRE(change([](MaskText&) {}).empty());
  const auto is_caught = [&](const std::function<void(MaskText&)>& fault) { return !change(fault).empty(); };
  // id, occupation, city, state, visits, note
  CHECK(is_caught([](MaskText& it) { it.columns[1].left_out = it.columns[3].left_out; }));
  CHECK(is_caught([](MaskText& it) { it.columns[1].left_out = "t.occupation AS occupation"; }));
  CHECK(is_caught([](MaskText& it) { it.columns[1].left_out += ", t.note AS more"; }));
  CHECK(is_caught([](MaskText& it) { it.columns[1].left_out += " --"; }));
  CHECK(is_caught([](MaskText& it) { it.columns[1].left_out += " /* */"; }));
  CHECK(is_caught([](MaskText& it) { it.columns[1].left_out += " FROM public.people AS t"; }));
  CHECK(is_caught([](MaskText& it) { it.columns[0].shown = "DISTINCT " + it.columns[0].shown; }));
  CHECK(is_caught([](MaskText& it) { std::swap(it.columns[1].shown, it.columns[2].shown); }));
  CHECK(is_caught([](MaskText& it) { it.columns[4].left_out = "NULL::pg_catalog.int4 AS visits"; }));
  CHECK(is_caught([](MaskText& it) { it.columns[2].left_out.clear(); }));
  CHECK(is_caught(
      [](MaskText& it) { it.columns[0].shown = "t.id AS \"Id\""; }));  // a name that is quoted wrongly
  CHECK(is_caught([](MaskText& it) { it.columns.pop_back(); }));
  CHECK(is_caught([](MaskText& it) { it.rest += " LIMIT 1"; }));
  CHECK(is_caught([](MaskText& it) { it.rest = it.rest.substr(0, it.rest.find(" WHERE ")); }));

  SUBCASE("a part that is whole only together with the next one") {
    CHECK(is_caught([](MaskText& it) {
      it.columns[1].left_out = "(NULL::pg_catalog.text AS occupation";
      it.columns[2].left_out = "t.note) AS city";
    }));
  }
}

TEST_CASE("a mask's labels are verified with it") {
  const World world;
  const auto change = [&](const std::function<void(Mask&)>& fault) {
    const auto mask = fresh_mask(*world.snapshot);
    fault(*mask);
    return objection_to(*mask, *world.snapshot);
  };
  CHECK(change([](Mask&) {}).empty());
  CHECK_FALSE(change([](Mask& it) { ++it.number; }).empty());
  CHECK_FALSE(change([](Mask& it) { it.policy = "people_b"; }).empty());
  CHECK_FALSE(change([](Mask& it) { it.table_oid = 300; }).empty());
}

TEST_CASE("a catalog's mask hides what its list says, and no other's does") {
  const auto catalog = rewriter::test::demo_catalog();
  for (const char* name : {"pg_class", "pg_constraint", "pg_settings", "pg_stat_all_tables", "pg_locks"}) {
    CAPTURE(name);
    const Relation& relation = *catalog->find("pg_catalog", name);
    const SystemCatalog& rule = *find_system_catalog("pg_catalog", name);
    const auto made = compile_catalog_mask(rule, relation).value();
    CHECK(verify_catalog_mask(*made, rule, relation).has_value());
    const auto objection = [&](SystemCatalog other) {
      return !verify_catalog_mask(*compile_catalog_mask(other, relation).value(), rule, relation).has_value();
    };
    SystemCatalog unfiltered = rule;
    unfiltered.own = {};
    unfiltered.rows = CatalogRows::all;
    const bool has_filter = rule.rows != CatalogRows::all || rule.own.rows != OwnRows::none;
    CHECK(objection(unfiltered) == has_filter);
    SystemCatalog shown = rule;
    shown.hidden = {};
    shown.only = {};
    CHECK(objection(shown) == (!rule.hidden.empty() || !rule.only.empty()));
    ++made->table_oid;
    CHECK_FALSE(verify_catalog_mask(*made, rule, relation).has_value());
  }
}

TEST_CASE("the catalog of sessions has the row of the one that asks, and reads no other's") {
  const auto catalog = rewriter::test::demo_catalog();
  const Relation& relation = *catalog->find("pg_catalog", "pg_stat_activity");
  const SystemCatalog& rule = *find_system_catalog("pg_catalog", "pg_stat_activity");
  const auto made = compile_catalog_mask(rule, relation).value();
  CAPTURE(made->text);
  CHECK(verify_catalog_mask(*made, rule, relation).has_value());
  CHECK(made->text.find("NULL::pg_catalog.text AS query,") != std::string::npos);
  CHECK(made->text.find("pg_backend_pid() AS pid") != std::string::npos);
  CHECK(made->text.find("pg_stat_activity") == std::string::npos);
  const auto objection = [&](SystemCatalog other) {
    return !verify_catalog_mask(*compile_catalog_mask(other, relation).value(), rule, relation).has_value();
  };
  SystemCatalog read = rule;
  read.rows = CatalogRows::all;
  CHECK(objection(read));
  SystemCatalog empty = rule;
  empty.rows = CatalogRows::none;
  CHECK(objection(empty));
  const SessionColumn told[] = {{"query", "'x'::pg_catalog.text"}};
  SystemCatalog more = rule;
  more.session = told;
  CHECK(objection(more));
}
