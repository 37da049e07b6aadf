// pgveil policy build: makes a new version from the live table. A running proxy notices it by itself.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "cli/verbs.hpp"
#include "common/progress_line.hpp"
#include "console/format_utility.hpp"
#include "console/quote.hpp"
#include "daemon/policies/build_policy.hpp"
#include "daemon/policies/lineage.hpp"
#include "daemon/policies/versions.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {
namespace {

struct PolicyBuildArguments {
  std::optional<std::string> policy;
  bool wants_all = false;
  bool is_fresh = false;  // ignore what was shown before
};

// The candidates, whose versions have got their numbers.
Result<std::vector<Candidate>> build_and_save(const Config& config, const Specs& specs,
                                              const std::shared_ptr<const policy::PolicySpec>& spec,
                                              Lineage lineage) {
  if (auto prepared = prepare_versions(config, {spec}, spec->database); !prepared) return prepared.error();
  ProgressLine line("policy " + spec->name, ProgressLine::Elsewhere::now_and_then);
  auto built =
      build_policy(config, specs, spec, lineage, [&](const BuildStep& step) { show_step(line, step); });
  if (!built) return built;
  const Store store =
      [&](std::vector<policy::PolicyVersion> versions,
          const db::VersionMarks& seen) -> Result<std::optional<std::vector<policy::PolicyVersion>>> {
    const auto stored = Versions::open(config, spec->database);
    if (!stored) return stored.error();
    return stored->publish(std::move(versions), {}, seen);
  };
  show_step(line, {.stage = "publishing"});
  auto published = release(config, specs, *built, store);
  if (!published) return published.error();
  for (std::size_t i = 0; i < built->size(); ++i) (*built)[i].version = std::move((*published)[i]);
  return built;
}

constexpr int kMostBuilds = 3;

// Tries again, a few times, if another version of the policy was stored meanwhile.
Result<std::vector<Candidate>> build_patiently(const Config& config, const Specs& specs,
                                               const std::shared_ptr<const policy::PolicySpec>& spec,
                                               Lineage lineage) {
  for (int builds = 1;; ++builds) {
    auto built = build_and_save(config, specs, spec, lineage);
    if (built || !is_overtaken(built.error()) || builds == kMostBuilds) return built;
  }
}

void say(const Candidate& built) {
  const policy::PolicySpec& spec = *built.spec;
  const policy::PolicyVersion& version = built.version;
  const auto& disclosure = version.disclosure;
  const std::string cells = disclosure.cells == 0
                                ? std::string("no quasi-identifiers")
                                : fmt::format("{}% of cells disclosed{}, {}% computable, {}% equal",
                                              console::shown_percent(disclosure.disclosed, disclosure.cells),
                                              console::bound_text(version.utility, disclosure),
                                              console::shown_percent(disclosure.computable, disclosure.cells),
                                              console::shown_percent(disclosure.equal, disclosure.cells));
  std::fputs(
      fmt::format("policy {}: version {}, {} rows, {} cohorts, smallest {}, {}\n", version.policy,
                  version.number, disclosure.rows, disclosure.cohorts, disclosure.smallest_cohort, cells)
          .c_str(),
      stdout);
  const auto say_line = [&](const std::string& line) {
    std::fputs(fmt::format("policy {}: {}\n", version.policy, line).c_str(), stdout);
  };
  if (!built.note.empty()) say_line(built.note);
  std::ranges::for_each(console::build_lines(spec, version), say_line);
}

int run_policy_build(const PolicyBuildArguments& arguments, const std::string& config_path) {
  const auto config = read_config(config_path);
  if (!config) return report(config.error());
  const auto all = read_policy_files(*config);
  if (!all) return report(all.error());
  Specs specs = *all;
  if (arguments.policy) {
    const auto spec = find_policy(*all, *arguments.policy);
    if (!spec) return report(spec.error());
    specs = Specs{*spec};
  }
  int status = kSuccess;
  std::set<std::string> done;
  for (const auto& spec : specs) {
    if (done.contains(spec->name)) continue;  // built with another table of its entity
    for (const auto& other : built_with(*all, spec)) done.insert(other->name);
    const auto built =
        build_patiently(*config, *all, spec, arguments.is_fresh ? Lineage::begin : Lineage::go_on);
    if (built) {
      std::ranges::for_each(*built, say);
    } else {
      status = report(built.error());
    }
  }
  return status;
}

}  // namespace

Verb add_policy_build(CLI::App& parent, std::string& config) {
  const auto arguments = std::make_shared<PolicyBuildArguments>();
  auto* verb = add_configured(parent, "build", "build a new version from the live table",
                              "  pgveil policy build people_k2\n  pgveil policy build --all", config);
  auto* name = verb->add_option("name", arguments->policy, "the policy");
  auto* all = verb->add_flag("--all", arguments->wants_all, "every policy of the configuration");
  name->excludes(all);
  verb->add_flag("--fresh", arguments->is_fresh, "build a new tree that does not continue the last version");
  verb->callback([=] {
    if (!arguments->policy && !arguments->wants_all)
      throw CLI::ParseError("policy build needs a name or --all", CLI::ExitCodes::RequiredError);
  });
  return {verb, [=, &config] { return run_policy_build(*arguments, config); },
          [=] { return arguments->policy.value_or("all policies"); }};
}

}  // namespace pgveil::app
