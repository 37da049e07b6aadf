#include "jobs/input/mondrian.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>
#include <variant>

#include "common/sqlstate.hpp"
#include "common/workers.hpp"
#include "jobs/input/random_secret.hpp"

namespace pgveil::app {
namespace {

using yaml::error_at;
using yaml::in_quotes;
using yaml::Value;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kMondrian = "mondrian";
constexpr std::string_view kLeastLoss = "least_loss";
constexpr std::string_view kResist = "resist";
constexpr std::int64_t kMostRounds = 10'000;

template <class Choice, std::size_t Count>
std::string_view word_in(const std::array<std::pair<std::string_view, Choice>, Count>& choices,
                         Choice choice) {
  for (const auto& [word, value] : choices) {
    if (value == choice) return word;
  }
  return {};
}

JobMondrian usual_least_loss() {
  JobMondrian usual;
  usual.ranges = engine::Ranges::sets;
  usual.rounds = engine::LeastLossOptions{}.rounds;
  return usual;
}

bool shows_sets(engine::Ranges ranges) {
  return ranges == engine::Ranges::sets || ranges == engine::Ranges::region_sets;
}

bool shows_regions(engine::Ranges ranges) {
  return ranges == engine::Ranges::region || ranges == engine::Ranges::region_sets;
}

Result<std::vector<ResistedAttack>> read_resist(const Value& value) {
  const auto items = value.as_sequence();
  if (!items) return items.error();
  if (items->empty())
    return error_at(value.position(), "resist names no attack",
                    "name downcoding, minimality or refinement, or remove it");
  std::vector<ResistedAttack> attacks;
  for (const auto& item : *items) {
    const auto attack = read_choice(item, kResistedAttacks);
    if (!attack) return attack.error();
    if (std::ranges::find(attacks, *attack) != attacks.end())
      return error_at(item.position(), fmt::format("{} is named twice", word_of(*attack)), "name it once");
    attacks.push_back(*attack);
  }
  return attacks;
}

// What nobody can foresee is drawn, and only regions are shown: both are what resists.
Result<void> make_resistant(const JobEntries& entries, const Value& resist, JobMondrian& made) {
  auto attacks = read_resist(resist);
  if (!attacks) return attacks.error();
  made.resist = std::move(*attacks);
  made.cuts = engine::Cuts::drawn;
  const auto* section = yaml::find(entries, kMondrian);
  const auto inside = section == nullptr ? JobEntries() : section->as_map().value();
  for (const std::string_view key : {"cut_by", "cuts"}) {
    if (const auto* given = yaml::find(inside, key))
      return error_at(given->position(), fmt::format("{} has no meaning with resist", key),
                      "remove it, because cuts are drawn at random then");
  }
  const auto* ranges = yaml::find(inside, "ranges");
  if (ranges == nullptr) made.ranges = engine::Ranges::region_sets;
  if (!shows_regions(made.ranges))
    return error_at(ranges->position(),
                    fmt::format("ranges: {} shows what resist hides", word_of(made.ranges)),
                    "write region_sets or region, because the values of a group tell who has them");
  return {};
}

Result<JobMondrian> read_mondrian(const Value& value) {
  const auto entries = read_job_section(value, kMondrian);
  if (!entries) return entries.error();
  FirstError errors;
  JobMondrian made;
  if (const auto* cut_by = yaml::find(*entries, "cut_by"))
    made.cut_by = errors.take(read_choice(*cut_by, kCutBy));
  if (const auto* cuts = yaml::find(*entries, "cuts")) made.cuts = errors.take(read_choice(*cuts, kCuts));
  if (const auto* ranges = yaml::find(*entries, "ranges"))
    made.ranges = errors.take(read_choice(*ranges, kRanges));
  if (errors.error()) return *errors.error();
  return made;
}

Result<JobMondrian> read_least_loss(const Value& value) {
  const auto entries = read_job_section(value, kLeastLoss);
  if (!entries) return entries.error();
  FirstError errors;
  JobMondrian made = usual_least_loss();
  if (const auto* ranges = yaml::find(*entries, "ranges")) {
    made.ranges = errors.take(read_choice(*ranges, kRanges));
    if (!errors.error() && shows_regions(made.ranges))
      return error_at(ranges->position(),
                      fmt::format("{} has no meaning with algorithm: least_loss", word_of(made.ranges)),
                      "write sets or tight, because these groups are no regions");
  }
  if (const auto* rounds = yaml::find(*entries, "rounds"))
    made.rounds = static_cast<std::size_t>(errors.take(rounds->as_integer(0, kMostRounds)));
  if (errors.error()) return *errors.error();
  return made;
}

std::optional<std::string> requested_algorithm(const JobEntries& entries) {
  const auto* algorithm = yaml::find(entries, "algorithm");
  if (algorithm == nullptr) return std::nullopt;
  const auto name = algorithm->as_string();
  return name ? std::optional(*name) : std::nullopt;
}

// A section of an algorithm that the job does not ask for.
Result<void> check_sections(const JobEntries& entries) {
  const auto requested = requested_algorithm(entries);
  for (const std::string_view name : {kMondrian, kLeastLoss}) {
    const auto* section = yaml::find(entries, name);
    if (section != nullptr && requested != name)
      return error_at(section->position(), fmt::format("{} without its algorithm", name),
                      fmt::format("write algorithm: {}", name));
  }
  return {};
}

// Refuses keys that only a search over transformations can use.
Result<void> check_keys(const JobEntries& entries, std::string_view algorithm) {
  constexpr std::array<std::string_view, 11> kOfLattices{"suppression",   "suppressed_records",
                                                         "outliers",      "metric",
                                                         "aggregate",     "gs",
                                                         "presence",      "subset",
                                                         "k_map",         "risk",
                                                         "local_recoding"};
  for (const auto& entry : entries) {
    if (std::ranges::find(kOfLattices, entry.key) == kOfLattices.end()) continue;
    return error_at(
        entry.key_position, fmt::format("{} has no meaning with algorithm: {}", entry.key, algorithm),
        "remove it, because this algorithm makes groups and neither suppresses nor searches levels");
  }
  const auto* limits = yaml::find(entries, "limits");
  if (limits == nullptr) return {};
  const auto inside = limits->as_map();
  if (!inside) return inside.error();
  for (const auto& entry : *inside) {
    const bool has_rounds = algorithm == kLeastLoss;
    if (entry.key == "threads" || (has_rounds && entry.key == "time")) continue;
    return error_at(entry.key_position,
                    fmt::format("{} has no meaning with algorithm: {}", entry.key, algorithm),
                    has_rounds ? "remove it. threads and time are the limits that apply"
                               : "remove it. threads is the only limit that applies");
  }
  return {};
}

Result<void> check_attributes(const Value& attributes, const Job& job, std::string_view algorithm) {
  for (const auto& attribute : job.attributes) {
    const auto refused = [&](std::string_view what, std::string_view fix) {
      return error_at(attributes.position(),
                      fmt::format("{}: {} no meaning with algorithm: {}", attribute.name, what, algorithm),
                      fix);
    };
    if (attribute.aggregate)
      return refused("aggregate has", "remove it, because groups show their own ranges");
    if (attribute.min_level || attribute.max_level || attribute.weight != 1 || attribute.is_continuous)
      return refused("levels, weights and continuous have", "remove them");
    const auto breaks_by_merging = [](const engine::ValueModel& it) {
      return std::holds_alternative<engine::DeltaDisclosure>(it);
    };
    if (std::ranges::any_of(attribute.models, breaks_by_merging))
      return error_at(attributes.position(),
                      fmt::format("{}: algorithm: {} can't keep delta_disclosure", attribute.name, algorithm),
                      "remove it, or search with flash. Two groups that show the same values are one class, "
                      "which can break this model though both groups keep it");
  }
  return {};
}

Error too_many_for_sets(const engine::Column& column) {
  return error_of_kind(ErrorKind::configuration,
                       fmt::format("{} has {} values, and sets are shown of at most {}", column.name,
                                   column.values.size(), engine::kMostOfSet),
                       "give the attribute a hierarchy, or write numeric: true if its values are numbers");
}

// A value that a reader of the published table could take for a set.
Error looks_like_a_set(const engine::Column& column, const std::string& value) {
  auto error = error_of_kind(ErrorKind::configuration,
                             fmt::format("a value of {} begins with {{, as a set does", column.name),
                             "write ranges: tight and give the attribute a hierarchy, or change the values");
  error.private_detail = value;
  return error;
}

Result<engine::Dimension> dimension_of(const JobAttribute& attribute, const engine::Column& column,
                                       const Job& job, const HierarchyOf& hierarchy_of) {
  const auto null_text = job.null_text ? std::optional<std::string_view>(*job.null_text) : std::nullopt;
  if (attribute.is_numeric) return engine::numeric_dimension(column, null_text);
  if (shows_sets(job.mondrian->ranges)) {
    const auto similar =
        std::ranges::find_if(column.values, [](const std::string& value) { return value.starts_with('{'); });
    if (similar != column.values.end()) return looks_like_a_set(column, *similar);
  }
  if (!has_hierarchy(attribute)) {
    if (column.values.size() > engine::kMostOfSet) return too_many_for_sets(column);
    auto values = identity_hierarchy(column);
    std::ranges::sort(values.rows);
    return engine::categorical_dimension(column, values, null_text);
  }
  const auto hierarchy = hierarchy_of(attribute);
  if (!hierarchy) return hierarchy.error();
  return engine::categorical_dimension(column, *hierarchy, null_text);
}

struct Columns {
  std::vector<engine::Dimension> dimensions;
  std::vector<const engine::CodeColumn*> quasi_identifiers, sensitive;
  std::vector<engine::SensitiveModel> models;
  std::vector<engine::SensitiveValues> values;  // of the sensitive columns
};

Result<Columns> columns_of(const Job& job, const engine::Table& table, const HierarchyOf& hierarchy_of) {
  Columns out;
  for (const auto& attribute : job.attributes) {
    if (attribute.attribute_class == AttributeClass::identifier) continue;
    const engine::Column& column = *table.find(attribute.name);
    if (attribute.attribute_class == AttributeClass::quasi_identifier) {
      auto dimension = dimension_of(attribute, column, job, hierarchy_of);
      if (!dimension) return dimension.error();
      out.dimensions.push_back(std::move(*dimension));
      out.quasi_identifiers.push_back(&column.codes);
    }
    if (attribute.models.empty()) continue;
    for (const auto& model : attribute.models) out.models.push_back({out.sensitive.size(), model});
    engine::SensitiveColumn given{attribute.name, attribute.order, std::nullopt, job.null_text};
    if (has_hierarchy(attribute)) {
      auto hierarchy = hierarchy_of(attribute);
      if (!hierarchy) return hierarchy.error();
      given.hierarchy = std::move(*hierarchy);
    }
    auto values = engine::make_sensitive_values(column, given, {});
    if (!values) return values.error();
    out.values.push_back(std::move(*values));
    out.sensitive.push_back(&column.codes);
  }
  if (job.unit) {
    out.models.push_back({out.sensitive.size(), units_of_class(job)});
    out.sensitive.push_back(&table.find(*job.unit)->codes);
    out.values.emplace_back();  // distinct values are not compared with the table
  }
  return out;
}

Result<engine::Groups> cut(const Job& job, const Columns& columns, const engine::Parallel& parallel,
                           const GroupsHooks& hooks) {
  engine::MondrianOptions options;
  options.k = job.k;
  options.models = columns.models;
  options.values = columns.values;
  options.cut_by = job.mondrian->cut_by;
  options.cuts = job.mondrian->cuts;
  if (options.cuts == engine::Cuts::drawn) options.secret = random_secret();
  options.parallel = parallel;
  options.is_aborted = hooks.is_aborted;
  if (hooks.progress)
    options.progress = [&](std::uint64_t records) { hooks.progress("cutting into groups", records); };
  return engine::mondrian(columns.dimensions, columns.quasi_identifiers, columns.sensitive, options);
}

// begin: when the limit of time began to count.
Result<engine::Groups> lose_least(const Job& job, const Columns& columns, const engine::Parallel& parallel,
                                  const GroupsHooks& hooks, Clock::time_point begin,
                                  JobGroupsReport& report) {
  engine::LeastLossOptions options;
  options.k = job.k;
  options.models = columns.models;
  options.values = columns.values;
  options.ranges = job.mondrian->ranges;
  options.rounds = *job.mondrian->rounds;
  options.parallel = parallel;
  options.is_aborted = hooks.is_aborted;
  const auto is_aborted = [&hooks] { return hooks.is_aborted && hooks.is_aborted(); };
  const auto aborted = [] {
    return Error{ErrorKind::usage, std::string(sqlstate::kQueryCanceled), "aborted", "nothing was published"};
  };
  // What came before the groups is not wanted either, and once they began an interrupt asks for the best.
  if (is_aborted()) return aborted();
  const auto limit = std::chrono::milliseconds(job.limits.time_ms.value_or(0));
  if (job.limits.time_ms || hooks.wants_best_so_far) {
    options.is_stopped = [&hooks, is_limited = job.limits.time_ms.has_value(), end = begin + limit] {
      return (hooks.wants_best_so_far && hooks.wants_best_so_far()) || (is_limited && Clock::now() >= end);
    };
  }
  if (hooks.began) hooks.began();
  if (hooks.progress) {
    options.progress = [&](std::size_t round) { hooks.progress("improving groups, round", round); };
    hooks.progress("improving groups, round", 0);
  }
  auto made = engine::lose_least(columns.dimensions, columns.quasi_identifiers, columns.sensitive, options);
  if (!made) return made.error();
  report.rounds = made->rounds;
  report.is_stopped = made->is_stopped;
  if (hooks.progress) hooks.progress("bounding the loss", 0);
  const auto bound = engine::loss_bound(
      columns.dimensions, columns.quasi_identifiers, made->groups, job.k, options.ranges, parallel,
      [&] { return is_aborted() || (options.is_stopped && options.is_stopped()); });
  if (is_aborted()) return aborted();
  if (!bound.is_stopped) report.bound = bound;
  return std::move(made->groups);
}

}  // namespace

bool asks_for_groups(const JobEntries& entries) {
  const auto algorithm = requested_algorithm(entries);
  return algorithm == kMondrian || algorithm == kLeastLoss;
}

bool asks_for_sets(const JobEntries& entries) {
  if (!asks_for_groups(entries)) return false;
  const bool is_least_loss = requested_algorithm(entries) == kLeastLoss;
  const bool is_usual = is_least_loss || yaml::find(entries, kResist) != nullptr;
  const auto* section = yaml::find(entries, is_least_loss ? kLeastLoss : kMondrian);
  if (section == nullptr) return is_usual;
  const auto inside = section->as_map();
  if (!inside) return is_usual;
  const auto* ranges = yaml::find(*inside, "ranges");
  if (ranges == nullptr) return is_usual;
  const auto word = ranges->as_string();
  return word && (*word == word_of(engine::Ranges::sets) || *word == word_of(engine::Ranges::region_sets));
}

std::string_view algorithm_of(const JobMondrian& groups) {
  return groups.rounds ? kLeastLoss : kMondrian;
}

Result<void> read_groups(const JobEntries& entries, const Value& attributes, Job& job) {
  if (auto checked = check_sections(entries); !checked) return checked;
  const auto* resist = yaml::find(entries, kResist);
  if (resist != nullptr && requested_algorithm(entries) != kMondrian)
    return error_at(
        resist->position(), "resist needs algorithm: mondrian",
        "write algorithm: mondrian, whose cuts can be drawn at random. The other algorithms choose "
        "what loses least, and this choice tells something of the records");
  if (!asks_for_groups(entries)) {
    const auto numeric = std::ranges::find(job.attributes, true, &JobAttribute::is_numeric);
    if (numeric == job.attributes.end()) return {};
    return error_at(attributes.position(),
                    fmt::format("{} is numeric, which only mondrian and least_loss can use", numeric->name),
                    "give it a hierarchy, for example intervals");
  }
  const auto algorithm = *requested_algorithm(entries);
  if (auto checked = check_keys(entries, algorithm); !checked) return checked;
  if (auto checked = check_attributes(attributes, job, algorithm); !checked) return checked;
  const bool is_least_loss = algorithm == kLeastLoss;
  job.mondrian = is_least_loss ? usual_least_loss() : JobMondrian{};
  if (const auto* section = yaml::find(entries, algorithm)) {
    auto read = is_least_loss ? read_least_loss(*section) : read_mondrian(*section);
    if (!read) return read.error();
    job.mondrian = *read;
  }
  return resist == nullptr ? Result<void>() : make_resistant(entries, *resist, *job.mondrian);
}

Result<JobGroups> make_groups(const Job& job, engine::Table table, const HierarchyOf& hierarchy_of,
                              const GroupsHooks& hooks) {
  const auto begin = Clock::now();
  const auto columns = columns_of(job, table, hierarchy_of);
  if (!columns) return columns.error();
  Workers workers(job.limits.threads);
  engine::Parallel parallel;
  parallel.threads = job.limits.threads;
  parallel.run = [&workers](std::size_t parts, const auto& work) { workers.run(parts, work); };
  JobGroups out;
  const auto groups = job.mondrian->rounds ? lose_least(job, *columns, parallel, hooks, begin, out.report)
                                           : cut(job, *columns, parallel, hooks);
  if (!groups) return groups.error();
  const auto quality = [&](engine::Ranges ranges) {
    return engine::quality_of(*groups, columns->dimensions, columns->quasi_identifiers, ranges);
  };
  out.report.tight = quality(engine::Ranges::tight);
  out.report.region = quality(engine::Ranges::region);
  out.report.sets = quality(engine::Ranges::sets);
  out.report.region_sets = quality(engine::Ranges::region_sets);
  std::vector<engine::Column> shown;
  for (std::size_t d = 0; d < columns->dimensions.size(); ++d)
    shown.push_back(engine::generalized(*groups, columns->dimensions, columns->quasi_identifiers, d,
                                        job.mondrian->ranges));
  for (auto& column : shown)
    *std::ranges::find(table.columns, column.name, &engine::Column::name) = std::move(column);
  out.table = std::move(table);
  out.report.ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  return out;
}

std::string_view word_of(engine::CutBy cut_by) {
  return word_in(kCutBy, cut_by);
}
std::string_view word_of(engine::Cuts cuts) {
  return cuts == engine::Cuts::drawn ? "drawn" : word_in(kCuts, cuts);
}
std::string_view word_of(ResistedAttack attack) {
  return word_in(kResistedAttacks, attack);
}
std::string_view word_of(engine::Ranges ranges) {
  return word_in(kRanges, ranges);
}

engine::Hierarchy identity_hierarchy(const engine::Column& column) {
  engine::Hierarchy hierarchy;
  for (const auto& value : column.values) hierarchy.rows.push_back({value});
  return hierarchy;
}

}  // namespace pgveil::app
