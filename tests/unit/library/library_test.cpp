// The C interface, as its callers see it.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <limits>
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

// bytes: of two values.
std::string refused(const std::string& name, std::vector<std::uint32_t> codes,
                    std::array<std::uint64_t, 3> offsets, const char* bytes = "aabb") {
  Handles handles;
  auto* table = people(handles);
  Failure failure;
  const int status = pgveil_table_add_column(table, name.c_str(), codes.data(), codes.size(), bytes,
                                             offsets.data(), 2, &failure.error);
  CHECK((status == 0) == (failure.error == nullptr));
  CHECK(pgveil_table_columns(table) == (status == 0 ? 3 : 2));
  if (status != 0) CHECK(pgveil_error_kind_of(failure.error) == PGVEIL_ERROR_USAGE);
  return failure.message();
}

// The message of a check of the town, which `change` changes.
template <class Change>
std::string refused_check(Change&& change) {
  Handles handles;
  auto* table = people(handles);
  const std::array<const char*, 1> town = {"town"};
  pgveil_check_options wanted{};
  wanted.size = sizeof(wanted);
  wanted.quasi_identifiers = town.data();
  wanted.quasi_identifier_count = 1;
  change(wanted);
  int is_kept = 1;
  Failure failure;
  handles.reports.push_back(pgveil_check(table, &wanted, &is_kept, &failure.error));
  CHECK((handles.reports.back() == nullptr) == (failure.error != nullptr));
  if (failure.error == nullptr) return "";
  CHECK(is_kept == 0);
  CHECK(pgveil_error_kind_of(failure.error) == PGVEIL_ERROR_USAGE);
  return failure.message();
}

template <class Change>
std::string refused_risk(Change&& change) {
  Handles handles;
  auto* table = people(handles);
  pgveil_risk_options asked{};
  asked.size = sizeof(asked);
  asked.threshold = 0.2;
  change(asked);
  Failure failure;
  handles.reports.push_back(pgveil_risk(table, &asked, &failure.error));
  CHECK((handles.reports.back() == nullptr) == (failure.error != nullptr));
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
  // The bytes' number is not known here, but no memory has these.
  CHECK(refused("more", {0, 1, 0, 1, 0, 1}, {0, 2, UINT64_MAX}) == "an offset of more is above 2^47");
  CHECK(refused("more", {0, 1, 0, 1, 0, 1}, {0, UINT64_MAX, UINT64_MAX}) ==
        "an offset of more is above 2^47");
  CHECK(refused("more", {0, 1, 0, 1, 0, 1}, {0, 2, 4}, nullptr) == "column more has offsets and no bytes");
}

TEST_CASE("arrays may be null where nothing is read") {
  Handles handles;
  handles.tables.push_back(pgveil_table_new());
  auto* table = handles.tables.back();
  const std::array<std::uint64_t, 2> offsets = {0, 0};
  const std::uint32_t code = 0;
  Failure without_codes, without_offsets;
  CHECK(pgveil_table_add_column(table, "a", nullptr, 1, "", offsets.data(), 1, &without_codes.error) == -1);
  CHECK(without_codes.message() == "column a has rows and no codes");
  CHECK(pgveil_table_add_column(table, "a", &code, 1, "x", nullptr, 1, &without_offsets.error) == -1);
  CHECK(without_offsets.message() == "column a has values and no offsets");
  Failure failure;
  CHECK(pgveil_table_add_column(table, "a", &code, 1, nullptr, offsets.data(), 1, &failure.error) == 0);
  CHECK(cell(table, 0, 0).empty());
  handles.tables.push_back(pgveil_table_new());
  CHECK(pgveil_table_add_column(handles.tables.back(), "a", nullptr, 0, nullptr, nullptr, 0,
                                &failure.error) == 0);
}

TEST_CASE("text that is not UTF-8 is refused") {
  CHECK(refused("caf\xE9", {0, 1, 0, 1, 0, 1}, {0, 2, 4}) == "the name of a column is not UTF-8");
  CHECK(refused("more", {0, 1, 0, 1, 0, 1}, {0, 2, 4}, "aab\xE9") == "a value of more is not UTF-8");
  // The bytes are well-formed together, but not those of each value.
  CHECK(refused("more", {0, 1, 0, 1, 0, 1}, {0, 2, 3}, "a\xC3\xA9") == "a value of more is not UTF-8");
  CHECK(refused("caf\xC3\xA9", {0, 1, 0, 1, 0, 1}, {0, 1, 3}, "a\xC3\xA9").empty());
}

