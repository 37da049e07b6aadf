#include <fmt/format.h>

#include "common/sqlstate.hpp"
#include "console/command_list.hpp"

namespace pgveil::console {
namespace {

bool covers(Standing has, Standing needs) {
  switch (has) {
    case Standing::none: return false;
    case Standing::stats: return needs == Standing::stats;
    case Standing::admin: return true;
  }
  return false;
}

Error denied(std::string_view name, Standing needed) {
  return {ErrorKind::authentication, std::string(sqlstate::kInsufficientPrivilege),
          fmt::format("{} is not open to this role", name),
          needed == Standing::admin ? "only roles in admin.admin_users may run it"
                                    : "only roles in admin.admin_users or admin.stats_users may run it"};
}

}  // namespace

Result<void> authorize(const Command& command, Standing standing) {
  const bool is_benign = std::holds_alternative<Benign>(command);
  const Standing needed = is_benign ? Standing::stats : info_of(command).needed;
  if (covers(standing, needed)) return {};
  return denied(is_benign ? std::string_view("the console") : info_of(command).name, needed);
}

}  // namespace pgveil::console
