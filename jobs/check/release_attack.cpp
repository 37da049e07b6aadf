#include "jobs/check/release_attack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "engine/publish/publication.hpp"
#include "jobs/check/cell_values.hpp"
#include "jobs/check/release_lookup.hpp"
#include "jobs/check/repeated_job.hpp"

namespace pgveil::app {
namespace {

using Codes = CellCodes;
using Columns = ColumnPointers;

Result<void> check_columns(const Job& job, const engine::Table& table, std::string_view what) {
  if (table.rows() == 0) return no_release(fmt::format("the {} of job {} has no rows", what, job.name));
  for (const auto& attribute : job.attributes) {
    if (attribute.attribute_class != AttributeClass::identifier && table.find(attribute.name) == nullptr)
      return no_release(fmt::format("the {} of job {} has no column {}", what, job.name, attribute.name));
  }
  return {};
}

// ---- somebody who has the file alone

struct MostFrequent {
  engine::Code code = 0;
  std::uint64_t count = 0;
  std::size_t distinct = 0;
};

MostFrequent most_frequent(const engine::Column& column, const std::vector<std::uint32_t>& rows) {
  std::map<engine::Code, std::uint64_t> counts;
  for (const auto row : rows) ++counts[column.codes.at(row)];
  MostFrequent best{0, 0, counts.size()};
  for (const auto& [code, count] : counts) {
    if (count > best.count) {
      best.code = code;
      best.count = count;
    }
  }
  return best;
}

using Guesses = std::vector<std::vector<MostFrequent>>;  // by class and other column

ReleasedColumn released_column(const Job& job, const engine::Column& column, const PublishedClasses& classes,
                               Guesses& guesses) {
  const auto attribute = std::ranges::find(job.attributes, column.name, &JobAttribute::name);
  ReleasedColumn made;
  made.name = column.name;
  made.is_sensitive = attribute->attribute_class == AttributeClass::sensitive;
  std::vector<std::uint64_t> counts(column.values.size(), 0);
  for (std::size_t row = 0; row < column.codes.size(); ++row) ++counts[column.codes.at(row)];
  made.prior_right = *std::ranges::max_element(counts);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    guesses[c].push_back(most_frequent(column, classes.rows[c]));
    const auto& guess = guesses[c].back();
    made.guessed_right += guess.count;
    if (guess.distinct > 1) continue;
    ++made.classes_of_one_value;
    made.records_of_one_value += classes.rows[c].size();
  }
  return made;
}

bool is_isolated(const Columns& others, const std::vector<std::uint32_t>& rows,
                 const std::vector<MostFrequent>& guesses) {
  return std::ranges::count_if(rows, [&](std::uint32_t row) {
           for (std::size_t i = 0; i < others.size(); ++i) {
             if (others[i]->codes.at(row) != guesses[i].code) return false;
           }
           return true;
         }) == 1;
}

ReleaseAttack attack_alone(const PublishedFile& release, const PublishedClasses& classes) {
  const Job& job = *release.job;
  ReleaseAttack made;
  made.records = release.published->rows();
  made.classes = classes.size();
  const auto shown = columns_of(job, *release.published, Asked::quasi_identifiers);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const std::uint64_t size = classes.rows[c].size();
    if (is_starred(shown, classes.shown[c]))
      made.starred_records += size;
    else
      made.smallest_class = made.smallest_class == 0 ? size : std::min(made.smallest_class, size);
  }
  const auto others = columns_of(job, *release.published, Asked::others);
  Guesses guesses(classes.size());
  for (const auto* column : others) made.columns.push_back(released_column(job, *column, classes, guesses));
  if (others.empty()) return made;
  made.predicates = classes.size();
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (is_isolated(others, classes.rows[c], guesses[c])) ++made.isolating;
  }
  return made;
}

// ---- somebody who knows columns of persons

Result<void> check_known(const Job& job, const std::vector<std::string>& names) {
  for (const auto& name : names) {
    const auto found = std::ranges::find(job.attributes, name, &JobAttribute::name);
    if (found == job.attributes.end() || found->attribute_class != AttributeClass::quasi_identifier)
      return usage_error(fmt::format("{} is not a quasi-identifier of job {}", name, job.name),
                         "name columns that every job generalizes");
  }
  if (names.empty()) return usage_error("no column is known", "name some with --knows");
  return {};
}

