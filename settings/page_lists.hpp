#pragma once
// The admins whom the page shows more than masks (admin.http.raw_rows, .table_jobs), and what has to be there
// for that.
#include <string>

#include "settings/config.hpp"

namespace pgveil::app {

// What is wrong with the lists under this configuration: no audit log, one that keeps too little of a text to
// name a table (audit.sql_bytes), no admin_role, a role that is no admin. Empty: all is well.
[[nodiscard]] std::string wrong_page_lists(const Config& config);

}  // namespace pgveil::app
