#include "jobs/report/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json.hpp>

#include "common/json_object.hpp"
#include "common/text_table.hpp"
#include "jobs/input/mondrian.hpp"
#include "jobs/report/utility_report.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;

std::string job_number(double value) {
  return fmt::format("{}", value);  // the shortest text that reads back as the same job_number
}

std::string score_text(const engine::Score& score) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < score.size; ++i) parts.push_back(job_number(score.parts[i]));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string levels_by_name(const JobReport& report) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < report.levels.size(); ++i) {
    parts.push_back(
        fmt::format("{} {}/{}", report.quasi_identifiers[i], report.levels[i], report.heights[i]));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string search_lines(const JobReport& report) {
  const auto& search = *report.search;
  const auto& counts = search.counts;
  const auto all = search.transformations ? fmt::format(" of {}", *search.transformations) : std::string();
  return fmt::format(
      "  search           {}, {} checks{}, {} roll-ups, {} snapshot hits, {} snapshots, {} bytes, {}\n",
      engine::name(report.algorithm), counts.checks, all, counts.roll_ups, counts.snapshot_hits,
      counts.snapshots_stored, search.bytes,
      report.threads == 1 ? "1 thread" : fmt::format("{} threads", report.threads));
}

// What was published of the suppressed records.
std::string suppressed_words(const JobReport& report) {
  if (report.suppressed_rows == 0) return "";
  const auto kept = report.suppressed_rows - report.dropped_rows - report.hidden_rows;
  switch (report.suppressed_records) {
    case engine::SuppressedRecords::drop: return fmt::format("; {} were dropped", report.dropped_rows);
    case engine::SuppressedRecords::keep_or_drop:
      if (report.dropped_rows == 0) break;
      return fmt::format("; alone they break a model, so {} were dropped", report.dropped_rows);
    case engine::SuppressedRecords::keep_or_hide:
      if (report.hidden_rows == 0) break;
      return fmt::format("; alone they break a model, so {} were hidden", report.hidden_rows);
    case engine::SuppressedRecords::keep:
      if (report.suppressed_rows >= report.k) break;
      return fmt::format("; {} are shown as *, fewer than k", kept);
  }
  return fmt::format("; {} are shown as *", kept);
}

std::string suppressed_line(const JobReport& report) {
  auto line = fmt::format("  suppressed       {} of {} records, at most {}{}\n", report.suppressed_rows,
                          report.rows, report.suppression_limit, suppressed_words(report));
  if (report.gs < 0.5 && report.suppressed_rows > report.rows / 2)
    line += fmt::format(
        "  note             most records are suppressed, because gs = {} lets that cost little: raise gs, "
        "lower "
        "suppression, or add local_recoding: {{least: 1%}}\n",
        job_number(report.gs));
  return line;
}

std::string sampling_lines(const JobReport& report) {
  return fmt::format(
      "  private          {}\n  publish once     {}\n  keep             this report to yourself: it has "
      "exact numbers of records\n",
      sampling_words(report), kPublishOnce);
}

json::value sampling_json(const JobReport& report) {
  if (!report.differential_privacy) return nullptr;
  const auto& asked = *report.differential_privacy;
  return json::object{{"epsilon", asked.epsilon},
                      {"delta", asked.delta},
                      {"search_epsilon", asked.search_epsilon},
                      {"compared_privately", report.compared_privately},
                      {"beta", engine::sampling_rate(asked.sampling_epsilon())},
                      {"k", report.k},
                      {"read_rows", report.read_rows},
                      {"unknown_rows", report.unknown_rows}};
}

bool is_recoding_proven(const JobReport& report) {
  return report.is_recoding_end_proven &&
         std::ranges::all_of(report.recoding, &engine::RecodingStep::is_proven);
}

std::string recoding_lines(const JobReport& report) {
  std::string out;
  for (const auto& step : report.recoding) {
    out += fmt::format("  published at     {}: {} records in {} classes, {} left{}\n",
                       levels_text(step.levels), step.records, step.classes, step.suppressed,
                       step.is_proven ? "" : " (not proven to be the best)");
  }
  if (!report.is_recoding_end_proven)
    out += "  records left     it is not proven that showing more of them does not pay off\n";
  return out;
}

std::string aggregate_lines(const JobReport& report) {
  std::string out;
  for (const auto& it : report.aggregates)
    out += fmt::format("  aggregated       {}: {}, error {}\n", it.column, engine::name(it.how),
                       job_number(it.error));
  return out;
}

std::string formed_line(const JobReport& report) {
  const auto threads = report.threads == 1 ? "1 thread" : fmt::format("{} threads", report.threads);
  if (report.mondrian->cuts == engine::Cuts::drawn)
    return fmt::format(
        "  cut              at random, in {:.0f} ms, {}\n"
        "  publish once     another run draws other cuts, and two files tell more than one\n",
        report.groups.ms, threads);
  if (report.mondrian->rounds)
    return fmt::format("  formed           {}, {:.0f} ms, {}\n", rounds_words(report), report.groups.ms,
                       threads);
  return fmt::format("  cut              by {}, {}, in {:.0f} ms, {}\n", word_of(report.mondrian->cut_by),
                     word_of(report.mondrian->cuts), report.groups.ms, threads);
}

std::string groups_lines(const JobReport& report) {
  const auto& quality = shown_groups(report);
  const auto line = [](std::string_view what, double value) {
    return fmt::format("  {:<33}{}\n", what, job_number(value));
  };
  std::string out = fmt::format("  groups           {}, from {} to {} records\n", quality.groups,
                                quality.smallest, quality.largest) +
                    line("discernibility_penalty", quality.discernibility);
  for (const auto& ranges : measured_ranges(report))
    out += line(fmt::format("certainty_penalty, {}", ranges.text), ranges.certainty_penalty);
  if (report.groups.bound)
    out += fmt::format("  {:<33}{}{}\n", "no groups lose less than", job_number(report.groups.bound->least),
                       report.groups.bound->is_estimated ? " (from a sample, 99 % certain)" : "");
  if (report.mondrian->rounds && !report.groups.bound)
    out += fmt::format("  {:<33}{}\n", "no groups lose less than", "not known: stopped before it was found");
  return out + formed_line(report);
}

json::value groups_json(const JobReport& report) {
  if (!report.mondrian) return nullptr;
  const auto& quality = shown_groups(report);
  json::object made{{"algorithm", algorithm_of(*report.mondrian)},
                    {"cut_by", nullptr},
                    {"cuts", word_of(report.mondrian->cuts)},
                    {"ranges", word_of(report.mondrian->ranges)},
                    {"groups", quality.groups},
                    {"smallest", quality.smallest},
                    {"largest", quality.largest},
                    {"discernibility_penalty", quality.discernibility},
                    {"ncp", quality.certainty_penalty},
                    {"threads", report.threads},
                    {"ms", report.groups.ms}};
  if (report.mondrian->cuts != engine::Cuts::drawn) made["cut_by"] = word_of(report.mondrian->cut_by);
  for (const auto& ranges : measured_ranges(report)) made[ranges.key] = ranges.certainty_penalty;
  json::array resisted;
  for (const auto attack : report.mondrian->resist) resisted.emplace_back(word_of(attack));
  made["resist"] = std::move(resisted);
  if (report.mondrian->rounds) {
    made["rounds"] = report.groups.rounds;
    made["is_stopped"] = report.groups.is_stopped;
  }
  if (report.groups.bound) {
    made["gcp_bound"] = report.groups.bound->least;
    made["is_bound_estimated"] = report.groups.bound->is_estimated;
  }
  return made;
}

json::array levels_array(const std::vector<unsigned>& levels) {
  json::array made;
  for (const auto level : levels) made.push_back(level);
  return made;
}

json::array job_names_array(const std::vector<std::string>& names) {
  json::array made;
  for (const auto& it : names) made.push_back(json::string(it));
  return made;
}

json::array recoding_json(const JobReport& report) {
  json::array made;
  for (const auto& step : report.recoding) {
    made.push_back({{"levels", levels_array(step.levels)},
                    {"records", step.records},
                    {"suppressed_rows", step.suppressed},
                    {"classes", step.classes},
                    {"smallest_class", step.smallest_class},
                    {"checks", step.checks},
                    {"is_proven", step.is_proven}});
  }
  return made;
}

json::array aggregates_json(const JobReport& report) {
  json::array made;
  for (const auto& it : report.aggregates)
    made.push_back({{"column", it.column}, {"function", engine::name(it.how)}, {"error", it.error}});
  return made;
}

json::object search_json(const JobReport& report) {
  const auto& search = *report.search;
  json::object made{{"algorithm", engine::name(report.algorithm)},
                    {"is_proven", search.is_proven},
                    {"checks", search.counts.checks},
                    {"roll_ups", search.counts.roll_ups},
                    {"snapshot_hits", search.counts.snapshot_hits},
                    {"snapshots", search.counts.snapshots_stored},
                    {"bytes", search.bytes},
                    {"threads", report.threads}};
  if (search.lower_bound) made["lower_bound"] = *search.lower_bound;
  if (search.transformations) made["transformations"] = *search.transformations;
  if (search.checked.empty()) return made;
  json::array checked;
  for (const auto& it : search.checked) {
    json::object entry{{"levels", levels_array(it.levels)}, {"is_anonymous", it.is_anonymous}};
    if (it.score) entry["score"] = *it.score;
    checked.push_back(std::move(entry));
  }
  made["checked"] = std::move(checked);
  return made;
}

json::object scores_json(const JobReport& report) {
  json::object scores;
  for (const auto& [metric, score] : report.scores) {
    if (score.size == 1) {
      scores[engine::name(metric)] = number_or_null(score.value());
      continue;
    }
    json::array parts;
    for (std::size_t i = 0; i < score.size; ++i) parts.push_back(number_or_null(score.parts[i]));
    scores[engine::name(metric)] = std::move(parts);
  }
  return scores;
}

}  // namespace

