#include "jobs/input/data.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <utility>

#include "common/assert.hpp"
#include "db/job_table/source_table.hpp"
#include "jobs/input/aggregates.hpp"
#include "jobs/input/alike_values.hpp"
#include "jobs/input/input_text.hpp"
#include "jobs/input/known_values.hpp"
#include "jobs/input/mondrian.hpp"
#include "jobs/input/private_levels.hpp"
#include "jobs/input/random_secret.hpp"
#include "jobs/input/subset.hpp"
#include "jobs/input/table_file.hpp"

namespace pgveil::app {
namespace {

struct Input {
  engine::Table table;
  std::map<std::string, std::string> types;
  std::vector<std::string> others;
};

Result<Input> read_input_file(const JobFile& file, const std::optional<std::string>& null_text,
                              const std::vector<std::string>& columns) {
  Input input;
  auto table = read_table_file(file, null_text, columns, &input.others, &input.types);
  if (!table) return table.error();
  std::vector<std::string> missing;
  for (const auto& name : columns) {
    const auto found = std::ranges::find(table->columns, name, &engine::Column::name);
    if (found == table->columns.end()) {
      missing.push_back(name);
    } else {
      input.table.columns.push_back(std::move(*found));
    }
  }
  if (!missing.empty()) {
    return invalid_input(
        fmt::format("{} has no column {}", file.path == kStandardInput ? "standard input" : file.path,
                    fmt::join(missing, ", ")),
        "names are case-sensitive; is the separator right?");
  }
  return input;
}

Result<Input> take_given_table(const engine::Table& table, const std::vector<std::string>& columns) {
  Input input;
  std::vector<std::string> missing;
  for (const auto& name : columns) {
    const auto* found = table.find(name);
    if (found == nullptr) {
      missing.push_back(name);
    } else {
      input.table.columns.push_back(*found);
    }
  }
  if (!missing.empty())
    return invalid_input(fmt::format("the table has no column {}", fmt::join(missing, ", ")),
                         "names are case-sensitive");
  for (const auto& column : table.columns) {
    if (std::ranges::find(columns, column.name) == columns.end()) input.others.push_back(column.name);
  }
  return input;
}

Result<Input> read_input_table(const JobTable& given, const Job& job, const Config& config,
                               const std::vector<std::string>& columns,
                               const std::function<bool()>& is_aborted, const db::Progress& progress) {
  const auto place = placed(config, given);
  if (!place) return place.error();
  auto source = db::read_source_table(
      build_endpoint(config),
      {place->database, place->schema, place->table, columns, job.null_text.value_or(""), is_aborted},
      progress);
  if (!source) return source.error();
  return Input{std::move(source->table), std::move(source->types), std::move(source->others)};
}

// Also removes the column that marks the subset from the table, unless it is published.
Result<std::vector<std::uint8_t>> take_subset(const Job& job, const std::vector<std::string>& published,
                                              engine::Table& table) {
  if (job.subset->file) {
    const auto subset = read_table_file(*job.subset->file, job.null_text, {});
    if (!subset) return subset.error();
    return rows_of_subset(table, *subset);
  }
  const auto found = std::ranges::find(table.columns, job.subset->column, &engine::Column::name);
  auto made = rows_with(*found, job.subset->value);
  if (std::ranges::find(published, job.subset->column) == published.end()) table.columns.erase(found);
  return made;
}

// Nobody knows whether such records belong to one unit or to many.
Result<void> check_units(const engine::Column& column, const std::optional<std::string>& null_text) {
  std::uint64_t missing = 0;
  for (std::size_t row = 0; row < column.codes.size(); ++row) {
    const auto& value = column.values[column.codes.at(row)];
    missing += value.empty() || value == null_text ? 1 : 0;
  }
  if (missing == 0) return {};
  return invalid_input(fmt::format("{} records have no {}, which is the unit", missing, column.name),
                       "give each record its unit, or leave these records out of the input");
}

// The secret of the sample ends here. k: the one that follows from wanted. Without a table, nothing tells how
// many records were taken.
Result<void> take_sample(const engine::DifferentialPrivacy& wanted, std::uint64_t k, engine::Table& table) {
  const auto rows =
      engine::sampled_rows(table.rows(), engine::sampling_rate(wanted.sampling_epsilon()), random_secret());
  if (rows.size() < k)
    return invalid_input(
        fmt::format(
            "epsilon and delta need classes of at least {} records, but the sample of the input has fewer",
            k),
        "nothing was published, and this run has spent its epsilon too; wait for more records, or raise "
        "delta, which needs smaller classes");
  table = engine::rows_of(table, rows);
  return {};
}

}  // namespace

engine::DistinctDiversity units_of_class(const Job& job) {
  return {static_cast<double>(job.k)};
}

std::vector<std::string> published_columns(const Job& job) {
  std::vector<std::string> columns;
  for (const auto& attribute : job.attributes) {
    if (attribute.attribute_class != AttributeClass::identifier) columns.push_back(attribute.name);
  }
  return columns;
}

std::vector<std::string> files_read_by(const Job& job) {
  std::vector<std::string> files{job.source};
  if (const auto* file = std::get_if<JobFile>(&job.input); file != nullptr && file->path != kStandardInput)
    files.push_back(file->path);
  for (const auto& attribute : job.attributes) {
    const auto* file = std::get_if<JobFile>(&attribute.hierarchy);
    if (file != nullptr && !file->path.empty()) files.push_back(file->path);
  }
  if (job.subset && job.subset->file) files.push_back(job.subset->file->path);
  return files;
}

bool needs_config(const Job& job) {
  return std::holds_alternative<JobTable>(job.input) || job.output.table;
}

const engine::Table& table_as_read(const JobData& data) {
  PGVEIL_ASSERT(!data.groups || data.input);
  return data.input ? *data.input : data.table;
}

Result<JobTable> placed(const Config& config, JobTable table) {
  const auto& databases = config.backend.databases;
  if (table.database.empty() && databases.size() == 1) table.database = databases.front();
  if (table.database.empty()) {
    return invalid_input(fmt::format("which database is {}.{} in?", table.schema, table.table),
                         "add database: to that section");
  }
  if (std::ranges::find(databases, table.database) != databases.end()) return table;
  return invalid_input(
      fmt::format("database {} is not in backend.databases", yaml::in_quotes(table.database)),
      fmt::format("add it to {}", config.file));
}

bool has_hierarchy(const JobAttribute& attribute) {
  const auto* file = std::get_if<JobFile>(&attribute.hierarchy);
  return file == nullptr || !file->path.empty();
}

Result<engine::Hierarchy> hierarchy_of(const JobAttribute& attribute, const engine::Column& column,
                                       const Job& job) {
  if (const auto* rule = std::get_if<engine::HierarchyRule>(&attribute.hierarchy)) {
    return engine::build_hierarchy(
        *rule, column.name, column.values,
        job.null_text ? std::optional<std::string_view>(*job.null_text) : std::nullopt);
  }
  if (is_aggregated_alone(attribute)) return hierarchy_to_top(column);
  const auto& file = std::get<JobFile>(attribute.hierarchy);
  const auto text = read_input_text(file.path);
  if (!text) return text.error();
  auto header = engine::HierarchyHeader::not_said;
  if (file.has_header)
    header = *file.has_header ? engine::HierarchyHeader::first_record : engine::HierarchyHeader::none;
  // One record must not decide whether a private table is published.
  const auto values = job.differential_privacy ? std::span<const std::string>() : column.values;
  auto hierarchy = engine::read_hierarchy(*text, file.separator, header, values);
  if (!hierarchy) return in_input(hierarchy.error(), file.path);
  return hierarchy;
}

Result<JobData> read_job_data(const Job& job, const Config* config, const std::function<bool()>& is_aborted,
                              const db::Progress& progress, const JobReading& how) {
  const auto columns = published_columns(job);
  auto read = columns;
  if (job.subset && !job.subset->file && std::ranges::find(read, job.subset->column) == read.end())
    read.push_back(job.subset->column);
  if (job.unit) read.push_back(*job.unit);
  const auto* file = std::get_if<JobFile>(&job.input);
  auto input = how.table != nullptr ? take_given_table(*how.table, read)
               : file != nullptr    ? read_input_file(*file, job.null_text, read)
                                    : read_input_table(std::get<JobTable>(job.input), job, *config, read,
                                                       is_aborted, progress);
  if (!input) return input.error();
  if (input->table.rows() == 0) return invalid_input("the input has no rows", "there is nothing to publish");
  if (job.unit) {
    if (auto checked = check_units(*input->table.find(*job.unit), job.null_text); !checked)
      return checked.error();
    input->others.push_back(*job.unit);
  }
  if (how.on_input) how.on_input(input->table);
  const std::uint64_t read_rows = input->table.rows();
  std::uint64_t unknown_rows = 0;
  std::optional<engine::PrivateChoice> chosen;
  if (job.differential_privacy) {
    const auto left_out = leave_out_unknown_values(job, input->table);
    if (!left_out) return left_out.error();
    unknown_rows = *left_out;
    if (job.differential_privacy->search_epsilon > 0) {
      if (progress) progress("choosing levels", 0);
      auto made = choose_levels(job, input->table, is_aborted);
      if (!made) return made.error();
      chosen = std::move(*made);
    }
    if (auto sampled = take_sample(*job.differential_privacy, job.k, input->table); !sampled)
      return sampled.error();
  }
  if (progress) progress("preparing", 0);
  engine::PrivacyColumns privacy;
  if (job.subset) {
    auto subset = take_subset(job, columns, input->table);
    if (!subset) return subset.error();
    privacy.subset = std::move(*subset);
  }
  auto joined = join_alike_values(job, input->table);  // only now: the subset is named by the input's texts
  std::optional<JobGroupsReport> groups;
  std::optional<engine::Table> before;
  if (job.mondrian) {
    const auto given = [&](const JobAttribute& attribute) {
      return hierarchy_of(attribute, *input->table.find(attribute.name), job);
    };
    auto cut =
        make_groups(job, input->table, given, {is_aborted, how.wants_best_so_far, how.on_groups, progress});
    if (!cut) return cut.error();
    if (how.input == InputOfGroups::is_kept) before = std::move(input->table);
    input->table = std::move(cut->table);
    groups = cut->report;
  }
  std::vector<engine::QuasiIdentifier> quasi_identifiers;
  for (const auto& attribute : job.attributes) {
    std::optional<engine::Hierarchy> hierarchy;
    if (groups && attribute.attribute_class == AttributeClass::quasi_identifier) {
      hierarchy = identity_hierarchy(*input->table.find(attribute.name));
    } else if (has_hierarchy(attribute) || is_aggregated_alone(attribute)) {
      auto made = hierarchy_of(attribute, *input->table.find(attribute.name), job);
      if (!made) return made.error();
      hierarchy = std::move(*made);
    }
    if (attribute.attribute_class == AttributeClass::quasi_identifier) {
      quasi_identifiers.push_back(
          {attribute.name, std::move(*hierarchy), attribute.is_continuous, job.null_text});
    } else if (!attribute.models.empty()) {
      privacy.sensitive.push_back({attribute.name, attribute.order, std::move(hierarchy), job.null_text});
    }
  }
  if (job.unit) privacy.sensitive.push_back({*job.unit, std::nullopt, std::nullopt, job.null_text});
  auto prepared = engine::prepare(input->table, quasi_identifiers, privacy);
  if (!prepared) return prepared.error();
  return JobData{std::move(input->table),
                 std::move(*prepared),
                 std::move(input->types),
                 std::move(input->others),
                 read_rows,
                 unknown_rows,
                 std::move(chosen),
                 groups,
                 std::move(before),
                 std::move(quasi_identifiers),
                 std::move(privacy),
                 std::move(joined)};
}

Result<ShownTable> show_table(const Job& job, const JobData& data, engine::Table shown,
                              std::span<const std::size_t> suppressed) {
  ShownTable made;
  if (job.suppressed_records == engine::SuppressedRecords::drop && !suppressed.empty()) {
    std::vector<std::size_t> left;
    for (std::size_t row = 0; row < shown.rows(); ++row) {
      if (!std::ranges::binary_search(suppressed, row)) left.push_back(row);
    }
    if (left.empty())
      return error_of_kind(ErrorKind::policy, "every record would be dropped",
                           "choose another transformation, or keep suppressed records");
    shown = engine::rows_of(shown, left);
    made.dropped = suppressed.size();
    made.kept = std::move(left);
  }
  std::vector<engine::QuasiIdentifier> as_shown;
  for (const auto& it : data.quasi_identifiers)
    as_shown.push_back({it.column, identity_hierarchy(*shown.find(it.column))});
  auto prepared = engine::prepare(shown, as_shown, data.privacy);
  if (!prepared) return prepared.error();
  made.prepared = std::move(*prepared);
  made.prepared.sensitive = data.prepared.sensitive;
  made.table = std::move(shown);
  return made;
}

}  // namespace pgveil::app
