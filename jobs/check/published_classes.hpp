#pragma once
// A published file as attackers see it: its columns by the job's roles, and the classes of records whose
// quasi-identifiers look alike. Pure.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "engine/data/table.hpp"
#include "jobs/language/job.hpp"

namespace pgveil::app {

struct PublishedFile {
  const Job* job;                  // that published the file
  const engine::Table* published;  // with all columns that the job publishes; NULL is job->null_text
  // The levels at which the job showed its records, in the order in which it tried them. A record is shown by
  // the first one that shows its cells. Empty: they are not known.
  std::vector<std::vector<unsigned>> transformations = {};
};

// What is wrong with a file that is no release of its job and its input.
[[nodiscard]] Error no_release(std::string message, std::string private_detail = {});

using CellCodes = std::vector<engine::Code>;
using ColumnPointers = std::vector<const engine::Column*>;

enum class Asked { quasi_identifiers, others };

// In the job's order, without identifiers. REQUIRES: the table has the columns of the job.
[[nodiscard]] ColumnPointers columns_of(const Job& job, const engine::Table& table, Asked asked);

[[nodiscard]] CellCodes cells_of(const ColumnPointers& columns, std::size_t row);

struct PublishedClasses {
  std::vector<CellCodes> shown;                  // by class, in the order of their first record
  std::vector<std::vector<std::uint32_t>> rows;  // by class
  [[nodiscard]] std::size_t size() const { return shown.size(); }
};

// By the cells of these columns.
[[nodiscard]] PublishedClasses classes_of(const engine::Table& table, const ColumnPointers& columns);

// Whether all cells are `*`.
[[nodiscard]] bool is_starred(const ColumnPointers& columns, const CellCodes& cells);

// Published codes of a column that shows its values, as codes of the input. nullopt: nobody there has it.
// null_text: what stands for NULL in the input. Files have an empty cell for it.
[[nodiscard]] std::vector<std::optional<engine::Code>> raw_codes_of(
    const engine::Column& published, const engine::Column& raw, const std::optional<std::string>& null_text);

}  // namespace pgveil::app
