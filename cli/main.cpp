// The command line: parses it and runs the verb. Exit status 0, 1 for a mistake of the user's, 2 for a usage
// error, 3 for an optimum that is not proven.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>

#include "cli/command_docs.hpp"
#include "cli/subcommands.hpp"
#include "cli/table_verbs.hpp"
#include "cli/verb_record.hpp"
#include "settings/options.hpp"

namespace pgveil::app {
namespace {

constexpr const char* kDefaultConfig = "config/pgveil.yaml";

CLI::App* add_verb(CLI::App& app, const char* name, const char* meaning, const char* examples,
                   std::string& config) {
  auto* verb = app.add_subcommand(name, meaning);
  verb->add_option("-c,--config", config, "configuration file")->capture_default_str();
  verb->footer(std::string("Examples:\n") + examples);
  return verb;
}

// Owns the variables that the options are bound to; run() knows which verb was named.
struct CommandLine {
  CLI::App app{"pgveil: a PostgreSQL proxy that answers from k-anonymous data", "pgveil"};
  std::string config = kDefaultConfig;
  CheckArguments check;
  AuditVerifyArguments audit;
  RewriteArguments rewrite;
  SetupSqlArguments setup;
  AnonymizeArguments anonymize;
  SparkWorkerArguments worker;
  PolicyBuildArguments build;
  PolicyShowArguments show;
  PolicyExplainArguments explain;
  PolicyDiffArguments diff;
  PolicyStoredSqlArguments stored_sql;
  TableVerbs tables;
  bool wants_all = false;
  bool wants_tree = false;
  bool wants_rules = false;
  bool wants_cohorts = false;
  bool wants_utility = false;
  CLI::App* serve_verb = nullptr;
  CLI::App* check_verb = nullptr;
  CLI::App* setup_verb = nullptr;
  CLI::App* audit_verb = nullptr;
  CLI::App* rewrite_verb = nullptr;
  CLI::App* policy_verb = nullptr;
  CLI::App* build_verb = nullptr;
  CLI::App* show_verb = nullptr;
  CLI::App* explain_verb = nullptr;
  CLI::App* diff_verb = nullptr;
  CLI::App* stored_sql_verb = nullptr;
  CLI::App* anonymize_verb = nullptr;
  CLI::App* worker_verb = nullptr;
  CLI::App* version_verb = nullptr;
  CLI::App* completion_verb = nullptr;
  CLI::App* config_doc_verb = nullptr;
  CLI::App* man_page_verb = nullptr;

  CommandLine() {
    app.require_subcommand(1);
    app.set_version_flag("--version", "pgveil " PGVEIL_VERSION, "Print the version and exit");
    app.footer(
        "Run pgveil VERB --help to learn more about a verb. Exit status: 0 when it has worked, 1 for a "
        "mistake in a file or in the databases, 2 for a wrong command line, 3 when a table was published "
        "without the proof that no other one is better.");
    serve_verb = add_verb(app, "serve", "run the proxy until SIGTERM; SIGHUP reads the configuration again",
                          "  pgveil serve -c config/pgveil.yaml", config);
    check_verb = add_verb(app, "check", "compare the configuration and the policies with the live server",
                          "  pgveil check && pgveil serve\n  pgveil check --quick", config);
    check_verb->add_flag("--quick", check.is_quick, "read catalogs and statistics only; count no table");
    setup_verb =
        add_verb(app, "setup-sql", "print the SQL that gives pgveil's roles in PostgreSQL the least rights",
                 "  pgveil setup-sql --database demo > setup.sql\n"
                 "  psql -X -v ON_ERROR_STOP=1 -d demo -f setup.sql",
                 config);
    setup_verb->add_option("--database", setup.database, "the database; needed when several are configured");
    add_rewrite();
    add_policy();
    add_anonymize();
    tables.add(app, config);
    audit_verb =
        app.add_subcommand("audit-verify", "check that no line of an audit log was changed or is missing");
    audit_verb->add_option("file", audit.files, "the log's files, the oldest first")->required();
    audit_verb->add_option("-c,--config", audit.config,
                           "configuration that names audit.key_file, if there is a key");
    audit_verb->add_option("--after", audit.after,
                           "hash of the line before the first one, if the files before it are not given");
    audit_verb->add_option(
        "--includes", audit.includes,
        "hash that an earlier run printed and that was kept elsewhere; its line must be in the files");
    audit_verb->footer(
        "A log is whole if it begins with the very first line, or with the line after that of --after. Lines "
        "that are missing at its end are noticed only with --includes.\n\nExamples:\n  pgveil audit-verify "
        "audit.log.1 audit.log");
    worker_verb = app.add_subcommand("spark-worker", "the native part of pgveil-spark")->group("");
    auto* described = worker_verb->add_option("--job", worker.job, "print this job as JSON");
    worker_verb
        ->add_flag("--domains", worker.resolves_domains,
                   "read columns' values, write their order and hierarchies")
        ->needs(described);
    version_verb = app.add_subcommand("version", "print the version");
    version_verb->footer("Examples:\n  pgveil version");
    completion_verb = app.add_subcommand(
        "completion", "print a completion script for bash; use: source <(pgveil completion)");
    config_doc_verb = app.add_subcommand("config-doc", "print docs/config.md")->group("");
    man_page_verb = app.add_subcommand("man-page", "print docs/pgveil.1")->group("");
  }

