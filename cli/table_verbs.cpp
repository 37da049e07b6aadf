#include "cli/table_verbs.hpp"

namespace pgveil::cli {
namespace {

void add_config(CLI::App& verb, std::string& config) {
  verb.add_option("-c,--config", config, "configuration file; read only for a table of PostgreSQL")
      ->capture_default_str();
}

void add_table(CLI::App& verb, TableArguments& table) {
  auto* file = verb.add_option("file", table.file, "separated text with a header; - for standard input");
  auto* stored = verb.add_option("--table", table.table, "schema.table of PostgreSQL, instead of a file");
  stored->excludes(file);
  verb.add_option("--database", table.database, "of --table; needed when several are configured");
  verb.add_option("--separator", table.separator, "of the file; tab for a tab")->capture_default_str();
  verb.add_option("--null", table.null_text, "what stands for NULL (of --table: NULL)");
}

void add_format(CLI::App& verb, std::string& format, std::optional<std::string>& output) {
  verb.add_option("--format", format, "text, json or html (one file, with charts)")
      ->check(CLI::IsMember({"text", "json", "html"}))
      ->capture_default_str();
  verb.add_option("-o,--output", output, "write to this file instead of standard output");
}

}  // namespace

void TableVerbs::add(CLI::App& app, std::string& config) {
  add_risk(app, config);
  add_check_table(app, config);
}

void TableVerbs::add_check_table(CLI::App& app, std::string& config) {
  check_verb_ =
      app.add_subcommand("check-table", "which privacy models a table satisfies, with which parameters");
  add_config(*check_verb_, config);
  add_table(*check_verb_, check_.table);
  check_verb_->add_option("--job", check_.job, "demand what this job promises of its output");
  check_verb_->add_option("--columns", check_.columns, "the quasi-identifiers: age,zip");
  check_verb_->add_option("--sensitive", check_.sensitive, "sensitive columns, whose parameters are wanted");
  check_verb_->add_option("-k,--k", check_.k, "demand classes of so many records")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 32));
  check_verb_
      ->add_option("--require", check_.required,
                   "demand a model of a sensitive column: \"diagnosis=distinct 3\"; once for each")
      ->allow_extra_args(false);
  check_verb_
      ->add_option("--order", check_.orders,
                   "of a sensitive column's values: income=number, =text or =low,mid,high")
      ->allow_extra_args(false);
  check_verb_->add_flag("--ignore-suppressed", check_.ignores_suppressed,
                        "let the class that shows only * break what is demanded");
  check_verb_
      ->add_option("--show-classes", check_.most_classes, "show the cells of up to so many offending classes")
      ->capture_default_str();
  check_verb_->add_option("--format", check_.format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  check_verb_->add_option("-o,--output", check_.output, "write to this file instead of standard output");
  check_verb_->footer(
      "Examples:\n  pgveil check-table published.csv --job job.yaml\n"
      "  pgveil check-table people.csv --columns age,zip --k 5 --require \"diagnosis=t_closeness 0.2\"\n"
      "Exit status 1 when something demanded is not met. docs/check-table.md tells what the figures mean.");
}

void TableVerbs::add_risk(CLI::App& app, std::string& config) {
  risk_verb_ = app.add_subcommand("risk", "how easily the records of a table are found again");
  add_config(*risk_verb_, config);
  add_table(*risk_verb_, risk_.table);
  risk_verb_->add_option("--columns", risk_.columns, "what an attacker knows: age,zip; all when left out");
  risk_verb_->add_option("--threshold", risk_.threshold, "the highest risk that is accepted")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  auto* file = risk_verb_->add_option("--population", risk_.population.file,
                                      "a table of everybody who could be in it, for the journalist's risk");
  risk_verb_->add_option("--population-table", risk_.population.table, "the same, of PostgreSQL")
      ->excludes(file);
  risk_verb_->add_option("--population-size", risk_.population_size,
                         "how many people could be in it: estimates who is unique among them");
  risk_verb_->add_option("--sets", risk_.most_columns, "look for identifying sets of up to so many columns")
      ->check(CLI::Range(0, 20))
      ->capture_default_str();
  add_format(*risk_verb_, risk_.format, risk_.output);
  risk_verb_->footer(
      "Examples:\n  pgveil risk people.csv --columns age,sex,zip\n"
      "  pgveil risk people.csv --population-size 8000000 --format html --output risk.html\n"
      "  pgveil risk --table public.people --sets 3\n"
      "No value of the table is quoted. docs/risk.md tells what the figures mean.");
}

std::optional<int> TableVerbs::run(const std::string& config) {
  if (*risk_verb_) {
    risk_.config = config;
    risk_.population.separator = risk_.table.separator;
    risk_.population.null_text = risk_.table.null_text;
    risk_.population.database = risk_.table.database;
    return run_risk(risk_);
  }
  if (*check_verb_) {
    check_.config = config;
    return run_check_table(check_);
  }
  return std::nullopt;
}

}  // namespace pgveil::cli
