#pragma once
// The columns of a table with the values in them, for an admin who sets up a job over the table. The form is
// that of an upload's columns. Nothing in this file asks for a password or writes to the audit log; the API
// does both before it calls this.
#include <boost/json/object.hpp>

#include "common/error.hpp"
#include "daemon/state/present.hpp"
#include "db/policy_table/column_values.hpp"
#include "web/api/columns.hpp"

namespace pgveil::app {

// Columns of docs/openapi.yaml. Errors: no job of the page may read the table (check_page_job_input,
// check_joint_release); those of count_column_values; ErrorKind::limit while other tables are looked at.
[[nodiscard]] Result<boost::json::object> values_of(const Present& present, const TableName& table);
// Pure.
[[nodiscard]] boost::json::object values_json(const db::TableValues& table);

}  // namespace pgveil::app
