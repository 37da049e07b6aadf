#pragma once
// What a run on a Spark cluster is asked for, and what it tells. Values.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/language/groups.hpp"

namespace pgveil::app {

// How the table is divided into the cluster's parts (docs/spark.md).
enum class PartitionBy { multidimensional, quantiles };
[[nodiscard]] std::string_view name(PartitionBy by);

struct SparkOrder {
  std::string command;  // pgveil-spark
  std::string submit;   // options of spark-submit; `{workers}` stands for their number
  std::string folder;   // for this run, which the workers see too; it is made, and its parent is private
  std::size_t workers = 1;
  double sample = 1;  // per cent, above 0, at most 100
  PartitionBy by = PartitionBy::multidimensional;
  std::chrono::milliseconds most{std::chrono::hours(1)};  // that it may take
};

enum class SparkPhase { start, ship, profile, sample, partition, anonymize, write, check };
// All of them, in their order.
inline constexpr std::array kSparkPhases{SparkPhase::start,  SparkPhase::ship,      SparkPhase::profile,
                                         SparkPhase::sample, SparkPhase::partition, SparkPhase::anonymize,
                                         SparkPhase::write,  SparkPhase::check};
static_assert(kSparkPhases.size() == static_cast<std::size_t>(SparkPhase::check) + 1);
[[nodiscard]] std::string_view name(SparkPhase phase);

struct SparkProgress {
  SparkPhase phase = SparkPhase::start;
  std::uint64_t tasks = 0, done = 0;  // of what runs at the moment
  std::uint64_t executors = 0;
  bool operator==(const SparkProgress&) const = default;
};

struct SparkReport {
  std::uint64_t records = 0, sampled = 0, parts = 0;
  std::vector<std::uint64_t> records_by_part;
  engine::GroupQuality tight, region;  // without the global penalty
  std::vector<std::string> notes;
  std::vector<std::pair<std::string, double>> phases_ms;
};

}  // namespace pgveil::app