bool is_unproven(const JobReport& report) {
  return report.groups.is_stopped || (report.search && !report.search->is_proven) ||
         !is_recoding_proven(report);
}

std::string sampling_words(const JobReport& report) {
  const auto& asked = *report.differential_privacy;
  auto words =
      fmt::format("(ε, δ) = ({}, {}): {} of {} records were sampled, each with probability {:.4f}",
                  job_number(asked.epsilon), job_number(asked.delta), report.rows,
                  report.read_rows - report.unknown_rows, engine::sampling_rate(asked.sampling_epsilon()));
  if (report.unknown_rows > 0)
    words += fmt::format("; {} more have a value that a hierarchy does not know", report.unknown_rows);
  if (asked.search_epsilon > 0)
    words += fmt::format("; the levels were chosen from {} transformations with {} of ε",
                         report.compared_privately, job_number(asked.search_epsilon));
  return words;
}

std::string score_text(const JobReport& report) {
  for (const auto& it : report.scores) {
    if (it.metric == report.metric) return score_text(it.score);
  }
  return "";
}

std::string levels_text(const std::vector<unsigned>& levels) {
  return fmt::format("{}", fmt::join(levels, ","));
}

std::string how_good(const JobReport& report) {
  const std::string recoding =
      is_recoding_proven(report) ? "" : "; local recoding is not proven to be the best";
  if (!report.search) return "transformation as chosen" + recoding;
  if (report.search->is_proven) return "optimum" + recoding;
  const auto& bound = report.search->lower_bound;
  return std::string(engine::is_heuristic(report.algorithm)
                         ? "a heuristic's best, not proven"
                         : "the best so far: stopped before it was proven") +
         (bound ? fmt::format("; nothing is below {}", job_number(*bound)) : "") + recoding;
}

