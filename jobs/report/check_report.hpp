#pragma once
// What `pgveil check-table` found, for people and for programs. It has counts and parameters, and the cells
// of offending classes only if they were asked for.
#include <string>
#include <vector>

#include "engine/recount/table_check.hpp"

namespace pgveil::app {

struct CheckReport {
  std::string table;                 // "file people.csv"
  std::vector<std::string> columns;  // the quasi-identifiers
  engine::CheckFindings findings;
  std::vector<std::string> not_checked;  // what a job promises but a published table cannot show
};

[[nodiscard]] std::string check_text(const CheckReport& report);
[[nodiscard]] std::string check_json(const CheckReport& report);
[[nodiscard]] std::string check_html(const CheckReport& report);

// Rows of subject, figure and value, in the order of the text, without cells of offending classes.
[[nodiscard]] std::vector<std::vector<std::string>> check_rows(const CheckReport& report);

}  // namespace pgveil::app
