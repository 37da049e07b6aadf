// Functions and operators outside pg_catalog: what the server may find for a name without a schema is safe,
// or the statement is refused.
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "fixture.hpp"
#include "pg/parse.hpp"
#include "rewriter/compile/make_snapshot.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "rewriter/verify/verify.hpp"

using namespace pgveil;
using namespace pgveil::rewriter;
using rewriter::test::candidate_of;

namespace {

constexpr std::uint32_t kOther = 30'000;   // a base type of users
constexpr std::uint32_t kCitext = 30'001;  // of a reviewed extension, in schema public

struct NameWorld {
  std::shared_ptr<Catalog> catalog = rewriter::test::demo_catalog();

  NameWorld& op(const std::string& name, Candidate candidate) {
    catalog->operators_elsewhere[name].push_back(std::move(candidate));
    return *this;
  }
  NameWorld& function(const std::string& name, Candidate candidate) {
    catalog->functions_elsewhere[name].push_back(std::move(candidate));
    return *this;
  }
  [[nodiscard]] std::shared_ptr<const Snapshot> snapshot() const {
    return make_snapshot({.catalog = catalog,
                          .policies = {},
                          .open_tables = {"public.cities", "public.products", "public.things"},
                          .generation = 1})
        .value();
  }
};

Candidate of_text(const std::string& schema, const std::string& op) {
  return candidate_of(schema, "operator " + schema + "." + op + "(text,text)", "SS");
}

Candidate with_other(const std::string& schema, const std::string& op) {
  Candidate out = candidate_of(schema, "operator " + schema + "." + op + "(other,other)", "??");
  out.needs_value = true;
  out.needs = {kOther};
  return out;
}

Candidate of_citext(const std::string& what, std::string arguments) {
  Candidate out = candidate_of("public", what, std::move(arguments));
  out.is_safe = true;
  out.runs.extension = "citext";
  out.needs = {kCitext};
  return out;
}

Relation table_of(std::uint32_t oid, const std::string& name, std::uint32_t type) {
  Relation out;
  out.oid = oid;
  out.schema = "public";
  out.name = name;
  Column column;
  column.number = 1;
  column.name = "it";
  column.type_oid = type;
  column.type_schema = "public";
  column.type_name = name;
  column.type_text = "public." + name;
  out.columns = {column};
  return out;
}

NameWorld name_world() {
  NameWorld out;
  out.catalog->relations.emplace(std::pair("public", "products"), table_of(201, "products", kCitext));
  out.catalog->relations.emplace(std::pair("public", "things"), table_of(202, "things", kOther));
  out.catalog->parts_of_types = {{kOther, {kOther}}, {kCitext, {kCitext}}};
  out.catalog->types_elsewhere[{"public", "citext"}] = {
      .oid = kCitext, .extension = "citext", .is_base = true, .is_castable = true};
  out.catalog->types_elsewhere[{"public", "other"}] = {.oid = kOther, .is_base = true};
  return out;
}

// With the operators and functions that citext has for its type.
NameWorld citext_world() {
  NameWorld out = name_world();
  for (const char* op : {"=", "<>", "<", "<=", ">", ">=", "~~", "!~~", "~~*", "!~~*", "~"})
    out.op(op, of_citext(std::string("operator public.") + op + "(citext,citext)", "??"));
  out.function("replace", of_citext("function public.replace(citext,citext,citext)", "???"));
  out.function("citext_hash", of_citext("function public.citext_hash(citext)", "?"));
  return out;
}

std::string sent_by(const std::string& sql, const Snapshot& snapshot, SearchPath path = {}) {
  const auto verdict = rewrite(sql, {.role = "analyst", .path = std::move(path)}, snapshot);
  if (const auto* rewritten = std::get_if<Rewritten>(&verdict)) return rewritten->statements.back().sql;
  if (const auto* refusal = std::get_if<Refusal>(&verdict)) return "refused: " + refusal->message;
  return "error: " + std::get<Error>(verdict).public_message;
}

bool is_refused(const std::string& sql, const Snapshot& snapshot) {
  return sent_by(sql, snapshot).starts_with("refused: ");
}

// The verifier alone, on what a faulty resolver might have sent.
bool is_verified(const std::string& sql, const Snapshot& snapshot) {
  const auto tree = pg::parse_own(sql, 10'000).value();
  return verify_tree(sql, *tree.result->stmts[0]->stmt, "analyst", snapshot).has_value();
}

const std::map<std::string, std::vector<std::string>> kForms = {
    {"=",
     {"city IN ('a')", "city IN (SELECT 'a')", "city IS DISTINCT FROM 'a'", "NULLIF(city, 'a') IS NULL",
      "CASE city WHEN 'a' THEN true END",
      "1 IN (SELECT 1 FROM ONLY public.cities AS a JOIN ONLY public.cities AS b USING (city))",
      "EXISTS (SELECT FROM ONLY public.cities AS a NATURAL JOIN ONLY public.cities AS b)"}},
    {"<>", {"city NOT IN ('a')"}},
    {"~~", {"city LIKE 'a'"}},
    {"!~~", {"city NOT LIKE 'a'"}},
    {"~~*", {"city ILIKE 'a'"}},
    {"!~~*", {"city NOT ILIKE 'a'"}},
    {"<=", {"city BETWEEN 'a' AND 'b'", "city BETWEEN SYMMETRIC 'a' AND 'b'"}},
    {"<", {"city NOT BETWEEN 'a' AND 'b'"}},
};

}  // namespace

TEST_CASE("forms that can't name pg_catalog's operator are refused where a user's may be found") {
  const auto harmless = name_world().snapshot();
  for (const auto& [op, conditions] : kForms) {
    const auto snapshot = name_world().op(op, of_text("public", op)).snapshot();
    const auto elsewhere = name_world().op(op, of_text("hr", op)).snapshot();
    Candidate twin = of_text("public", op);
    twin.has_twin = true;
    const auto hidden = name_world().op(op, twin).snapshot();
    for (const std::string& condition : conditions) {
      CAPTURE(condition);
      const std::string sql = "SELECT city FROM ONLY public.cities WHERE " + condition;
      CHECK(is_refused(sql, *snapshot));
      CHECK_FALSE(is_verified(sql, *snapshot));
      for (const auto* other : {harmless.get(), elsewhere.get(), hidden.get()}) {
        CHECK_FALSE(is_refused(sql, *other));
        CHECK(is_verified(sql, *other));
      }
    }
  }
}

TEST_CASE("an operator of a type that the statement has no value of changes nothing") {
  for (const auto& [op, conditions] : kForms) {
    const auto snapshot = name_world().op(op, with_other("public", op)).snapshot();
    for (const std::string& condition : conditions) {
      CAPTURE(condition);
      const std::string sql = "SELECT city FROM ONLY public.cities WHERE " + condition;
      CHECK_FALSE(is_refused(sql, *snapshot));
      CHECK(is_verified(sql, *snapshot));
      const std::string with_values =
          "SELECT city FROM ONLY public.things AS t, ONLY public.cities WHERE " + condition;
      CHECK(is_refused(with_values, *snapshot));
      CHECK_FALSE(is_verified(with_values, *snapshot));
    }
  }
}

TEST_CASE("an operator is refused where a user's could be meant, and is pg_catalog's where it can't") {
  const auto snapshot = name_world().op("=", of_text("public", "=")).snapshot();
  CHECK(sent_by("SELECT city = 'a' FROM cities", *snapshot) ==
        "refused: operator = could mean operator public.=(text,text), which is not on the list");
  CHECK(sent_by("SELECT city OPERATOR(pg_catalog.=) 'a' FROM cities", *snapshot) ==
        "SELECT city OPERATOR(pg_catalog.=) 'a' FROM ONLY public.cities");
  CHECK_FALSE(is_verified("SELECT city = 'a' FROM ONLY public.cities", *snapshot));
  CHECK_FALSE(is_verified("SELECT city OPERATOR(public.=) 'a' FROM ONLY public.cities", *snapshot));
  CHECK(is_refused("SELECT city OPERATOR(public.=) 'a' FROM cities", *snapshot));
  CHECK(
      sent_by("SET search_path TO lab; SELECT city = 'a', city = ANY (ARRAY['b']), (city, 1) = ('a', 1) FROM "
              "public.cities",
              *snapshot) ==
      "SELECT city OPERATOR(pg_catalog.=) 'a', city OPERATOR(pg_catalog.=) ANY (ARRAY['b']), "
      "(city, 1) OPERATOR(pg_catalog.=) ('a', 1) FROM ONLY public.cities");
}

TEST_CASE("operators and functions of a reviewed extension are left to the server") {
  const auto snapshot = citext_world().snapshot();
  for (const char* sql :
       {"SELECT it = 'a' FROM ONLY public.products", "SELECT it ~ '^a' FROM ONLY public.products",
        "SELECT it IN ('a', 'b') FROM ONLY public.products",
        "SELECT it FROM ONLY public.products WHERE it LIKE 'a%'",
        "SELECT replace(it, 'a', 'b') FROM ONLY public.products",
        "SELECT public.replace(it, 'a', 'b') FROM ONLY public.products",
        "SELECT it OPERATOR(public.=) 'a'::public.citext FROM ONLY public.products"}) {
    CAPTURE(sql);
    CHECK(sent_by(sql, *snapshot) == sql);
    CHECK(is_verified(sql, *snapshot));
  }
  CHECK(sent_by("SELECT 'a'::citext[]", *snapshot) == "SELECT 'a'::public.citext[]");
  // pg_catalog's lower has no rival, and replace has none with two arguments.
  CHECK(sent_by("SELECT lower(it) FROM products", *snapshot) ==
        "SELECT pg_catalog.lower(it) FROM ONLY public.products");
}

TEST_CASE("one candidate that is not safe closes a name that it could be meant by") {
  const std::string sql = "SELECT replace(it, 'a', 'b') FROM ONLY public.products";
  NameWorld unsafe = citext_world();
  unsafe.function("replace", candidate_of("lab", "function lab.replace(text,text,character)", "SSS"));
  CHECK(sent_by(sql, *unsafe.snapshot()) ==
        "refused: function \"replace\" could mean function lab.replace(text,text,character), which is not on "
        "the list");
  CHECK_FALSE(is_verified(sql, *unsafe.snapshot()));
  CHECK(is_verified("SELECT public.replace(it, 'a', 'b') FROM ONLY public.products", *unsafe.snapshot()));
  // Another number of arguments, or a number where the other takes a text.
  NameWorld apart = citext_world();
  apart.function("replace", candidate_of("lab", "function lab.replace(text,text)", "SS"));
  apart.function("replace", candidate_of("lab", "function lab.replace(text,text,text,integer)", "SSSN"));
  CHECK(sent_by(sql, *apart.snapshot()) == sql);
  apart.function("pick", of_citext("function public.pick(citext,integer)", "?N"));
  apart.function("pick", candidate_of("public", "function public.pick(citext,text)", "?S"));
  const std::string number = "SELECT pick(it, 3) FROM ONLY public.products";
  CHECK(sent_by(number, *apart.snapshot()) == number);
  CHECK(is_verified(number, *apart.snapshot()));
  const std::string text = "SELECT pick(it, '3') FROM ONLY public.products";
  CHECK(is_refused(text, *apart.snapshot()));
  CHECK_FALSE(is_verified(text, *apart.snapshot()));
  CHECK(is_refused("SELECT public.pick(it, $1) FROM products", *apart.snapshot()));
  CHECK(sent_by("SELECT pick(it, $1::int) FROM products", *apart.snapshot()) ==
        "SELECT pick(it, $1::pg_catalog.int4) FROM ONLY public.products");
}

TEST_CASE("what the client's search path does not find is not found by another") {
  const auto snapshot = citext_world().snapshot();
  CHECK(sent_by("SET search_path TO lab; SELECT it = 'a' FROM public.products", *snapshot) ==
        "SELECT it OPERATOR(pg_catalog.=) 'a' FROM ONLY public.products");
  CHECK(sent_by("SET search_path TO lab; SELECT replace(it, 'a', 'b') FROM public.products", *snapshot) ==
        "SELECT pg_catalog.replace(it, 'a', 'b') FROM ONLY public.products");
  CHECK(is_refused("SET search_path TO lab; SELECT it LIKE 'a' FROM public.products", *snapshot));
  CHECK(is_refused("SET search_path TO lab; SELECT 'a'::citext", *snapshot));
  CHECK(is_refused("SET search_path TO lab; SELECT citext_hash('a')", *snapshot));
  CHECK(sent_by("SET search_path TO public, lab; SELECT it = 'a' FROM products", *snapshot) ==
        "SELECT it = 'a' FROM ONLY public.products");
  // A twin is hidden only where pg_catalog comes first, as it does on the server.
  NameWorld twin = name_world();
  Candidate upper = candidate_of("public", "function public.upper(text)", "S");
  upper.has_twin = true;
  twin.function("upper", upper);
  CHECK(sent_by("SELECT upper('a')", *twin.snapshot()) == "SELECT pg_catalog.upper('a')");
  CHECK(is_refused("SET search_path TO public, pg_catalog; SELECT upper('a')", *twin.snapshot()));
}

TEST_CASE("a twin is hidden from calls by position alone") {
  NameWorld twin = citext_world();
  Candidate same = candidate_of("public", "function public.replace(text,text,text)", "SSS");
  same.has_twin = true;
  twin.function("replace", same);
  const std::string by_position = "SELECT replace(it, 'a', 'b') FROM ONLY public.products";
  CHECK(sent_by(by_position, *twin.snapshot()) == by_position);
  CHECK(is_verified(by_position, *twin.snapshot()));
  const std::string by_name = "SELECT replace(s => it, a => 'a', b => 'b') FROM ONLY public.products";
  CHECK(is_refused(by_name, *twin.snapshot()));
  CHECK_FALSE(is_verified(by_name, *twin.snapshot()));
}

TEST_CASE("types may be named only where they are reviewed, and no earlier schema has another of the name") {
  NameWorld other = citext_world();
  CHECK(is_refused("SELECT 'a'::other", *other.snapshot()));
  CHECK_FALSE(is_verified("SELECT 'a'::public.other", *other.snapshot()));
  other.catalog->types_elsewhere[{"lab", "citext"}] = {.oid = 31'000};  // a domain, say
  CHECK(sent_by("SET search_path TO public, lab; SELECT 'a'::citext", *other.snapshot()) ==
        "SELECT 'a'::public.citext");
  CHECK(is_refused("SET search_path TO lab, public; SELECT 'a'::citext", *other.snapshot()));
  // citext_hash(x) could be a cast if a type had that name.
  CHECK(sent_by("SELECT citext_hash('a')", *other.snapshot()) == "SELECT citext_hash('a')");
  other.catalog->types_elsewhere[{"lab", "citext_hash"}] = {.oid = 31'001};
  CHECK(is_refused("SELECT citext_hash('a')", *other.snapshot()));
  CHECK_FALSE(is_verified("SELECT citext_hash('a')", *other.snapshot()));
}
