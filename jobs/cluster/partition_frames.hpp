#pragma once
// What a worker of a cluster receives for one partition of a table, and what it answers, in frames
// (docs/spark.md). Columns are dictionaries and codes.
#include <cstddef>
#include <vector>

#include "common/error.hpp"
#include "engine/data/code_column.hpp"
#include "engine/mondrian/generalized.hpp"
#include "engine/mondrian/mondrian.hpp"
#include "jobs/cluster/frames.hpp"
#include "jobs/cluster/sensitive_frames.hpp"

namespace pgveil::app {

inline constexpr std::size_t kMostColumns = 1000;

struct PartitionRequest {
  engine::MondrianOptions options;
  engine::Ranges ranges = engine::Ranges::tight;
  std::vector<engine::Dimension> dimensions;
  std::vector<engine::Column> quasi_identifiers;  // one for each dimension
  std::vector<engine::Column> sensitive;
  // The sensitive columns of the whole table, of which this is a partition. options.values refers to them, so
  // a request may be moved but not copied.
  std::vector<engine::SensitiveValues> values;
};

// Errors: ErrorKind::protocol for bytes that are no request; those of numeric_dimension and
// categorical_dimension.
[[nodiscard]] Result<PartitionRequest> read_partition_request(const ReadBytes& read);

[[nodiscard]] Result<void> write_partition_answer(const PartitionRequest& request,
                                                  const engine::Groups& groups, const WriteBytes& write);

}  // namespace pgveil::app
