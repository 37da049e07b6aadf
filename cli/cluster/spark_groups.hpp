#pragma once
// Groups cut on a Spark cluster, by pgveil-spark as a process of ours.
#include <functional>

#include "cli/cluster/spark_order.hpp"
#include "cli/jobs/groups.hpp"

namespace pgveil::cli {

struct SparkHooks {
  std::function<bool()> is_aborted;
  std::function<void(const SparkProgress&)> progress;
  std::function<void(const SparkReport&)> report;  // once, before the groups are handed over
};

// Blocks until it has ended. The run's folder is gone then. Errors: those of Pseudonyms; pgveil-spark can't be started, says why it failed, or
// says what is not understood; ErrorKind::usage when aborted.
[[nodiscard]] MakeGroups groups_on_spark(SparkOrder order, SparkHooks hooks);

}  // namespace pgveil::cli
