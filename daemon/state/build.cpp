#include "daemon/state/build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/clock.hpp"
#include "common/log.hpp"
#include "daemon/policies/build_policy.hpp"
#include "daemon/policies/lineage.hpp"

namespace pgveil::app {

namespace {

constexpr int kMostBuilds = 3;

std::vector<std::string> policies_in(const Specs& specs) {
  std::vector<std::string> names;
  for (const auto& spec : specs) names.push_back(spec->name);
  return names;
}

// Their versions are built together or not at all, so one outcome is that of all.
void keep_outcome(ServingState& serving, const Specs& members, const Present& before,
                  const Result<policy::PolicyVersion>& built) {
  const FailedBuilds::Failure failure{utc_now(), built ? std::string() : one_line(built.error())};
  for (const auto& member : members) {
    if (built) {
      serving.failed_builds().succeeded(member->name);
    } else {
      serving.failed_builds().failed(member->name, number_of(before, *member), failure);
    }
  }
}

Result<policy::PolicyVersion> build_once(ServingState& serving,
                                         const std::shared_ptr<const policy::PolicySpec>& spec,
                                         Lineage lineage, const std::string& by) {
  const auto now = serving.present();
  RunningBuilds::Build build(serving.running_builds(), policies_in(built_with(now->specs, spec)));
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
    const auto before = serving.present();
    auto built = build_once(serving, spec, lineage, by);
    if (built || !is_overtaken(built.error()) || builds == kMostBuilds) {
      keep_outcome(serving, built_with(before->specs, spec), *before, built);
      return built;
    }
    log::info("policy " + spec->name, one_line(built.error()) + "; building it again");
  }
}

}  // namespace pgveil::app
