#pragma once
// The keys of a job that say what is promised beside k: of a sensitive attribute, of a subset, and of the
// whole table. For jobs/input/reader.cpp.
#include "jobs/language/values.hpp"

namespace pgveil::app {

// Into `attribute`, of class sensitive. Errors: an unknown key, a parameter out of range, an order or a
// hierarchy that no model asks for, or that one asks for and is not there.
[[nodiscard]] Result<void> read_sensitive(const JobEntries& entries, const std::string& folder,
                                          JobAttribute& attribute);

// subset, presence and k_map of the job. Errors: one of them without what it needs.
[[nodiscard]] Result<void> read_subset(const JobEntries& entries, const std::string& folder, Job& job);

// risk of the job. Errors: no model in it, a parameter out of range, a population that is not said.
[[nodiscard]] Result<void> read_risk(const JobEntries& entries, Job& job);

}  // namespace pgveil::app
