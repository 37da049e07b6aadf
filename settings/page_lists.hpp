#pragma once
// The admins who may do more on the page than look at masks (admin.http.raw_rows, .table_jobs,
// .policy_authors), and what these lists require.
#include <string>

#include "settings/config.hpp"

namespace pgveil::app {

// Why the lists are wrong under this configuration: no audit log, one that keeps too little of a text to name
// a table (audit.sql_bytes), no admin_role, a role that is no admin. Empty: nothing is wrong.
[[nodiscard]] std::string wrong_page_lists(const Config& config);
// Of one of them.
[[nodiscard]] std::string wrong_raw_rows(const Config& config);
[[nodiscard]] std::string wrong_table_jobs(const Config& config);
[[nodiscard]] std::string wrong_policy_authors(const Config& config);

}  // namespace pgveil::app
