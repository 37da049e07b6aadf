#include "jobs/run/anonymize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <utility>

#include "common/sqlstate.hpp"
#include "common/workers.hpp"
#include "engine/publish/local_recoding.hpp"
#include "jobs/check/fingerprint.hpp"
#include "jobs/check/recount.hpp"
#include "jobs/input/aggregates.hpp"
#include "jobs/input/data.hpp"
#include "jobs/input/mondrian.hpp"
#include "jobs/input/search_demands.hpp"
#include "jobs/report/certificate.hpp"
#include "jobs/run/targets.hpp"

namespace pgveil::app {
namespace {

using Clock = std::chrono::steady_clock;

class Stopwatch {
 public:
  // All phases that have ended.
  const std::vector<JobPhase>& end_phase(std::string name) {
    const auto now = Clock::now();
    phases_.push_back({std::move(name), std::chrono::duration<double, std::milli>(now - began_).count()});
    began_ = now;
    return phases_;
  }

 private:
  std::vector<JobPhase> phases_;
  Clock::time_point began_ = Clock::now();
};

// The number of transformations, at most 2^63.
std::uint64_t transformations_in(const LevelRange& range) {
  std::uint64_t product = 1;
  for (std::size_t i = 0; i < range.low.size(); ++i) {
    const std::uint64_t levels = range.high[i] - range.low[i] + 1;
    if (product > (std::uint64_t{1} << 63) / levels) return std::uint64_t{1} << 63;
    product *= levels;
  }
  return product;
}

engine::SearchOptions search_options(const AnonymizeRequest& request, const JobReport& report,
                                     const LevelRange& range, const AnonymizeHooks& hooks,
                                     std::uint64_t& checks) {
  const auto& job = request.job;
  engine::SearchOptions options;
  options.algorithm = job.algorithm;
  options.anonymity = anonymity_of(job, report.suppression_limit);
  options.quality = quality_of(job);
  options.history.bytes = job.limits.bytes;
  options.min_levels = range.low;
  options.max_levels = range.high;
  options.record = request.lists_only || transformations_in(range) <= request.records_up_to
                       ? engine::Switch::on
                       : engine::Switch::off;
  const auto limit = std::chrono::milliseconds(job.limits.time_ms.value_or(0));
  options.stop = [&hooks, &checks, limits = job.limits, limit, began = Clock::now()] {
    return (hooks.wants_best_so_far && hooks.wants_best_so_far()) || is_aborted(hooks) ||
           (limits.checks && checks >= *limits.checks) || (limits.time_ms && Clock::now() - began >= limit);
  };
  options.progress = [&hooks, &checks](const engine::Progress& progress) {
    checks = progress.checks;
    if (hooks.search_progress) hooks.search_progress(progress);
  };
  return options;
}

// Calls work(options) while the threads of the search exist.
template <class Work>
auto with_options(const AnonymizeRequest& request, const LevelRange& range, const AnonymizeHooks& hooks,
                  JobReport& report, Work&& work) {
  std::uint64_t checks = 0;
  report.threads = request.job.limits.threads;
  Workers workers(report.threads);
  auto options = search_options(request, report, range, hooks, checks);
  options.parallel.threads = report.threads;
  options.parallel.run = [&workers](std::size_t parts, const auto& part) { workers.run(parts, part); };
  return work(options);
}

Result<void> search_optimum(const AnonymizeRequest& request, const JobData& data, const LevelRange& range,
                            const AnonymizeHooks& hooks, JobReport& report) {
  auto found = with_options(request, range, hooks, report, [&](const engine::SearchOptions& options) {
    return engine::search(data.prepared, options);
  });
  if (!found) return found.error();
  report.search = std::move(*found);
  if (report.search->optimum) report.levels = report.search->optimum->levels;
  return {};
}

Result<void> require_found(const JobReport& report, const AnonymizeHooks& hooks) {
  if (report.search->optimum) return {};
  if (report.search->is_stopped)
    return is_aborted(hooks) ? interrupted()
                             : error_of_kind(ErrorKind::policy, "stopped before anything anonymous was found",
                                             "nothing was published; give it more time");
  if (!report.search->is_proven)
    return error_of_kind(ErrorKind::policy,
                         fmt::format("{} found nothing anonymous", engine::name(report.algorithm)),
                         "nothing was published. It is a heuristic, so there may be something: choose "
                         "algorithm: flash. Or raise suppression or max_level, or weaken the models");
  return error_of_kind(ErrorKind::policy, "no transformation within the job's levels is anonymous",
                       "raise suppression or max_level, or weaken the models");
}

Result<void> search_and_find(const AnonymizeRequest& request, const JobData& data, const LevelRange& range,
                             const AnonymizeHooks& hooks, JobReport& report) {
  auto searched = search_optimum(request, data, range, hooks, report);
  return !searched || request.lists_only ? searched : require_found(report, hooks);
}

Result<void> take_chosen(const std::vector<unsigned>& levels, const LevelRange& range, JobReport& report) {
  if (levels.size() != range.low.size()) {
    return error_of_kind(ErrorKind::usage,
                         fmt::format("{} levels for {} quasi-identifiers", levels.size(), range.low.size()),
                         "give one for each, in the job's order");
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (levels[i] >= range.low[i] && levels[i] <= range.high[i]) continue;
    return error_of_kind(ErrorKind::usage,
                         fmt::format("level {} of {} is outside {} to {}", levels[i],
                                     report.quasi_identifiers[i], range.low[i], range.high[i]),
                         "choose one that the job allows");
  }
  report.levels = levels;
  return {};
}

// If a hierarchy has grown, levels of an earlier run have another meaning.
Result<void> check_heights(const AnonymizeRequest& request, const JobReport& report) {
  if (!request.heights) return {};
  if (request.heights->size() != report.heights.size()) {
    return error_of_kind(ErrorKind::usage,
                         fmt::format("{} heights of hierarchies for {} quasi-identifiers",
                                     request.heights->size(), report.heights.size()),
                         "give one for each, in the job's order");
  }
  for (std::size_t i = 0; i < report.heights.size(); ++i) {
    if ((*request.heights)[i] == report.heights[i]) continue;
    return error_of_kind(
        ErrorKind::policy,
        fmt::format("the hierarchy of {} has {} levels above its values, but in the scheme it had {}",
                    report.quasi_identifiers[i], report.heights[i], (*request.heights)[i]),
        "use the hierarchies that the job had, or search again");
  }
  return {};
}

// The table already shows the groups, so each value stays as it is.
Result<void> take_groups(const JobData& data, JobReport& report) {
  report.groups = *data.groups;
  report.levels.assign(report.quasi_identifiers.size(), 0);
  return {};
}

Result<void> check_groups(const AnonymizeRequest& request) {
  if (!request.job.mondrian || (!request.levels && !request.lists_only)) return {};
  return error_of_kind(
      ErrorKind::usage,
      fmt::format("{} has no transformations to list or to choose from", algorithm_of(*request.job.mondrian)),
      "leave --list and --transformation out, or name another algorithm");
}

// A table of a sample must not come with figures of the input, and nothing but its fixed levels may choose.
Result<void> check_sampling(const AnonymizeRequest& request) {
  if (!request.job.differential_privacy) return {};
  if (request.job.differential_privacy->search_epsilon > 0 && (request.levels || request.lists_only))
    return error_of_kind(
        ErrorKind::usage, "levels that are chosen privately cannot be listed or named",
        "leave --list and --transformation out, or fix all levels and remove search_epsilon");
  if (!request.certificate_key) return {};
  return error_of_kind(ErrorKind::usage, "a certificate of a job with differential_privacy",
                       "leave --certificate out: it tells how many records the input has, and in how small "
                       "classes");
}

JobReport begin_report(const Job& job, const JobData& data) {
  JobReport report;
  report.job = job.name;
  report.rows = data.prepared.rows;
  for (const auto& attribute : job.attributes) {
    for (const auto& model : attribute.models)
      report.models.push_back(fmt::format("{} {}", attribute.name, engine::describe(model)));
  }
  if (job.presence)
    report.models.push_back(fmt::format("presence {} to {}", job.presence->least, job.presence->most));
  if (job.k_map) report.models.push_back(fmt::format("k_map {}", *job.k_map));
  for (const auto& risk : job.risks) report.models.push_back(engine::describe(risk));
  report.k = job.k;
  report.unit = job.unit;
  report.differential_privacy = job.differential_privacy;
  report.read_rows = data.read_rows;
  report.unknown_rows = data.unknown_rows;
  if (data.chosen) report.compared_privately = data.chosen->transformations;
  report.suppression_limit = engine::suppression_limit(job.suppression, report.rows);
  report.metric = job.quality.metric;
  report.gs = job.quality.gs;
  report.algorithm = job.algorithm;
  report.mondrian = job.mondrian;
  report.threads = job.mondrian ? job.limits.threads : 1;
  report.suppressed_records = job.suppressed_records;
  report.not_published = data.not_published;
  report.columns = published_columns(job);
  for (const auto attribute : data.prepared.given_order) {
    report.quasi_identifiers.push_back(data.prepared.attributes[attribute].name);
    report.heights.push_back(data.prepared.attributes[attribute].height());
  }
  std::random_device random;
  report.seed = job.seed.value_or((std::uint64_t{random()} << 31 ^ random()) & INT64_MAX);
  return report;
}

Result<void> announce(const AnonymizeHooks& hooks, const JobReport& report) {
  return hooks.before_publication ? hooks.before_publication(report) : Result<void>();
}

// The GCP of each quasi-identifier.
std::vector<double> shown_penalties(const JobReport& report) {
  std::vector<double> penalties = shown_groups(report).certainty_penalties;
  for (double& penalty : penalties) penalty /= static_cast<double>(report.rows);
  return penalties;
}

Result<std::string> fingerprint_of_rows(db::PendingTable& table, const std::vector<std::string>& columns) {
  TableFingerprint print(columns, "");
  const auto read = table.read_back([&print](const db::RowCells& cells) { print.add(cells); });
  if (!read) return read.error();
  return std::move(print).finish();
}

Result<std::string> fingerprint_of_file(const OutputFile& file) {
  BytesFingerprint print;
  const auto read = file.read_back();
  std::string piece;
  while (true) {
    piece.clear();
    const auto more = read(piece);
    if (!more) return more.error();
    if (!*more) return std::move(print).finish();
    print.add(piece);
  }
}

Result<JobFingerprints> take_fingerprints(const AnonymizeRequest& request, const JobData& data,
                                          const std::vector<std::string>& columns, WrittenTargets& targets) {
  WrittenPrints prints;
  if (targets.file) {
    auto print = fingerprint_of_file(*targets.file);
    if (!print) return print.error();
    prints.file = std::move(*print);
  }
  if (targets.table) {
    auto print = fingerprint_of_rows(*targets.table, columns);
    if (!print) return print.error();
    prints.table = std::move(*print);
  }
  return fingerprints_of(request.job, data, std::move(prints), *request.certificate_key);
}

// Handles local_recoding of a job: records that its transformation suppresses get other transformations. The
// published table is then like one of groups: its quasi-identifiers have no level above their values.
struct RecodedData {
  engine::Recoding recoding;  // its table is in `shown`
  ShownTable shown;
};

// nullopt: the job does not want it, or nothing is suppressed.
Result<std::optional<RecodedData>> recode(const AnonymizeRequest& request, const JobData& data,
                                          const LevelRange& range, const AnonymizeHooks& hooks,
                                          JobReport& report) {
  if (request.job.local_recoding.parts == 0 || request.lists_only) return std::optional<RecodedData>();
  const auto& given = request.job.local_recoding;
  const engine::RecodingLimits limits{
      given.parts, static_cast<std::uint64_t>(std::ceil(given.least * static_cast<double>(report.rows)))};
  auto made = with_options(request, range, hooks, report, [&](const engine::SearchOptions& options) {
    return engine::recode_locally(data.table, data.prepared, data.quasi_identifiers, data.privacy,
                                  report.levels, options, limits);
  });
  if (!made) return made.error();
  // It was not anonymous in the first place; publish() reports that.
  if (made->steps.front().suppressed > report.suppression_limit) return std::optional<RecodedData>();
  auto shown = show_table(request.job, data, std::move(made->table), made->suppressed_rows);
  if (!shown) return shown.error();
  report.recoding = made->steps;
  report.is_recoding_end_proven = made->is_end_proven;
  return std::optional(RecodedData{std::move(*made), std::move(*shown)});
}

// From rows of the table that was shown to rows of the table before some were taken out of it.
void trace_back(const ShownTable& shown, engine::Publication& publication) {
  if (shown.kept.empty()) return;
  for (auto& row : publication.source_rows) row = static_cast<std::uint32_t>(shown.kept[row]);
}

// The values that classes show are already in the table. Its suppressed records are one class, which
// publish() treats like any other. publish() suppresses more only if the records that show nothing but `*`
// break a model together.
Result<engine::Publication> applied_aggregates(const Job& job, const JobData& data,
                                               const engine::PublicationOptions& options, JobReport& report) {
  const auto aggregated = aggregate_job(job, data, report.levels, options.anonymity);
  if (!aggregated) return aggregated.error();
  auto made = engine::publish(aggregated->shown.table, aggregated->shown.prepared,
                              std::vector<unsigned>(report.levels.size(), 0), options);
  if (!made) return made;
  made->certainty_penalty = aggregated->made.certainty_penalty;
  made->certainty_penalties = aggregated->made.certainty_penalties;
  made->dropped_rows += aggregated->shown.dropped;
  trace_back(aggregated->shown, *made);
  if (made->suppressed_rows <= aggregated->made.suppressed()) {
    made->suppressed_rows = aggregated->made.suppressed();
    made->classes = aggregated->made.classes;
    made->smallest_class = aggregated->made.smallest_class;
  }
  const auto columns = aggregated_columns(job);
  for (std::size_t i = 0; i < columns.size(); ++i)
    report.aggregates.push_back({columns[i].column, columns[i].how, aggregated->made.errors[i]});
  return made;
}

// What local recoding shows is already in the table, too.
Result<engine::Publication> applied(const AnonymizeRequest& request, const JobData& data,
                                    const std::optional<RecodedData>& recoded,
                                    const engine::Anonymity& anonymity, JobReport& report) {
  const auto& job = request.job;
  const engine::PublicationOptions options{
      report.columns, anonymity,   job.suppressed_records,
      job.null_text,  report.seed, job.unit || request.wants_utility || request.wants_statistics};
  if (!aggregated_columns(job).empty()) return applied_aggregates(job, data, options, report);
  if (!recoded) return engine::publish(data.table, data.prepared, report.levels, options);
  auto made = engine::publish(recoded->shown.table, recoded->shown.prepared,
                              std::vector<unsigned>(report.levels.size(), 0), options);
  if (!made) return made;
  made->certainty_penalty = recoded->recoding.certainty_penalty;
  made->certainty_penalties.clear();  // not known for the cells that recoding wrote
  made->dropped_rows += recoded->shown.dropped;
  trace_back(recoded->shown, *made);
  if (made->suppressed_rows <= recoded->recoding.suppressed()) {
    made->suppressed_rows = recoded->recoding.suppressed();
    made->classes = recoded->recoding.classes;
    made->smallest_class = recoded->recoding.smallest_class;
  }
  return made;
}

Result<void> tell_contingency(const AnonymizeRequest& request, const JobData& data,
                              const engine::Publication& publication, const AnonymizeHooks& hooks) {
  if (!request.contingency || !hooks.contingency) return {};
  const auto made =
      engine::measure_contingency(table_as_read(data), data.prepared.subset, request.job.null_text,
                                  publication, request.contingency->first, request.contingency->second);
  if (!made) return made.error();
  return hooks.contingency(*made);
}

// Checked before the search, so that nobody waits for it in vain.
Result<void> check_contingency(const AnonymizeRequest& request, const JobReport& report) {
  if (!request.contingency) return {};
  for (const auto& name : {request.contingency->first, request.contingency->second}) {
    if (std::ranges::find(report.columns, name) == report.columns.end())
      return error_of_kind(ErrorKind::usage, fmt::format("{} is not published", name),
                           "name two columns that are");
  }
  return {};
}

bool keeps_input(const AnonymizeRequest& request) {
  const bool has_key = request.certificate_key && !request.certificate_key->empty();
  return request.wants_utility || request.wants_statistics || request.contingency || has_key;
}

Result<void> measure_usefulness(const AnonymizeRequest& request, const JobData& data,
                                const engine::Publication& publication, const AnonymizeHooks& hooks,
                                JobReport& report) {
  if (!keeps_input(request)) return {};
  const auto& table = table_as_read(data);
  const auto& null_text = request.job.null_text;
  if (request.wants_utility)
    report.utility = engine::measure_utility(table, data.prepared.subset, null_text, publication);
  if (request.predicted) {
    auto made =
        engine::measure_prediction(table, data.prepared.subset, null_text, publication, *request.predicted);
    if (!made) return made.error();
    report.utility->prediction = std::move(*made);
  }
  if (!request.wants_statistics || !hooks.statistics) return {};
  return hooks.statistics(engine::summarize_columns(table, data.prepared.subset, null_text, publication));
}

// Checked before the search, as check_contingency is.
Result<void> check_predicted(const AnonymizeRequest& request, const JobReport& report) {
  if (!request.predicted) return {};
  const auto& name = *request.predicted;
  const auto is_in = [&name](const std::vector<std::string>& names) {
    return std::ranges::find(names, name) != names.end();
  };
  if (!is_in(report.columns))
    return error_of_kind(ErrorKind::usage, fmt::format("{} is not published", name), "name a column that is");
  if (!is_in(report.quasi_identifiers)) return {};
  return error_of_kind(ErrorKind::usage, fmt::format("{} is a quasi-identifier", name),
                       "name a column that is published as it is: the quasi-identifiers predict it");
}

Result<void> publish(const AnonymizeRequest& request, const JobData& data,
                     const std::optional<RecodedData>& recoded, const AnonymizeHooks& hooks, Stopwatch& watch,
                     JobReport& report) {
  const auto& job = request.job;
  const auto anonymity = anonymity_of(job, report.suppression_limit);
  const auto made = applied(request, data, recoded, anonymity, report);
  if (!made) return made.error();
  if (is_aborted(hooks)) return interrupted();
  if (made->suppressed_rows == report.rows && job.differential_privacy)
    return error_of_kind(ErrorKind::policy, "every record is suppressed, so nothing would be left to read",
                         "this run has spent its epsilon too; widen the levels, or wait for more records");
  if (made->suppressed_rows == report.rows)
    return error_of_kind(ErrorKind::policy, "every record is suppressed, so nothing would be left to read",
                         job.quality.gs < 0.5
                             ? "raise gs, because below 0.5 suppression costs little, or lower "
                               "suppression"
                             : "lower suppression, or choose another transformation");
  const auto counted = recount_models(job, data, *made, report.levels);
  if (!counted) return counted.error();
  report.fewest_units = counted->fewest_units;
  if (!job.mondrian)
    report.scores = engine::evaluate(data.prepared, report.levels, anonymity, quality_of(job)).scores;
  const bool is_in_memory = request.table != nullptr;
  auto targets =
      is_in_memory ? Result<WrittenTargets>(WrittenTargets()) : write_targets(request, data, *made, hooks);
  if (!targets) return targets.error();
  if (request.certificate_key) {
    auto prints = take_fingerprints(request, data, report.columns, *targets);
    if (!prints) return prints.error();
    report.fingerprints = std::move(*prints);
  }
  if (auto measured = measure_usefulness(request, data, *made, hooks, report); !measured) return measured;
  if (auto told = tell_contingency(request, data, *made, hooks); !told) return told;
  report.targets = targets->names;
  report.published_rows = made->rows;
  report.classes = made->classes;
  report.smallest_class = made->smallest_class;
  report.suppressed_rows = made->suppressed_rows;
  report.dropped_rows = made->dropped_rows;
  report.hidden_rows = made->hidden_rows;
  report.certainty_penalty =
      job.mondrian ? shown_groups(report).global_certainty_penalty : made->certainty_penalty;
  report.certainty_penalties = job.mondrian ? shown_penalties(report) : made->certainty_penalties;
  report.phases = watch.end_phase("publish");
  if (auto alone = check_policies_of_now(request); !alone) return alone;
  if (is_aborted(hooks)) return interrupted();
  if (auto ready = announce(hooks, report); !ready) return ready;
  if (is_in_memory && hooks.publication) hooks.publication(*made);
  return publish_targets(*targets);
}

}  // namespace

bool is_aborted(const AnonymizeHooks& hooks) {
  return hooks.is_aborted && hooks.is_aborted();
}

Error interrupted() {
  return {ErrorKind::usage, std::string(sqlstate::kQueryCanceled), "interrupted; nothing was published"};
}

Result<JobReport> anonymize(const AnonymizeRequest& request, const AnonymizeHooks& hooks) {
  if (auto possible = check_groups(request); !possible) return possible.error();
  if (auto possible = check_sampling(request); !possible) return possible.error();
  if (!request.lists_only && request.table == nullptr) {
    if (auto free = check_targets(request); !free) return free.error();
  }
  Stopwatch watch;
  const auto data =
      read_job_data(request.job, request.config, hooks.is_aborted, hooks.progress,
                    {request.table, keeps_input(request) ? InputOfGroups::is_kept : InputOfGroups::is_dropped,
                     hooks.input, hooks.wants_best_so_far, hooks.groups_began});
  if (!data) return data.error();
  if (is_aborted(hooks)) return interrupted();
  JobReport report = begin_report(request.job, *data);
  if (auto same = check_heights(request, report); !same) return same.error();
  if (auto published = check_contingency(request, report); !published) return published.error();
  if (auto published = check_predicted(request, report); !published) return published.error();
  const auto range = level_range(request.job, report.heights);
  if (!range) return range.error();
  report.phases = watch.end_phase("read");
  auto chosen = request.job.mondrian ? take_groups(*data, report)
                : request.levels     ? take_chosen(*request.levels, *range, report)
                : data->chosen       ? take_chosen(data->chosen->levels, *range, report)
                                     : search_and_find(request, *data, *range, hooks, report);
  if (!chosen) return chosen.error();
  report.phases = watch.end_phase("search");
  const auto recoded = recode(request, *data, *range, hooks, report);
  if (!recoded) return recoded.error();
  if (*recoded) report.phases = watch.end_phase("recode");
  if (hooks.search_ended) hooks.search_ended();
  if (!request.lists_only) {
    if (auto published = publish(request, *data, *recoded, hooks, watch, report); !published)
      return published.error();
  } else if (auto ready = announce(hooks, report); !ready) {
    return ready.error();
  }
  return report;
}

Result<std::vector<JobReport>> search_thresholds(const AnonymizeRequest& request, const AnonymizeHooks& hooks,
                                                 std::span<const std::uint64_t> thresholds) {
  if (request.job.mondrian) {
    return error_of_kind(ErrorKind::usage,
                         fmt::format("--frontier repeats a search, and {} does not search levels",
                                     algorithm_of(*request.job.mondrian)),
                         "name another algorithm");
  }
  if (request.job.differential_privacy)
    return error_of_kind(ErrorKind::usage, "--frontier and differential_privacy",
                         "compare jobs with different epsilon: k follows from it");
  const auto data = read_job_data(request.job, request.config, hooks.is_aborted, hooks.progress);
  if (!data) return data.error();
  if (is_aborted(hooks)) return interrupted();
  AnonymizeRequest repeated = request;
  std::vector<JobReport> reports;
  for (const auto k : thresholds) {
    repeated.job.k = k;
    JobReport report = begin_report(repeated.job, *data);
    const auto range = level_range(repeated.job, report.heights);
    if (!range) return range.error();
    if (k > report.rows) {
      report.search.emplace().is_proven = true;  // no class is so large
    } else if (auto searched = search_optimum(repeated, *data, *range, hooks, report); !searched) {
      return searched.error();
    }
    reports.push_back(std::move(report));
    if (hooks.wants_best_so_far && hooks.wants_best_so_far()) break;
  }
  return reports;
}

}  // namespace pgveil::app
