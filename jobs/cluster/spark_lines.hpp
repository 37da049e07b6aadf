#pragma once
// What pgveil-spark --json-lines prints, line by line. Pure.
#include <optional>
#include <string_view>
#include <variant>

#include "common/error.hpp"
#include "jobs/cluster/spark_order.hpp"

namespace pgveil::app {

struct SparkFailure {
  std::string what;  // one line, without control characters; quotes no value
};

using SparkLine = std::variant<SparkProgress, SparkReport, SparkFailure>;

inline constexpr std::size_t kMostSparkLineBytes = std::size_t{1} << 20;

// nullopt: it is none of ours (Java prints what it likes on the same output). Errors, kind protocol: it
// begins as one of ours does, and is not.
[[nodiscard]] Result<std::optional<SparkLine>> read_spark_line(std::string_view line);

}  // namespace pgveil::app