std::string rounds_words(const JobReport& report) {
  return fmt::format(
      "in {} rounds{}", report.groups.rounds,
      report.groups.is_stopped ? " (stopped by limits.time or an interrupt, so more may lose less)" : "");
}

std::string transformation_lines(const JobReport& report) {
  return fmt::format("job {}: {} rows, k = {}, {} = {} ({})\n", report.job, report.rows, report.k,
                     engine::name(report.metric), score_text(report), how_good(report)) +
         fmt::format("  transformation   {}: {}\n", levels_text(report.levels), levels_by_name(report));
}

const engine::GroupQuality& shown_groups(const JobReport& report) {
  switch (report.mondrian->ranges) {
    case engine::Ranges::tight: return report.groups.tight;
    case engine::Ranges::region: return report.groups.region;
    case engine::Ranges::sets: return report.groups.sets;
    case engine::Ranges::region_sets: return report.groups.region_sets;
  }
  return report.groups.region;
}

std::vector<MeasuredRanges> measured_ranges(const JobReport& report) {
  const auto& groups = report.groups;
  using engine::Ranges;
  std::vector<std::pair<Ranges, MeasuredRanges>> all{
      {Ranges::tight, {"gcp_tight", "tight ranges", groups.tight.global_certainty_penalty}},
      {Ranges::sets, {"gcp_sets", "sets", groups.sets.global_certainty_penalty}}};
  if (!report.mondrian->rounds) {
    all.push_back({Ranges::region, {"gcp_region", "regions", groups.region.global_certainty_penalty}});
    all.push_back({Ranges::region_sets,
                   {"gcp_region_sets", "sets of regions", groups.region_sets.global_certainty_penalty}});
  }
  std::vector<MeasuredRanges> made;
  for (const auto& [ranges, measured] : all) {
    if (report.mondrian->resist.empty() || ranges == report.mondrian->ranges) made.push_back(measured);
  }
  return made;
}

