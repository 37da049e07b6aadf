// How a text gets its verdict: by itself, by its shape, or by rewriting. It is the same in each way.
#include "daemon/statements/find_verdict.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "../../rewriter/fixture.hpp"

namespace pgveil::app {
namespace {

using From = FoundVerdict::From;
using rewriter::Client;
using rewriter::Snapshot;

struct Silent : rewriter::PassObserver {
  void begins(rewriter::Pass) override {}
  void ends() override {}
};

class World {
 public:
  explicit World(std::size_t cache_bytes = 1 << 20) : cache_(cache_bytes) {}

  FoundVerdict ask(const std::string& sql, const Client& client = {.role = "analyst"}) {
    Silent observer;
    return find_verdict(cache_, sql, {client, "demo", *snapshot_, limits_, KeptPlans::yes}, observer);
  }
  // The text of the form that is kept; empty: none.
  std::string kept(const std::string& sql) {
    const auto found = ask(sql);
    return found.kept == nullptr ? "" : found.kept->rewritten->statements.front().sql;
  }
  // The same as rewriting, and where it is from.
  From asked(const std::string& sql, const Client& client = {.role = "analyst"}) {
    const auto found = ask(sql, client);
    CHECK_MESSAGE(text_of(*found.verdict) == text_of(rewriter::rewrite(sql, client, *snapshot_, limits_)),
                  sql);
    return found.from;
  }
  static std::string text_of(const rewriter::Verdict& verdict) {
    if (const auto* it = std::get_if<rewriter::Rewritten>(&verdict)) {
      std::string out;
      for (const auto& statement : it->statements) out += statement.sql + ";";
      return out;
    }
    if (const auto* it = std::get_if<Refusal>(&verdict)) return it->message;
    return std::get<Error>(verdict).public_message;
  }
  void take(std::shared_ptr<const Snapshot> snapshot) { snapshot_ = std::move(snapshot); }
  VerdictCache& cache() { return cache_; }

