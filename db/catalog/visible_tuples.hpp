#pragma once
// Recounts an export's output: compares how often each visible combination of quasi-identifiers occurs with
// how often the tree says that it must occur. Pure.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "policy/counts/counts.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::db {

// Canonical texts per tree attribute; nullopt where hidden.
using VisibleTuple = std::vector<std::optional<std::string>>;

struct Tally {
  std::uint64_t rows = 0;
  std::uint64_t units = 0;
};
using Tallies = std::map<VisibleTuple, Tally>;

// The tuples that the tree makes from the counts: one per leaf (leaf and visible tuple correspond one to
// one).
[[nodiscard]] Tallies expected_tuples(const policy::DisclosureTree& tree, const policy::Counts& counts);

// `written`: rows per tuple of the output. Errors: ErrorKind::policy for a tuple with fewer than k units, and
// for a tuple or a number of rows that differs from the tree's. Never quotes a value.
[[nodiscard]] Result<void> check_output(const Tallies& expected,
                                        const std::map<VisibleTuple, std::uint64_t>& written,
                                        std::uint64_t k);

}  // namespace pgveil::db
