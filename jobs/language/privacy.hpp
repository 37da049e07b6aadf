#pragma once
// Reads the keys of a job that promise more than k: for a sensitive attribute, for a subset, and for the
// whole table. For jobs/input/reader.cpp.
#include "jobs/language/values.hpp"

namespace pgveil::app {

// Reads into `attribute`, which is of class sensitive. Errors: an unknown key; a parameter out of range; an
// order or a hierarchy that no model needs, or that is missing although a model needs it.
[[nodiscard]] Result<void> read_sensitive(const JobEntries& entries, const std::string& folder,
                                          JobAttribute& attribute);

// Reads subset, presence and k_map of the job. Errors: one of them lacks what it needs.
[[nodiscard]] Result<void> read_subset(const JobEntries& entries, const std::string& folder, Job& job);

// Reads risk of the job. Errors: it has no model; a parameter is out of range; the population is missing.
// The key differential_privacy, which sets k, suppression and suppressed_records. job: with all else that was
// read; refused is what depends on the data or publishes a column as it is.
[[nodiscard]] Result<void> read_differential_privacy(const JobEntries& entries, Job& job);
// The key unit. job: with all of its other promises, of which those that count records are refused.
[[nodiscard]] Result<void> read_unit(const JobEntries& entries, Job& job);
[[nodiscard]] Result<void> read_risk(const JobEntries& entries, Job& job);

}  // namespace pgveil::app
