#include "jobs/run/applied_scheme.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "common/files/whole_file.hpp"
#include "common/json_object.hpp"
#include "jobs/language/values.hpp"

namespace pgveil::app {
namespace {

constexpr std::int64_t kMostLevels = 127;
constexpr std::size_t kMostBytes = 1 << 26;

Error no_scheme() {
  return invalid_input("the scheme is not a report of a transformation",
                       "use a file that anonymize --report wrote");
}

std::vector<unsigned> levels_of(JsonObjectView& report, std::string_view key) {
  std::vector<unsigned> levels;
  for (const auto level : report.integers(key, 0, kMostLevels))
    levels.push_back(static_cast<unsigned>(level));
  return levels;
}

Result<std::string> read_text(const std::string& path) {
  auto text = read_whole(path, kMostBytes);
  if (!text) return text.error();
  if (*text) return std::move(**text);
  return invalid_input(fmt::format("there is no file {}", path), "check the path");
}

Result<JobTable> table_of(std::string_view option, const std::string& text, const std::string& database) {
  const auto written = yaml::parse(text, std::string(option));
  if (!written) return written.error();
  auto table = read_job_table(*written);
  if (table) table->database = database;
  return table;
}

// Resolves a path relative to the current folder; "-" stays.
std::string absolute(const std::string& path) {
  return path == "-" ? path : std::filesystem::absolute(path).lexically_normal().string();
}

Result<void> set_input(const ApplyArguments& arguments, Job& job) {
  if (arguments.input.table) {
    auto table = table_of("--table", *arguments.input.table, arguments.input.database);
    if (!table) return table.error();
    job.input = std::move(*table);
    if (!job.null_text) job.null_text = std::string(kNullOfTables);
  } else if (arguments.input.file) {
    const auto separator = separator_of(input_separator(arguments.input.separator, &job, std::nullopt));
    if (!separator) return separator.error();
    job.input = JobFile{absolute(*arguments.input.file), *separator};
  }
  if (arguments.input.null_text) job.null_text = arguments.input.null_text;
  return {};
}

Result<void> set_output(const ApplyArguments& arguments, Job& job) {
  if (!arguments.output && !arguments.output_table)
    return invalid_input("no output", "name a file with --output, or a table with --output-table");
  const auto types = job.output.types;
  const auto separator = separator_of(output_separator(arguments.input.separator, job));
  job.output = JobOutput{};
  job.output.replace = arguments.replaces;
  if (arguments.output) {
    if (!separator) return separator.error();
    job.output.file = JobFile{absolute(*arguments.output), *separator};
  }
  if (!arguments.output_table) return {};
  auto table = table_of("--output-table", *arguments.output_table, arguments.input.database);
  if (!table) return table.error();
  job.output.table = std::move(*table);
  job.output.types = types;
  return {};
}

std::vector<std::vector<unsigned>> transformations_of(JsonObjectView& report, FirstError& errors,
                                                      const std::vector<unsigned>& levels) {
  std::vector<std::vector<unsigned>> made;
  if (!report.has_value("recoding")) return {levels};
  for (const auto& step : report.array("recoding")) {
    JsonObjectView view(step, report.path_of("recoding"), errors);
    made.push_back(levels_of(view, "levels"));
  }
  if (made.empty()) made.push_back(levels);
  return made;
}

}  // namespace

Result<Scheme> read_scheme(std::string_view text) {
  const auto value = parse_json(text);
  if (!value) return no_scheme();
  FirstError errors;
  JsonObjectView report(*value, "report", errors);
  if (report.has_value("mondrian"))
    return invalid_input("the scheme cuts groups, which apply only to its own rows",
                         "run the job on the new rows");
  Scheme made{report.text("job"), report.texts("quasi_identifiers"), levels_of(report, "levels"),
              levels_of(report, "heights")};
  made.transformations = transformations_of(report, errors, made.levels);
  // No finish(): a report says more than the transformation that is taken from it.
  const std::size_t columns = made.quasi_identifiers.size();
  const bool fits =
      std::ranges::all_of(made.transformations, [&](const auto& levels) { return levels.size() == columns; });
  if (errors.error() || columns == 0 || !fits || made.levels.size() != columns ||
      made.heights.size() != columns)
    return no_scheme();
  return made;
}

Result<Scheme> read_scheme_file(const std::string& path) {
  const auto text = read_text(path);
  if (!text) return text.error();
  return read_scheme(*text);
}

Result<Scheme> scheme_of(const Job& job, Scheme scheme) {
  if (job.name != scheme.job)
    return invalid_input(fmt::format("the scheme is of job {}, not of {}", scheme.job, job.name),
                         "use the job that made it");
  if (job.mondrian) return no_scheme();
  if (job.differential_privacy)
    return invalid_input(fmt::format("job {} has its levels itself, and samples its records", job.name),
                         "run the job on the new rows");
  Scheme made{scheme.job, {}, {}, {}, std::vector<std::vector<unsigned>>(scheme.transformations.size())};
  for (const auto& attribute : job.attributes) {
    if (attribute.attribute_class != AttributeClass::quasi_identifier) continue;
    const auto found = std::ranges::find(scheme.quasi_identifiers, attribute.name);
    if (found == scheme.quasi_identifiers.end())
      return invalid_input(fmt::format("the scheme has no level of {}", attribute.name),
                           "use the job that made it");
    const auto place = static_cast<std::size_t>(found - scheme.quasi_identifiers.begin());
    made.quasi_identifiers.push_back(attribute.name);
    made.levels.push_back(scheme.levels[place]);
    made.heights.push_back(scheme.heights[place]);
    for (std::size_t i = 0; i < made.transformations.size(); ++i)
      made.transformations[i].push_back(scheme.transformations[i][place]);
  }
  if (made.quasi_identifiers.size() != scheme.quasi_identifiers.size())
    return invalid_input("the scheme has levels of columns that are not quasi-identifiers of the job",
                         "use the job that made it");
  return made;
}

Result<AppliedScheme> read_applied_scheme(const ApplyArguments& arguments) {
  auto scheme = read_scheme_file(arguments.scheme);
  if (!scheme) return scheme.error();
  auto job = read_job_file(arguments.job);
  if (!job) return job.error();
  scheme = scheme_of(*job, std::move(*scheme));
  if (!scheme) return scheme.error();
  if (auto input = set_input(arguments, *job); !input) return input.error();
  if (auto output = set_output(arguments, *job); !output) return output.error();
  switch (arguments.violating) {
    case ViolatingClasses::refused: job->suppression = 0; break;
    case ViolatingClasses::as_job_allows: break;
    case ViolatingClasses::suppressed: job->suppression = 1; break;
  }
  return AppliedScheme{std::move(*job), std::move(scheme->levels), std::move(scheme->heights)};
}

}  // namespace pgveil::app
