#pragma once
// Groups cut on a Spark cluster, by pgveil-spark as a process of ours.
#include <functional>

#include "jobs/cluster/spark_order.hpp"
#include "jobs/language/groups.hpp"

namespace pgveil::app {

// Called on the thread that waits; all may be empty.
struct SparkHooks {
  std::function<bool()> is_aborted;
  std::function<void(const SparkProgress&)> progress;
  std::function<void(const SparkReport&)> report;  // once, before the groups are handed over
  // Why it failed, in the words of the cluster: for the job's author, since a task may have said anything.
  std::function<void(const std::string&)> words;
};

// Blocks until it has ended. The run's folder is gone then. Errors: those of Pseudonyms; pgveil-spark can't
// be started, says why it failed, or says what is not understood; it takes longer than it may;
// ErrorKind::usage when aborted.
[[nodiscard]] MakeGroups groups_on_spark(SparkOrder order, SparkHooks hooks);

}  // namespace pgveil::app
