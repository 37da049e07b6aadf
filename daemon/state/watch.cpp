#include "daemon/state/watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <utility>

#include "common/log.hpp"
#include "daemon/policies/build_policy.hpp"
#include "daemon/policies/check_times.hpp"
#include "daemon/state/build.hpp"
#include "daemon/state/certificate_reminder.hpp"
#include "daemon/state/drift.hpp"
#include "daemon/state/rebuilds.hpp"

namespace pgveil::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kShortestPauseMs = 50;
constexpr std::chrono::milliseconds kLongestPause{1'000};  // the delay until a policy of a RELOAD is noticed

// Logs a failure once, and again only after it was gone or has another reason.
class FailureLog {
 public:
  void note(const std::string& topic, const Result<void>& result) {
    if (result) {
      if (failing_.erase(topic) > 0) log::info(topic, "works again");
    } else if (auto& said = failing_[topic]; said != one_line(result.error())) {
      said = one_line(result.error());
      log::warning(topic, one_line(result.error()));
      log::private_detail(topic, result.error().private_detail);
    }
  }

 private:
  std::map<std::string, std::string> failing_;  // [topic]: what was said
};

// Counts once per reason, and again only if the server could not be asked.
void count_if_waiting(ServingState& serving, const policy::PolicySpec& spec,
                      std::map<std::string, std::string>& counted, FailureLog& failures) {
  const std::string reason = waits_for(*serving.present(), spec);
  if (reason.empty() || counted[spec.name] == reason) return;
  const auto looked = count_waiting(serving, spec);
  failures.note("count of policy " + spec.name, looked ? Result<void>() : Result<void>(looked.error()));
  const bool is_settled = looked ? *looked == Looked::done : looked.error().kind == ErrorKind::policy;
  if (is_settled) counted[spec.name] = reason;
}

// If a build fails, the existing version stays in use. True: a build was tried.
bool rebuild_if_due(ServingState& serving, const policy::PolicySpec& spec, Rebuilds& rebuilds,
                    FailureLog& failures) {
  const auto now = serving.present();
  const auto known = find_policy(now->specs, spec.name);
  if (!known || !rebuilds.is_due(**known, state_of(*now, *known).version.get(), std::time(nullptr)))
    return false;
  const auto built = build_and_publish(serving, *known, Lineage::go_on, "rebuild_every");
  rebuilds.done(built_with(now->specs, *known), built.has_value(), std::time(nullptr));
  failures.note("rebuild of policy " + spec.name, built ? Result<void>() : Result<void>(built.error()));
  return true;
}

void remind_of_certificates(const Present& now, CertificateReminder& reminder) {
  const auto certificates = shown_certificates(now.config, now.tls.get(), now.page_tls.get());
  for (const auto& line : reminder.due(certificates, std::time(nullptr), Clock::now()))
    log::warning("tls", line);
}

}  // namespace

Watch::Watch(ServingState& serving)
    : serving_(serving),
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
  while (
      serving_.stale_versions().sleep_for(stop, serving_.present()->config.backend.catalog_check_every_ms)) {
    const auto now = serving_.present();  // kept: a range-for does not keep what a temporary points to
    for (const auto& database : now->config.backend.databases) {
      const auto changed = serving_.refresh_if_changed(database);
      failures.note("database " + database, changed ? Result<void>() : Result<void>(changed.error()));
      if (changed && *changed) log::info("database " + database, "tables or versions changed: read again");
    }
    // Clients in old transactions may wake us as often as they like, so this bounds the rate.
    if (!sleep_for(stop, kShortestPauseMs)) return;
  }
}

// Due checks come before the next build, which may take long.
void Watch::check_drift(const std::stop_token& stop) {
  FailureLog failures;
  Rebuilds rebuilds;
  CertificateReminder reminder;
  CheckTimes times;
  std::map<std::string, std::string>
      counted;  // per policy: what its version waited for when it was last counted
  const auto pause = [&] {
    const std::chrono::milliseconds least(kShortestPauseMs);
    return times.pause(serving_.present()->specs, Clock::now(), least, kLongestPause).count();
  };
  while (sleep_for(stop, pause())) {
    const auto now = serving_.present();
    remind_of_certificates(*now, reminder);
    // At most one check per policy, because builds might otherwise have to wait for ever.
    for (std::size_t i = 0; i < now->specs.size(); ++i) {
      const auto due = times.most_overdue(now->specs, Clock::now());
      if (!due) break;
      if (stop.stop_requested()) return;
      const auto looked = check_drift_of(serving_, *due);
      failures.note("policy " + due->name, looked ? Result<void>() : Result<void>(looked.error()));
      if (looked && *looked == Looked::again) break;  // it is still due
      times.done(*due, Clock::now());
    }
    for (const auto& spec : now->specs) {
      if (stop.stop_requested()) return;
      count_if_waiting(serving_, *spec, counted, failures);
    }
    for (const auto& spec : now->specs) {
      if (stop.stop_requested()) return;
      if (rebuild_if_due(serving_, *spec, rebuilds, failures)) break;
    }
  }
}

}  // namespace pgveil::app
