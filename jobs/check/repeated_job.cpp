#include "jobs/check/repeated_job.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "jobs/check/forgone_choices.hpp"
#include "jobs/input/data.hpp"

namespace pgveil::app {
namespace {

bool has_models(const Job& job) {
  return std::ranges::any_of(job.attributes, [](const auto& it) { return !it.models.empty(); });
}

// [raw code]: the published code of what the level shows; nullopt: no record shows it.
std::vector<std::optional<engine::Code>> shown_codes(const engine::LevelTables& levels, unsigned level,
                                                     const engine::Column& published) {
  std::unordered_map<std::string_view, engine::Code> codes;
  for (std::size_t code = 0; code < published.values.size(); ++code)
    codes.emplace(published.values[code], static_cast<engine::Code>(code));
  std::vector<std::optional<engine::Code>> made;
  for (const auto at : levels.code_at[level]) {
    const auto found = codes.find(levels.values[level][at]);
    made.push_back(found == codes.end() ? std::nullopt : std::optional(found->second));
  }
  return made;
}

// By the row of the data: the class whose cells the levels give. Classes that have other records, too, are
// left out.
RepeatedClasses classes_at(const JobData& data, const std::vector<unsigned>& levels,
                           const ColumnPointers& published, const PublishedClasses& classes) {
  std::vector<std::vector<std::optional<engine::Code>>> shown;
  std::vector<const engine::CodeColumn*> raw;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto& attribute = data.prepared.attributes[data.prepared.given_order[i]];
    shown.push_back(shown_codes(attribute, levels[i], *published[i]));
    raw.push_back(&data.table.find(attribute.name)->codes);
  }
  std::map<CellCodes, std::uint32_t> numbers;
  for (std::size_t c = 0; c < classes.size(); ++c)
    numbers.emplace(classes.shown[c], static_cast<std::uint32_t>(c));
  RepeatedClasses made(data.table.rows());
  std::vector<std::size_t> records(classes.size(), 0);
  for (std::size_t row = 0; row < made.size(); ++row) {
    CellCodes cells;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      const auto code = shown[i][raw[i]->at(row)];
      if (code) cells.push_back(*code);
    }
    const auto found = cells.size() == raw.size() ? numbers.find(cells) : numbers.end();
    if (found == numbers.end()) continue;
    made[row] = found->second;
    ++records[found->second];
  }
  for (auto& of_row : made) {
    if (of_row && records[*of_row] != classes.rows[*of_row].size()) of_row = std::nullopt;
  }
  return made;
}

bool looks_at_the_table(const engine::ValueModel& model) {
  return std::holds_alternative<engine::TCloseness>(model) ||
         std::holds_alternative<engine::BetaLikeness>(model) ||
         std::holds_alternative<engine::DeltaDisclosure>(model);
}

// [class][code of the input]; nullopt: a record has a value that the input does not have.
std::optional<std::vector<std::vector<std::uint64_t>>> counts_of(const engine::Column& published,
                                                                 const engine::Column& raw, const Job& job,
                                                                 const PublishedClasses& classes) {
  const auto codes = raw_codes_of(published, raw, job.null_text);
  std::vector<std::vector<std::uint64_t>> made;
  for (const auto& rows : classes.rows) {
    auto& counts = made.emplace_back(raw.values.size(), 0);
    for (const auto row : rows) {
      const auto code = codes[published.codes.at(row)];
      if (!code) return std::nullopt;
      ++counts[*code];
    }
  }
  return made;
}

bool are_all_shown(const std::vector<std::vector<std::uint64_t>>& counts,
                   const std::vector<std::uint64_t>& in_table) {
  std::vector<std::uint64_t> sums(in_table.size(), 0);
  for (const auto& of_class : counts) {
    for (std::size_t code = 0; code < sums.size(); ++code) sums[code] += of_class[code];
  }
  return sums == in_table;
}

// nullopt: the file does not tell what a model compares with, or it is not of this input.
std::optional<KnownOfPersons> known_of(const Job& job, const JobData& data, const engine::Table& published,
                                       const PublishedClasses& classes) {
  KnownOfPersons known;
  known.counts.resize(classes.size());
  for (const auto& attribute : job.attributes) {
    if (attribute.models.empty()) continue;
    const auto& values = data.prepared.sensitive[known.columns.size()];
    const auto counts =
        counts_of(*published.find(attribute.name), *data.table.find(attribute.name), job, classes);
    if (!counts) return std::nullopt;
    if (std::ranges::any_of(attribute.models, looks_at_the_table) && !are_all_shown(*counts, values.in_table))
      return std::nullopt;
    for (std::size_t c = 0; c < classes.size(); ++c) known.counts[c].push_back((*counts)[c]);
    known.columns.push_back({attribute.name, attribute.models, values});
  }
  return known;
}

}  // namespace

bool is_decided_by_values(const Job& job) {
  return job.mondrian && !job.mondrian->rounds && job.mondrian->cuts == engine::Cuts::strict && !job.unit &&
         !has_models(job);
}

Result<std::optional<RepeatedClasses>> repeat_groups(const Job& job, const engine::Table& input,
                                                     const engine::Table& published,
                                                     const PublishedClasses& classes) {
  if (!job.mondrian || job.mondrian->cuts == engine::Cuts::drawn || job.subset || job.unit)
    return std::optional<RepeatedClasses>();
  const auto data = read_job_data(job, nullptr, {}, {}, {&input});
  // An input that cannot keep the job's promises is not the one that the file was made from.
  if (!data && data.error().kind == ErrorKind::policy) return std::optional<RepeatedClasses>();
  if (!data) return data.error();
  const auto shown = columns_of(job, published, Asked::quasi_identifiers);
  auto made = classes_at(*data, std::vector<unsigned>(shown.size(), 0), shown, classes);
  const bool is_same = std::ranges::all_of(made, [](const auto& it) { return it.has_value(); });
  return is_same ? std::optional(std::move(made)) : std::nullopt;
}

Result<std::optional<Minimality>> repeat_search(const Job& job, const engine::Table& input,
                                                const engine::Table& published,
                                                const PublishedClasses& classes) {
  if (job.mondrian || job.subset || !has_models(job)) return std::optional<Minimality>();
  const auto data = read_job_data(job, nullptr, {}, {}, {&input});
  if (!data) return data.error();
  auto known = known_of(job, *data, published, classes);
  if (!known) return std::optional<Minimality>();
  const auto chosen = repeat_choice(job, *data);
  if (!chosen) return chosen.error();
  if (!*chosen) return std::optional<Minimality>();
  known->class_of =
      classes_at(*data, (*chosen)->levels, columns_of(job, published, Asked::quasi_identifiers), classes);
  if (std::ranges::none_of(known->class_of, [](const auto& it) { return it.has_value(); }))
    return std::optional<Minimality>();
  std::vector<const engine::CodeColumn*> true_codes;
  for (const auto& column : known->columns) true_codes.push_back(&data->table.find(column.name)->codes);
  return std::optional(infer_by_minimality(*known, (*chosen)->forgone, true_codes));
}

}  // namespace pgveil::app