  void add_rewrite() {
    rewrite_verb =
        add_verb(app, "rewrite", "print the SQL that would be sent for a role, or why it is refused",
                 "  pgveil rewrite --role analyst 'SELECT city FROM people'\n"
                 "  pgveil rewrite --role analyst --full < query.sql",
                 config);
    rewrite_verb->add_option("--role", rewrite.role, "the client's role")->required();
    rewrite_verb->add_option("--database", rewrite.database,
                             "the database; needed when several are configured");
    rewrite_verb->add_flag("--full", rewrite.is_full,
                           "write each mask in its place, instead of once below the statement");
    rewrite_verb->add_option("sql", rewrite.sql, "the statements; standard input when left out");
  }

  void add_policy() {
    policy_verb = app.add_subcommand("policy", "build policies and show what they disclose");
    policy_verb->require_subcommand(1);
    build_verb = add_verb(*policy_verb, "build", "build a new version from the live table",
                          "  pgveil policy build people_k2\n  pgveil policy build --all", config);
    auto* name = build_verb->add_option("name", build.policy, "the policy");
    auto* all = build_verb->add_flag("--all", wants_all, "every policy of the configuration");
    name->excludes(all);
    build_verb->add_flag("--fresh", build.is_fresh,
                         "build a new tree that does not continue the last version");
    show_verb =
        add_verb(*policy_verb, "show", "print the tree, the rules, the cohorts and the errors of answers",
                 "  pgveil policy show people_k2 --rules", config);
    show_verb->add_option("name", show.policy, "the policy")->required();
    auto* tree = show_verb->add_flag("--tree", wants_tree, "only the tree");
    auto* rules = show_verb->add_flag("--rules", wants_rules, "only the rules");
    auto* cohorts = show_verb->add_flag("--cohorts", wants_cohorts, "only the cohorts");
    auto* utility =
        show_verb->add_flag("--utility", wants_utility, "only how wrong the answers to GROUP BY are");
    tree->excludes(rules)->excludes(cohorts)->excludes(utility);
    rules->excludes(cohorts)->excludes(utility);
    cohorts->excludes(utility);
    show_verb
        ->add_option_function<std::string>(
            "--for",
            [this](const std::string& text) {
              const auto equals = text.find('=');
              show.excerpt.column = text.substr(0, equals);
              if (equals != std::string::npos) show.excerpt.value = text.substr(equals + 1);
            },
            "only rules or cohorts that show this column, or with column=value this value in it")
        ->excludes(tree);
    show_verb->add_option("--limit", show.excerpt.limit, "at most so many rules or cohorts")->excludes(tree);
    show_verb->add_option("--offset", show.excerpt.offset, "leave out so many of them first")->excludes(tree);
    show_verb
        ->add_option("--format", show.format, "text, dot (a graph for Graphviz) or json (the whole version)")
        ->check(CLI::IsMember({"text", "dot", "json"}))
        ->excludes(rules)
        ->excludes(cohorts)
        ->excludes(utility);
    diff_verb = add_verb(
        *policy_verb, "diff",
        "compare the stored version with one that is built now, or with one in a file; nothing is stored",
        "  pgveil policy diff people_k2\n"
        "  pgveil policy diff people_k2 --with version-7.json",
        config);
    diff_verb->add_option("name", diff.policy, "the policy")->required();
    diff_verb->add_option("--with", diff.with, "a file that policy show --format json wrote");
    stored_sql_verb = add_verb(*policy_verb, "stored-sql",
                               "print the SQL that adds the column for enforcement: stored to a table",
                               "  pgveil policy stored-sql people_k2 > column.sql\n"
                               "  psql -d demo -f column.sql    # as the table's owner\n"
                               "  pgveil policy build people_k2",
                               config);
    stored_sql_verb->add_option("name", stored_sql.policy, "the policy")->required();
    explain_verb = add_verb(*policy_verb, "explain", "tell which cohort a row is in, and what is shown of it",
                            "  pgveil policy explain people_k2\n"
                            "  pgveil policy explain people_k2 state=OH city=Hamlet",
                            config);
    explain_verb->add_option("name", explain.policy, "the policy")->required();
    explain_verb->add_option("row,--row", explain.row,
                             "column=value, for each column; columns that are not given are NULL");
  }

