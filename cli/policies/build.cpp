// pgveil policy build: a new version from the live table. A running proxy takes it up by itself.
#include <fmt/format.h>

#include <cstdio>

#include "cli/clock.hpp"
#include "cli/policies/build_needs.hpp"
#include "cli/policies/builder.hpp"
#include "cli/policies/files.hpp"
#include "cli/policies/lineage.hpp"
#include "cli/policies/masked_copies.hpp"
#include "cli/policies/versions.hpp"
#include "cli/subcommands.hpp"
#include "cli/text/progress_line.hpp"
#include "proxy/admin/quote.hpp"

namespace pgveil::cli {
namespace {

Result<BuiltVersion> build_and_save(const Config& config, const Specs& specs,
                                    const std::shared_ptr<const policy::PolicySpec>& spec, Lineage lineage) {
  if (auto prepared = prepare_versions(config, {spec}, spec->database); !prepared) return prepared.error();
  const auto earlier = earlier_version(config, spec, lineage);
  if (!earlier) return earlier.error();
  ProgressLine line("policy " + spec->name);
  const auto needs = build_needs(config, *spec);
  if (!needs) return needs.error();
  auto built = build_version(build_endpoint(config), *spec, *earlier, utc_now(), *needs,
                             [&](std::string_view stage, std::uint64_t done) { line.show(stage, done); });
  if (!built) return built;
  const auto publish = [&]() -> Result<policy::PolicyVersion> {
    if (auto alone = check_lineage(config, specs, *spec, built->version); !alone) return alone.error();
    const auto versions = Versions::open(config, spec->database);
    if (!versions) return versions.error();
    return versions->publish(built->version, 1);
  };
  auto published = with_copy_settled(config, *spec, built->version, publish);
  if (!published) return published.error();
  return BuiltVersion{std::move(*published), std::move(built->note)};
}

void say(const BuiltVersion& built) {
  const policy::PolicyVersion& version = built.version;
  const auto& disclosure = version.disclosure;
  std::fputs(
      fmt::format(
          "policy {}: version {}, {} rows, {} cohorts, smallest {}, {}% of cells disclosed, {}% disclosed "
          "or implied\n",
          version.policy, version.number, disclosure.rows, disclosure.cohorts, disclosure.smallest_cohort,
          admin::shown_percent(disclosure.disclosed, disclosure.cells),
          admin::shown_percent(disclosure.disclosed_or_implied, disclosure.cells))
          .c_str(),
      stdout);
  if (!built.note.empty())
    std::fputs(fmt::format("policy {}: {}\n", version.policy, built.note).c_str(), stdout);
}

}  // namespace

int run_policy_build(const PolicyBuildArguments& arguments) {
  const auto config = read_config(arguments.config);
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
  for (const auto& spec : specs) {
    const auto built =
        build_and_save(*config, *all, spec, arguments.is_fresh ? Lineage::begin : Lineage::go_on);
    if (built) {
      say(*built);
    } else {
      status = report(built.error());
    }
  }
  return status;
}

}  // namespace pgveil::cli
