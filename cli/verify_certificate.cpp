// pgveil verify-certificate: checks whether this is the certificate's table, and whether the table keeps what
// the certificate promises.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/published_print.hpp"
#include "cli/verbs.hpp"
#include "jobs/check/check_table.hpp"
#include "jobs/check/fingerprint.hpp"
#include "jobs/check/recount.hpp"
#include "jobs/report/attack_link.hpp"
#include "jobs/report/certificate.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {
namespace {

struct VerifyArguments {
  std::string certificate;
  TableArguments table;
  std::optional<std::string> job;              // the job that may have published the table
  std::optional<std::string> policy;           // file of the policy that may have been exported
  TableArguments input;                        // neither file nor table: not checked
  std::optional<std::string> input_separator;  // none: that of the job's input, or of the table
  std::optional<std::string> key_file;
  std::optional<std::string> attack_report;  // JSON
};

class Verdicts {
 public:
  void add(bool is_good, std::string_view what) {
    all_good_ = all_good_ && is_good;
    out_ += fmt::format("{:<10}{}\n", is_good ? "ok" : "FAILED", what);
  }
  void note(std::string_view what) { out_ += fmt::format("{:<10}{}\n", "note", what); }
  void leave(std::string_view what) { out_ += fmt::format("{:<10}{}\n", "unchecked", what); }
  [[nodiscard]] const std::string& text() const { return out_; }
  [[nodiscard]] bool all_good() const { return all_good_; }