 private:
  VerdictCache cache_;
  std::shared_ptr<const Snapshot> snapshot_ = rewriter::test::demo_snapshot();
  rewriter::Limits limits_;
};

std::string older_than(int visits) {
  return "SELECT city FROM people WHERE visits > " + std::to_string(visits);
}

TEST_CASE("the third text of a shape gets its verdict from a template") {
  World world;
  CHECK(world.asked(older_than(1)) == From::rewriting);
  CHECK(world.asked(older_than(1)) == From::text);
  CHECK(world.asked(older_than(2)) == From::rewriting);
  CHECK(world.asked(older_than(3)) == From::shape);
  CHECK(world.asked(older_than(3)) == From::shape);
  CHECK(world.asked(older_than(1)) == From::text);
  // 0 and a number that is no int4 are other tokens to the grammar.
  CHECK(world.asked(older_than(0)) == From::rewriting);
  CHECK(world.asked("SELECT city FROM people WHERE visits > 3000000000") == From::rewriting);
}

TEST_CASE("other roles, search paths and encodings have their own templates") {
  World world;
  for (int i = 1; i < 4; ++i) (void)world.asked(older_than(i));
  CHECK(world.asked(older_than(5)) == From::shape);
  CHECK(world.asked(older_than(5), {.role = "dpo"}) == From::rewriting);
  CHECK(world.asked(older_than(5), {.role = "nobody"}) == From::rewriting);
  for (int i = 5; i < 9; ++i)
    CHECK(world.asked(older_than(i), {.role = "analyst", .sends_ascii = true}) == From::rewriting);
}

TEST_CASE("a new snapshot has no templates") {
  World world;
  for (int i = 1; i < 4; ++i) (void)world.asked(older_than(i));
  CHECK(world.asked(older_than(5)) == From::shape);
  world.take(rewriter::test::snapshot_without_version());
  CHECK(world.asked(older_than(6)) == From::rewriting);
}

TEST_CASE("literals whose values count tell templates of one shape apart") {
  World world;
  const auto limited = [](int visits, int limit) {
    return older_than(visits) + " LIMIT " + std::to_string(limit);
  };
  CHECK(world.asked(limited(1, 10)) == From::rewriting);
  CHECK(world.asked(limited(2, 10)) == From::rewriting);
  CHECK(world.asked(limited(3, 10)) == From::shape);
  CHECK(world.asked(limited(3, 20)) == From::rewriting);
  CHECK(world.asked(limited(4, 20)) == From::shape);
  CHECK(world.asked(limited(10, 10)) == From::rewriting);
}

TEST_CASE("texts that are refused are judged one by one") {
  World world;
  for (int i = 1; i < 5; ++i) {
    const std::string sql = "SELECT secret FROM secrets WHERE secret = '" + std::to_string(i) + "'";
    CHECK(world.asked(sql) == From::rewriting);
    CHECK(world.asked(sql) == From::text);
  }
}

TEST_CASE("literals that the plain scanner does not follow are judged as ever") {
  World world;
  for (const std::string notation : {"E'a'", "U&'a'", "$$a$$", "'a\\b'"}) {
    for (int i = 0; i < 3; ++i)
      CHECK(world.asked("SELECT city FROM people WHERE city = " + notation + " AND visits > " +
                        std::to_string(i)) == From::rewriting);
  }
  std::string many = "SELECT city FROM people WHERE visits IN (1";
  for (int i = 2; i < 60'000; ++i) many += "," + std::to_string(i % 9 + 1);
  CHECK(world.asked(many + ")") == From::rewriting);
}

TEST_CASE("the cache keeps its limit with many shapes, and with a template that does not fit") {
  World world(std::size_t{64} << 10);
  for (int i = 0; i < 600; ++i) {
    const std::string sql = "SELECT city AS c" + std::to_string(i / 3) + " FROM cities WHERE city = '";
    (void)world.asked(sql + std::to_string(i) + "'");
    REQUIRE(world.cache().size_bytes() <= std::size_t{64} << 10);
  }
  World none(0);
  for (int i = 1; i < 5; ++i) CHECK(none.asked(older_than(i)) == From::rewriting);
  CHECK(none.cache().size_bytes() == 0);
}

TEST_CASE("texts of one shape have one kept form, also the texts whose verdicts are in the cache") {
  World world;
  const auto town = [](int visits) {
    return "SELECT * FROM cities WHERE city = 'A" + std::to_string(visits) + "'::text";
  };
  CHECK(world.kept(town(1)).empty());
  CHECK(world.kept(town(2)).empty());
  const std::string form = world.kept(town(3));
  CHECK(form.find("$1") != std::string::npos);
  CHECK(world.kept(town(1)) == form);
  CHECK(world.kept(town(3)) == form);
}

TEST_CASE("a text without a template is its own kept form when it comes again") {
  World world;
  const std::string sql = "SELECT city FROM cities WHERE city LIKE '%a' LIMIT 1";
  CHECK(world.kept(sql).empty());
  const auto found = world.ask(sql);
  REQUIRE(found.kept != nullptr);
  CHECK(found.kept->values.empty());
  CHECK(found.kept->rewritten.get() == std::get_if<rewriter::Rewritten>(found.verdict.get()));
}

// A role or a text may have line breaks. Nothing that a client sends has a zero byte.
TEST_CASE("the parts of a kept form's key are told apart by zero bytes") {
  World world;
  const std::string sql = "SELECT city\nFROM cities\nWHERE city LIKE '%a' LIMIT 1";
  (void)world.ask(sql);
  const auto found = world.ask(sql);
  REQUIRE(found.kept != nullptr);
  CHECK(std::ranges::count(found.kept->key, '\0') == 4);
  CHECK(found.kept->key.ends_with(std::string(1, '\0') + sql));
}

// E'n\157w' is 'now', which is another moment each time that it is parsed.
TEST_CASE("a text with a literal in another notation is not kept") {
  World world;
  for (const std::string literal : {"E'a'", "U&'a'", "'a'\n'b'", "$$a$$"}) {
    const std::string sql = "SELECT city FROM cities WHERE city = " + literal;
    for (int time = 0; time < 3; ++time) CHECK(world.ask(sql).kept == nullptr);
  }
}

TEST_CASE("constants of other kinds have kept forms of their own") {
  World world;
  const auto key_of = [&](const std::string& divisor) {
    std::string key;
    for (int i = 1; i < 5; ++i) {
      const auto found =
          world.ask("SELECT city FROM people WHERE length(city) / " + divisor + " > " + std::to_string(i));
      if (found.kept != nullptr) key = found.kept->key;
    }
    return key;
  };
  std::set<std::string> keys;
  for (const std::string divisor : {"2", "2.5", "3000000000", "'2'"}) keys.insert(key_of(divisor));
  CHECK(keys.size() == 4);
  CHECK_FALSE(keys.contains(""));
}

// ALTER COLUMN TYPE would not change the type of such a parameter.
TEST_CASE("a text whose type PostgreSQL finds out is a parameter of masked tables only") {
  World world;
  const auto third = [&](const std::string& from, const std::string& cast) {
    std::string form;
    for (const std::string city : {"Ab", "Cd", "Ef"})
      form = world.kept("SELECT p.city || '" + city + "'" + cast + " FROM " + from);
    return form;
  };
  CHECK(third("cities p", "") == "");
  CHECK(third("people p, cities c", "") == "");
  CHECK(third("people p", "").find("$1") != std::string::npos);
  CHECK(third("cities p", "::text").find("$1") != std::string::npos);
  CHECK(third("cities p", " ::text").find("$1") != std::string::npos);
  CHECK(third("people p, cities c", "::text").find("$1") != std::string::npos);
  // A text that comes again is prepared as it is.
  const std::string again = "SELECT p.city || 'Ab' FROM cities p";
  (void)world.ask(again);
  CHECK(world.kept(again).find("'Ab'") != std::string::npos);
}

TEST_CASE("what PostgreSQL reads when it parses is not kept") {
  World world;
  for (const std::string sql : {
           "SELECT city FROM cities WHERE 'now'::timestamptz > '2020-01-01'",
           "SELECT city, ' Today 10:00'::timestamp FROM cities",
           "SELECT city FROM cities WHERE city = E'a' AND date 'tomorrow' > now()",
           "SELECT city FROM cities WHERE city = upper('yesterday')",
           "SELECT city FROM cities WHERE city = '<a/>'::xml::text",
           "SELECT city FROM cities WHERE statement_timestamp() > '2020-01-01'::date",
           "SELECT city, now() = Clock_Timestamp() FROM people WHERE visits > 3",
           "SELECT city FROM cities WHERE length(city) >  $1 ",
       }) {
    CAPTURE(sql);
    for (int i = 0; i < 4; ++i) CHECK(world.kept(sql).empty());
  }
  const std::string unknown =
      "SELECT coalesce(city, 'unknown') FROM cities GROUP BY coalesce(city, 'unknown')";
  (void)world.ask(unknown);
  CHECK_FALSE(world.kept(unknown).empty());
  // now() is called whenever the statement runs, and a parameter is read then.
  std::string last;
  for (const std::string date : {"2020-01-01", "2020-01-02", "2020-01-03", "today"})
    last = world.kept("SELECT city FROM cities WHERE city = '" + date + "'::text OR now() > localtimestamp");
  CHECK(last.find("$1") != std::string::npos);
}

TEST_CASE("long texts of open tables and texts that read no table are not kept") {
  World world;
  std::string many = "SELECT city FROM cities WHERE city IN ('a'";
  for (int i = 0; i < 300; ++i) many += ",'b" + std::to_string(i) + "'";
  for (const std::string& sql : {many + ")", std::string("SELECT 1 + 1")}) {
    for (int i = 0; i < 3; ++i) CHECK(world.kept(sql).empty());
    CHECK_FALSE(world.ask(sql).may_keep_plan);
  }
  CHECK(world.ask("SELECT city FROM cities").may_keep_plan);
  CHECK(world.ask(older_than(1)).may_keep_plan);
}

TEST_CASE("many threads with one shape get the verdicts of their own texts") {
  World world;
  std::atomic<int> wrong{0};
  std::atomic<int> by_shape{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 1; i < 60; ++i) {
        const int visits = t * 1'000 + i;
        const auto found = world.ask(older_than(visits));
        const bool has_it =
            World::text_of(*found.verdict).find("> " + std::to_string(visits)) != std::string::npos;
        wrong += has_it ? 0 : 1;
        by_shape += found.from == From::shape ? 1 : 0;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(by_shape > 400);
}

}  // namespace
}  // namespace pgveil::app
