// The door to the solver: what it answers, what it shows as an example, and what it says at its limit.
#include <doctest/doctest.h>

#include "attack/exact.hpp"
#include "attack/findings.hpp"
#include "attack/solver.hpp"
#include "policy/tree/tree.hpp"
#include "rows.hpp"

namespace pgveil::attack::testing {
namespace {

constexpr std::uint32_t kPlenty = 1'000'000;

Sum only(Unknown unknown) {
  return {{{1, unknown}}, 0};
}

}  // namespace

TEST_CASE("the solver finds whole numbers, chooses among alternatives, and sees when there are none") {
  const auto solver = make_solver();
  if (!solver) return;  // a build without Z3
  const Sum x = only(solver->unknown(0, 10));
  const Sum y = only(solver->unknown(0, 10));
  solver->require({x + y - number(7)});             // x + y ≥ 7
  solver->require({number(7) - x - y});             // x + y ≤ 7
  solver->require({number(2) - x, x - number(6)});  // x ≤ 2 or x ≥ 6
  REQUIRE(solver->check({x - number(3)}, kPlenty) == Verdict::possible);
  CHECK(solver->example(x) >= 6);
  CHECK(solver->example(x + y) == 7);
  CHECK(solver->example(2 * x - number(1)) == 2 * solver->example(x) - 1);
  CHECK(solver->check({y - number(8)}, kPlenty) == Verdict::impossible);
  CHECK(solver->check({}, kPlenty) == Verdict::impossible);
  // A question leaves nothing behind.
  CHECK(solver->check({number(2) - x}, kPlenty) == Verdict::possible);
  CHECK(solver->example(x) <= 2);
  // 2·x = 2·y + 1 has no whole solution.
  solver->require({2 * x - 2 * y - number(1)});
  CHECK(solver->check({2 * y - 2 * x + number(1)}, kPlenty) == Verdict::impossible);
}

TEST_CASE("a question that takes more work than the limit has no answer, and the next one may have") {
  const auto solver = make_solver();
  if (!solver) return;
  // Eleven pigeons in ten holes: each in one, and no two together.
  constexpr std::size_t kHoles = 10;
  std::vector<std::vector<Sum>> in(kHoles + 1);
  for (auto& pigeon : in) {
    AnyOf somewhere;
    for (std::size_t hole = 0; hole < kHoles; ++hole) {
      pigeon.push_back(only(solver->unknown(0, 1)));
      somewhere.push_back(pigeon.back() - number(1));
    }
    solver->require(somewhere);
  }
  for (std::size_t hole = 0; hole < kHoles; ++hole) {
    for (std::size_t a = 0; a < in.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) solver->require({number(0) - in[a][hole], number(0) - in[b][hole]});
    }
  }
  CHECK(solver->check({number(0)}, 1'000) == Verdict::unknown);
  CHECK(solver->check({number(-1)}, kPlenty) == Verdict::impossible);
}

TEST_CASE("a tree that is too large for the solver keeps its bounds, and says so") {
  policy::testing::Table table{{"a", "b"}, false, {}};
  for (int i = 0; i < 200; ++i) {
    for (int copy = 0; copy < 2; ++copy) table.rows.push_back({{std::to_string(i % 50), std::to_string(i)}});
  }
  const policy::Growth growth;
  const auto counts = policy::testing::count(table);
  const auto tree = policy::build_tree(counts, 2, growth).value();
  const Knowledge known = knowledge_of(tree, counts, growth, Made::to_the_end);
  const Exact exact = settle(known, node_sizes(known));
  CHECK(exact.exactness == (make_solver() ? Exactness::too_large : Exactness::no_solver));
  CHECK(exact.certain.empty());
  CHECK(attack_tree(known, counts).exactness == exact.exactness);
}

}  // namespace pgveil::attack::testing
