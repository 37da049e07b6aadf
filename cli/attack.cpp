// pgveil attack: attacks the current version of a policy, or the file of a job, the way a reader could, and
// says what that gives.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

#include "attack/report.hpp"
#include "cli/attack_release.hpp"
#include "cli/verbs.hpp"
#include "daemon/policies/attack_policy.hpp"
#include "daemon/policies/stored_policy.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {
namespace {

struct AttackArguments {
  std::string name;                   // of the policy; with a job, the file
  std::optional<std::string> job;     // its file
  std::optional<std::string> knows;   // "age,zip"
  std::optional<std::string> scheme;  // a report of the job
  std::vector<std::string> with;      // further jobs; of a policy, files of earlier versions
  ReportFormat format = ReportFormat::text;
  std::optional<std::string> output;
};

Result<attack::AttackReport> attack_stored(const AttackArguments& arguments, const std::string& config_path) {
  const auto config = read_config(config_path);
  if (!config) return config.error();
  const auto specs = read_policy_files(*config);
  if (!specs) return specs.error();
  const auto stored = read_stored_policy(config_path, arguments.name);
  if (!stored) return stored.error();
  std::vector<std::string> knows;
  if (arguments.knows) {
    auto names = column_names("--knows", *arguments.knows);
    if (!names) return names.error();
    knows = std::move(*names);
  }
  std::vector<policy::PolicyVersion> earlier;
  for (const std::string& path : arguments.with) {
    auto version = read_version_file(path, arguments.name);
    if (!version) return version.error();
    earlier.push_back(std::move(*version));
  }
  return attack_policy(*config, *specs, *stored, knows, earlier);
}

int run_attack(const AttackArguments& arguments, const std::string& config_path) {
  if (arguments.job) {
    ReleaseAttackArguments release{{},
                                   *arguments.job,
                                   arguments.knows,
                                   arguments.scheme,
                                   arguments.with,
                                   arguments.format,
                                   arguments.output};
    if (!arguments.name.empty()) release.file = arguments.name;
    return run_attack_release(release, config_path);
  }
  const auto made = attack_stored(arguments, config_path);
  if (!made) return report(made.error());
  const auto written =
      write_report(arguments.output, attack::attack_report_as(*made, arguments.format), arguments.with);
  if (!written) return report(written.error());
  return made->is_anything_computable() ? kComputable : kSuccess;
}

}  // namespace

Verb add_attack(CLI::App& parent, std::string& config) {
  const auto arguments = std::make_shared<AttackArguments>();
  auto* verb = add_configured(
      parent, "attack", "say what readers of a policy or of a published file can compute or guess",
      "  pgveil attack people_k2\n"
      "  pgveil attack people_k2 --knows state,city --format html -o attack.html\n"
      "  pgveil attack people_k2 --with version-7.json\n"
      "  pgveil attack published.csv --job job.yaml --knows age,zip\n"
      "  pgveil attack --job job.yaml --knows age,zip --with last_year.yaml\n"
      "No value of the table is quoted. docs/attacks.md tells what is tried.\n"
      "Exit status 4 if readers can compute a hidden cell or a sensitive value, or if a class is too small.",
      config);
  verb->add_option("name", arguments->name,
                   "the policy, which must have been built; with --job the published file (- for standard "
                   "input), or nothing for what the job publishes");
  auto* job = verb->add_option("--job", arguments->job, "attack a file that this job published");
  auto* knows = verb->add_option("--knows", arguments->knows,
                                 "columns that an attacker knows of every person: age,zip");
  verb->add_option(
          "--scheme", arguments->scheme,
          "the job's report, which anonymize --report wrote: it tells which class is a person's, and "
          "which values the order of the transformations excludes")
      ->needs(job)
      ->needs(knows);
  verb->add_option("--with", arguments->with,
                   "an earlier version of the policy, which policy show --format json wrote; with --job "
                   "another job, whose file may be about the same persons. May be repeated")
      ->allow_extra_args(false);
  add_format(*verb, arguments->format, arguments->output);
  verb->parse_complete_callback([arguments] {
    if (!arguments->job && arguments->name.empty()) throw CLI::RequiredError("name");
    if (arguments->job && !arguments->with.empty() && !arguments->knows)
      throw CLI::RequiresError("--with", "--knows");
  });
  const auto subject = [=] { return arguments->job ? *arguments->job : arguments->name; };
  return {verb, [=, &config] { return run_attack(*arguments, config); }, subject};
}

}  // namespace pgveil::app
