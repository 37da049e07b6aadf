#include "daemon/policies/mask_views.hpp"

#include <algorithm>
#include <utility>

#include "common/assert.hpp"
#include "common/log.hpp"
#include "db/versions/mask_views.hpp"
#include "rewriter/compile/make_snapshot.hpp"
#include "rewriter/mask/masks.hpp"

namespace pgveil::app {
namespace {

db::MaskViewRoles roles_of(const Config& config) {
  return {config.backend.mask_owner, config.backend.query_role.user};
}

db::MaskView view_of(const rewriter::Mask& mask) {
  return {mask.policy, mask.number, mask.view, mask.text};
}

void close(rewriter::SnapshotInput& input, const std::string& policy) {
  const auto state = std::ranges::find(
      input.policies, policy, [](const auto& it) -> const auto& { return it.spec->name; });
  PGVEIL_ASSERT(state != input.policies.end());
  state->version = nullptr;
  state->closed_because = "its mask view could not be made; see the log";
}

}  // namespace

Result<std::shared_ptr<const rewriter::Snapshot>> snapshot_with_views(const Config& config,
                                                                      const std::string& database,
                                                                      rewriter::SnapshotInput input,
                                                                      bool& is_complete) {
  is_complete = true;
  auto snapshot = rewriter::make_snapshot(input);
  if (!snapshot || input.mask_source == rewriter::MaskSource::text) return snapshot;
  for (const auto& table : (*snapshot)->protected_tables()) {
    if (!table.mask || table.mask->view.empty()) continue;
    const auto made =
        db::ensure_mask_view(versions_endpoint(config), database, roles_of(config), view_of(*table.mask));
    if (made) continue;
    log::error("policy " + table.mask->policy, one_line(made.error()));
    close(input, table.mask->policy);
    is_complete = false;
  }
  return is_complete ? snapshot : rewriter::make_snapshot(std::move(input));
}

Result<std::vector<std::string>> policies_without_view(const Config& config, const std::string& database,
                                                       const rewriter::Snapshot& snapshot) {
  std::vector<std::string> without;
  for (const auto& table : snapshot.protected_tables()) {
    if (!table.mask || table.mask->view.empty()) continue;
    const auto found =
        db::has_mask_view(versions_endpoint(config), database, roles_of(config), view_of(*table.mask));
    if (!found) return found.error();
    if (!*found) without.push_back(table.mask->policy);
  }
  return without;
}

}  // namespace pgveil::app
