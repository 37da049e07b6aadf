#include "daemon/state/build.hpp"

#include <fmt/format.h>

#include "common/clock.hpp"
#include "common/log.hpp"
#include "daemon/policies/build_needs.hpp"
#include "daemon/policies/builder.hpp"
#include "daemon/policies/examination.hpp"
#include "daemon/policies/lineage.hpp"
#include "daemon/policies/masked_copies.hpp"

namespace pgveil::app {

namespace {

constexpr int kMostBuilds = 3;

Result<policy::PolicyVersion> build_once(ServingState& serving,
                                         const std::shared_ptr<const policy::PolicySpec>& spec,
                                         Lineage lineage, const std::string& by) {
  const auto now = serving.present();
  RunningBuilds::Build build(serving.running_builds(), spec->name);
  const BuildProgress progress = [&](const BuildStep& step) { build.reached(step); };
  if (auto alone = check_joins(now->config, now->specs, *spec); !alone) return alone.error();
  const auto earlier = earlier_version(now->config, spec, lineage);
  if (!earlier) return earlier.error();
  const auto needs = build_needs(now->config, *spec);
  if (!needs) return needs.error();
  auto built = build_version(build_endpoint(now->config), *spec, *earlier, utc_now(), *needs, progress);
  if (!built) return built.error();
  const Store store = [&](const policy::PolicyVersion& version, const db::VersionMarks& seen) {
    return serving.publish(*spec, version, seen, ServingState::Catalog::read_again);
  };
  progress({.stage = "publishing"});
  const auto publish = [&] {
    return release(now->config, now->specs, *spec, built->version, earlier->mark, store);
  };
  auto published = with_copy_settled(now->config, *spec, built->version, publish);
  if (!published) return published.error();
  log::info("policy " + spec->name, fmt::format("version {} built by {}", published->number, by));
  if (!built->note.empty()) log::info("policy " + spec->name, built->note);
  return published;
}

}  // namespace

Result<policy::PolicyVersion> build_and_publish(ServingState& serving,
                                                const std::shared_ptr<const policy::PolicySpec>& spec,
                                                Lineage lineage, const std::string& by) {
  for (int builds = 1;; ++builds) {
    auto built = build_once(serving, spec, lineage, by);
    if (built || !is_overtaken(built.error()) || builds == kMostBuilds) return built;
    log::info("policy " + spec->name, one_line(built.error()) + "; building it again");
  }
}

}  // namespace pgveil::app
