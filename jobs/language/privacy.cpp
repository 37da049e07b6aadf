#include "jobs/language/privacy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/search/private_choice.hpp"

namespace pgveil::app {
namespace {

using engine::Distance;
using engine::Likeness;
using yaml::error_at;
using yaml::in_quotes;
using yaml::Value;

constexpr double kMostL = 1e9;  // larger is probably a mistake
constexpr std::int64_t kMostWholeL = 1'000'000'000;

constexpr std::array<std::pair<std::string_view, Distance>, 3> kDistances{
    {{"equal", Distance::equal}, {"ordered", Distance::ordered}, {"hierarchical", Distance::hierarchical}}};
constexpr std::array<std::pair<std::string_view, Likeness>, 2> kLikenesses{
    {{"basic", Likeness::basic}, {"enhanced", Likeness::enhanced}}};
constexpr std::array<std::pair<std::string_view, engine::SortedBy>, 2> kOrders{
    {{"text", engine::SortedBy::text}, {"number", engine::SortedBy::number}}};

// above 0
Result<double> read_positive(const Value& value) {
  auto number = read_decimal(value, 0, HUGE_VAL);
  if (!number || (*number > 0 && std::isfinite(*number))) return number;
  return error_at(value.position(), "0 is out of range", "write a number above 0");
}

Result<engine::ValueModel> read_recursive(const Value& value) {
  const auto entries = read_job_section(value, "recursive");
  if (!entries) return entries.error();
  const auto* c = yaml::find(*entries, "c");
  const auto* l = yaml::find(*entries, "l");
  if (c == nullptr || l == nullptr)
    return error_at(value.position(), "recursive needs c and l", "write {c: 4, l: 3}");
  pgveil::FirstError errors;
  const engine::RecursiveDiversity made{
      errors.take(read_positive(*c)), static_cast<std::uint64_t>(errors.take(l->as_integer(1, kMostWholeL)))};
  if (errors.error()) return *errors.error();
  return engine::ValueModel(made);
}

Result<void> read_l_diversity(const Value& value, std::vector<engine::ValueModel>& models) {
  const auto entries = read_job_section(value, "l_diversity");
  if (!entries) return entries.error();
  pgveil::FirstError errors;
  if (const auto* l = yaml::find(*entries, "distinct"))
    models.emplace_back(engine::DistinctDiversity{errors.take(read_decimal(*l, 1, kMostL))});
  if (const auto* l = yaml::find(*entries, "entropy"))
    models.emplace_back(engine::EntropyDiversity{errors.take(read_decimal(*l, 1, kMostL))});
  if (const auto* recursive = yaml::find(*entries, "recursive"))
    models.push_back(errors.take(read_recursive(*recursive)));
  if (errors.error()) return *errors.error();
  if (!entries->empty()) return {};
  return error_at(value.position(), "l_diversity without a model",
                  "write {distinct: 3}, {entropy: 3} or {recursive: {c: 4, l: 3}}");
}

Result<engine::ValueModel> read_t_closeness(const Value& value) {
  const auto entries = read_job_section(value, "t_closeness");
  if (!entries) return entries.error();
  const auto* t = yaml::find(*entries, "t");
  const auto* distance = yaml::find(*entries, "distance");
  if (t == nullptr) return error_at(value.position(), "t_closeness without \"t\"", "write {t: 0.2}");
  pgveil::FirstError errors;
  engine::TCloseness made{errors.take(read_decimal(*t, 0, 1)), Distance::equal};
  if (distance != nullptr) made.distance = errors.take(read_choice(*distance, kDistances));
  if (errors.error()) return *errors.error();
  return engine::ValueModel(made);
}

Result<engine::ValueModel> read_beta_likeness(const Value& value) {
  const auto entries = read_job_section(value, "beta_likeness");
  if (!entries) return entries.error();
  const auto* beta = yaml::find(*entries, "beta");
  const auto* kind = yaml::find(*entries, "kind");
  if (beta == nullptr) return error_at(value.position(), "beta_likeness without \"beta\"", "write {beta: 1}");
  pgveil::FirstError errors;
  engine::BetaLikeness made{errors.take(read_positive(*beta)), Likeness::enhanced};
  if (kind != nullptr) made.likeness = errors.take(read_choice(*kind, kLikenesses));
  if (errors.error()) return *errors.error();
  return engine::ValueModel(made);
}

Result<engine::ValueOrder> read_value_order(const Value& value) {
  if (const auto listed = value.as_strings(); listed && !listed->empty()) return engine::ValueOrder(*listed);
  const auto rule = read_choice(value, kOrders);
  if (!rule) return rule.error();
  return engine::ValueOrder(*rule);
}

bool has_distance(const JobAttribute& attribute, Distance distance) {
  return std::ranges::any_of(attribute.models, [distance](const engine::ValueModel& model) {
    const auto* closeness = std::get_if<engine::TCloseness>(&model);
    return closeness != nullptr && closeness->distance == distance;
  });
}

bool has_diversity(const JobAttribute& attribute) {
  return std::ranges::any_of(attribute.models, [](const engine::ValueModel& model) {
    return std::holds_alternative<engine::DistinctDiversity>(model) ||
           std::holds_alternative<engine::EntropyDiversity>(model) ||
           std::holds_alternative<engine::RecursiveDiversity>(model);
  });
}

// Checks that what a distance needs is there, and nothing else. Beside l-diversity, `order: number` says that
// the values are numbers, and other values are refused.
Result<void> check_needs(const JobEntries& entries, const JobAttribute& attribute) {
  const auto check = [&](std::string_view key, Distance distance, std::string_view fix) -> Result<void> {
    const auto* given = yaml::find(entries, key);
    const bool is_needed = has_distance(attribute, distance);
    if (is_needed == (given != nullptr)) return {};
    const bool says_number =
        key == "order" && attribute.order == engine::ValueOrder(engine::SortedBy::number);
    if (says_number && has_diversity(attribute)) return {};
    if (given != nullptr) {
      return error_at(given->position(), fmt::format("{} has no effect, because no distance uses it", key),
                      "remove it, or set the distance of t_closeness");
    }
    const auto* closeness = yaml::find(entries, "t_closeness");
    return error_at(closeness->position(), fmt::format("this distance needs {}", in_quotes(key)), fix);
  };
  if (auto order =
          check("order", Distance::ordered, "add order: number, order: text or a list of the values");
      !order)
    return order;
  return check("hierarchy", Distance::hierarchical, "add hierarchy: {file: name.csv} or {tree: …}");
}

Result<JobSubset> read_subset_section(const Value& value, const std::string& folder) {
  const auto entries = read_job_section(value, "subset");
  if (!entries) return entries.error();
  pgveil::FirstError errors;
  JobSubset made;
  made.file = errors.take(read_job_file_keys(*entries, folder, ','));
  const auto* column = yaml::find(*entries, "column");
  const auto* chosen = yaml::find(*entries, "value");
  if (column != nullptr) made.column = errors.take(column->as_string());
  if (chosen != nullptr) made.value = errors.take(chosen->as_string());
  if (errors.error()) return *errors.error();
  const bool is_column = column != nullptr && chosen != nullptr && !made.column.empty();
  if (is_column != made.file.has_value() && (column != nullptr) == (chosen != nullptr)) return made;
  return error_at(value.position(), "a subset is a file, or a column and its value",
                  "write {file: subset.csv} or {column: in_study, value: yes}");
}

constexpr std::array<std::pair<std::string_view, engine::Estimator>, 4> kEstimators{
    {{"zayatz", engine::Estimator::zayatz},
     {"snb", engine::Estimator::snb},
     {"pitman", engine::Estimator::pitman},
     {"dankar", engine::Estimator::dankar}}};
constexpr std::int64_t kMostPeople = 1'000'000'000'000;

// above 0
Result<double> read_risk_share(const Value& value) {
  auto share = read_share(value);
  if (!share || *share >= 1e-9) return share;
  return error_at(value.position(), "no table can have a risk of 0", "write a share such as 20%");
}

Result<engine::RiskModel> read_population_uniqueness(const Value& value) {
  const auto entries = read_job_section(value, "population_uniqueness");
  if (!entries) return entries.error();
  const auto* most = yaml::find(*entries, "most");
  const auto* population = yaml::find(*entries, "population");
  const auto* estimator = yaml::find(*entries, "estimator");
  if (most == nullptr || population == nullptr)
    return error_at(value.position(), "population_uniqueness needs most and population",
                    "write {most: 1%, population: 8000000}");
  pgveil::FirstError errors;
  engine::UniquenessInPopulation made;
  made.most = errors.take(read_share(*most));
  made.population = static_cast<double>(errors.take(population->as_integer(1, kMostPeople)));
  if (estimator != nullptr) made.estimator = errors.take(read_choice(*estimator, kEstimators));
  if (errors.error()) return *errors.error();
  return engine::RiskModel(made);
}

Result<engine::DeltaPresence> read_presence(const Value& value) {
  const auto entries = read_job_section(value, "presence");
  if (!entries) return entries.error();
  pgveil::FirstError errors;
  engine::DeltaPresence made;
  if (const auto* least = yaml::find(*entries, "least")) made.least = errors.take(read_share(*least));
  if (const auto* most = yaml::find(*entries, "most")) made.most = errors.take(read_share(*most));
  if (errors.error()) return *errors.error();
  if (made.least <= made.most) return made;
  return error_at(value.position(), "least is above most", "swap them");
}

// What counts records, although a unit may have several: null if the job has nothing of this kind.
const char* counts_records(const Job& job) {
  const auto has_models = [](const JobAttribute& it) { return !it.models.empty(); };
  const auto is_aggregated = [](const JobAttribute& it) { return it.aggregate.has_value(); };
  if (std::ranges::any_of(job.attributes, has_models)) return "a model of a sensitive attribute";
  if (std::ranges::any_of(job.attributes, is_aggregated)) return "aggregate";
  if (!job.risks.empty()) return "risk";
  if (job.subset) return "subset";
  return nullptr;
}

Result<engine::DifferentialPrivacy> read_epsilon_and_delta(const Value& value) {
  const auto section = read_job_section(value, "differential_privacy");
  if (!section) return section.error();
  const auto* epsilon = yaml::find(*section, "epsilon");
  const auto* delta = yaml::find(*section, "delta");
  if (epsilon == nullptr || delta == nullptr)
    return error_at(value.position(), "differential_privacy needs epsilon and delta",
                    "write {epsilon: 1, delta: 0.000001}");
  pgveil::FirstError errors;
  engine::DifferentialPrivacy made;
  made.epsilon = errors.take(read_decimal(*epsilon, engine::kLeastEpsilon, engine::kMostEpsilon));
  made.delta = errors.take(read_decimal(*delta, engine::kLeastDelta, engine::kMostDelta));
  const auto* search_epsilon = yaml::find(*section, "search_epsilon");
  if (search_epsilon != nullptr)
    made.search_epsilon =
        errors.take(read_decimal(*search_epsilon, engine::kLeastChoiceEpsilon, engine::kMostEpsilon));
  if (errors.error()) return *errors.error();
  constexpr double kRounding = 1e-9;  // of the difference of two decimals
  if (search_epsilon == nullptr || made.sampling_epsilon() >= engine::kLeastEpsilon - kRounding) return made;
  return error_at(
      search_epsilon->position(), "search_epsilon leaves nothing of epsilon for the sample",
      fmt::format("write at most {:.6g}, or raise epsilon", made.epsilon - engine::kLeastEpsilon));
}

// A private choice compares all transformations by one measure, and ends when it has done so.
Result<void> check_private_choice(const JobEntries& entries, const Value& section, const Job& job) {
  constexpr std::array<std::string_view, 4> kRefused{"algorithm", "metric", "aggregate", "gs"};
  for (const auto& entry : entries) {
    if (std::ranges::find(kRefused, std::string_view(entry.key)) == kRefused.end()) continue;
    return error_at(entry.key_position, fmt::format("{} and search_epsilon", entry.key),
                    "remove one of them: a private choice compares all transformations by their precision");
  }
  if (job.limits.time_ms || job.limits.checks)
    return error_at(section.position(), "limits and search_epsilon",
                    "remove time and checks: what they leave out would depend on the records");
  const auto is_open = [](const JobAttribute& it) {
    return it.attribute_class == AttributeClass::quasi_identifier &&
           (!it.min_level || it.min_level != it.max_level);
  };
  if (std::ranges::any_of(job.attributes, is_open)) return {};
  return error_at(section.position(), "search_epsilon, although each quasi-identifier has a fixed level",
                  "remove it: there is nothing to choose");
}

// Keys that let the data decide, or promise something about records that are no longer all there.
Result<void> check_keys_of_sampling(const JobEntries& entries) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kRefused{
      {{"k", "k follows from epsilon and delta"},
       {"suppression", "the records of all small classes are left out, however many they are"},
       {"suppressed_records", "suppressed records are left out"},
       {"outliers", "suppressed records are left out"},
       {"local_recoding", "its levels depend on the data"},
       {"subset", "the published records are a random sample"},
       {"presence", "the published records are a random sample"},
       {"k_map", "the published records are a random sample"},
       {"risk", "which classes it suppresses depends on all other classes"},
       {"unit", "records are sampled, and a unit of many records would be protected less"}}};
  for (const auto& entry : entries) {
    const auto* found = std::ranges::find(kRefused, std::string_view(entry.key),
                                          &std::pair<std::string_view, std::string_view>::first);
    if (found == kRefused.end()) continue;
    return error_at(entry.key_position, fmt::format("{} and differential_privacy", entry.key),
                    fmt::format("remove one of them: {}", found->second));
  }
  return {};
}

// Every published cell has to be a function of its own value alone.
Result<void> check_attribute_of_sampling(const Value& section, const JobAttribute& attribute,
                                         const engine::DifferentialPrivacy& wanted) {
  const auto refused = [&](std::string_view what, std::string_view fix) {
    return error_at(section.position(), fmt::format("differential_privacy: {} {}", attribute.name, what),
                    fix);
  };
  if (attribute.attribute_class == AttributeClass::identifier) return {};
  if (attribute.attribute_class != AttributeClass::quasi_identifier)
    return refused(
        "is published as it is",
        "make it a quasi-identifier, or leave it out. All that a class shows has to be the same for "
        "k records");
  if (attribute.aggregate) return refused("is aggregated", "remove aggregate, which depends on the data");
  const auto* rule = std::get_if<engine::HierarchyRule>(&attribute.hierarchy);
  if (rule != nullptr && std::holds_alternative<engine::Masking>(*rule))
    return refused(
        "has a masking hierarchy",
        "write a hierarchy file. Masking pads values to the longest one, which depends on the data");
  if (wanted.search_epsilon > 0) return {};
  if (attribute.min_level && attribute.min_level == attribute.max_level) return {};
  return refused(
      "has no fixed level",
      "write min_level and max_level, both the same, or search_epsilon, the part of epsilon that a private "
      "choice of the levels may spend. Any other search would depend on the data");
}

}  // namespace

