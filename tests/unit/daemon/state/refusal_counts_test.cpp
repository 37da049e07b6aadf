#include "daemon/state/refusal_counts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace pgveil::app {
namespace {

TEST_CASE("every reason has a row, and refusals are counted under theirs") {
  RefusalCounts counts;
  counts.add(Reason::clause, 0);
  counts.add(Reason::clause, 1'700'000'000);
  counts.add(Reason::unverified, 1'700'000'000);
  const auto table = counts.table();
  CHECK(table.columns == std::vector<std::string>{"reason", "total_count", "last_at"});
  REQUIRE(table.rows.size() == kReasonCount);
  for (const auto& row : table.rows) {
    const bool is_clause = row[0] == "clause";
    const bool is_there = is_clause || row[0] == "unverified";
    CHECK(row[1] == (is_clause ? "2" : is_there ? "1" : "0"));
    CHECK(row[2].has_value() == is_there);
    if (is_there) CHECK(row[2] == "2023-11-14T22:13:20Z");
  }
}

TEST_CASE("threads may count at once") {
  RefusalCounts counts;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&counts] {
      for (int i = 0; i < 10'000; ++i) counts.add(Reason::node_kind, i);
    });
  }
  for (auto& thread : threads) thread.join();
  const auto rows = counts.table().rows;
  const auto found = std::ranges::find_if(rows, [](const auto& row) { return row[0] == "node_kind"; });
  REQUIRE(found != rows.end());
  CHECK((*found)[1] == "40000");
}

}  // namespace
}  // namespace pgveil::app
