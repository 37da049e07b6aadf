// The C interface, as its callers see it.
#include <doctest/doctest.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "library/pgveil.h"

extern "C" pgveil_table* table_made_in_c(pgveil_error** error);

namespace {

constexpr const char* kJob = R"(version: 1
name: people
input: {file: none, "null": unknown}
attributes:
  age: {class: quasi_identifier, numeric: true}
  town: {class: quasi_identifier}
k: 2
algorithm: least_loss
seed: 1
output: {file: none}
)";

struct Failure {
  pgveil_error* error = nullptr;
  ~Failure() { pgveil_error_free(error); }
  [[nodiscard]] std::string message() const { return error == nullptr ? "" : pgveil_error_message(error); }
};

struct Handles {
  std::vector<pgveil_table*> tables;
  std::vector<pgveil_report*> reports;
  ~Handles() {
    for (auto* table : tables) pgveil_table_free(table);
    for (auto* report : reports) pgveil_report_free(report);
  }
};

pgveil_table* people(Handles& handles) {
  Failure failure;
  auto* table = table_made_in_c(&failure.error);
  REQUIRE_MESSAGE(table != nullptr, failure.message());
  handles.tables.push_back(table);
  return table;
}

std::string cell(const pgveil_table* table, std::uint32_t column, std::uint64_t row) {
  const auto code = pgveil_table_codes(table, column)[row];
  if (code == PGVEIL_NULL) return "NULL";
  std::uint64_t bytes = 0;
  const char* text = pgveil_table_value(table, column, code, &bytes);
  return {text, bytes};
}

std::string refused(const std::string& name, std::vector<std::uint32_t> codes,
                    std::array<std::uint64_t, 3> offsets) {
  Handles handles;
  auto* table = people(handles);
  Failure failure;
  const int status = pgveil_table_add_column(table, name.c_str(), codes.data(), codes.size(), "aabb",
                                             offsets.data(), 2, &failure.error);
  CHECK((status == 0) == (failure.error == nullptr));
  return failure.message();
}

}  // namespace

TEST_CASE("a table is published, and its classes have k records") {
  Handles handles;
  auto* table = people(handles);
  CHECK(pgveil_abi_version() == PGVEIL_ABI_VERSION);
  CHECK(pgveil_table_rows(table) == 6);
  CHECK(cell(table, 0, 5) == "NULL");
  Failure failure;
  pgveil_report* report = nullptr;
  auto* published = pgveil_anonymize(table, kJob, nullptr, &report, &failure.error);
  REQUIRE_MESSAGE(published != nullptr, failure.message());
  handles.tables.push_back(published);
  handles.reports.push_back(report);
  REQUIRE(pgveil_table_columns(published) == 2);
  CHECK(std::string(pgveil_table_name(published, 1)) == "town");
  std::map<std::string, int> classes;
  for (std::uint64_t row = 0; row < pgveil_table_rows(published); ++row)
    ++classes[cell(published, 0, row) + "|" + cell(published, 1, row)];
  for (const auto& [shown, records] : classes) CHECK_MESSAGE(records >= 2, shown);
  CHECK(std::string(pgveil_report_in(report, PGVEIL_TEXT)).find("6 rows, k = 2") != std::string::npos);
  CHECK(std::string(pgveil_report_in(report, PGVEIL_JSON)).starts_with("{"));
  CHECK(std::string(pgveil_report_in(report, PGVEIL_HTML)).find("<html") != std::string::npos);
}

TEST_CASE("what a job refuses comes with the words of the program") {
  Handles handles;
  auto* table = people(handles);
  std::string job(kJob);
  job.replace(job.find("k: 2"), 4, "k: 7");
  Failure failure;
  CHECK(pgveil_anonymize(table, job.c_str(), nullptr, nullptr, &failure.error) == nullptr);
  REQUIRE(failure.error != nullptr);
  CHECK(pgveil_error_kind_of(failure.error) == PGVEIL_ERROR_POLICY);
  CHECK(failure.message() == "6 records are fewer than k = 7");
  CHECK(std::string(pgveil_error_hint(failure.error)).starts_with("lower k"));
  Failure broken;
  CHECK(pgveil_anonymize(table, "version: 2", nullptr, nullptr, &broken.error) == nullptr);
  CHECK(pgveil_error_kind_of(broken.error) == PGVEIL_ERROR_CONFIGURATION);
  CHECK(broken.message().starts_with("job:1:"));
  Failure without;
  CHECK(pgveil_anonymize(table, nullptr, nullptr, nullptr, &without.error) == nullptr);
  CHECK(pgveil_error_kind_of(without.error) == PGVEIL_ERROR_USAGE);
}

