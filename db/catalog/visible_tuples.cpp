#include "db/catalog/visible_tuples.hpp"

#include <fmt/format.h>

#include "common/sqlstate.hpp"
#include "policy/tree/released_together.hpp"

namespace pgveil::db {
namespace {

Error export_refused(std::string what) {
  return {ErrorKind::policy, std::string(sqlstate::kInsufficientPrivilege),
          fmt::format("export refused: {}", what), "nothing was written"};
}

}  // namespace

Tallies expected_tuples(const policy::DisclosureTree& tree, const policy::Counts& counts) {
  const auto node_counts = policy::recount_cohorts(tree, counts);
  Tallies tallies;
  policy::for_each_cohort(tree, [&](const policy::Cohort& cohort) {
    const auto& count = node_counts[cohort.leaf];
    if (count.rows == 0) return;
    Tally& tally = tallies[policy::shown_by(tree, cohort.path)];
    tally.rows += count.rows;
    tally.units += count.units;
  });
  return tallies;
}

Result<void> check_output(const Tallies& expected, const std::map<VisibleTuple, std::uint64_t>& written,
                          std::uint64_t k) {
  if (expected.size() != written.size()) {
    return export_refused(
        fmt::format("{} visible combinations where the tree has {}", written.size(), expected.size()));
  }
  for (const auto& [tuple, tally] : expected) {
    const auto found = written.find(tuple);
    if (found == written.end() || found->second != tally.rows) {
      return export_refused("the rows of a visible combination are not those of its cohort");
    }
    if (tally.units < k)
      return export_refused(fmt::format("a visible combination has fewer than k = {} units", k));
  }
  return {};
}

}  // namespace pgveil::db
