#include "jobs/check/forgone_choices.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "common/workers.hpp"
#include "engine/search/search.hpp"
#include "jobs/input/search_demands.hpp"

namespace pgveil::app {
namespace {

using Levels = std::vector<unsigned>;

// The algorithms add in different orders, so scores that differ by less may be equal.
constexpr double kRounding = 1e-9;

std::vector<unsigned> heights_of(const engine::PreparedTable& table) {
  std::vector<unsigned> made;
  for (const auto attribute : table.given_order) made.push_back(table.attributes[attribute].height());
  return made;
}

engine::SearchOptions options_of(const Job& job, const engine::PreparedTable& table, const LevelRange& range,
                                 engine::Parallel parallel) {
  engine::SearchOptions options;
  options.algorithm = job.algorithm;
  options.anonymity = anonymity_of(job, engine::suppression_limit(job.suppression, table.rows));
  options.quality = quality_of(job);
  options.history.bytes = job.limits.bytes;
  options.min_levels = range.low;
  options.max_levels = range.high;
  options.parallel = std::move(parallel);
  if (job.limits.time_ms) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(*job.limits.time_ms);
    options.stop = [end] { return std::chrono::steady_clock::now() >= end; };
  }
  return options;
}

// Scores transformations as the job does without the models of sensitive columns.
class ScoreBySize {
 public:
  ScoreBySize(const engine::PreparedTable& table, const engine::SearchOptions& options)
      : table_(table),
        quality_(table, options.quality, options.anonymity.suppression_limit),
        checker_(table, {options.anonymity, quality_.sums(), quality_.entropy_start(), {}, {}}) {}

  // The largest part of the score; nullopt: it is not anonymous.
  std::optional<double> operator()(const Levels& levels) {
    const auto transformation = table_.from_given(levels);
    const auto summary = checker_.check(transformation);
    if (!summary.is_anonymous) return std::nullopt;
    return quality_.score(transformation, summary).value();
  }

 private:
  const engine::PreparedTable& table_;
  engine::Quality quality_;
  engine::Checker checker_;
};

bool is_better(double score, double than) {
  return score < than - kRounding * std::max(1.0, std::abs(than));
}

// The raw codes of the quasi-identifiers, in the job's order.
std::vector<const engine::CodeColumn*> raw_codes(const JobData& data) {
  std::vector<const engine::CodeColumn*> made;
  for (const auto attribute : data.prepared.given_order)
    made.push_back(&data.table.find(data.prepared.attributes[attribute].name)->codes);
  return made;
}

ForgoneChoice classes_at(const JobData& data, const Levels& levels, std::uint64_t k) {
  const auto columns = raw_codes(data);
  std::map<std::vector<engine::Code>, std::size_t> known;
  std::vector<std::vector<std::uint32_t>> classes;
  std::vector<engine::Code> cells(columns.size());
  for (std::size_t row = 0; row < data.table.rows(); ++row) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto& attribute = data.prepared.attributes[data.prepared.given_order[i]];
      cells[i] = attribute.code_at[levels[i]][columns[i]->at(row)];
    }
    const auto [found, is_new] = known.emplace(cells, classes.size());
    if (is_new) classes.emplace_back();
    classes[found->second].push_back(static_cast<std::uint32_t>(row));
  }
  std::erase_if(classes, [k](const auto& rows) { return rows.size() < k; });
  return {std::move(classes)};
}

std::vector<Levels> better_than(const engine::Optimum& chosen, const engine::PreparedTable& table,
                                const engine::SearchOptions& by_size,
                                const std::vector<engine::CheckedTransformation>& checked) {
  std::vector<Levels> made;
  const auto most = std::clamp<std::size_t>(kMostForgoneRecords / table.rows, 32, kMostForgone);
  ScoreBySize score_of(table, by_size);
  for (std::size_t i = 0; i < chosen.levels.size(); ++i) {
    if (chosen.levels[i] == by_size.min_levels[i]) continue;
    auto below = chosen.levels;
    --below[i];
    const auto score = score_of(below);
    if (score && is_better(*score, chosen.score.value())) made.push_back(std::move(below));
  }
  for (const auto& it : checked) {
    if (made.size() >= most) break;
    if (!it.is_anonymous || !it.score || !is_better(*it.score, chosen.score.value())) continue;
    if (std::ranges::find(made, it.levels) == made.end()) made.push_back(it.levels);
  }
  return made;
}

}  // namespace

Result<std::optional<ChosenTransformation>> repeat_choice(const Job& job, const JobData& data) {
  // The number of checks after which the job stops is not known to be enough for a proof.
  const bool is_by_size = !job.subset && !job.presence && !job.k_map && !job.limits.checks &&
                          !engine::is_heuristic(job.algorithm);
  if (!is_by_size) return std::optional<ChosenTransformation>();
  const auto range = level_range(job, heights_of(data.prepared));
  if (!range) return range.error();
  Workers workers(job.limits.threads);
  engine::Parallel parallel;
  parallel.threads = job.limits.threads;
  parallel.run = [&workers](std::size_t parts, const auto& work) { workers.run(parts, work); };
  auto options = options_of(job, data.prepared, *range, parallel);
  const auto found = engine::search(data.prepared, options);
  if (!found) return found.error();
  if (!found->is_proven || !found->optimum) return std::optional<ChosenTransformation>();
  options.anonymity.sensitive.clear();
  options.record = engine::Switch::on;
  const auto by_size = engine::search(data.prepared, options);
  if (!by_size) return by_size.error();
  ChosenTransformation made{found->optimum->levels, {}};
  for (const auto& levels : better_than(*found->optimum, data.prepared, options, by_size->checked))
    made.forgone.push_back(classes_at(data, levels, job.k));
  return std::optional(std::move(made));
}

}  // namespace pgveil::app