// Columns that the file tells of, by their place in the input: those that it shows unchanged, and of the
// first file those that it aggregates; null: it has none of that name.
Columns targets_in(const PublishedFile& release, const Columns& targets, Strangers strangers) {
  Columns made;
  for (const auto* raw : targets) {
    const auto attribute = std::ranges::find(release.job->attributes, raw->name, &JobAttribute::name);
    const bool is_shown = attribute != release.job->attributes.end() &&
                          ((attribute->aggregate && strangers == Strangers::refused) ||
                           attribute->attribute_class == AttributeClass::sensitive ||
                           attribute->attribute_class == AttributeClass::insensitive);
    made.push_back(is_shown ? raw : nullptr);
  }
  return made;
}

// What somebody who knows these columns wants to know.
Columns targets_of(const Job& job, const engine::Table& input, const std::vector<std::string>& known) {
  Columns made = columns_of(job, input, Asked::others);
  for (const auto& attribute : job.attributes) {
    if (attribute.aggregate && std::ranges::find(known, attribute.name) == known.end())
      made.push_back(input.find(attribute.name));
  }
  return made;
}

Result<std::vector<AggregatedColumn>> behind_aggregates(const PublishedFile& release,
                                                        const engine::Table& input,
                                                        const PublishedClasses& classes,
                                                        const AggregatesByName& aggregates) {
  const auto columns = columns_of(*release.job, *release.published, Asked::quasi_identifiers);
  std::vector<AggregatedColumn> made;
  for (std::size_t place = 0; place < columns.size(); ++place) {
    const auto& column = *columns[place];
    const auto& attribute = *std::ranges::find(release.job->attributes, column.name, &JobAttribute::name);
    if (!attribute.aggregate) continue;
    const auto& raw = *input.find(column.name);
    const auto& shown = aggregates.at(column.name);
    const auto values = values_by_class(shown, column, place, classes);
    if (auto checked = check_values(values, column, place, classes); !checked) return checked.error();
    AggregatedColumn one{.name = column.name, .how = *attribute.aggregate};
    double shares = 0;
    for (std::size_t c = 0; c < classes.size(); ++c) {
      const auto& text = column.values[classes.shown[c][place]];
      if (text == engine::kSuppressed || shown.names_one_value(text)) continue;
      const std::uint64_t size = classes.rows[c].size();
      one.records += size;
      const bool is_narrowed = values[c].size() < raw.values.size();
      if (is_narrowed) one.narrowed += size;
      if (is_narrowed && values[c].size() == 1) one.of_one_value += size;
      shares += static_cast<double>(size * values[c].size()) / static_cast<double>(raw.values.size());
    }
    one.possible_share = one.records == 0 ? 1 : shares / static_cast<double>(one.records);
    made.push_back(std::move(one));
  }
  return made;
}

void add_claim(const Codes& possible, const engine::Column& raw, const std::vector<std::uint32_t>& rows,
               LearntColumn& out) {
  if (possible.size() != 1) return;
  for (const auto row : rows) ++(raw.codes.at(row) == possible.front() ? out.learnt : out.wrong);
}

class PersonAttack {
 public:
  PersonAttack(Columns known, Columns targets) : known_(std::move(known)), targets_(std::move(targets)) {}

  void add(ReleaseLookup lookup) { lookups_.push_back(std::move(lookup)); }

  void run(const engine::Table& input, KnownInRelease& found, LearntTogether* together) const {
    std::map<Codes, std::vector<std::uint32_t>> persons;
    for (std::size_t row = 0; row < input.rows(); ++row)
      persons[cells_of(known_, row)].push_back(static_cast<std::uint32_t>(row));
    found.persons = input.rows();
    double records = 0;
    for (const auto& [values, rows] : persons) {
      if (rows.size() == 1) ++found.unique;
      look_for(values, rows, found, together, records);
    }
    const auto looked_at = found.persons - found.in_no_class;
    found.mean_records = looked_at == 0 ? 0 : records / static_cast<double>(looked_at);
  }

