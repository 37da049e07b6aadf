#pragma once
// Columns of a table of a database with what stands in them, for who sets up a job over it: as an upload's columns are told. Nothing here asks for a
// password or puts something on record; the API does, before it asks.
#include <boost/json/object.hpp>

#include "cli/present.hpp"
#include "cli/web/columns.hpp"
#include "common/error.hpp"
#include "db/column_values.hpp"

namespace pgveil::cli {

// Columns of docs/openapi.yaml. Errors: a table that no job of the page may read (check_desk_input, check_joint_release); those of
// count_column_values; ErrorKind::limit while others are looked at.
[[nodiscard]] Result<boost::json::object> values_of(const Present& present, const TableName& table);
// Pure.
[[nodiscard]] boost::json::object values_json(const db::TableValues& table);

}  // namespace pgveil::cli
