#include "cli/tables/table_verbs.hpp"

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
  add_apply(app, config);
  add_hierarchy(app, config);
  add_verify(app, config);
}

void TableVerbs::add_verify(CLI::App& app, std::string& config) {
  verify_verb_ = app.add_subcommand("verify-certificate", "hold a published table against its certificate");
  verify_verb_->add_option("certificate", verify_.certificate, "a file that --certificate wrote")->required();
  add_config(*verify_verb_, config);
  add_table(*verify_verb_, verify_.table);
  verify_verb_->add_option("--job", verify_.job, "is this the job that published it?");
  verify_verb_->add_option("--policy", verify_.policy,
                           "is the policy of this file the one that was exported?");
  auto* file =
      verify_verb_->add_option("--input", verify_.input.file, "is this file the input it was made of?");
  verify_verb_->add_option("--input-table", verify_.input.table, "the same, of PostgreSQL")->excludes(file);
  verify_verb_->add_option("--key-file", verify_.key_file, "key of the input's fingerprint");
  verify_verb_->footer(
      "Examples:\n  pgveil verify-certificate certificate.json published.csv\n"
      "  pgveil verify-certificate certificate.json --table public.published --job job.yaml\n"
      "  pgveil verify-certificate people.json people.csv --policy policies/people.yaml\n"
      "Exit status 1 when anything is not as it says.");
}

void TableVerbs::add_apply(CLI::App& app, std::string& config) {
  apply_verb_ =
      app.add_subcommand("apply", "publish other rows by the transformation that a job found earlier");
  add_config(*apply_verb_, config);
  apply_verb_->add_option("scheme", apply_.scheme, "a report that anonymize --report wrote")->required();
  apply_verb_->add_option("--job", apply_.job, "the job that it was made by")->required();
  add_table(*apply_verb_, apply_.input);
  apply_verb_->add_option("-o,--output", apply_.output, "the file to publish to");
  apply_verb_->add_option("--output-table", apply_.output_table, "the table to publish to, schema.table");
  apply_verb_->add_flag("--replace", apply_.replaces, "what exists there may be replaced");
  apply_verb_
      ->add_option(
          "--on-violation", apply_.on_violation,
          "classes that break a model: refuse them, suppress them, or as many as the job may suppress")
      ->check(CLI::IsMember({"refuse", "suppress", "job"}))
      ->capture_default_str();
  apply_verb_->add_option("--report", apply_.report, "also write the report as JSON to this file");
  apply_verb_->add_option("--certificate", apply_.certificate, "also write a certificate to this file");
  apply_verb_->add_option("--key-file", apply_.key_file, "key of the input's fingerprint in it");
  apply_verb_->footer(
      "Examples:\n  pgveil anonymize job.yaml --report scheme.json\n"
      "  pgveil apply scheme.json new_rows.csv --job job.yaml --output new_rows_k5.csv\n"
      "Without a table the job's own input is read again.");
}

void TableVerbs::add_hierarchy(CLI::App& app, std::string& config) {
  auto* verb = app.add_subcommand("hierarchy", "make and look at generalization hierarchies");
  verb->require_subcommand(1);
  const auto add_common = [&](CLI::App& below) {
    below.add_option("--hierarchy-separator", hierarchy_.separator, "of the hierarchy's file; tab for a tab")
        ->capture_default_str();
    below.add_option("-o,--output", hierarchy_.output, "write to this file instead of standard output");
  };
  build_verb_ =
      verb->add_subcommand("build", "make a hierarchy's file from a rule, for the values of a column");
  add_config(*build_verb_, config);
  add_table(*build_verb_, hierarchy_.table);
  build_verb_->add_option("--column", hierarchy_.column, "whose values")->required();
  auto* rule =
      build_verb_->add_option("--rule", hierarchy_.rule, "as in a job: \"intervals: {widths: [5, 10]}\"");
  build_verb_->add_option("--job", hierarchy_.job, "the rule that this job has for the column")
      ->excludes(rule);
  add_common(*build_verb_);
  build_verb_->footer(
      "Examples:\n  pgveil hierarchy build people.csv --column zip --rule \"masking: {}\" > zip.csv");
  show_verb_ = verb->add_subcommand("show", "the levels of a hierarchy's file, and its tree");
  show_verb_->add_option("hierarchy", hierarchy_.file, "the hierarchy's file")->required();
  show_verb_->add_option("--tree", hierarchy_.most_nodes, "print up to so many nodes")->capture_default_str();
  add_common(*show_verb_);
  show_verb_->footer("Examples:\n  pgveil hierarchy show zip.csv --tree 50");
  check_hierarchy_verb_ =
      verb->add_subcommand("check", "is a hierarchy's file sound, and has it all values of a column?");
  check_hierarchy_verb_->add_option("hierarchy", hierarchy_.file, "the hierarchy's file")->required();
  add_config(*check_hierarchy_verb_, config);
  add_table(*check_hierarchy_verb_, hierarchy_.table);
  check_hierarchy_verb_->add_option("--column", hierarchy_.column, "whose values it has to have");
  add_common(*check_hierarchy_verb_);
  check_hierarchy_verb_->footer("Examples:\n  pgveil hierarchy check zip.csv people.csv --column zip");
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
      ->add_option("--risk", check_.risks,
                   "demand a model of the whole table: \"average_risk 0.05\"; once for each")
      ->allow_extra_args(false);
  check_verb_
      ->add_option("--order", check_.orders,
                   "of a sensitive column's values: income=number, =text or =low,mid,high")
      ->allow_extra_args(false);
  auto* people = check_verb_->add_option("--population", check_.population.file,
                                         "the job's input, which its presence and k_map compare with");
  check_verb_->add_option("--population-table", check_.population.table, "the same, of PostgreSQL")
      ->excludes(people);
  check_verb_->add_option("--transformation", check_.transformation,
                          "the levels that the table is at, where its texts do not tell");
  check_verb_->add_flag("--ignore-suppressed", check_.ignores_suppressed,
                        "let the class that shows only * break what is demanded");
  check_verb_
      ->add_option("--show-classes", check_.most_classes, "show the cells of up to so many offending classes")
      ->capture_default_str();
  add_format(*check_verb_, check_.format, check_.output);
  check_verb_->footer(
      "Examples:\n  pgveil check-table published.csv --job job.yaml\n"
      "  pgveil check-table people.csv --columns age,zip --k 5 --require \"diagnosis=t_closeness 0.2\"\n"
      "  pgveil check-table study.csv --job job.yaml --population people.csv\n"
      "  pgveil check-table people.csv --columns age,zip --risk \"population_uniqueness 0.01 8000000\"\n"
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

}  // namespace pgveil::cli