 private:
  void look_for(const Codes& values, const std::vector<std::uint32_t>& rows, KnownInRelease& found,
                LearntTogether* together, double& sum) const {
    const auto classes = lookups_.front().classes_of(values);
    const auto count = count_bits(classes);
    if (count == 0) found.in_no_class += rows.size();
    if (count == 1) found.in_one_class += rows.size();
    if (count > 0) {
      const auto records = lookups_.front().records_in(classes);
      found.fewest_records = found.fewest_records == 0 ? records : std::min(found.fewest_records, records);
      sum += static_cast<double>(records) * static_cast<double>(rows.size());
    }
    std::vector<ClassBits> in_others;
    for (std::size_t i = 1; i < lookups_.size(); ++i) in_others.push_back(lookups_[i].classes_of(values));
    std::size_t place = 0;  // in together->learnt
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      auto possible = lookups_.front().values_in(classes, t);
      add_claim(possible, *targets_[t], rows, found.learnt[t]);
      if (together == nullptr || !is_shared(t)) continue;
      for (std::size_t i = 1; i < lookups_.size(); ++i) {
        if (!lookups_[i].has(t) || count_bits(in_others[i - 1]) == 0) continue;
        const auto there = lookups_[i].values_in(in_others[i - 1], t);
        if (possible.empty()) {  // the first file leaves the person out
          possible = there;
          continue;
        }
        Codes both;
        std::ranges::set_intersection(possible, there, std::back_inserter(both));
        possible = std::move(both);
      }
      add_claim(possible, *targets_[t], rows, together->learnt[place++]);
    }
  }
  [[nodiscard]] bool is_shared(std::size_t target) const {
    return std::ranges::any_of(lookups_.begin() + 1, lookups_.end(),
                               [&](const ReleaseLookup& it) { return it.has(target); });
  }

  Columns known_, targets_;  // of the input
  std::vector<ReleaseLookup> lookups_;
};

struct LookedUp {
  PublishedClasses classes;
  Columns targets;  // those that the file tells of; null: it has none of that name
  ReleaseLookup lookup;
};

Result<LookedUp> look_up(const PublishedFile& release, const engine::Table& input,
                         const std::vector<std::string>& known, const Columns& targets,
                         const AggregatesByName& aggregates, Strangers strangers) {
  auto classes =
      classes_of(*release.published, columns_of(*release.job, *release.published, Asked::quasi_identifiers));
  auto shown = targets_in(release, targets, strangers);
  auto lookup = ReleaseLookup::make(release, input, known, shown, classes, aggregates, strangers);
  if (!lookup) return lookup.error();
  return LookedUp{std::move(classes), std::move(shown), std::move(*lookup)};
}

void add_learnt(const Columns& targets, std::vector<LearntColumn>& learnt) {
  for (const auto* target : targets) {
    if (target != nullptr && std::ranges::find(learnt, target->name, &LearntColumn::name) == learnt.end())
      learnt.push_back({target->name});
  }
}

KnownInRelease nothing_known(const Columns& known, const Columns& targets) {
  KnownInRelease made;
  for (const auto* column : known) made.columns.push_back(column->name);
  for (const auto* target : targets) made.learnt.push_back({target->name});
  return made;
}

// What follows from repeating the job.
Result<void> repeat_job(const PublishedFile& release, const engine::Table& input, const Columns& known,
                        const Columns& targets, const PublishedClasses& classes, ReleaseLookup lookup,
                        ReleaseAttack& made) {
  const auto groups = repeat_groups(*release.job, input, *release.published, classes);
  if (!groups) return groups.error();
  if (*groups && is_decided_by_values(*release.job)) {
    lookup.use_repeated(known, **groups);
    PersonAttack attack(known, targets);
    attack.add(std::move(lookup));
    made.repeated = nothing_known(known, targets);
    attack.run(input, *made.repeated, nullptr);
  }
  if (*groups) {
    auto facts = facts_of_groups(*release.job, input, *release.published, classes, **groups);
    if (!facts) return facts.error();
    made.groups = std::move(*facts);
  }
  auto minimality = repeat_search(*release.job, input, *release.published, classes);
  if (!minimality) return minimality.error();
  made.minimality = std::move(*minimality);
  return {};
}

}  // namespace

