// pgveil policy diff: compares the stored version with one that a build would make now, or with a file.
#include <fmt/format.h>

#include <cstdio>

#include "cli/verbs.hpp"
#include "common/clock.hpp"
#include "common/progress_line.hpp"
#include "common/text_table.hpp"
#include "console/format_diff.hpp"
#include "console/format_utility.hpp"
#include "daemon/policies/builder.hpp"
#include "daemon/policies/stored_policy.hpp"
#include "policy/tree/tree_diff.hpp"

namespace pgveil::app {
namespace {

struct PolicyDiffArguments {
  std::string policy;
  // A file from policy show --format json; none: what a build would make now.
  std::optional<std::string> with;
};

Result<policy::PolicyVersion> version_as_built(const std::string& config_path,
                                               const std::shared_ptr<const policy::PolicySpec>& spec) {
  const auto config = read_config(config_path);
  if (!config) return config.error();
  const auto earlier = earlier_version(*config, spec, Lineage::go_on);
  if (!earlier) return earlier.error();
  ProgressLine line("policy " + spec->name, ProgressLine::Elsewhere::now_and_then);
  auto built = build_version(build_endpoint(*config), *spec, *earlier, utc_now(), {},
                             [&](const BuildStep& step) { show_step(line, step); });
  if (!built) return built.error();
  return std::move(built->version);
}

std::string side(std::string_view name, const policy::PolicyVersion& version) {
  const auto& disclosure = version.disclosure;
  return fmt::format(
      "{:<7} {}: k = {}, {} rows, {} units, {} cohorts, smallest {}\n", name,
      version.number == 0 ? "a build now" : fmt::format("version {} of {}", version.number, version.built_at),
      version.tree.k, disclosure.rows, disclosure.units, disclosure.cohorts, disclosure.smallest_cohort);
}

std::string diff_text(const policy::PolicyVersion& before, const policy::PolicyVersion& after) {
  const auto changes = console::changes_table(before.tree, after.tree);
  std::string out = side("before", before) + side("after", after) + "\n" +
                    text_of(console::shares_table(before, after)) + "\nErrors of GROUP BY:\n\n" +
                    text_of(console::answers_table(before, after)) + "\n";
  if (changes.rows.empty())
    return out + "Readers would see the same combinations of values, on as many rows.\n";
  return out + "Disclosed combinations of values:\n\n" + text_of(changes) +
         fmt::format("\n{} others are the same.\n", policy::diff_trees(before.tree, after.tree).same);
}

int run_policy_diff(const PolicyDiffArguments& arguments, const std::string& config_path) {
  const auto stored = read_stored_policy(config_path, arguments.policy);
  if (!stored) return report(stored.error());
  if (!stored->note.empty()) std::fprintf(stderr, "pgveil: %s\n", stored->note.c_str());
  const auto other = arguments.with ? read_version_file(*arguments.with, arguments.policy)
                                    : version_as_built(config_path, stored->spec);
  if (!other) return report(other.error());
  const bool is_older = arguments.with.has_value();
  std::fputs(diff_text(is_older ? *other : *stored->version, is_older ? *stored->version : *other).c_str(),
             stdout);
  return kSuccess;
}

}  // namespace

Verb add_policy_diff(CLI::App& parent, std::string& config) {
  const auto arguments = std::make_shared<PolicyDiffArguments>();
  auto* verb = add_configured(parent, "diff",
                              "compare the stored version with one that is built now, or with one in a file. "
                              "Stores nothing",
                              "  pgveil policy diff people_k2\n"
                              "  pgveil policy diff people_k2 --with version-7.json",
                              config);
  verb->add_option("name", arguments->policy, "the policy")->required();
  verb->add_option("--with", arguments->with, "a file that policy show --format json wrote");
  return {verb, [=, &config] { return run_policy_diff(*arguments, config); },
          [=] { return arguments->policy; }};
}

}  // namespace pgveil::app
