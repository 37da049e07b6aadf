#include "cli/attack_release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <tuple>

#include "cli/published_print.hpp"
#include "jobs/input/alike_values.hpp"
#include "jobs/input/data.hpp"
#include "jobs/input/mondrian.hpp"
#include "jobs/report/release_attack_report.hpp"
#include "jobs/run/applied_scheme.hpp"

namespace pgveil::app {
namespace {

TableArguments stored_in(const JobTable& table, const Job& job) {
  TableArguments made;
  made.table = fmt::format("[{}, {}]", yaml::in_quotes(table.schema), yaml::in_quotes(table.table));
  made.database = table.database;
  made.null_text = job.null_text;
  return made;
}

TableArguments stored_in(const JobFile& file, const Job& job) {
  TableArguments made;
  made.file = file.path;
  made.null_text = job.null_text;
  made.separator = file.separator == '\t' ? std::string("tab") : std::string(1, file.separator);
  return made;
}

// What a job publishes, or the file that was named in its place.
Result<TableArguments> published_by(const Job& job, const std::optional<std::string>& file) {
  if (file) {
    TableArguments made = job.output.file ? stored_in(*job.output.file, job) : TableArguments();
    made.file = *file;
    made.null_text = job.null_text;
    return made;
  }
  if (job.output.file) return stored_in(*job.output.file, job);
  if (job.output.table) return stored_in(*job.output.table, job);
  return usage_error(fmt::format("job {} publishes neither a file nor a table", job.name),
                     "name the file before --job");
}

TableArguments input_of(const Job& job) {
  if (const auto* file = std::get_if<JobFile>(&job.input)) return stored_in(*file, job);
  return stored_in(std::get<JobTable>(job.input), job);
}

struct ReadRelease {
  Job job;
  TableArguments where;
  engine::Table published;
  std::vector<std::vector<unsigned>> transformations = {};
  [[nodiscard]] PublishedFile file() const { return {&job, &published, transformations}; }
};

Result<ReadRelease> read_release(const std::string& job_file, const std::optional<std::string>& file,
                                 TableReader& reader) {
  auto job = read_job_file(job_file);
  if (!job) return job.error();
  auto where = published_by(*job, file);
  if (!where) return where.error();
  where->is_published = true;
  if (where->file && !where->null_text) where->null_text = "";  // of hidden records
  auto table = reader.read(*where, published_columns(*job));
  if (!table) return table.error();
  return ReadRelease{std::move(*job), std::move(*where), std::move(*table)};
}

Result<ReleaseAttack> attack_known(const ReleaseAttackArguments& arguments, const ReadRelease& first,
                                   TableReader& reader) {
  const auto known = column_names("--knows", *arguments.knows);
  if (!known) return known.error();
  std::deque<ReadRelease> others;  // keeps addresses
  std::vector<PublishedFile> releases;
  for (const auto& job : arguments.with) {
    auto other = read_release(job, std::nullopt, reader);
    if (!other) return other.error();
    releases.push_back(others.emplace_back(std::move(*other)).file());
  }
  auto input = reader.read(input_of(first.job), published_columns(first.job));
  if (!input) return input.error();
  std::ignore = join_alike_values(first.job, *input);  // as the job does
  return attack_release(first.file(), *input, *known, releases);
}

Result<ReleaseAttackReport> attack(const ReleaseAttackArguments& arguments, const std::string& config_path) {
  TableReader reader(config_path, "attack");
  auto first = read_release(arguments.job, arguments.file, reader);
  if (!first) return first.error();
  if (arguments.scheme) {
    auto scheme = read_scheme_file(*arguments.scheme);
    if (scheme) scheme = scheme_of(first->job, std::move(*scheme));
    if (!scheme) return scheme.error();
    first->transformations = std::move(scheme->transformations);
  }
  auto found = arguments.knows ? attack_known(arguments, *first, reader) : attack_release(first->file());
  if (!found) return found.error();
  ReleaseAttackReport report;
  report.pgveil = PGVEIL_VERSION;
  report.job = first->job.name;
  // The same report on every machine, wherever the job lies.
  const bool is_own_file = !arguments.file && first->where.file;
  report.file = is_own_file ? "file " + std::filesystem::path(*first->where.file).filename().string()
                            : describe(first->where);
  report.algorithm = first->job.mondrian ? std::string(algorithm_of(*first->job.mondrian))
                                         : std::string(engine::name(first->job.algorithm));
  if (first->job.local_recoding.parts > 0) report.algorithm += " with local_recoding";
  if (first->where.file != "-") {
    auto print = print_of_published(first->where, first->published);
    if (!print) return print.error();
    report.file_print = std::move(print->file);
    report.table_print = std::move(print->table);
  }
  report.k = first->job.k;
  report.attack = std::move(*found);
  report.not_tried = not_tried_on(first->job, report.attack);
  return report;
}

std::string release_attack_as(const ReleaseAttackReport& report, ReportFormat format) {
  switch (format) {
    case ReportFormat::text: return release_attack_text(report);
    case ReportFormat::json: return release_attack_json(report);
    case ReportFormat::html: return release_attack_html(report);
  }
  return {};
}

}  // namespace

int run_attack_release(const ReleaseAttackArguments& arguments, const std::string& config_path) {
  const auto made = attack(arguments, config_path);
  if (!made) return report(made.error());
  std::vector<std::string> inputs{arguments.job};
  inputs.insert(inputs.end(), arguments.with.begin(), arguments.with.end());
  if (arguments.scheme) inputs.push_back(*arguments.scheme);
  if (arguments.file && *arguments.file != "-") inputs.push_back(*arguments.file);
  const auto text = release_attack_as(*made, arguments.format);
  if (const auto written = write_report(arguments.output, text, std::move(inputs)); !written)
    return report(written.error());
  return made->is_anything_found() ? kComputable : kSuccess;
}

}  // namespace pgveil::app
