#include "daemon/state/drift.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "common/clock.hpp"
#include "common/log.hpp"
#include "common/sqlstate.hpp"
#include "console/format_utility.hpp"
#include "daemon/policies/builder.hpp"
#include "daemon/policies/lineage.hpp"
#include "daemon/policies/masked_copies.hpp"

namespace pgveil::app {
namespace {

using policy::PolicySpec;
using policy::PolicyVersion;

std::string topic_of(const PolicySpec& spec) {
  return "policy " + spec.name;
}

// How a check ended.
struct Seen {
  Looked looked = Looked::done;
  std::string drift = {};  // what stays wrong; empty: nothing
  // Of the version that this check has put in the place of the one it looked at; 0: it is closed now.
  std::optional<std::uint64_t> replaced_by = {};
};

Result<Seen> withdraw(ServingState& serving, const PolicySpec& spec, const std::string& why,
                      const PolicyVersion& version) {
  const auto withdrawn = serving.withdraw(spec, why, {version.number, true});
  if (!withdrawn) return withdrawn.error();
  if (*withdrawn) log::error(topic_of(spec), "withdrawn: " + why);
  if (!*withdrawn) return Seen{Looked::again};
  return Seen{.replaced_by = 0};
}

// The rows of a copy do not change by themselves, whatever happens to the table's rows.
Result<Seen> check_copy_of(ServingState& serving, const PolicySpec& spec, const PolicyVersion& version) {
  const auto is_as_built = is_copy_as_built(serving.present()->config, spec, version);
  if (!is_as_built) return is_as_built.error();
  if (*is_as_built) return Seen{};
  return withdraw(serving, spec, std::string(kCopyChanged), version);
}

// Reads the database again: the table may no longer be the version's, or another version is stored than this
// process knows.
Result<Looked> look_again(ServingState& serving, const PolicySpec& spec) {
  const auto refreshed = serving.refresh_if_changed(spec.database);
  if (!refreshed) return refreshed.error();
  return Looked::again;
}

bool is_stored(const Company& company, const PolicyVersion& version) {
  return company.marks.at(version.policy) == db::VersionMark{version.number, true};
}

// Whether no other policy is over its table, so that there is nothing to compare with.
bool is_alone(const Present& present, const PolicySpec& spec) {
  return std::ranges::none_of(present.specs, [&](const auto& other) {
    return other->name != spec.name && other->database == spec.database && other->schema == spec.schema &&
           other->table == spec.table;
  });
}

std::string what_drifted(const Recheck& recheck, const Settled& settled) {
  std::string what;
  if (recheck.splits_below_k > 0) what = fmt::format("{} splits fell below k", recheck.splits_below_k);
  if (!settled.flaw.empty()) what += (what.empty() ? "" : "; ") + settled.flaw;
  return what;
}

Result<Seen> publish_repair(ServingState& serving, const PolicySpec& spec, const PolicyVersion& before,
                            const Recheck& recheck, Settled settled, const db::VersionMarks& seen) {
  const std::string what = what_drifted(recheck, settled);
  const std::size_t joined = settled.joined;
  const auto stored =
      serving.publish(spec.database, {std::move(settled.version)}, seen, ServingState::Catalog::as_known);
  if (!stored) return stored.error();
  if (!*stored) return Seen{Looked::again};
  const PolicyVersion& published = (*stored)->front();
  serving.failed_builds().repaired(spec.name, before.number, published.number);
  std::string did;
  if (recheck.splits_below_k > 0)
    did = fmt::format("suppresses {} splits of version {} that fell below k", recheck.splits_below_k,
                      before.number);
  if (joined > 0) {
    did += fmt::format("{}joins {} cohorts of version {}, because {}", did.empty() ? "" : ", and ", joined,
                       before.number, what);
  }
  log::warning(topic_of(spec), fmt::format("version {} {}", published.number, did));
  return Seen{.replaced_by = published.number};
}

Result<Seen> say_drift(const PolicySpec& spec, const PolicyVersion& version, const std::string& what) {
  log::error(topic_of(spec), fmt::format("DRIFT: {}; drift.action is alert, so version {} stays unchanged",
                                         what, version.number));
  return Seen{Looked::done, what};
}

// The policy was counted alone. Decides what its version becomes beside the others.
Result<Seen> settle_drift(ServingState& serving, const Present& now, const PolicySpec& spec,
                          const PolicyVersion& version, const Recheck& recheck) {
  const bool is_alert = spec.drift.action == policy::DriftAction::alert;
  const auto company = company_of(now.config, now.specs, spec);
  if (!company) return company.error();
  if (!is_stored(*company, version)) {
    const auto again = look_again(serving, spec);
    return again ? Result<Seen>(Seen{*again}) : Result<Seen>(again.error());
  }
  auto settled = settle(now.config, *company, spec, *recheck.repaired, IfFlawed::give_way);
  if (!settled) return settled.error();
  if (!settled->refused_because.empty()) {
    return is_alert ? say_drift(spec, version, settled->refused_because)
                    : withdraw(serving, spec, settled->refused_because, version);
  }
  if (recheck.splits_below_k == 0 && settled->flaw.empty()) return Seen{};
  if (is_alert) return say_drift(spec, version, what_drifted(recheck, *settled));
  return publish_repair(serving, spec, version, recheck, std::move(*settled), company->marks);
}

// Nothing is wrong then, and nothing is done: it is for the owner to know.
void say_worse_answers(const PolicySpec& spec, const PolicyVersion& version, const policy::Utility& now) {
  if (!version.utility) return;
  std::string which;
  for (const policy::Worsened& it : policy::worsened(*version.utility, now)) {
    which +=
        fmt::format("{}{} ({} of rows, {} at the build)", which.empty() ? "" : "; ",
                    console::question_text(version.tree, it.attributes),
                    console::shown_ppm(it.missing_now_ppm, 0), console::shown_ppm(it.missing_before_ppm, 0));
  }
  if (which.empty()) return;
  log::warning(topic_of(spec),
               fmt::format("version {} leaves clearly more rows out of counts by {}; BUILD POLICY can "
                           "disclose values that were added since",
                           version.number, which));
}

std::shared_ptr<const PolicyVersion> waiting_version(const Present& present, const PolicySpec& spec) {
  const auto view = present.databases.find(spec.database);
  if (view == present.databases.end()) return nullptr;
  const auto found = view->second.unjudged.find(spec.name);
  return found == view->second.unjudged.end() ? nullptr : found->second;
}

Error stays_closed(const PolicyVersion& version, const std::string& why, std::string mend) {
  return {ErrorKind::policy, std::string(sqlstate::kInsufficientPrivilege),
          fmt::format("version {} stays closed: {}", version.number, why), std::move(mend)};
}

// The same version for the next number, or what a repair leaves of it.
PolicyVersion taken_over(const PolicyVersion& version, Recheck& recheck, const PolicySpec& spec) {
  if (recheck.splits_below_k > 0 && spec.drift.action == policy::DriftAction::suppress)
    return std::move(*recheck.repaired);
  PolicyVersion same = version;
  if (same.lineage.first == 0) same.lineage.first = version.number;
  return same;
}

Result<Seen> look_for_drift(ServingState& serving, const Present& now, const PolicySpec& policy,
                            const PolicyVersion& version) {
  if (policy.enforcement == policy::Enforcement::copy) return check_copy_of(serving, policy, version);
  const auto recheck = recheck_version(build_endpoint(now.config), policy, version, utc_now());
  if (!recheck) return recheck.error();
  // The catalog watch closes it.
  if (!recheck->is_same_shape) return Seen{Looked::done, "the table changed since the build"};
  say_worse_answers(policy, version, recheck->utility);
  if (recheck->repaired && recheck->splits_below_k == 0 && is_alone(now, policy)) return Seen{};
  if (recheck->repaired) return settle_drift(serving, now, policy, version, *recheck);
  return policy.drift.action == policy::DriftAction::alert
             ? say_drift(policy, version, recheck->broken_because)
             : withdraw(serving, policy, recheck->broken_because, version);
}

}  // namespace

Result<Looked> check_drift_of(ServingState& serving, const PolicySpec& spec) {
  const auto now = serving.present();
  const auto known = find_policy(now->specs, spec.name);
  if (!known) return Looked::done;
  const auto state = state_of(*now, *known);
  if (!state.version) return Looked::done;
  const auto seen = look_for_drift(serving, *now, **known, *state.version);
  if (!seen) return seen.error();
  if (seen->looked == Looked::done)
    serving.last_checks().checked(spec.name, seen->replaced_by.value_or(state.version->number),
                                  {utc_now(), seen->drift.empty() ? "ok" : seen->drift});
  return seen->looked;
}

Result<std::string> joint_drift_of(const Present& present, const PolicySpec& spec,
                                   const PolicyVersion& version) {
  const auto company = company_of(present.config, present.specs, spec);
  if (!company) return company.error();
  const auto settled = settle(present.config, *company, spec, version, IfFlawed::give_way);
  if (!settled) return settled.error();
  return settled->refused_because.empty() ? settled->flaw : settled->refused_because;
}

std::string waits_for(const Present& present, const PolicySpec& spec) {
  const auto version = waiting_version(present, spec);
  const auto known = find_policy(present.specs, spec.name);
  if (!version || !known) return "";
  const auto& policy = **known;
  const auto own = state_of(present, *known);
  if (own.version) return "";
  const bool repairs = policy.drift.action == policy::DriftAction::suppress;
  std::string key = fmt::format("{} {} {}", version->number, repairs, own.closed_because);
  for (const auto& other : present.specs) {
    if (other->database != policy.database || other->schema != policy.schema || other->table != policy.table)
      continue;
    const auto state = state_of(present, other);
    key += fmt::format(", {} {}", other->name, state.version ? state.version->number : 0);
  }
  return key;
}

Result<Looked> count_waiting(ServingState& serving, const PolicySpec& asked) {
  const auto now = serving.present();
  const auto known = find_policy(now->specs, asked.name);  // as the last RELOAD has it
  if (!known) return Looked::done;
  const PolicySpec& spec = **known;
  const auto version = waiting_version(*now, spec);
  if (!version) return Looked::done;
  const auto company = company_of(now->config, now->specs, spec);
  if (!company) return company.error();
  if (!is_stored(*company, *version)) return look_again(serving, spec);
  PolicyVersion next = *version;
  if (spec.enforcement != policy::Enforcement::copy) {
    auto recheck = recheck_version(build_endpoint(now->config), spec, *version, utc_now());
    if (!recheck) return recheck.error();
    if (!recheck->is_same_shape) return Looked::done;  // it is closed for this reason, too
    if (!recheck->repaired) return stays_closed(*version, recheck->broken_because, "BUILD POLICY is needed");
    next = taken_over(*version, *recheck, spec);
  }
  const auto settled = settle(now->config, *company, spec, std::move(next), IfFlawed::refuse);
  if (!settled) return settled.error();
  if (!settled->refused_because.empty())
    return stays_closed(*version, settled->refused_because, settled->mend);
  const auto published =
      serving.publish(spec.database, {settled->version}, company->marks, ServingState::Catalog::read_again);
  if (!published) return published.error();
  if (!*published) return Looked::again;
  serving.failed_builds().repaired(spec.name, version->number, (*published)->front().number);
  log::info(topic_of(spec),
            fmt::format("version {} replaces version {}: it was counted together with the other policies "
                        "over its table",
                        (*published)->front().number, version->number));
  return Looked::done;
}

}  // namespace pgveil::app
