#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

#include "daemon/statements/verdict_cache.hpp"

namespace pgveil::app {
namespace {

VerdictCache::Entry answer(const std::string& sql) {
  rewriter::Rewritten rewritten;
  rewritten.statements.resize(1);
  rewritten.statements[0].sql = sql;
  return std::make_shared<const CachedVerdict>(rewriter::Verdict(std::move(rewritten)));
}

const std::string& sql_of(const VerdictCache::Entry& entry) {
  return std::get<rewriter::Rewritten>(std::get<rewriter::Verdict>(*entry)).statements.front().sql;
}

TEST_CASE("a verdict is found again under the very same key only") {
  VerdictCache cache(1 << 20);
  const VerdictKeyView key{"SELECT 1", "analyst", "", "demo", 7};
  CHECK(cache.find(key) == nullptr);
  cache.insert(key, answer("one"));
  REQUIRE(cache.find(key) != nullptr);
  CHECK(sql_of(cache.find(key)) == "one");
  CHECK(cache.find({"SELECT 1 ", "analyst", "", "demo", 7}) == nullptr);
  CHECK(cache.find({"SELECT 1", "bi", "", "demo", 7}) == nullptr);
  CHECK(cache.find({"SELECT 1", "analyst", "", "other", 7}) == nullptr);
  CHECK(cache.find({"SELECT 1", "analyst", "1;2:hr", "demo", 7}) == nullptr);
  CHECK(cache.find({"SELECT 1", "analyst", "", "demo", 8}) == nullptr);
  // Texts that join to the same bytes are different keys.
  CHECK(cache.find({"SELECT 1a", "nalyst", "", "demo", 7}) == nullptr);
}

TEST_CASE("an entry takes the place of the one that is there") {
  VerdictCache cache(1 << 20);
  cache.insert({"q", "r", "", "d", 1}, answer("first"));
  cache.insert({"q", "r", "", "d", 1}, answer("second"));
  CHECK(sql_of(cache.find({"q", "r", "", "d", 1})) == "second");
  CHECK(cache.entry_count() == 1);
  // Also one that is too large to be kept.
  cache.insert({"q", "r", "", "d", 1}, answer(std::string(1 << 20, 'x')));
  CHECK(cache.find({"q", "r", "", "d", 1}) == nullptr);
  CHECK(cache.size_bytes() == 0);
}

TEST_CASE("the cache never holds more than its limit, and drops what was used longest ago") {
  constexpr std::size_t kLimit = 64 * 1024;
  VerdictCache cache(kLimit);
  const VerdictKeyView kept{"kept", "r", "", "d", 1};
  cache.insert(kept, answer("kept"));
  for (int i = 0; i < 2'000; ++i) {
    const std::string sql = "SELECT " + std::to_string(i);
    cache.insert({sql, "r", "", "d", 1}, answer(sql));
    CHECK(cache.find(kept) != nullptr);  // in use, so never the oldest
    REQUIRE(cache.size_bytes() <= kLimit);
  }
  CHECK(cache.find({"SELECT 0", "r", "", "d", 1}) == nullptr);
  CHECK(cache.find({"SELECT 1999", "r", "", "d", 1}) != nullptr);
  CHECK(cache.entry_count() < 200);
}

TEST_CASE("bytes are given back: an emptied place is used again") {
  VerdictCache cache(64 * 1024);
  for (int i = 0; i < 500; ++i) cache.insert({std::to_string(i), "r", "", "d", 1}, answer("x"));
  const auto full = cache.size_bytes();
  for (int i = 500; i < 5'000; ++i) cache.insert({std::to_string(i), "r", "", "d", 1}, answer("x"));
  CHECK(cache.size_bytes() <= 64 * 1024);
  CHECK(cache.size_bytes() + 8 * 1024 > full);
}

TEST_CASE("a verdict larger than a shard's share is not kept, and a cache of no bytes keeps nothing") {
  VerdictCache cache(16 * 1024);
  cache.insert({"q", "r", "", "d", 1}, answer(std::string(2'000, 'x')));
  CHECK(cache.entry_count() == 0);
  VerdictCache none(0);
  none.insert({"q", "r", "", "d", 1}, answer("x"));
  CHECK(none.find({"q", "r", "", "d", 1}) == nullptr);
}

TEST_CASE("what is known of a statement's output columns is counted") {
  const auto made = [](auto&& change) {
    rewriter::Rewritten rewritten;
    change(rewritten.statements.emplace_back());
    return rewritten;
  };
  const auto bytes = [](const rewriter::Rewritten& of) { return entry_bytes(rewriter::Verdict(of)); };
  const auto plain = made([](rewriter::Statement&) {});
  const auto with_origins = made([](rewriter::Statement& statement) {
    statement.origins = std::make_shared<const std::vector<rewriter::Origin>>(1'000);
  });
  const auto with_names = made([](rewriter::Statement& statement) {
    statement.columns = std::make_shared<const std::vector<std::string>>(100, std::string(1'000, 'n'));
  });
  CHECK(bytes(with_origins) >= bytes(plain) + 1'000 * sizeof(rewriter::Origin));
  CHECK(bytes(with_names) >= bytes(plain) + 100 * 1'000);
  rewriter::VerdictTemplate shared;
  shared.rewritten = with_origins;
  CHECK(entry_bytes(shared) >= 1'000 * sizeof(rewriter::Origin));
}

TEST_CASE("refusals and errors are counted with their texts") {
  const CachedVerdict refusal = Refusal{Reason::clause, std::string(1'000, 'm'), std::string(500, 'h'), 1};
  CHECK(entry_bytes(refusal) >= 1'500);
  const CachedVerdict error = Error{ErrorKind::syntax, "42601", std::string(1'000, 'm')};
  CHECK(entry_bytes(error) >= 1'000);
}

TEST_CASE("threads may use it at once") {
  VerdictCache cache(256 * 1024);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&cache] {
      for (int i = 0; i < 3'000; ++i) {
        const std::string sql = std::to_string(i % 300);
        const auto found = cache.find({sql, "r", "", "d", 1});
        if (found == nullptr) cache.insert({sql, "r", "", "d", 1}, answer(sql));
        if (found != nullptr && sql_of(found) != sql) std::abort();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(cache.entry_count() <= 300);
  CHECK(cache.entry_count() > 0);
}

}  // namespace
}  // namespace pgveil::app