TEST_CASE("a caller can cancel") {
  Handles handles;
  auto* table = people(handles);
  pgveil_options options{};
  options.size = sizeof(options);
  options.is_cancelled = [](void* context) { return *static_cast<int*>(context); };
  int is_cancelled = 1;
  options.context = &is_cancelled;
  Failure failure;
  CHECK(pgveil_anonymize(table, kJob, &options, nullptr, &failure.error) == nullptr);
  CHECK(pgveil_error_kind_of(failure.error) == PGVEIL_ERROR_USAGE);
  is_cancelled = 0;
  Failure none;
  handles.tables.push_back(pgveil_anonymize(table, kJob, &options, nullptr, &none.error));
  CHECK(handles.tables.back() != nullptr);
  options.size = 0;
  Failure unset;
  CHECK(pgveil_anonymize(table, kJob, &options, nullptr, &unset.error) == nullptr);
  CHECK(unset.message() == "the size of the options is not set");
}

TEST_CASE("columns that cannot be are refused") {
  CHECK(refused("more", {0, 1, 0, 1, 0, 1}, {0, 2, 4}).empty());
  CHECK(refused("", {0, 1, 0, 1, 0, 1}, {0, 2, 4}) == "a column without a name");
  CHECK(refused("town", {0, 1, 0, 1, 0, 1}, {0, 2, 4}) == "there are two columns town");
  CHECK(refused("more", {0, 1}, {0, 2, 4}) == "column more has another number of rows than the first");
  CHECK(refused("more", {0, 1, 2, 1, 0, 1}, {0, 2, 4}) == "a code of more has no value");
  CHECK(refused("more", {0, 1, 0, 1, 0, 1}, {0, 3, 2}) == "offsets of more descend");
  CHECK(refused("more", {0, 1, 0, 1, 0, 1}, {0, 1, 2}) == "a value of more is there twice");
}

TEST_CASE("a table is checked, and its risk measured") {
  Handles handles;
  auto* table = people(handles);
  const std::array<const char*, 1> town = {"town"};
  pgveil_check_options wanted{};
  wanted.size = sizeof(wanted);
  wanted.quasi_identifiers = town.data();
  wanted.quasi_identifier_count = 1;
  for (const auto& [k, kept] : {std::pair(3, 1), std::pair(4, 0)}) {
    wanted.k = static_cast<std::uint64_t>(k);
    int is_kept = -1;
    Failure failure;
    handles.reports.push_back(pgveil_check(table, &wanted, &is_kept, &failure.error));
    CHECK_MESSAGE(handles.reports.back() != nullptr, failure.message());
    CHECK(is_kept == kept);
  }
  wanted.quasi_identifier_count = 0;
  Failure none;
  CHECK(pgveil_check(table, &wanted, nullptr, &none.error) == nullptr);
  CHECK(none.message() == "there is no quasi-identifier");
  pgveil_risk_options asked{};
  asked.size = sizeof(asked);
  asked.threshold = 0.2;
  asked.most_columns = 2;
  Failure failure;
  handles.reports.push_back(pgveil_risk(table, &asked, &failure.error));
  REQUIRE_MESSAGE(handles.reports.back() != nullptr, failure.message());
  CHECK(std::string(pgveil_report_in(handles.reports.back(), PGVEIL_JSON)).find("\"unique_rows\":6") !=
        std::string::npos);
  asked.threshold = 2;
  Failure high;
  CHECK(pgveil_risk(table, &asked, &high.error) == nullptr);
}