 private:
  std::string out_;
  bool all_good_ = true;
};

Result<bool> is_the_table(const TableArguments& given, const Certificate& certificate,
                          const engine::Table& table) {
  const auto print = print_of_published(given, table);
  if (!print) return print.error();
  return print->table ? print->table == certificate.table_print : print->file == certificate.file_print;
}

bool compares_with_all(const engine::ValueModel& model) {
  return std::holds_alternative<engine::TCloseness>(model) ||
         std::holds_alternative<engine::BetaLikeness>(model) ||
         std::holds_alternative<engine::DeltaDisclosure>(model);
}

constexpr std::string_view kNullOfExports = "\\N";  // hardly any column of a table has this text

// The text for NULL while the table is read. In exported files, empty cells are NULL. They are so, too, if a
// job has no such text, because it can have hidden records.
std::optional<std::string> null_text_for(const Certificate& certificate, const TableArguments& given) {
  if (given.null_text) return given.null_text;
  if (certificate.policy.empty() && (given.table || certificate.null_text)) return certificate.null_text;
  return given.table ? std::string(kNullOfExports) : std::string();
}

// A job that can't be read has no separator; that it is another one is told later.
std::optional<std::string> separator_for(const VerifyArguments& arguments) {
  if (!arguments.job || !arguments.table.file || arguments.table.separator) return arguments.table.separator;
  const auto job = read_job_file(*arguments.job);
  return job ? output_separator(std::nullopt, *job) : std::nullopt;
}

// Leaves out distances in a hierarchy, because the certificate contains none.
TableDemand demand_of(const Certificate& certificate, Verdicts& verdicts) {
  TableDemand made;
  made.quasi_identifiers = certificate.quasi_identifiers;
  made.null_text = certificate.null_text;
  made.demand.k = certificate.k;
  made.demand.risks = certificate.risks;
  made.demand.has_left_out = certificate.has_left_out;
  made.demand.suppressed_records = certificate.suppressed_records;
  for (auto column : certificate.sensitive) {
    std::erase_if(column.demanded, [&](const engine::ValueModel& model) {
      const auto* closeness = std::get_if<engine::TCloseness>(&model);
      const bool is_hierarchical =
          closeness != nullptr && closeness->distance == engine::Distance::hierarchical;
      // When the certificate was issued, this was tested against the input, which had more records than this
      // table.
      const bool is_gone = certificate.dropped_rows > 0 && compares_with_all(model);
      if (is_hierarchical || is_gone)
        verdicts.leave(fmt::format("{} {}: {}", column.name, engine::describe(model),
                                   is_hierarchical ? "the hierarchy is the job's; check-table --job has it"
                                                   : "it compares with dropped records"));
      return is_hierarchical || is_gone;
    });
    made.sensitive.push_back(std::move(column));
  }
  return made;
}

// The population for presence and k_map: the job's input, shown at the levels of the certificate.
struct Population {
  Job job;
  engine::Table people;
};

bool has_population_models(const Certificate& certificate) {
  return certificate.presence || certificate.k_map;
}

// nullopt: no model compares with it, or something needed for it is missing.
Result<std::optional<Population>> read_population(const VerifyArguments& arguments,
                                                  const Certificate& certificate, const engine::Table* input,
                                                  Verdicts& verdicts) {
  std::optional<Population> made;
  if (!has_population_models(certificate)) return made;
  if (!arguments.job || input == nullptr) {
    verdicts.leave(
        "presence and k_map: they compare with the input. Name the input, and the job "
        "with its hierarchies");
    return made;
  }
  auto job = read_job_file(*arguments.job);
  if (!job) return job.error();
  if (job->local_recoding.parts > 0) {
    verdicts.leave("presence and k_map: some records have other levels, because of local recoding");
    return made;
  }
  made.emplace(Population{std::move(*job), *input});
  return made;
}

Result<void> verify_models(const Certificate& certificate, const engine::Table& table,
                           const TableArguments& given, const std::optional<Population>& population,
                           Verdicts& verdicts) {
  auto demand = demand_of(certificate, verdicts);
  demand.is_empty_null = given.file.has_value();
  if (!certificate.policy.empty()) demand.null_text = null_text_for(certificate, given);
  if (population) {
    demand.demand.presence = certificate.presence;
    demand.demand.k_map = certificate.k_map;
    demand.add_population = [&](engine::TableCheck& check) {
      return add_population(population->job, population->people, certificate.levels, check);
    };
  }
  const auto found = check_table(table, demand);
  if (!found) return found.error();
  for (const auto& it : found->demands)
    verdicts.add(it.is_kept(), it.column.empty() ? it.model : it.column + " " + it.model);
  return {};
}

// nullopt: no input was named.
Result<std::optional<engine::Table>> read_input(const VerifyArguments& arguments,
                                                const Certificate& certificate, TableReader& reader) {
  std::optional<engine::Table> made;
  if (!arguments.input.file && !arguments.input.table) return made;
  if (!certificate.policy.empty())
    return error_of_kind(ErrorKind::usage, "the certificate of an export has no information about an input",
                         "leave the input out");
  if (!arguments.key_file && !has_population_models(certificate))
    return error_of_kind(ErrorKind::usage, "the input's fingerprint was made with a key",
                         "name its file with --key-file");
  if (arguments.key_file && certificate.input_print.empty())
    return error_of_kind(ErrorKind::configuration, "the certificate has no fingerprint of the input",
                         "leave out --key-file. Leave out the input too, unless a model compares with it");
  auto given = arguments.input;
  given.null_text = certificate.null_text;
  std::optional<Job> job;
  if (arguments.job && given.file && !arguments.input_separator) {
    auto read = read_job_file(*arguments.job);
    if (!read) return read.error();
    job = std::move(*read);
  }
  given.separator =
      input_separator(arguments.input_separator, job ? &*job : nullptr, arguments.table.separator);
  auto input = reader.read(given, certificate.columns);
  if (!input) return input.error();
  made.emplace(std::move(*input));
  return made;
}

Result<void> verify_input(const VerifyArguments& arguments, const Certificate& certificate,
                          const engine::Table& input, Verdicts& verdicts) {
  if (!arguments.key_file) {
    verdicts.leave("the input: checking its fingerprint requires the key");
    return {};
  }
  const auto key = read_fingerprint_key(*arguments.key_file);
  if (!key) return key.error();
  verdicts.add(print_of_table(input, std::nullopt, *key) == certificate.input_print,
               "the input is the one that it was made from");
  return {};
}

// Checks whether the job or policy that was named is the one in the certificate.
Result<void> verify_source(const VerifyArguments& arguments, const Certificate& certificate,
                           Verdicts& verdicts) {
  if (arguments.job) {
    if (certificate.job.empty())
      return error_of_kind(ErrorKind::usage, "the certificate belongs to the export of a policy",
                           "name its file with --policy instead of --job");
    const auto job = read_text(*arguments.job);
    if (!job) return job.error();
    verdicts.add(fingerprint_of(*job) == certificate.job_print, "the job is the one that published it");
  }
  if (!arguments.policy) return {};
  if (certificate.policy.empty())
    return error_of_kind(ErrorKind::usage, "the certificate belongs to a job",
                         "name its file with --job instead of --policy");
  const auto specs = read_policy_file(*arguments.policy);
  if (!specs) return specs.error();
  const auto is_it = [&](const policy::PolicySpec& it) {
    return it.name == certificate.policy && it.hash == certificate.policy_print;
  };
  verdicts.add(std::ranges::any_of(*specs, is_it),
               fmt::format("policy {} is the one that was exported", certificate.policy));
  return {};
}

// What the attacks found is no promise of the certificate, so it is told and not judged.
Result<void> verify_attack_report(const std::string& path, const Certificate& certificate,
                                  Verdicts& verdicts) {
  const auto text = read_text(path);
  if (!text) return text.error();
  const auto link = read_attack_link(*text);
  if (!link) return link.error();
  verdicts.add(link->is_about(certificate), "the attack report is about this release");
  verdicts.note(link->is_anything_learnt ? "the attacks found something: read their report"
                                         : "the attacks that were tried found nothing");
  return {};
}

void leave_cohorts(const Certificate& certificate, Verdicts& verdicts) {
  if (certificate.unit)
    verdicts.leave(fmt::format("k by {}: it can't be counted in this table. k by rows is a weaker promise",
                               *certificate.unit));
  for (const auto& model : certificate.models)
    verdicts.leave(model + ": counted in each cohort when it was exported");
}

Result<Verdicts> verify(const VerifyArguments& arguments, const std::string& config_path) {
  const auto text = read_text(arguments.certificate);
  if (!text) return text.error();
  const auto certificate = read_certificate(*text);
  if (!certificate) return certificate.error();
  if (arguments.table.file == "-")
    return error_of_kind(ErrorKind::usage, "standard input can't be read twice", "name a file or a table");
  TableReader reader(config_path, "verify-certificate");
  auto given = arguments.table;
  given.null_text = null_text_for(*certificate, given);
  given.is_published = true;
  given.separator = separator_for(arguments);
  const auto table = reader.read(given, {});
  if (!table) return table.error();
  Verdicts verdicts;
  const auto is_same = is_the_table(given, *certificate, *table);
  if (!is_same) return is_same.error();
  verdicts.add(*is_same, "the table is the one that was published");
  verdicts.add(table->rows() == certificate->rows, fmt::format("{} records", certificate->rows));
  if (auto source = verify_source(arguments, *certificate, verdicts); !source) return source.error();
  const auto input = read_input(arguments, *certificate, reader);
  if (!input) return input.error();
  const auto population = read_population(arguments, *certificate, *input ? &**input : nullptr, verdicts);
  if (!population) return population.error();
  if (auto models = verify_models(*certificate, *table, given, *population, verdicts); !models)
    return models.error();
  leave_cohorts(*certificate, verdicts);
  if (arguments.attack_report) {
    if (auto same = verify_attack_report(*arguments.attack_report, *certificate, verdicts); !same)
      return same.error();
  }
  if (*input) {
    if (auto same = verify_input(arguments, *certificate, **input, verdicts); !same) return same.error();
  }
  return verdicts;
}

// Also returns kMistake if the table is not what the certificate says.
int run_verify_certificate(const VerifyArguments& arguments, const std::string& config_path) {
  const auto made = verify(arguments, config_path);
  if (!made) return report(made.error());
  std::fputs(made->text().c_str(), stdout);
  return made->all_good() ? kSuccess : kMistake;
}

}  // namespace

