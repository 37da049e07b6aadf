#include "daemon/policies/check_times.hpp"

#include <algorithm>

namespace pgveil::app {

using std::chrono::milliseconds;

std::optional<CheckTimes::Time> CheckTimes::due(const policy::PolicySpec& spec) const {
  const auto from = counted_from_.find(spec.name);
  if (from == counted_from_.end()) return std::nullopt;
  return from->second + milliseconds(spec.drift.check_every_ms);
}

std::shared_ptr<const policy::PolicySpec> CheckTimes::most_overdue(const Specs& specs, Time now) const {
  std::shared_ptr<const policy::PolicySpec> first;
  Time earliest = now;
  for (const auto& spec : specs) {
    const auto when = due(*spec);
    if (!when) return spec;
    if (*when > earliest || (first && *when == earliest)) continue;
    earliest = *when;
    first = spec;
  }
  return first;
}

void CheckTimes::done(const policy::PolicySpec& spec, Time now) {
  const auto was_due = due(spec);
  const Time latest_turn = now - milliseconds(spec.drift.check_every_ms);
  counted_from_.insert_or_assign(spec.name, was_due ? std::min(std::max(*was_due, latest_turn), now) : now);
}

milliseconds CheckTimes::pause(const Specs& specs, Time now, milliseconds least, milliseconds most) const {
  Time earliest = now + most;
  for (const auto& spec : specs) {
    const auto when = due(*spec);
    if (!when) return least;
    earliest = std::min(earliest, *when);
  }
  return std::clamp(std::chrono::ceil<milliseconds>(earliest - now), least, most);
}

}  // namespace pgveil::app
