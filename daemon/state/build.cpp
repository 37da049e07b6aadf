#include "daemon/state/build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/log.hpp"
#include "daemon/policies/build_policy.hpp"
#include "daemon/policies/lineage.hpp"

namespace pgveil::app {

namespace {

constexpr int kMostBuilds = 3;

Result<policy::PolicyVersion> build_once(ServingState& serving,
                                         const std::shared_ptr<const policy::PolicySpec>& spec,
                                         Lineage lineage, const std::string& by) {
  const auto now = serving.present();
  RunningBuilds::Build build(serving.running_builds(), spec->name);
  const BuildProgress progress = [&](const BuildStep& step) { build.reached(step); };
  const auto built = build_policy(now->config, now->specs, spec, lineage, progress);
  if (!built) return built.error();
  const Store store = [&](std::vector<policy::PolicyVersion> versions, const db::VersionMarks& seen) {
    return serving.publish(spec->database, std::move(versions), seen, ServingState::Catalog::read_again);
  };
  progress({.stage = "publishing"});
  const auto published = release(now->config, now->specs, *built, store);
  if (!published) return published.error();
  for (std::size_t i = 0; i < built->size(); ++i) {
    const std::string topic = "policy " + (*published)[i].policy;
    log::info(topic, fmt::format("version {} built by {}", (*published)[i].number, by));
    if (!(*built)[i].note.empty()) log::info(topic, (*built)[i].note);
  }
  return *std::ranges::find(*published, spec->name, &policy::PolicyVersion::policy);
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
