#include <doctest/doctest.h>
#include <pthread.h>

#include <string>

#include "fixture.hpp"
#include "rewriter/pipeline.hpp"

using namespace pgveil;
using namespace pgveil::rewriter;

namespace {

// rewrite() on a thread with the stack that the proxy's threads have.
Verdict rewrite_on_big_stack(const std::string& sql) {
  struct Job {
    const std::string& sql;
    Verdict verdict;
  } job{sql, Refusal{}};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kParserStackBytes);
  pthread_t thread{};
  const int started = pthread_create(
      &thread, &attributes,
      [](void* argument) -> void* {
        auto& running = *static_cast<Job*>(argument);
        running.verdict = rewrite(running.sql, {"analyst"}, *rewriter::test::demo_snapshot());
        return nullptr;
      },
      &job);
  REQUIRE(started == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return job.verdict;
}

std::string repeated(const std::string& part, std::size_t bytes) {
  std::string out;
  while (out.size() + part.size() <= bytes) out += part;
  return out;
}

}  // namespace

TEST_CASE("the deepest allowed statements are answered, deeper ones refused, none crashes") {
  const auto is_answered = [](const Verdict& verdict) { return std::holds_alternative<Rewritten>(verdict); };
  const auto is_too_complex = [](const Verdict& verdict) {
    return std::holds_alternative<Error>(verdict) && std::get<Error>(verdict).sqlstate == "54001";
  };
  constexpr std::size_t kLimit = 8'000;
  CHECK(is_answered(rewrite_on_big_stack("SELECT " + repeated("1+", 2 * kLimit - 100) + "1")));
  CHECK(is_answered(rewrite_on_big_stack("SELECT " + repeated("1,", 200'000) + "1")));
  static_cast<void>(rewrite_on_big_stack("SELECT " + repeated("- ", 2 * kLimit - 100) + "city FROM cities"));
  static_cast<void>(rewrite_on_big_stack("SELECT 1" + repeated("::int", 5 * kLimit / 2 - 100)));
  static_cast<void>(rewrite_on_big_stack(repeated("SELECT 1 UNION ALL ", 40'000) + "SELECT 1"));
  CHECK(is_too_complex(rewrite_on_big_stack("SELECT " + repeated("1+", 128 * 1024) + "1")));
  CHECK(is_too_complex(rewrite_on_big_stack("SELECT " + repeated("NOT ", 128 * 1024) + "true")));
  CHECK(is_too_complex(rewrite_on_big_stack("SELECT 1" + repeated("::int", 128 * 1024))));
  CHECK(is_too_complex(rewrite_on_big_stack(repeated("SELECT 1 UNION ALL ", 250'000) + "SELECT 1")));
  CHECK(is_too_complex(rewrite_on_big_stack("SELECT " + repeated("(", 600) + "1" + repeated(")", 600))));
}