TEST_CASE("no demand of a check vanishes") {
  CHECK(refused_check([](pgveil_check_options&) {}).empty());
  CHECK(refused_check([](pgveil_check_options& it) { it.required_count = 3; }) ==
        "required is null, and its count is not 0");
  CHECK(refused_check([](pgveil_check_options& it) { it.risk_count = 1; }) ==
        "risks is null, and its count is not 0");
  CHECK(refused_check([](pgveil_check_options& it) { it.sensitive_count = 1; }) ==
        "sensitive is null, and its count is not 0");
  CHECK(refused_check([](pgveil_check_options& it) { it.quasi_identifiers = nullptr; }) ==
        "quasi_identifiers is null, and its count is not 0");
  const std::array<const char*, 1> none = {nullptr}, latin1 = {"caf\xE9"};
  CHECK(refused_check([&](pgveil_check_options& it) {
          it.required = none.data();
          it.required_count = 1;
        }) == "a text of required is null");
  CHECK(refused_check([&](pgveil_check_options& it) {
          it.sensitive = latin1.data();
          it.sensitive_count = 1;
        }) == "a text of sensitive is not UTF-8");
  CHECK(refused_check([](pgveil_check_options& it) { it.size = 0; }) == "the size of the options is not set");
}

TEST_CASE("a risk is measured as asked, or not at all") {
  CHECK(refused_risk([](pgveil_risk_options&) {}).empty());
  CHECK(refused_risk([](pgveil_risk_options& it) { it.population_size = 100; }).empty());
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  for (const double threshold : {0.0, -0.1, 2.0, nan})
    CHECK(refused_risk([&](pgveil_risk_options& it) { it.threshold = threshold; }) ==
          "the threshold is not above 0 and at most 1");
  for (const double size : {-5.0, nan})
    CHECK(refused_risk([&](pgveil_risk_options& it) { it.population_size = size; }) ==
          "the size of the population is not 0 or more");
  CHECK(refused_risk([](pgveil_risk_options& it) { it.population_size = 5; }) ==
        "the population is smaller than the table");
  CHECK(refused_risk([](pgveil_risk_options& it) { it.column_count = 2; }) ==
        "columns is null, and its count is not 0");
  // Without options it is that of the program.
  Handles handles;
  auto* table = people(handles);
  pgveil_risk_options usual{};
  usual.size = sizeof(usual);
  usual.threshold = 0.2;
  usual.most_columns = 2;
  Failure failure;
  handles.reports.push_back(pgveil_risk(table, nullptr, &failure.error));
  REQUIRE_MESSAGE(handles.reports.back() != nullptr, failure.message());
  handles.reports.push_back(pgveil_risk(table, &usual, &failure.error));
  REQUIRE_MESSAGE(handles.reports.back() != nullptr, failure.message());
  CHECK(std::string(pgveil_report_in(handles.reports[0], PGVEIL_JSON)) ==
        pgveil_report_in(handles.reports[1], PGVEIL_JSON));
}

TEST_CASE("levels and heights must be as many as the quasi-identifiers") {
  Handles handles;
  auto* table = people(handles);
  std::string job(kJob);
  job.replace(job.find("algorithm: least_loss"), 21, "algorithm: flash");
  job.replace(job.find("{class: quasi_identifier}"), 25,
              "{class: quasi_identifier, hierarchy: {masking: {}}}");
  job.replace(job.find("numeric: true"), 13, "hierarchy: {masking: {}}");
  const std::array<std::uint32_t, 3> levels = {1, 4, 0};
  pgveil_options options{};
  options.size = sizeof(options);
  const auto message = [&](const std::uint32_t* chosen, const std::uint32_t* heights, std::uint32_t count) {
    options.levels = chosen;
    options.heights = heights;
    options.level_count = count;
    Failure failure;
    handles.tables.push_back(pgveil_anonymize(table, job.c_str(), &options, nullptr, &failure.error));
    if (failure.error != nullptr) CHECK(pgveil_error_kind_of(failure.error) == PGVEIL_ERROR_USAGE);
    return failure.message();
  };
  for (const std::uint32_t count : {0U, 1U, 3U}) {
    const std::string wrong = std::to_string(count);
    CHECK(message(levels.data(), nullptr, count) == wrong + " levels for 2 quasi-identifiers");
    CHECK(message(nullptr, levels.data(), count) ==
          wrong + " heights of hierarchies for 2 quasi-identifiers");
    CHECK(message(levels.data(), levels.data(), count) ==
          wrong + " heights of hierarchies for 2 quasi-identifiers");
  }
  const std::array<std::uint32_t, 2> chosen = {2, 0}, heights = {2, 4};
  CHECK(message(chosen.data(), heights.data(), 2).empty());
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