  void add_anonymize() {
    anonymize_verb =
        add_verb(app, "anonymize", "publish a k-anonymous copy of a table, as a job file describes",
                 "  pgveil anonymize config/jobs/residents.yaml\n"
                 "  pgveil anonymize job.yaml --list\n"
                 "  pgveil anonymize job.yaml --transformation 1,1,2 --report report.json\n"
                 "  pgveil anonymize job.yaml --frontier 2,5,10,20\n"
                 "Ctrl-C ends the search and publishes the best table found so far. A second Ctrl-C "
                 "publishes nothing. docs/anonymize.md describes jobs.",
                 config);
    anonymize_verb->add_option("job", anonymize.job, "the job's file")->required();
    auto* chosen =
        anonymize_verb->add_option("--transformation", anonymize.transformation,
                                   "apply these levels, one for each quasi-identifier in the job's order");
    anonymize_verb
        ->add_flag("--list", anonymize.lists_only, "print the checked transformations, publish nothing")
        ->excludes(chosen);
    anonymize_verb->add_option("--report", anonymize.report, "also write the report as JSON to this file");
    anonymize_verb
        ->add_flag("--utility", anonymize.wants_utility,
                   "also tell how much is left of each column and of the relations between columns")
        ->excludes("--list");
    anonymize_verb
        ->add_option("--report-html", anonymize.report_html,
                     "also write the report, with the figures of --utility, as an HTML page to this file")
        ->excludes("--list");
    anonymize_verb
        ->add_option("--contingency", anonymize.contingency,
                     "count the pairs of values of two columns (age,illness), before and after")
        ->excludes("--list");
    anonymize_verb
        ->add_option("--contingency-report", anonymize.contingency_report,
                     "the file for these counts; it has values of the input, so do not publish it")
        ->excludes("--list");
    anonymize_verb
        ->add_option("--certificate", anonymize.certificate,
                     "also write a certificate of the published table to this file, for verify-certificate")
        ->excludes("--list");
    anonymize_verb->add_option(
        "--key-file", anonymize.key_file,
        "file with the key for the fingerprint of the input in the certificate; without it there is none");
    anonymize_verb
        ->add_option(
            "--frontier", anonymize.frontier,
            "search once for each of these k or risks (2,5,10 or 50%,20%,10%) and print how much is lost; "
            "publish nothing")
        ->excludes("--transformation")
        ->excludes("--certificate")
        ->excludes("--utility")
        ->excludes("--contingency")
        ->excludes("--report-html")
        ->excludes("--list");
  }

