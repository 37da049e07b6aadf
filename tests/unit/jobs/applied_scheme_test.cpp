// Schemes as texts, and put together with jobs; tests/integration/apply_test.py applies them.
#include "jobs/run/applied_scheme.hpp"

#include <doctest/doctest.h>

#include "jobs/report/report.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace pgveil::app {
namespace {

std::string scheme_text() {
  JobReport report;
  report.job = "people";
  report.quasi_identifiers = {"zip", "age"};
  report.levels = {1, 2};
  report.heights = {3, 4};
  return report_json(report);
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, from);
  return text.replace(at, from.size(), to);
}

class Schemes {
 public:
  Schemes() {
    folder.write("scheme.json", scheme_text());
    folder.write("job.yaml", kJob);
    arguments.scheme = folder.path("scheme.json");
    arguments.job = folder.path("job.yaml");
    arguments.output = folder.path("new_k2.csv");
  }
  // The message; empty: none.
  [[nodiscard]] std::string refusal() const {
    const auto made = read_applied_scheme(arguments);
    return made ? "" : made.error().public_message;
  }

  static constexpr const char* kJob =
      "version: 1\nname: people\ninput: {file: people.csv}\nattributes:\n"
      "  age: {class: quasi_identifier, hierarchy: {intervals: {widths: [10, 20, 40]}}}\n"
      "  zip: {class: quasi_identifier, hierarchy: {masking: {}}}\n"
      "k: 2\nsuppression: 5%\noutput: {table: public.people_k2, types: {zip: integer}}\n";

  TemporaryFolder folder;
  ApplyArguments arguments;
};

TEST_CASE("a report's transformation is a scheme") {
  const auto made = read_scheme(scheme_text());
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  CHECK(made->job == "people");
  CHECK(made->quasi_identifiers == std::vector<std::string>{"zip", "age"});
  CHECK(made->levels == std::vector<unsigned>{1, 2});
  CHECK(made->heights == std::vector<unsigned>{3, 4});
}

TEST_CASE("what is no report of a transformation is no scheme") {
  for (const std::string text : {"", "{}", "[]", "{\"job\": 7}"}) {
    CAPTURE(text);
    CHECK(read_scheme(text).has_error());
  }
  const auto text = scheme_text();
  CHECK(read_scheme(with(text, "\"levels\":[1,2]", "\"levels\":[1]")).has_error());
  CHECK(read_scheme(with(text, "\"levels\":[1,2]", "\"levels\":[1,-2]")).has_error());
  CHECK(read_scheme(with(text, "\"levels\":[1,2]", "\"levels\":[1,200]")).has_error());
  CHECK(read_scheme(with(text, "\"levels\":[1,2]", "\"levels\":[1,2.5]")).has_error());
  CHECK(read_scheme(with(text, "\"heights\":[3,4]", "\"heights\":[3]")).has_error());
  CHECK(read_scheme(with(text, "[\"zip\",\"age\"]", "[\"zip\",7]")).has_error());
  CHECK(read_scheme(with(text, "[\"zip\",\"age\"]", "[]")).has_error());
  CHECK(read_scheme(with(text, "\"mondrian\":null", "\"mondrian\":{}")).has_error());
  CHECK(read_scheme(with(text, "\"levels\":[1,2]", "\"levels\":[1,2],\"levels\":[0,0]")).has_error());
  CHECK(read_scheme(with(text, "{\"job\":", "{\"a_key_of_a_later_report\":7,\"job\":")).has_value());
}

TEST_CASE("a scheme's levels are put in the order of the job, with the places of the command line") {
  Schemes it;
  const auto made = read_applied_scheme(it.arguments);
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  CHECK(made->levels == std::vector<unsigned>{2, 1});
  CHECK(made->heights == std::vector<unsigned>{4, 3});
  CHECK(made->job.suppression == 0.05);
  CHECK(std::get<JobFile>(made->job.input).path == it.folder.path("people.csv"));  // the job's own
  REQUIRE(made->job.output.file);
  CHECK(made->job.output.file->path == it.folder.path("new_k2.csv"));
  CHECK_FALSE(made->job.output.table);  // the job's own place is not written to
  CHECK(made->job.output.types.empty());
}

TEST_CASE("other rows, another place, and what becomes of violations") {
  Schemes it;
  it.arguments.input.file = it.folder.path("new.csv");
  it.arguments.input.separator = ";";
  it.arguments.violating = ViolatingClasses::refused;
  auto made = read_applied_scheme(it.arguments);
  REQUIRE(made.has_value());
  CHECK(std::get<JobFile>(made->job.input).separator == ';');
  CHECK(made->job.suppression == 0);
  it.arguments.violating = ViolatingClasses::suppressed;
  it.arguments.output.reset();
  it.arguments.output_table = "public.new_k2";
  made = read_applied_scheme(it.arguments);
  REQUIRE(made.has_value());
  CHECK(made->job.suppression == 1);
  CHECK(made->job.output.table->table == "new_k2");
  CHECK(made->job.output.types.size() == 1);  // types are of the table's columns, wherever it is
}

TEST_CASE("other rows have the separators of the job, unless one is named") {
  Schemes it;
  it.arguments.input.file = it.folder.path("new.csv");
  const auto separators = [&] {
    const auto made = read_applied_scheme(it.arguments);
    REQUIRE(made.has_value());
    return std::string{std::get<JobFile>(made->job.input).separator, made->job.output.file->separator};
  };
  CHECK(separators() == ",,");
  const auto tabbed = with(Schemes::kJob, "people.csv}", "people.csv, separator: tab}");
  it.folder.write("job.yaml", tabbed);  // which publishes a table
  CHECK(separators() == "\t,");
  it.folder.write("job.yaml", with(tabbed, "output: {", "output: {file: out.csv, separator: \"|\", "));
  CHECK(separators() == "\t|");
  it.arguments.input.separator = ";";
  CHECK(separators() == ";;");
}

TEST_CASE("schemes and jobs that do not belong together are refused") {
  const auto refused = [](const auto& change) {
    Schemes it;
    change(it);
    return it.refusal();
  };
  CHECK(refused([](Schemes&) {}).empty());
  CHECK(refused([](Schemes& it) { it.arguments.output.reset(); }) == "no output");
  CHECK(refused([](Schemes& it) {
          it.arguments.scheme = it.folder.path("none");
        }).starts_with("there is no file"));
  CHECK(refused([](Schemes& it) {
          it.folder.write("job.yaml", with(Schemes::kJob, "name: people", "name: others"));
        }) == "the scheme is of job people, not of others");
  CHECK(refused([](Schemes& it) { it.folder.write("job.yaml", with(Schemes::kJob, "  zip:", "  town:")); }) !=
        "");
  CHECK(refused([](Schemes& it) {
          it.folder.write(
              "job.yaml",
              with(with(Schemes::kJob, "  zip: {class: quasi_identifier, hierarchy: {masking: {}}}\n", ""),
                   ", types: {zip: integer}", ""));
        }) == "the scheme has levels of columns that are not quasi-identifiers of the job");
  CHECK(refused([](Schemes& it) {
          it.folder.write("scheme.json", with(with(scheme_text(), "\"zip\",\"age\"", "\"zip\",\"ages\""),
                                              "people", "people"));
        }) == "the scheme has no level of age");
  CHECK(refused([](Schemes& it) {
          it.arguments.input.separator = "long";
          it.arguments.input.file = "x";
        }) != "");
}

}  // namespace
}  // namespace pgveil::app
