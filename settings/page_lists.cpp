#include "settings/page_lists.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/yaml.hpp"

namespace pgveil::app {
namespace {

constexpr std::size_t kLeastWords = 1024;  // enough for at most four names of tables

std::string wrong_page_list(const Config& config, std::string_view key,
                            const std::vector<std::string>& roles) {
  if (roles.empty()) return {};
  if (config.audit.file.empty())
    return fmt::format("admin.http.{} requires audit.file, because each access is recorded", key);
  if (!config.backend.admin_role)
    return fmt::format("admin.http.{} requires backend.admin_role, which reads the tables", key);
  if (config.audit.sql_bytes < kLeastWords)
    return fmt::format(
        "admin.http.{} requires audit.sql_bytes of {} or more, because the audit log has "
        "to name the tables",
        key, kLeastWords);
  for (const auto& role : roles) {
    if (std::ranges::find(config.admin.admin_users, role) == config.admin.admin_users.end())
      return fmt::format("admin.http.{}: {} is not in admin.admin_users", key, yaml::in_quotes(role));
  }
  return {};
}

}  // namespace

std::string wrong_raw_rows(const Config& config) {
  return wrong_page_list(config, "raw_rows", config.page.raw_rows);
}

std::string wrong_table_jobs(const Config& config) {
  return wrong_page_list(config, "table_jobs", config.page.table_jobs);
}

std::string wrong_policy_authors(const Config& config) {
  return wrong_page_list(config, "policy_authors", config.page.policy_authors);
}

std::string wrong_page_lists(const Config& config) {
  for (auto* wrong_list : {wrong_raw_rows, wrong_table_jobs, wrong_policy_authors}) {
    if (auto wrong = wrong_list(config); !wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace pgveil::app
