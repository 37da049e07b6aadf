#include "cli/table_verbs.hpp"

namespace pgveil::app {
namespace {

void add_config(CLI::App& verb, std::string& config) {
  verb.add_option("-c,--config", config, "configuration file; read only for a table of PostgreSQL")
      ->capture_default_str();
}

void add_table(CLI::App& verb, TableArguments& table) {
  auto* file = verb.add_option("file", table.file, "separated text with a header; - for standard input");
  auto* stored = verb.add_option("--table", table.table, "schema.table of PostgreSQL, instead of a file");
  stored->excludes(file);
  verb.add_option("--database", table.database,
                  "the database of --table; needed when several are configured");
  verb.add_option("--separator", table.separator, "what separates the values of the file; tab for a tab")
      ->capture_default_str();
  verb.add_option("--null", table.null_text, "the text that stands for NULL (with --table, NULL itself)");
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
  add_apply(app, config);
  add_hierarchy(app, config);
  add_verify(app, config);
}

void TableVerbs::add_verify(CLI::App& app, std::string& config) {
  verify_verb_ = app.add_subcommand("verify-certificate", "compare a published table with its certificate");
  verify_verb_->add_option("certificate", verify_.certificate, "a file that --certificate wrote")->required();
  add_config(*verify_verb_, config);
  add_table(*verify_verb_, verify_.table);
  verify_verb_->add_option("--job", verify_.job, "also check that this job published it");
  verify_verb_->add_option("--policy", verify_.policy,
                           "also check that the policy in this file is the one that was exported");
  auto* file =
      verify_verb_->add_option("--input", verify_.input.file, "also check that it was made from this file");
  verify_verb_->add_option("--input-table", verify_.input.table, "the same, for a table of PostgreSQL")
      ->excludes(file);
  verify_verb_->add_option("--key-file", verify_.key_file,
                           "file with the key for the fingerprint of the input");
  verify_verb_->footer(
      "Examples:\n  pgveil verify-certificate certificate.json published.csv\n"
      "  pgveil verify-certificate certificate.json --table public.published --job job.yaml\n"
      "  pgveil verify-certificate people.json people.csv --policy policies/people.yaml\n"
      "Exit status 1 if anything differs from the certificate.");
}

void TableVerbs::add_apply(CLI::App& app, std::string& config) {
  apply_verb_ =
      app.add_subcommand("apply", "publish other rows with the transformation that a job found earlier");
  add_config(*apply_verb_, config);
  apply_verb_->add_option("scheme", apply_.scheme, "a report that anonymize --report wrote")->required();
  apply_verb_->add_option("--job", apply_.job, "the job that wrote the report")->required();
  add_table(*apply_verb_, apply_.input);
  apply_verb_->add_option("-o,--output", apply_.output, "the file to publish to");
  apply_verb_->add_option("--output-table", apply_.output_table, "the table to publish to, schema.table");
  apply_verb_->add_flag("--replace", apply_.replaces, "replace the file or table if it exists");
  apply_verb_
      ->add_option("--on-violation", apply_.on_violation,
                   "what to do with classes that break a model: refuse them, suppress them, or suppress as "
                   "many records "
                   "as the job allows")
      ->check(CLI::IsMember({"refuse", "suppress", "job"}))
      ->capture_default_str();
  apply_verb_->add_option("--report", apply_.report, "also write the report as JSON to this file");
  apply_verb_->add_option("--certificate", apply_.certificate, "also write a certificate to this file");
  apply_verb_->add_option("--key-file", apply_.key_file,
                          "file with the key for the fingerprint of the input in the certificate");
  apply_verb_->footer(
      "Examples:\n  pgveil anonymize job.yaml --report scheme.json\n"
      "  pgveil apply scheme.json new_rows.csv --job job.yaml --output new_rows_k5.csv\n"
      "If no table is given, the job's own input is read again.");
}

void TableVerbs::add_hierarchy(CLI::App& app, std::string& config) {
  auto* verb = app.add_subcommand("hierarchy", "build, show and check generalization hierarchies");
  verb->require_subcommand(1);
  const auto add_common = [&](CLI::App& below) {
    below
        .add_option("--hierarchy-separator", hierarchy_.separator,
                    "what separates the values of the hierarchy's file; tab for a tab")
        ->capture_default_str();
    below.add_option("-o,--output", hierarchy_.output, "write to this file instead of standard output");
  };
  build_verb_ = verb->add_subcommand(
      "build", "write the file of a hierarchy, made from a rule for the values of a column");
  add_config(*build_verb_, config);
  add_table(*build_verb_, hierarchy_.table);
  build_verb_->add_option("--column", hierarchy_.column, "the column with the values")->required();
  auto* rule = build_verb_->add_option("--rule", hierarchy_.rule,
                                       "the rule, written as in a job: \"intervals: {widths: [5, 10]}\"");
  build_verb_->add_option("--job", hierarchy_.job, "the job that has the rule for the column")
      ->excludes(rule);
  add_common(*build_verb_);
  build_verb_->footer(
      "Examples:\n  pgveil hierarchy build people.csv --column zip --rule \"masking: {}\" > zip.csv");
  show_verb_ = verb->add_subcommand("show", "show the levels of a hierarchy's file, and its tree");
  show_verb_->add_option("hierarchy", hierarchy_.file, "the hierarchy's file")->required();
  show_verb_->add_option("--tree", hierarchy_.most_nodes, "print the tree, up to this many nodes")
      ->capture_default_str();
  add_common(*show_verb_);
  show_verb_->footer("Examples:\n  pgveil hierarchy show zip.csv --tree 50");
  check_hierarchy_verb_ = verb->add_subcommand(
      "check", "check that a hierarchy's file is valid, and that it has all values of a column");
  check_hierarchy_verb_->add_option("hierarchy", hierarchy_.file, "the hierarchy's file")->required();
  add_config(*check_hierarchy_verb_, config);
  add_table(*check_hierarchy_verb_, hierarchy_.table);
  check_hierarchy_verb_->add_option("--column", hierarchy_.column, "the column whose values it must have");
  add_common(*check_hierarchy_verb_);
  check_hierarchy_verb_->footer("Examples:\n  pgveil hierarchy check zip.csv people.csv --column zip");
}

void TableVerbs::add_check_table(CLI::App& app, std::string& config) {
  check_verb_ = app.add_subcommand("check-table",
                                   "tell which privacy models a table satisfies, and with which parameters");
  add_config(*check_verb_, config);
  add_table(*check_verb_, check_.table);
  check_verb_->add_option("--job", check_.job, "demand what this job promises of its output");
  check_verb_->add_option("--columns", check_.columns, "the quasi-identifiers: age,zip");
  check_verb_->add_option("--sensitive", check_.sensitive,
                          "sensitive columns: tell which models they satisfy");
  check_verb_->add_option("-k,--k", check_.k, "demand that each class has at least this many records")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 32));
  check_verb_
      ->add_option("--require", check_.required,
                   "demand a model for a sensitive column: \"diagnosis=distinct 3\"; may be repeated")
      ->allow_extra_args(false);
  check_verb_
      ->add_option("--risk", check_.risks,
                   "demand a model for the whole table: \"average_risk 0.05\"; may be repeated")
      ->allow_extra_args(false);
  check_verb_
      ->add_option("--order", check_.orders,
                   "the order of a sensitive column's values: income=number, =text or =low,mid,high")
      ->allow_extra_args(false);
  auto* people =
      check_verb_->add_option("--population", check_.population.file,
                              "the input of the job, which presence and k_map are measured against");
  check_verb_
      ->add_option("--population-table", check_.population.table, "the same, for a table of PostgreSQL")
      ->excludes(people);
  check_verb_->add_option("--transformation", check_.transformation,
                          "the levels of the table, if its values do not tell them");
  check_verb_->add_flag("--ignore-suppressed", check_.ignores_suppressed,
                        "do not demand anything of the class that shows only *");
  check_verb_
      ->add_option("--show-classes", check_.most_classes,
                   "show the cells of up to this many classes that break a demand")
      ->capture_default_str();
  add_format(*check_verb_, check_.format, check_.output);
  check_verb_->footer(
      "Examples:\n  pgveil check-table published.csv --job job.yaml\n"
      "  pgveil check-table people.csv --columns age,zip --k 5 --require \"diagnosis=t_closeness 0.2\"\n"
      "  pgveil check-table study.csv --job job.yaml --population people.csv\n"
      "  pgveil check-table people.csv --columns age,zip --risk \"population_uniqueness 0.01 8000000\"\n"
      "Exit status 1 if a demand is not met. docs/check-table.md tells what the figures mean.");
}

