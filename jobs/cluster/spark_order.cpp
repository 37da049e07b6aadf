#include "jobs/cluster/spark_order.hpp"

namespace pgveil::app {

std::string_view name(PartitionBy by) {
  switch (by) {
    case PartitionBy::multidimensional: return "multidimensional";
    case PartitionBy::quantiles: return "quantiles";
  }
  return "";
}

std::string_view name(SparkPhase phase) {
  switch (phase) {
    case SparkPhase::start: return "start";
    case SparkPhase::ship: return "ship";
    case SparkPhase::profile: return "profile";
    case SparkPhase::sample: return "sample";
    case SparkPhase::partition: return "partition";
    case SparkPhase::anonymize: return "anonymize";
    case SparkPhase::write: return "write";
    case SparkPhase::check: return "check";
  }
  return "";
}

}  // namespace pgveil::app
