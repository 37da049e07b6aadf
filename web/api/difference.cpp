#include "web/api/difference.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/clock.hpp"
#include "console/format_diff.hpp"
#include "console/format_utility.hpp"
#include "daemon/policies/builder.hpp"
#include "policy/tree/tree_diff.hpp"
#include "web/api/json.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;
using policy::PolicyVersion;

Result<PolicyVersion> saved_version(const std::string& text, const std::string& policy) {
  auto version = policy::version_from_json(text, "the file");
  if (version && version->policy != policy)
    return error_of_kind(ErrorKind::configuration, "the file is a version of another policy",
                         "choose one of this policy");
  return version;
}

Result<PolicyVersion> built_version(const Config& config,
                                    const std::shared_ptr<const policy::PolicySpec>& spec) {
  const auto earlier = earlier_version(config, spec, Lineage::go_on);
  if (!earlier) return earlier.error();
  auto built = build_version(build_endpoint(config), *spec, *earlier, utc_now(), {});
  if (!built) return built.error();
  return std::move(built->version);
}

json::object side_json(const PolicyVersion& version) {
  return {{"number", version.number},
          {"built_at", version.built_at},
          {"k", version.tree.k},
          {"rows", version.disclosure.rows},
          {"units", version.disclosure.units},
          {"cohorts", version.disclosure.cohorts},
          {"smallest_cohort", version.disclosure.smallest_cohort}};
}

json::object difference_json(const PolicyVersion& before, const PolicyVersion& after) {
  auto changes = console::changes_table(before.tree, after.tree);
  if (changes.rows.size() > WebDifference::kMostChanges) {
    changes.notices.push_back(
        fmt::format("the first {} of {} changes", WebDifference::kMostChanges, changes.rows.size()));
    changes.rows.resize(WebDifference::kMostChanges);
  }
  return {{"before", side_json(before)},
          {"after", side_json(after)},
          {"shares", json_of(console::shares_table(before, after))},
          {"answers", json_of(console::answers_table(before, after))},
          {"changes", json_of(changes)},
          {"same", policy::diff_trees(before.tree, after.tree).same}};
}

}  // namespace

Result<json::object> WebDifference::compare(const Present& present, const std::string& policy,
                                            const std::string& saved) {
  const auto spec = std::ranges::find_if(present.specs, [&](const auto& it) { return it->name == policy; });
  if (spec == present.specs.end())
    return error_of_kind(ErrorKind::unknown_object, "there is no such policy", "SHOW POLICIES lists them");
  const auto current = state_of(present, *spec).version;
  if (!current) return error_of_kind(ErrorKind::policy, "the policy is closed", "build it first");
  if (!saved.empty()) {
    const auto before = saved_version(saved, policy);
    if (!before) return before.error();
    return difference_json(*before, *current);
  }
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock)
    return error_of_kind(ErrorKind::limit, "another difference is being counted", "ask again in a moment");
  const auto after = built_version(present.config, *spec);
  if (!after) return after.error();
  return difference_json(*current, *after);
}

}  // namespace pgveil::app