Verb add_verify_certificate(CLI::App& parent, std::string& config) {
  const auto arguments = std::make_shared<VerifyArguments>();
  auto* verb = parent.add_subcommand("verify-certificate", "compare a published table with its certificate");
  verb->add_option("certificate", arguments->certificate, "a file that --certificate wrote")->required();
  add_table_config(*verb, config);
  add_table(*verb, arguments->table, "that of the job's output, or a comma");
  verb->add_option("--job", arguments->job, "also check that this job published it");
  verb->add_option("--policy", arguments->policy,
                   "also check that the policy in this file is the one that was exported");
  auto* file =
      verb->add_option("--input", arguments->input.file, "also check that it was made from this file");
  verb->add_option("--input-table", arguments->input.table, "the same, for a table of PostgreSQL")
      ->excludes(file);
  verb->add_option("--input-separator", arguments->input_separator,
                   "one character, or tab (default: that of the job's input, else --separator)")
      ->needs(file);
  verb->add_option("--key-file", arguments->key_file, "file with the key for the fingerprint of the input");
  verb->add_option("--attack-report", arguments->attack_report,
                   "also check that this report, which attack --format json wrote, is about this release");
  verb->footer(
      "Examples:\n  pgveil verify-certificate certificate.json published.csv\n"
      "  pgveil verify-certificate certificate.json --table public.published --job job.yaml\n"
      "  pgveil verify-certificate people.json people.csv --policy policies/people.yaml\n"
      "Exit status 1 if anything differs from the certificate.");
  const auto run = [=, &config] {
    arguments->input.database = arguments->table.database;
    return run_verify_certificate(*arguments, config);
  };
  return {verb, run, [=] { return arguments->certificate; }};
}

}  // namespace pgveil::app
