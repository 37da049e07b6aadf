#include "cli/console/build.hpp"

#include <fmt/format.h>

#include "cli/clock.hpp"
#include "cli/policies/build_needs.hpp"
#include "cli/policies/builder.hpp"
#include "cli/policies/lineage.hpp"
#include "cli/policies/masked_copies.hpp"
#include "common/log.hpp"

namespace pgveil::cli {

Result<policy::PolicyVersion> build_and_publish(World& world,
                                                const std::shared_ptr<const policy::PolicySpec>& spec,
                                                Lineage lineage, const std::string& by) {
  const auto now = world.present();
  RunningBuilds::Build build(world.running_builds(), spec->name);
  const db::Progress progress = [&](std::string_view stage, std::uint64_t done) {
    build.reached(stage, done);
  };
  const auto earlier = earlier_version(now->config, spec, lineage);
  if (!earlier) return earlier.error();
  const auto needs = build_needs(now->config, *spec);
  if (!needs) return needs.error();
  auto built = build_version(build_endpoint(now->config), *spec, *earlier, utc_now(), *needs, progress);
  if (!built) return built.error();
  const auto publish = [&]() -> Result<policy::PolicyVersion> {
    if (auto alone = check_lineage(now->config, now->specs, *spec, built->version); !alone)
      return alone.error();
    return world.publish(*spec, built->version);
  };
  auto published = with_copy_settled(now->config, *spec, built->version, publish);
  if (!published) return published.error();
  log::info("policy " + spec->name, fmt::format("version {} built by {}", published->number, by));
  if (!built->note.empty()) log::info("policy " + spec->name, built->note);
  return published;
}

}  // namespace pgveil::cli