Result<void> read_differential_privacy(const JobEntries& entries, Job& job) {
  const auto* section = yaml::find(entries, "differential_privacy");
  if (section == nullptr) return {};
  const auto wanted = read_epsilon_and_delta(*section);
  if (!wanted) return wanted.error();
  if (auto checked = check_keys_of_sampling(entries); !checked) return checked;
  if (job.mondrian)
    return error_at(section->position(), "differential_privacy and an algorithm that makes groups",
                    "name flash or leave algorithm out, because groups depend on the data");
  for (const auto& attribute : job.attributes) {
    if (auto checked = check_attribute_of_sampling(*section, attribute, *wanted); !checked) return checked;
  }
  if (wanted->search_epsilon > 0) {
    if (auto checked = check_private_choice(entries, *section, job); !checked) return checked;
  }
  // One record without a value must not end the job.
  if (!job.null_text) job.null_text = std::string(kNullOfTables);
  job.differential_privacy = *wanted;
  job.k = engine::smallest_k(*wanted);
  job.suppression = 1;
  job.suppressed_records = engine::SuppressedRecords::drop;
  return {};
}

Result<void> read_unit(const JobEntries& entries, Job& job) {
  const auto* unit = yaml::find(entries, "unit");
  if (unit == nullptr) return {};
  const auto name = unit->as_string();
  if (!name) return name.error();
  if (name->empty()) return error_at(unit->position(), "a unit without a name", "name a column");
  const auto found = std::ranges::find(job.attributes, *name, &JobAttribute::name);
  if (found != job.attributes.end() && found->attribute_class != AttributeClass::identifier)
    return error_at(unit->position(), fmt::format("the unit {} is published", in_quotes(*name)),
                    "write class: identifier. Who sees which records belong together finds all of them by "
                    "what is known of one");
  if (const auto* what = counts_records(job))
    return error_at(unit->position(), fmt::format("unit and {}", what),
                    "remove one of them, because the latter counts records, and one unit may have most of "
                    "them");
  job.unit = *name;
  return {};
}

