#include "daemon/state/rebuilds.hpp"

#include <algorithm>

#include "common/clock.hpp"

namespace pgveil::app {
namespace {

constexpr std::int64_t kRetrySeconds = 60 * 60;

std::int64_t interval_of(const policy::PolicySpec& spec) {
  return std::max<std::int64_t>(1, *spec.rebuild_every_ms / 1000);
}

}  // namespace

bool Rebuilds::is_due(const policy::PolicySpec& spec, const policy::PolicyVersion* version,
                      std::int64_t now) {
  if (!spec.rebuild_every_ms || version == nullptr) return false;
  const auto known = due_.find(spec.name);
  if (known != due_.end()) return now >= known->second;
  const auto built_at = utc_seconds(version->built_at).value_or(now);
  due_.emplace(spec.name, built_at + interval_of(spec));
  return now >= built_at + interval_of(spec);
}

void Rebuilds::done(const policy::Specs& built_together, bool is_built, std::int64_t now) {
  for (const auto& spec : built_together) {
    if (!spec->rebuild_every_ms) continue;
    const auto interval = interval_of(*spec);
    due_.insert_or_assign(spec->name, now + (is_built ? interval : std::min(interval, kRetrySeconds)));
  }
}

}  // namespace pgveil::app
