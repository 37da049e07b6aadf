#pragma once
// What `pgveil check-table` found, for people and for programs. Counts and parameters; the cells of offending
// classes only where they were asked for.
#include <string>
#include <vector>

#include "engine/recount/table_check.hpp"

namespace pgveil::app {

struct CheckReport {
  std::string table;                 // "file people.csv"
  std::vector<std::string> columns;  // the quasi-identifiers
  engine::CheckFindings findings;
  std::vector<std::string> not_checked;  // what a job promises and a published table can't show
};

[[nodiscard]] std::string check_text(const CheckReport& report);
[[nodiscard]] std::string check_json(const CheckReport& report);
[[nodiscard]] std::string check_html(const CheckReport& report);

// Rows of about, figure and value, in the order of the text; no cell of an offending class.
[[nodiscard]] std::vector<std::vector<std::string>> check_rows(const CheckReport& report);

}  // namespace pgveil::app
