// Every row of the reference's optima that uses our models. All rows, the drawn sets' where they are drawn:
// ./run test --long unit; the benchmark engine draws the sets and shows all rows as well. Without the data,
// which are not the project's, one line says so.
#include <cstdlib>
#include <map>

#include "bench/engine/reference.hpp"
#include "tables.hpp"

using namespace pgveil::engine;
using namespace pgveil::engine::test;

namespace {

void reproduce(const std::vector<reference::Row>& rows, const std::string& folder) {
  std::map<std::pair<std::vector<std::string>, std::string>, PreparedTable> tables;
  for (const auto& row : rows) {
    CAPTURE(reference::describe(row));
    const std::pair key(row.quasi_identifiers, row.sensitive);
    if (!tables.contains(key)) tables.emplace(key, reference::load(folder, row));
    const auto& table = tables.at(key);
    const auto result = value_of(search(table, reference::options(row, table.rows)));
    REQUIRE(result.optimum);
    CHECK(result.optimum->score.value() == row.score);
    CHECK(result.counts.checks <= row.checked);
    // On these rows the best score is unique.
    CHECK(result.optimum->levels == row.optimum);
  }
}

// A few seconds of the whole: no suppression, and the largest factor over the reference.
bool is_quick(const reference::Row& row) {
  if (row.dataset != "adult" && row.dataset != "cup") return false;
  return row.suppression == 0 || row.model || (row.dataset == "cup" && row.metric.starts_with("loss"));
}

}  // namespace

TEST_CASE("optima of the reference without suppression, and of loss, are reproduced") {
  const auto folder = reference::datasets_folder();
  if (folder.empty()) {
    MESSAGE("skipped: no datasets beside the source tree (PGVEIL_DATASETS names another folder)");
    return;
  }
  auto rows = reference::rows(folder);
  std::erase_if(rows, [](const auto& row) { return !is_quick(row); });
  REQUIRE(rows.size() >= 14);
  reproduce(rows, folder);
}

TEST_CASE("all optima of the reference are reproduced") {
  const auto folder = reference::datasets_folder();
  if (folder.empty() || std::getenv("PGVEIL_LONG") == nullptr) {
    MESSAGE(
        "skipped: minutes with the sanitizers; ./run test --long unit does it, if the datasets are there");
    return;
  }
  reproduce(reference::rows(folder), folder);
}