  [[nodiscard]] ShowWhat show_what() const {
    if (wants_tree) return ShowWhat::tree;
    if (wants_rules) return ShowWhat::rules;
    if (wants_utility) return ShowWhat::utility;
    return wants_cohorts ? ShowWhat::cohorts : ShowWhat::everything;
  }

  [[nodiscard]] std::string text_to_print() const {
    if (*config_doc_verb) return config_markdown();
    if (*man_page_verb) return man_page(app);
    return *completion_verb ? bash_completion(app) : "pgveil " PGVEIL_VERSION "\n";
  }

  // The named verb ("policy build") if it reads the configuration's databases or data derived from them;
  // empty: another verb.
  [[nodiscard]] std::string audited_verb() const {
    for (const CLI::App* verb : {serve_verb, audit_verb, setup_verb, worker_verb, version_verb,
                                 completion_verb, config_doc_verb, man_page_verb}) {
      if (*verb) return {};
    }
    std::string name;
    for (const CLI::App* verb = app.get_subcommands().front();; verb = verb->get_subcommands().front()) {
      name += (name.empty() ? "" : " ") + verb->get_name();
      if (verb->get_subcommands().empty()) return name;
    }
  }

  // What the named verb works on.
  [[nodiscard]] std::string subject() const {
    if (*build_verb) return build.policy.value_or("all policies");
    if (*show_verb) return show.policy;
    if (*diff_verb) return diff.policy;
    if (*explain_verb) return explain.policy;
    if (*stored_sql_verb) return stored_sql.policy;
    if (*anonymize_verb) return anonymize.job;
    if (*rewrite_verb) return "role " + rewrite.role;
    return *check_verb ? std::string("everything") : tables.subject();
  }

  int run() {
    const std::string verb = audited_verb();
    if (verb.empty()) return run_verb();
    const auto record = VerbRecord::begin(config, verb, subject());
    if (!record) return report(record.error());
    const int status = run_verb();
    record->end(status);
    return status;
  }

  int run_verb() {
    check.config = rewrite.config = setup.config = build.config = show.config = explain.config = diff.config =
        anonymize.config = stored_sql.config = config;
    show.what = show_what();
    if (*serve_verb) return run_serve(config);
    if (*check_verb) return run_check(check);
    if (*anonymize_verb) return run_anonymize(anonymize);
    if (const auto status = tables.run(config)) return *status;
    if (*audit_verb) return run_audit_verify(audit);
    if (*setup_verb) return run_setup_sql(setup);
    if (*rewrite_verb) return run_rewrite(rewrite);
    if (*build_verb) return run_policy_build(build);
    if (*show_verb) return run_policy_show(show);
    if (*diff_verb) return run_policy_diff(diff);
    if (*worker_verb) return run_spark_worker(worker);
    if (*stored_sql_verb) return run_policy_stored_sql(stored_sql);
    if (*explain_verb) return run_policy_explain(explain);
    std::fputs(text_to_print().c_str(), stdout);
    return kSuccess;
  }
};

int usage_error(const std::string& what) {
  std::fprintf(stderr, "pgveil: %s; pgveil --help\n", what.c_str());
  return kUsage;
}

int run(int argc, char** argv) {
  CommandLine line;
  try {
    line.app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return line.app.exit(error);  // --help
    return usage_error(error.what());
  }
  if (*line.build_verb && !line.build.policy && !line.wants_all)
    return usage_error("policy build needs a name or --all");
  return line.run();
}

}  // namespace
}  // namespace pgveil::app

int main(int argc, char** argv) {
  try {
    return pgveil::app::run(argc, argv);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "pgveil: a bug: %s\n", failure.what());
    return pgveil::app::kMistake;
  }
}