bool ReleaseAttack::is_anything_learnt() const {
  const auto is_learnt = [](const std::vector<LearntColumn>& learnt, const std::string& name) {
    return std::ranges::any_of(learnt,
                               [&](const LearntColumn& it) { return it.name == name && it.learnt > 0; });
  };
  return std::ranges::any_of(columns,
                             [&](const ReleasedColumn& it) {
                               return it.is_sensitive &&
                                      (it.classes_of_one_value > 0 ||
                                       (known && is_learnt(known->learnt, it.name)) ||
                                       (together && is_learnt(together->learnt, it.name)) ||
                                       (repeated && is_learnt(repeated->learnt, it.name)));
                             }) ||
         (minimality &&
          std::ranges::any_of(minimality->columns, [](const auto& it) { return it.learnt > 0; }));
}

bool ReleaseAttack::is_any_cell_computed() const {
  if (std::ranges::any_of(aggregates, [](const auto& it) { return it.of_one_value > 0; })) return true;
  return refined && std::ranges::any_of(refined->columns, [](const auto& it) { return it.learnt > 0; });
}

Result<ReleaseAttack> attack_release(const PublishedFile& release) {
  if (auto checked = check_columns(*release.job, *release.published, "file"); !checked)
    return checked.error();
  const auto shown = columns_of(*release.job, *release.published, Asked::quasi_identifiers);
  return attack_alone(release, classes_of(*release.published, shown));
}

Result<ReleaseAttack> attack_release(const PublishedFile& release, const engine::Table& input,
                                     const std::vector<std::string>& known,
                                     std::span<const PublishedFile> others) {
  if (auto checked = check_columns(*release.job, input, "input"); !checked) return checked.error();
  std::vector<PublishedFile> releases{release};
  releases.insert(releases.end(), others.begin(), others.end());
  const auto targets = targets_of(*release.job, input, known);
  Columns raw;
  for (const auto& it : releases) {
    if (auto checked = check_columns(*it.job, *it.published, "file"); !checked) return checked.error();
    if (auto checked = check_known(*it.job, known); !checked) return checked.error();
    if (it.job->differential_privacy)
      return error_of_kind(
          ErrorKind::usage,
          fmt::format("job {} publishes a sample, so nobody knows whether a person is in its file",
                      it.job->name),
          "attack the file without known columns");
    const auto shown = columns_of(*it.job, *it.published, Asked::quasi_identifiers).size();
    for (const auto& levels : it.transformations) {
      if (levels.size() != shown)
        return no_release(fmt::format("a transformation of job {} has {} levels for {} columns", it.job->name,
                                      levels.size(), shown));
    }
  }
  for (const auto& name : known) raw.push_back(input.find(name));
  const auto aggregates = aggregated_values(release, input);
  if (!aggregates) return aggregates.error();
  auto first = look_up(release, input, known, targets, *aggregates, Strangers::refused);
  if (!first) return first.error();
  KnownInRelease found = nothing_known(raw, targets);
  found.uses_order = first->lookup.uses_order();
  ReleaseAttack made = attack_alone(release, first->classes);
  if (found.uses_order) made.refined = first->lookup.refinement(raw, *release.job);
  auto behind = behind_aggregates(release, input, first->classes, *aggregates);
  if (!behind) return behind.error();
  made.aggregates = std::move(*behind);
  const bool knows_all = known.size() == columns_of(*release.job, input, Asked::quasi_identifiers).size();
  if (knows_all && !has_aggregate(*release.job)) {
    if (auto repeated = repeat_job(release, input, raw, targets, first->classes, first->lookup, made);
        !repeated)
      return repeated.error();
  }
  PersonAttack attack(raw, targets);
  attack.add(std::move(first->lookup));
  LearntTogether together;
  for (const auto& it : others) {
    auto other = look_up(it, input, known, targets, {}, Strangers::allowed);
    if (!other) return other.error();
    attack.add(std::move(other->lookup));
    together.jobs.push_back(it.job->name);
    add_learnt(other->targets, together.learnt);
  }
  std::ranges::sort(together.learnt, {}, [&](const LearntColumn& it) {
    return std::ranges::find(targets, it.name, &engine::Column::name) - targets.begin();
  });
  attack.run(input, found, others.empty() ? nullptr : &together);
  made.known = std::move(found);
  if (!others.empty()) made.together = std::move(together);
  return made;
}

}  // namespace pgveil::app