std::string report_text(const JobReport& report) {
  std::string out =
      report.mondrian ? fmt::format("job {}: {} rows, k = {}, {} by {}\n", report.job, report.rows, report.k,
                                    report.mondrian->rounds ? "formed into groups" : "cut into groups",
                                    algorithm_of(*report.mondrian)) +
                            groups_lines(report)
                      : transformation_lines(report);
  out += fmt::format("  classes          {}, the smallest has {} records\n", report.classes,
                     report.smallest_class);
  if (report.differential_privacy) out += sampling_lines(report);
  if (report.fewest_units)
    out += fmt::format("  units            k counts {}: each class has {} or more\n", *report.unit,
                       *report.fewest_units);
  if (!report.models.empty()) out += fmt::format("  models           {}\n", fmt::join(report.models, ", "));
  if (!report.mondrian) out += suppressed_line(report);
  out += recoding_lines(report) + aggregate_lines(report);
  for (const auto& [metric, score] : report.scores)
    out += fmt::format("  {:<33}{}\n", engine::name(metric), score_text(score));
  if (!report.mondrian)
    out += fmt::format("  {:<33}{}\n", "certainty_penalty", job_number(report.certainty_penalty));
  if (report.search) out += search_lines(report);
  std::vector<std::string> times;
  for (const auto& phase : report.phases) times.push_back(fmt::format("{} {:.0f} ms", phase.name, phase.ms));
  out += fmt::format("  time             {}\n", fmt::join(times, ", "));
  if (!report.not_published.empty())
    out += fmt::format("  not published    {}\n", fmt::join(report.not_published, ", "));
  for (const auto& target : report.targets)
    out += fmt::format("  published        {} rows to {}\n", report.published_rows, target);
  out += fmt::format("  seed             {}\n", report.seed);
  if (report.utility) out += utility_text(*report.utility);
  return out;
}

std::string report_json(const JobReport& report) {
  json::object made{{"job", report.job},
                    {"rows", report.rows},
                    {"k", report.k},
                    {"models", job_names_array(report.models)},
                    {"suppression_limit", report.suppression_limit},
                    {"metric", engine::name(report.metric)},
                    {"quasi_identifiers", job_names_array(report.quasi_identifiers)},
                    {"columns", job_names_array(report.columns)},
                    {"not_published", job_names_array(report.not_published)},
                    {"levels", levels_array(report.levels)},
                    {"heights", levels_array(report.heights)},
                    {"scores", scores_json(report)},
                    {"suppressed_records", engine::name(report.suppressed_records)},
                    {"published_rows", report.published_rows},
                    {"classes", report.classes},
                    {"smallest_class", report.smallest_class},
                    {"suppressed_rows", report.suppressed_rows},
                    {"dropped_rows", report.dropped_rows},
                    {"hidden_rows", report.hidden_rows},
                    {"certainty_penalty", report.certainty_penalty},
                    {"seed", report.seed},
                    {"targets", job_names_array(report.targets)}};
  made["differential_privacy"] = sampling_json(report);
  made["unit"] = report.unit ? json::value(*report.unit) : json::value(nullptr);
  made["fewest_units"] = report.fewest_units ? json::value(*report.fewest_units) : json::value(nullptr);
  made["utility"] = report.utility ? json::value(utility_json(*report.utility)) : json::value(nullptr);
  made["recoding"] = recoding_json(report);
  made["is_recoding_proven"] = is_recoding_proven(report);
  made["aggregates"] = aggregates_json(report);
  made["mondrian"] = groups_json(report);
  made["search"] = report.search ? json::value(search_json(report)) : json::value(nullptr);
  json::object phases;
  for (const auto& phase : report.phases) phases[phase.name] = phase.ms;
  made["phases_ms"] = std::move(phases);
  return json::serialize(made) + "\n";
}

std::string checked_text(const JobReport& report) {
  TextTable table{{"levels", "anonymous", "score"}, {}};
  for (const auto& it : report.search->checked) {
    table.rows.push_back({levels_text(it.levels), it.is_anonymous ? "yes" : "no",
                          it.score ? std::optional(job_number(*it.score)) : std::nullopt});
  }
  return text_of(table);
}

}  // namespace pgveil::app
