#include "cli/watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <utility>

#include "cli/clock.hpp"
#include "cli/console/build.hpp"
#include "cli/console/rebuilds.hpp"
#include "cli/policies/builder.hpp"
#include "common/log.hpp"

namespace pgveil::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kShortestPauseMs = 50;
constexpr std::int64_t kDriftTickMs = 1'000;  // how exactly check_every is kept

// Says a failure once, and again only after it was gone.
class FailureLog {
 public:
  void note(const std::string& topic, const Result<void>& result) {
    if (result) {
      if (failing_.erase(topic) > 0) log::info(topic, "works again");
    } else if (failing_.emplace(topic, true).second) {
      log::warning(topic, one_line(result.error()));
      log::private_detail(topic, result.error().private_detail);
    }
  }

 private:
  std::map<std::string, bool> failing_;
};

Result<void> apply_repair(World& world, const policy::PolicySpec& spec, const policy::PolicyVersion& version,
                          Recheck recheck) {
  const std::string topic = "policy " + spec.name;
  if (!recheck.repaired) {
    log::error(topic, "withdrawn: " + recheck.broken_because);
    return world.withdraw(spec, recheck.broken_because);
  }
  const auto published = world.publish(spec, std::move(*recheck.repaired));
  if (!published) return published.error();
  log::warning(topic, fmt::format("version {} suppresses {} splits of version {} that fell below k",
                                  published->number, recheck.splits_below_k, version.number));
  return {};
}

}  // namespace

Result<void> check_drift_of(World& world, const policy::PolicySpec& spec) {
  const auto now = world.present();
  const auto known = find_policy(now->specs, spec.name);
  if (!known) return {};
  const auto state = state_of(*now, *known);
  if (!state.version) return {};
  if ((*known)->enforcement == policy::Enforcement::copy) return {};  // the rows of a copy don't change
  auto recheck = recheck_version(build_endpoint(now->config), **known, *state.version, utc_now());
  if (!recheck) return recheck.error();
  if (!recheck->is_same_shape) return {};  // the catalog watch closes it
  if (recheck->repaired && recheck->splits_below_k == 0) return {};
  if (spec.drift.action == policy::DriftAction::alert) {
    log::error("policy " + spec.name,
               fmt::format("DRIFT: {}; drift.action is alert, so version {} keeps showing them",
                           recheck->repaired ? fmt::format("{} splits fell below k", recheck->splits_below_k)
                                             : recheck->broken_because,
                           state.version->number));
    return {};
  }
  return apply_repair(world, **known, *state.version, std::move(*recheck));
}

namespace {

// What can't be built again stays as it is: the version that is there is served on.
void rebuild_if_due(World& world, const policy::PolicySpec& spec, Rebuilds& rebuilds, FailureLog& failures) {
  const auto now = world.present();
  const auto known = find_policy(now->specs, spec.name);
  if (!known || !rebuilds.is_due(**known, state_of(*now, *known).version.get(), std::time(nullptr))) return;
  const auto built = build_and_publish(world, *known, Lineage::go_on, "rebuild_every");
  rebuilds.done(**known, built.has_value(), std::time(nullptr));
  failures.note("rebuild of policy " + spec.name, built ? Result<void>() : Result<void>(built.error()));
}

}  // namespace

Watch::Watch(World& world)
    : world_(world),
      catalogs_([this](const std::stop_token& stop) { watch_catalogs(stop); }),
      drift_([this](const std::stop_token& stop) { check_drift(stop); }) {}

Watch::~Watch() {
  catalogs_.request_stop();
  drift_.request_stop();
  wake_.notify_all();
}

bool Watch::sleep_for(const std::stop_token& stop, std::int64_t ms) {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, stop, std::chrono::milliseconds(ms), [] { return false; });
  return !stop.stop_requested();
}

void Watch::watch_catalogs(const std::stop_token& stop) {
  FailureLog failures;
  while (world_.stale_versions().sleep_for(stop, world_.present()->config.backend.catalog_check_every_ms)) {
    const auto now = world_.present();  // kept: a range-for would not keep what a temporary points to
    for (const auto& database : now->config.backend.databases) {
      const auto changed = world_.refresh_if_changed(database);
      failures.note("database " + database, changed ? Result<void>() : Result<void>(changed.error()));
      if (changed && *changed) log::info("database " + database, "tables or versions changed: read again");
    }
    // Clients in old transactions may wake us as often as they like.
    if (!sleep_for(stop, kShortestPauseMs)) return;
  }
}

void Watch::check_drift(const std::stop_token& stop) {
  FailureLog failures;
  Rebuilds rebuilds;
  std::map<std::string, Clock::time_point>
      checked;  // absent: never in this process, so the first check is at once
  while (sleep_for(stop, kDriftTickMs)) {
    const auto now = world_.present();
    for (const auto& spec : now->specs) {
      if (stop.stop_requested()) return;
      rebuild_if_due(world_, *spec, rebuilds, failures);
      const auto last = checked.find(spec->name);
      const auto interval = std::chrono::milliseconds(spec->drift.check_every_ms);
      if (last != checked.end() && Clock::now() - last->second < interval) continue;
      failures.note("policy " + spec->name, check_drift_of(world_, *spec));
      checked.insert_or_assign(spec->name, Clock::now());
    }
  }
}

}  // namespace pgveil::cli