Result<void> read_sensitive(const JobEntries& entries, const std::string& folder, JobAttribute& attribute) {
  pgveil::FirstError errors;
  for (const auto& entry : entries) {
    if (entry.key == "class") continue;
    if (entry.key == "l_diversity") {
      errors.check(read_l_diversity(entry.value, attribute.models));
    } else if (entry.key == "t_closeness") {
      attribute.models.push_back(errors.take(read_t_closeness(entry.value)));
    } else if (entry.key == "beta_likeness") {
      attribute.models.push_back(errors.take(read_beta_likeness(entry.value)));
    } else if (entry.key == "delta_disclosure") {
      attribute.models.emplace_back(engine::DeltaDisclosure{errors.take(read_positive(entry.value))});
    } else if (entry.key == "order") {
      attribute.order = errors.take(read_value_order(entry.value));
    } else if (entry.key == "hierarchy") {
      attribute.hierarchy = errors.take(read_job_hierarchy(entry.value, folder));
    } else {
      errors.add(error_at(entry.key_position,
                          fmt::format("{} is for quasi-identifiers only", in_quotes(entry.key)),
                          "remove it, or change the class"));
    }
  }
  if (errors.error()) return *errors.error();
  return check_needs(entries, attribute);
}

Result<void> read_subset(const JobEntries& entries, const std::string& folder, Job& job) {
  const auto* subset = yaml::find(entries, "subset");
  const auto* presence = yaml::find(entries, "presence");
  const auto* k_map = yaml::find(entries, "k_map");
  pgveil::FirstError errors;
  if (subset != nullptr) job.subset = errors.take(read_subset_section(*subset, folder));
  if (presence != nullptr) job.presence = errors.take(read_presence(*presence));
  if (k_map != nullptr)
    job.k_map = static_cast<std::uint64_t>(errors.take(k_map->as_integer(1, std::int64_t{1} << 32)));
  if (errors.error()) return *errors.error();
  const auto* needs = presence != nullptr ? presence : k_map;
  if (needs == nullptr || subset != nullptr) return {};
  return error_at(needs->position(), "it compares a subset with the table, and there is no subset",
                  "add subset: {column: in_study, value: yes}");
}

Result<void> read_risk(const JobEntries& entries, Job& job) {
  const auto* risk = yaml::find(entries, "risk");
  if (risk == nullptr) return {};
  const auto section = read_job_section(*risk, "risk");
  if (!section) return section.error();
  pgveil::FirstError errors;
  if (const auto* most = yaml::find(*section, "highest"))
    job.risks.emplace_back(engine::HighestRisk{errors.take(read_risk_share(*most))});
  if (const auto* most = yaml::find(*section, "average"))
    job.risks.emplace_back(engine::AverageRisk{errors.take(read_risk_share(*most))});
  if (const auto* most = yaml::find(*section, "sample_uniqueness"))
    job.risks.emplace_back(engine::UniquenessInSample{errors.take(read_share(*most))});
  if (const auto* model = yaml::find(*section, "population_uniqueness"))
    job.risks.push_back(errors.take(read_population_uniqueness(*model)));
  if (errors.error()) return *errors.error();
  if (!section->empty()) return {};
  return error_at(risk->position(), "risk without a model", "write {average: 5%}");
}

}  // namespace pgveil::app
