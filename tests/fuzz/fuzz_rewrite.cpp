// Any bytes as SQL: refused, or rewritten to what may be sent, in the same way by the template of its shape.
// "dpo> SELECT 1" asks as that role; without a role it is the one that reads through masks.
#include <pthread.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/unit/rewriter/fixture.hpp"
#include "tests/unit/rewriter/rewrite_invariants.hpp"
#include "tests/unit/rewriter/shape_invariants.hpp"

namespace {

struct Question {
  std::string role = "analyst";
  std::string sql;
};

void* ask(void* argument) {
  static const auto snapshot = pgveil::rewriter::test::demo_snapshot();
  const auto& question = *static_cast<const Question*>(argument);
  static const auto indexed = pgveil::rewriter::test::demo_snapshot_with_indexes();
  for (const auto& world : {snapshot, indexed}) {
    auto broken = pgveil::rewriter::test::broken_invariant(question.sql, question.role, *world);
    if (broken.empty()) broken = pgveil::rewriter::test::broken_shape(question.sql, question.role, *world);
    if (broken.empty()) continue;
    std::fprintf(stderr, "%s\n", broken.c_str());
    std::abort();
  }
  return nullptr;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Question question{.sql = {reinterpret_cast<const char*>(data), size}};
  for (const char* role : {"dpo", "nobody"}) {
    const std::string prefix = std::string(role) + "> ";
    if (!question.sql.starts_with(prefix)) continue;
    question = {.role = role, .sql = question.sql.substr(prefix.size())};
    break;
  }
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, std::size_t{256} << 20);
  pthread_t thread{};
  if (pthread_create(&thread, &attributes, ask, &question) != 0) std::abort();
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return 0;
}
