#pragma once
// For jobs with differential_privacy. If a value that a hierarchy does not know ended the job, one record
// would decide whether there is a table. So such a record is left out, like those of small classes.
#include <cstdint>

#include "engine/data/table.hpp"
#include "jobs/language/job.hpp"

namespace pgveil::app {

// Leaves out the records with an unknown value, and the values that then do not occur. Returns how many
// records were left out. Errors: an attribute's hierarchy knows none of its values, with the words of
// hierarchy_of() and prepare(); no record is left. REQUIRES: each attribute but the identifiers has a
// hierarchy, and the table has its column.
[[nodiscard]] Result<std::uint64_t> leave_out_unknown_values(const Job& job, engine::Table& table);

}  // namespace pgveil::app
