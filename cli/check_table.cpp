// pgveil check-table: which models a table satisfies, with which parameters.
#include <fmt/format.h>

#include <algorithm>

#include "cli/verbs.hpp"
#include "common/progress_line.hpp"
#include "jobs/check/check_table.hpp"
#include "jobs/check/demand_words.hpp"
#include "jobs/check/recount.hpp"
#include "jobs/language/levels_text.hpp"
#include "jobs/report/check_report.hpp"

namespace pgveil::app {
namespace {

struct CheckTableArguments {
  TableArguments table;
  std::optional<std::string> job;                 // replaces the next five
  std::optional<std::string> columns, sensitive;  // "age,zip"
  std::optional<std::uint64_t> k;
  std::vector<std::string> required, orders;  // "diagnosis=distinct 3", "income=number"
  std::vector<std::string> risks;             // "average_risk 0.05"
  TableArguments population;                  // for a job's presence and k_map; neither file nor table: none
  std::optional<std::string> population_separator;  // none: that of the job's input
  std::optional<std::string> transformation;        // "1,1,2": the table's levels; none: found by its texts
  bool ignores_suppressed = false;                  // the class that shows only *
  std::size_t most_classes = 0;                     // number of offending classes whose cells are shown
  ReportFormat format = ReportFormat::text;
  std::optional<std::string> output;
};

// The demands in the command line itself.
Result<TableDemand> demand_of_words(const CheckTableArguments& arguments) {
  DemandWords words{{}, {}, arguments.k, arguments.required, arguments.orders, arguments.risks};
  if (arguments.columns) {
    auto columns = column_names("--columns", *arguments.columns);
    if (!columns) return columns.error();
    words.columns = std::move(*columns);
  }
  if (arguments.sensitive) {
    auto columns = column_names("--sensitive", *arguments.sensitive);
    if (!columns) return columns.error();
    words.sensitive = std::move(*columns);
  }
  return demand_of(words, null_text_of(arguments.table));
}

// A file has an empty cell where a column that is no quasi-identifier is NULL, but hierarchies and orders use
// the job's text for NULL. So that text is put in. A file with both shows NULL in two ways.
void name_nulls(const Job& job, engine::Table& table) {
  if (!job.null_text) return;
  for (const auto& attribute : job.attributes) {
    if (attribute.attribute_class == AttributeClass::quasi_identifier) continue;
    const auto column = std::ranges::find(table.columns, attribute.name, &engine::Column::name);
    if (column == table.columns.end()) continue;
    auto texts = column->values;
    std::ranges::replace(texts, std::string(), *job.null_text);
    if (texts != column->values) *column = engine::with_texts(*column, texts);
  }
}

bool has_population(const CheckTableArguments& arguments) {
  return arguments.population.file || arguments.population.table;
}

bool compares_with_population(const Job& job) {
  return job.presence || job.k_map;
}

Result<void> check_arguments(const CheckTableArguments& arguments) {
  const bool has_own = arguments.columns || arguments.sensitive || arguments.k ||
                       !arguments.required.empty() || !arguments.risks.empty() || !arguments.orders.empty() ||
                       arguments.table.null_text;
  if (arguments.job && has_own)
    return usage_error("both --job and requirements on the command line are given", "leave one of them out");
  if (has_population(arguments) && !arguments.job)
    return usage_error("a population is given, but no job with a model that compares with it",
                       "name a job that has presence or k_map");
  if (arguments.transformation && !has_population(arguments))
    return usage_error("--transformation is given without a population", "leave --transformation out");
  return {};
}

// The population that a job's models compare the table with. REQUIRES: it outlives the demand.
struct Population {
  engine::Table people;
  std::vector<unsigned> levels;  // the levels at which the table shows them
};

Result<Population> read_population(const CheckTableArguments& arguments, const Job& job,
                                   const engine::Table& table, TableReader& reader) {
  std::vector<std::string> names;
  for (const auto& attribute : job.attributes) {
    if (attribute.attribute_class == AttributeClass::quasi_identifier) names.push_back(attribute.name);
  }
  auto given = arguments.population;
  given.null_text = job.null_text;
  given.separator = input_separator(arguments.population_separator, &job, arguments.table.separator);
  auto people = reader.read(given, names);
  if (!people) return people.error();
  auto levels =
      arguments.transformation ? levels_of(*arguments.transformation) : levels_shown(job, *people, table);
  if (!levels) return levels.error();
  return Population{std::move(*people), std::move(*levels)};
}

void name_unchecked(const Job& job, CheckReport& report) {
  if (job.unit) report.not_checked.push_back(unit_not_counted(job));
  if (job.presence)
    report.not_checked.emplace_back(
        "presence: it compares with records that are not published. Name their file with "
        "--population");
  if (job.k_map)
    report.not_checked.emplace_back(
        "k_map: it counts records that are not published. Name their file with "
        "--population");
}

// Hierarchies are made for the values of rows that are shown: what stands for NULL in hidden ones needs no
// place in them.
Result<TableDemand> demand_of_job(const Job& job, const engine::Table& table, const TableArguments& given) {
  std::vector<std::string> names, nulls;
  for (const auto& attribute : job.attributes) {
    if (attribute.attribute_class == AttributeClass::quasi_identifier) names.push_back(attribute.name);
  }
  if (given.file) nulls.emplace_back();
  if (const auto null_text = null_text_of(given)) nulls.push_back(*null_text);
  const auto shown = without_hidden_rows(table, names, nulls);
  return demand_of(job, shown ? *shown : table);
}

Result<std::optional<Job>> read_job(const CheckTableArguments& arguments) {
  if (!arguments.job) return std::optional<Job>();
  auto job = read_job_file(*arguments.job);
  if (!job) return job.error();
  if (has_population(arguments) && !compares_with_population(*job))
    return usage_error("a population is given, but no model of the job compares with it", "leave it out");
  return std::optional(std::move(*job));
}

bool has_distances_in_hierarchies(const Job& job) {
  return std::ranges::any_of(job.attributes, [](const JobAttribute& it) {
    return it.attribute_class == AttributeClass::sensitive && has_hierarchy(it);
  });
}

void set_options(const CheckTableArguments& arguments, TableDemand& demand) {
  demand.is_empty_null = arguments.table.file.has_value();
  if (arguments.table.table && !demand.null_text) demand.null_text = null_text_of(arguments.table);
  demand.demand.most_keys = arguments.most_classes;
  if (arguments.ignores_suppressed) demand.demand.suppressed_records = engine::SuppressedRecords::keep;
}

CheckReport report_of(const CheckTableArguments& arguments, const TableDemand& demand,
                      engine::CheckFindings findings) {
  CheckReport report;
  report.table = describe(arguments.table);
  report.columns = demand.quasi_identifiers;
  report.findings = std::move(findings);
  return report;
}

// The server counts, class by class, so memory does not grow with the rows.
Result<CheckReport> check_counted(const CheckTableArguments& arguments, const std::optional<Job>& job,
                                  TableReader& reader) {
  auto demand = job ? demand_of(*job, engine::Table()) : demand_of_words(arguments);
  if (!demand) return demand.error();
  set_options(arguments, *demand);
  const auto place = reader.place_of(arguments.table);
  if (!place) return place.error();
  ProgressLine line(reader.subject());
  auto findings =
      check_stored_table(place->endpoint, place->table, *demand,
                         [&line](std::string_view stage, std::uint64_t done) { line.show(stage, done); });
  if (!findings) return findings.error();
  return report_of(arguments, *demand, std::move(*findings));
}

// The table is held in memory, because hierarchies or a population are made for its values.
Result<CheckReport> check_read(const CheckTableArguments& arguments, const std::optional<Job>& job,
                               TableReader& reader) {
  auto given = arguments.table;
  if (job) {
    given.is_published = true;
    given.null_text = job->null_text;
    // A job without a text for NULL can have hidden records.
    if (given.file && !given.null_text) given.null_text = "";
    given.separator = output_separator(given.separator, *job);
  }
  auto table = reader.read(given, {});
  if (!table) return table.error();
  if (job && arguments.table.file) name_nulls(*job, *table);
  auto demand = job ? demand_of_job(*job, *table, given) : demand_of_words(arguments);
  if (!demand) return demand.error();
  set_options(arguments, *demand);
  std::optional<Population> population;
  if (has_population(arguments)) {
    auto read = read_population(arguments, *job, *table, reader);
    if (!read) return read.error();
    population = std::move(*read);
    demand->demand.presence = job->presence;
    demand->demand.k_map = job->k_map;
    demand->add_population = [&](engine::TableCheck& check) {
      return add_population(*job, population->people, population->levels, check);
    };
  }
  auto findings = check_table(*table, *demand);
  if (!findings) return findings.error();
  return report_of(arguments, *demand, std::move(*findings));
}

Result<CheckReport> check(const CheckTableArguments& arguments, const std::string& config_path) {
  if (auto possible = check_arguments(arguments); !possible) return possible.error();
  const auto job = read_job(arguments);
  if (!job) return job.error();
  TableReader reader(config_path, "check-table");
  const bool is_counted = arguments.table.table && !arguments.table.file && !has_population(arguments) &&
                          !(*job && has_distances_in_hierarchies(**job));
  auto report = is_counted ? check_counted(arguments, *job, reader) : check_read(arguments, *job, reader);
  if (report && *job && !has_population(arguments)) name_unchecked(**job, *report);
  return report;
}

std::string text_of(const CheckReport& report, ReportFormat format) {
  switch (format) {
    case ReportFormat::text: return check_text(report);
    case ReportFormat::json: return check_json(report);
    case ReportFormat::html: return check_html(report);
  }
  return {};
}

// Also returns kMistake if a demanded model is not met.
int run_check_table(const CheckTableArguments& arguments, const std::string& config_path) {
  const auto made = check(arguments, config_path);
  if (!made) return report(made.error());
  std::vector<std::string> inputs;
  if (arguments.table.file) inputs.push_back(*arguments.table.file);
  if (arguments.population.file) inputs.push_back(*arguments.population.file);
  if (arguments.job) inputs.push_back(*arguments.job);
  const auto text = text_of(*made, arguments.format);
  if (const auto written = write_report(arguments.output, text, std::move(inputs)); !written)
    return report(written.error());
  return made->findings.is_kept() ? kSuccess : kMistake;
}

}  // namespace

Verb add_check_table(CLI::App& parent, std::string& config) {
  const auto arguments = std::make_shared<CheckTableArguments>();
  auto* verb = parent.add_subcommand(
      "check-table", "report which privacy models a table satisfies, and with which parameters");
  add_table_config(*verb, config);
  add_table(*verb, arguments->table, "that of the job's output, or a comma");
  verb->add_option("--job", arguments->job, "require what this job promises for its output");
  verb->add_option("--columns", arguments->columns, "the quasi-identifiers: age,zip");
  verb->add_option("--sensitive", arguments->sensitive,
                   "sensitive columns, for which the report shows the models that they satisfy");
  verb->add_option("-k,--k", arguments->k,
                   "require that each equivalence class has at least this many records")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 32));
  verb->add_option("--require", arguments->required,
                   "require a model for a sensitive column: \"diagnosis=distinct 3\". May be "
                   "repeated")
      ->allow_extra_args(false);
  verb->add_option("--risk", arguments->risks,
                   "require a model for the whole table: \"average_risk 0.05\". May be repeated")
      ->allow_extra_args(false);
  verb->add_option("--order", arguments->orders,
                   "the order of a sensitive column's values: income=number, =text or =low,mid,high")
      ->allow_extra_args(false);
  auto* people = verb->add_option("--population", arguments->population.file,
                                  "the input of the job, with which presence and k_map are compared");
  verb->add_option("--population-table", arguments->population.table, "the same, for a table of PostgreSQL")
      ->excludes(people);
  verb->add_option("--population-separator", arguments->population_separator,
                   "one character, or tab (default: that of the job's input)")
      ->needs(people);
  verb->add_option("--transformation", arguments->transformation,
                   "the generalization levels of the table, if its values do not determine them");
  verb->add_flag("--ignore-suppressed", arguments->ignores_suppressed,
                 "do not require anything of the class that shows only *");
  verb->add_option("--show-classes", arguments->most_classes,
                   "show the cells of up to this many classes that break a requirement")
      ->capture_default_str();
  add_format(*verb, arguments->format, arguments->output);
  verb->footer(
      "Examples:\n  pgveil check-table published.csv --job job.yaml\n"
      "  pgveil check-table people.csv --columns age,zip --k 5 --require \"diagnosis=t_closeness 0.2\"\n"
      "  pgveil check-table study.csv --job job.yaml --population people.csv\n"
      "  pgveil check-table people.csv --columns age,zip --risk \"population_uniqueness 0.01 8000000\"\n"
      "Exit status 1 if a demand is not met. docs/check-table.md tells what the figures mean.");
  const auto run = [=, &config] {
    arguments->population.database = arguments->table.database;
    return run_check_table(*arguments, config);
  };
  return {verb, run, [=] { return describe(arguments->table); }};
}

}  // namespace pgveil::app
