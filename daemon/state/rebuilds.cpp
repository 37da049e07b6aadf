#include "daemon/state/rebuilds.hpp"

#include <algorithm>

#include "common/clock.hpp"

namespace pgveil::app {
namespace {

constexpr std::int64_t kRetrySeconds = 60 * 60;

}  // namespace

bool Rebuilds::is_due(const policy::PolicySpec& spec, const policy::PolicyVersion* version,
                      std::int64_t now) {
  if (!spec.rebuild_every_ms) last_.erase(spec.name);  // when it is written again, it begins anew
  if (!spec.rebuild_every_ms || version == nullptr) return false;
  auto last = last_.find(spec.name);
  if (last == last_.end()) {
    const Build first{.at = utc_seconds(version->built_at).value_or(now), .is_built = true};
    last = last_.emplace(spec.name, first).first;
  }
  const auto interval = std::max<std::int64_t>(1, *spec.rebuild_every_ms / 1000);
  auto& build = last->second;
  build.at = std::min(build.at, now);  // the clock may have been set back
  return now >= build.at + (build.is_built ? interval : std::min(interval, kRetrySeconds));
}

void Rebuilds::done(const policy::Specs& built_together, bool is_built, std::int64_t now) {
  for (const auto& spec : built_together)
    if (spec->rebuild_every_ms) last_.insert_or_assign(spec->name, Build{.at = now, .is_built = is_built});
}

}  // namespace pgveil::app