void TableVerbs::add_risk(CLI::App& app, std::string& config) {
  risk_verb_ = app.add_subcommand("risk", "measure how easily people can be found again in a table");
  add_config(*risk_verb_, config);
  add_table(*risk_verb_, risk_.table);
  risk_verb_->add_option("--columns", risk_.columns,
                         "the columns that an attacker knows: age,zip; all columns if left out");
  risk_verb_->add_option("--threshold", risk_.threshold, "the highest risk that is accepted")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  auto* file =
      risk_verb_->add_option("--population", risk_.population.file,
                             "a table of everybody who could be in the table, for the journalist's risk");
  risk_verb_->add_option("--population-table", risk_.population.table, "the same, for a table of PostgreSQL")
      ->excludes(file);
  risk_verb_->add_option("--population-size", risk_.population_size,
                         "how many people could be in the table; estimates how many are unique among them");
  risk_verb_->add_option("--sets", risk_.most_columns, "look for identifying sets of up to this many columns")
      ->check(CLI::Range(0, 20))
      ->capture_default_str();
  add_format(*risk_verb_, risk_.format, risk_.output);
  risk_verb_->footer(
      "Examples:\n  pgveil risk people.csv --columns age,sex,zip\n"
      "  pgveil risk people.csv --population-size 8000000 --format html --output risk.html\n"
      "  pgveil risk --table public.people --sets 3\n"
      "No value of the table is quoted. docs/risk.md tells what the figures mean.");
}

std::string TableVerbs::subject() const {
  if (*risk_verb_) return describe(risk_.table);
  if (*check_verb_) return describe(check_.table);
  if (*apply_verb_) return apply_.job;
  if (*verify_verb_) return verify_.certificate;
  return *build_verb_ ? describe(hierarchy_.table) : "the file " + hierarchy_.file;
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
    check_.population.separator = check_.table.separator;
    check_.population.database = check_.table.database;
    return run_check_table(check_);
  }
  if (*apply_verb_) {
    apply_.config = config;
    return run_apply(apply_);
  }
  if (*verify_verb_) {
    verify_.config = config;
    verify_.input.separator = verify_.table.separator;
    verify_.input.database = verify_.table.database;
    return run_verify_certificate(verify_);
  }
  hierarchy_.config = config;
  if (*build_verb_) return run_hierarchy_build(hierarchy_);
  if (*show_verb_) return run_hierarchy_show(hierarchy_);
  if (*check_hierarchy_verb_) return run_hierarchy_check(hierarchy_);
  return std::nullopt;
}

}  // namespace pgveil::app
