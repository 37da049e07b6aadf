#include "engine/publish/evaluation.hpp"

namespace pgveil::engine {

Evaluation evaluate(const PreparedTable& table, std::span<const unsigned> levels, const Anonymity& anonymity,
                    const QualityModel& model) {
  const auto transformation = table.from_given(levels);
  Evaluation made;
  for (std::size_t i = 0; i < kMetrics; ++i) {
    QualityModel other = model;
    other.metric = static_cast<Metric>(i);
    if (other.metric != model.metric) other.aggregate.reset();
    const Quality quality(table, other, anonymity.suppression_limit);
    Checker checker(table, {anonymity, quality.sums(), quality.entropy_start(), {}, {}});
    const auto summary = checker.check(transformation);
    if (i == 0) made.summary = summary;
    if (!summary.is_anonymous) break;
    made.scores.push_back({other.metric, quality.score_as_given(transformation, summary)});
  }
  return made;
}

}  // namespace pgveil::engine
