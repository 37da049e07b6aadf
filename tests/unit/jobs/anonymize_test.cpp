// Jobs from file to file; those with tables are in tests/integration/anonymize_test.py.
#include "jobs/run/anonymize.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "jobs/report/contingency_report.hpp"
#include "jobs/report/statistics_report.hpp"
#include "jobs/report/utility_report.hpp"
#include "jobs/run/publication_csv.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace pgveil::app::anonymize_test {
namespace {

constexpr const char* kPeople =
    "name;age;city;illness\nAnn;34;Oslo;flu\nBob;34;Oslo;cold\nCid;70;Rome;flu\nDan;70;Rome;\nEve;51;Bonn;="
    "gout\n";

class Jobs {
 public:
  Jobs() {
    folder.write("people.csv", kPeople);
    folder.write("city.csv", "Oslo;*\nRome;*\nBonn;*\n");
  }
  // k and suppression are lines of their own; `more` is appended.
  Result<JobReport> run(const std::string& more, const std::string& output = "{file: out.csv, separator: ;}",
                        const AnonymizeHooks& hooks = {}) const {
    AnonymizeRequest request;
    request.job = job(more, output);
    return anonymize(request, hooks);
  }
  Job job(const std::string& more, const std::string& output = "{file: out.csv, separator: ;}") const {
    auto read = read_job_text(
        "version: 1\nname: people\ninput: {file: people.csv, separator: ;}\nattributes:\n"
        "  age: {class: quasi_identifier, hierarchy: {intervals: {widths: [20, 60]}}}\n"
        "  city: {class: quasi_identifier, hierarchy: {file: city.csv}}\n"
        "  illness: {class: sensitive}\nseed: 3\n" +
            more + "\noutput: " + output + "\n",
        folder.path("job.yaml"));
    REQUIRE_MESSAGE(read.has_value(), one_line(read.error()));
    return *read;
  }
  [[nodiscard]] std::vector<std::string> lines(const std::string& file = "out.csv") const {
    std::istringstream text(folder.read(file));
    std::vector<std::string> made;
    for (std::string line; std::getline(text, line);) made.push_back(line.substr(0, line.size() - 1));
    if (!made.empty()) std::sort(made.begin() + 1, made.end());
    return made;
  }
  void check_nothing_new() const {
    auto names = folder.names();
    std::erase(names, "out.csv");
    CHECK(names == std::vector<std::string>{"city.csv", "people.csv"});
  }

  TemporaryFolder folder;
};

std::string message_of(const Result<JobReport>& made) {
  REQUIRE(made.has_error());
  return made.error().public_message;
}

TEST_CASE("a report says why most records are suppressed") {
  JobReport report;
  report.rows = 100;
  report.suppressed_rows = 51;
  const auto says = [&] {
    return report_text(report).find("most records are suppressed") != std::string::npos;
  };
  CHECK(!says());
  report.gs = 0.25;
  CHECK(report_text(report).find("because gs = 0.25 lets that cost little: raise gs") != std::string::npos);
  report.suppressed_rows = 50;
  CHECK(!says());
}

TEST_CASE("a job writes the optimum, and its report says what was done") {
  const Jobs jobs;
  const auto made = jobs.run("k: 2");
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  CHECK(made->levels == std::vector<unsigned>{2, 1});
  CHECK(jobs.lines() == std::vector<std::string>{"age;city;illness", "[0, 60);*;\"'=gout\"", "[0, 60);*;cold",
                                                 "[0, 60);*;flu", "[60, 120);*;\"\"", "[60, 120);*;flu"});
  CHECK(made->not_published == std::vector<std::string>{"name"});
  CHECK(made->published_rows == 5);
  CHECK(made->scores.size() == engine::kMetrics);
  CHECK_FALSE(is_unproven(*made));
  CHECK(report_text(*made).find("loss = ") != std::string::npos);
  CHECK(report_text(*made).find("(optimum)") != std::string::npos);
  CHECK(report_json(*made).find("\"is_proven\":true") != std::string::npos);
  jobs.check_nothing_new();
}

TEST_CASE("suppressed records below k are dropped, hidden, or left on demand") {
  const Jobs jobs;
  const std::string job = "k: 2\nsuppression: 20%\n";
  REQUIRE(jobs.run(job).has_value());
  CHECK(jobs.lines().size() == 5);
  const std::string replaced = "{file: out.csv, separator: ;, replace: true}";
  REQUIRE(jobs.run(job + "outliers: hide", replaced).has_value());
  CHECK(std::ranges::count(jobs.lines(), "*;*;") == 1);
  REQUIRE(jobs.run(job + "outliers: as_reference", replaced).has_value());
  CHECK(std::ranges::count(jobs.lines(), "*;*;\"'=gout\"") == 1);
}

constexpr const char* kScattered =
    "name;age;city;illness\nA;34;Oslo;flu\nB;34;Oslo;cold\nC;34;Oslo;flu\nD;34;Oslo;flu\nE;51;Bonn;flu\n"
    "F;95;Rome;cold\n";

TEST_CASE("suppressed_records: drop leaves them out though together they are k") {
  const Jobs jobs;
  jobs.folder.write("people.csv", kScattered);
  const std::string job = "k: 2\nsuppression: 40%\nmetric: precision\ngs: 0\n";
  const std::string replaced = "{file: out.csv, separator: ;, replace: true}";
  const auto stars = [&] {
    return std::ranges::count_if(jobs.lines(), [](const auto& line) { return line.starts_with("*;*;"); });
  };
  const auto kept = jobs.run(job, replaced);
  REQUIRE_MESSAGE(kept.has_value(), one_line(kept.error()));
  CHECK(stars() == 2);
  CHECK(kept->published_rows == 6);
  CHECK(report_text(*kept).find("2 are shown as *") != std::string::npos);
  const auto dropped = jobs.run(job + "suppressed_records: drop", replaced);
  REQUIRE_MESSAGE(dropped.has_value(), one_line(dropped.error()));
  CHECK(stars() == 0);
  CHECK(jobs.lines().size() == 5);
  CHECK(dropped->suppressed_rows == 2);
  CHECK(dropped->dropped_rows == 2);
  CHECK(dropped->published_rows == 4);
  CHECK(dropped->certainty_penalty == kept->certainty_penalty);
  CHECK(report_text(*dropped).find("2 were dropped") != std::string::npos);
  CHECK(report_json(*dropped).find("\"suppressed_records\":\"drop\"") != std::string::npos);
}

TEST_CASE("suppressed_records: drop leaves out what local recoding still suppresses, and only that") {
  const Jobs jobs;
  jobs.folder.write("people.csv", std::string(kScattered) + "G;96;Bonn;flu\nH;2;Rome;flu\n");
  const std::string job = "k: 2\nsuppression: 50%\nmetric: precision\ngs: 0\nlocal_recoding: 3\n";
  const std::string replaced = "{file: out.csv, separator: ;, replace: true}";
  const auto kept = jobs.run(job + "suppressed_records: keep", replaced);
  REQUIRE_MESSAGE(kept.has_value(), one_line(kept.error()));
  const auto made = jobs.run(job + "suppressed_records: drop", replaced);
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  CHECK(made->suppressed_rows > 0);
  CHECK(made->suppressed_rows == kept->suppressed_rows);
  CHECK(made->dropped_rows == made->suppressed_rows);
  CHECK(made->published_rows == 8 - made->suppressed_rows);
  CHECK(made->classes == kept->classes);
  for (const auto& line : jobs.lines()) CHECK_FALSE(line.starts_with("*;*;"));
}

TEST_CASE("local recoding shows at other levels what the first transformation suppresses") {
  const Jobs jobs;
  jobs.folder.write(
      "people.csv",
      "name;age;city;illness\nA;34;Oslo;flu\nB;34;Oslo;cold\nC;34;Oslo;flu\nD;34;Oslo;flu\nE;51;Bonn;flu\n"
      "F;55;Rome;cold\n");
  const std::string job = "k: 2\nsuppression: 40%\n";
  const auto plain = jobs.run(job);
  REQUIRE_MESSAGE(plain.has_value(), one_line(plain.error()));
  CHECK(plain->suppressed_rows == 2);
  CHECK(plain->recoding.empty());
  const auto made = jobs.run(job + "local_recoding: 3", "{file: out.csv, separator: ;, replace: true}");
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  CHECK(made->levels == std::vector<unsigned>{0, 0});
  REQUIRE(made->recoding.size() == 2);
  CHECK(made->recoding[1].levels == std::vector<unsigned>{1, 1});
  CHECK(made->suppressed_rows == 0);
  CHECK(made->classes == 2);
  CHECK(made->smallest_class == 2);
  CHECK(made->certainty_penalty < plain->certainty_penalty);
  CHECK(jobs.lines() == std::vector<std::string>{"age;city;illness", "34;Oslo;cold", "34;Oslo;flu",
                                                 "34;Oslo;flu", "34;Oslo;flu", "[40, 60);*;cold",
                                                 "[40, 60);*;flu"});
  CHECK(report_text(*made).find("published at     1,1: 2 records in 1 classes, 0 left") != std::string::npos);
  CHECK(report_json(*made).find("\"recoding\":[{\"levels\":[0,0],\"records\":4") != std::string::npos);
  // What is not anonymous by itself is not made so by recoding.
  AnonymizeRequest request;
  request.job = jobs.job("k: 2\nsuppression: 20%\nlocal_recoding: 3", "{file: other.csv}");
  request.levels = std::vector<unsigned>{0, 0};
  CHECK(message_of(anonymize(request, {})).find("is not anonymous") != std::string::npos);
}

TEST_CASE("what a table is still good for, without a value of it") {
  const Jobs jobs;
  AnonymizeRequest request;
  request.job = jobs.job("k: 2");
  CHECK_FALSE(anonymize(request, {})->utility);
  request.job = jobs.job("k: 2", "{file: out.csv, separator: ;, replace: true}");
  request.wants_utility = true;
  const auto made = anonymize(request, {});
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  REQUIRE(made->utility);
  CHECK(made->utility->columns.size() == 3);
  CHECK(made->utility->columns[0].before.distinct == 3);
  CHECK(made->utility->columns[0].after.distinct == 2);
  const auto page = report_html(*made);
  CHECK(page.starts_with("<!DOCTYPE html>"));
  CHECK(page.find("Cramér") != std::string::npos);
  CHECK(report_text(*made).find("quasi-identifier") != std::string::npos);
  CHECK(report_json(*made).find("\"cramers_v\":[{\"columns\":[\"age\",\"city\"]") != std::string::npos);
  for (const auto& text : {page, report_text(*made), report_json(*made)}) {
    for (const auto* value : {"Oslo", "flu", "[0, 60)", "gout", "Ann"})
      CHECK(text.find(value) == std::string::npos);
  }
}

TEST_CASE("how well a column is predicted is part of the utility, and refused for a quasi-identifier") {
  const Jobs jobs;
  AnonymizeRequest request;
  request.job = jobs.job("k: 2");
  request.wants_utility = true;
  for (const auto& [column, message] :
       {std::pair("name", "name is not published"), std::pair("age", "age is a quasi-identifier")}) {
    request.predicted = column;
    CHECK(message_of(anonymize(request, {})) == message);
  }
  CHECK(std::ranges::count(jobs.folder.names(), "out.csv") == 0);
  request.predicted = "illness";
  std::vector<engine::ColumnSummary> told;
  AnonymizeHooks hooks;
  hooks.statistics = [&](const std::vector<engine::ColumnSummary>& made) -> Result<void> {
    told = made;
    return {};
  };
  request.wants_statistics = true;
  const auto made = anonymize(request, hooks);
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  REQUIRE(made->utility->prediction);
  CHECK(made->utility->prediction->records == 5);
  CHECK(report_text(*made).find("illness can be predicted for") != std::string::npos);
  CHECK(report_html(*made).find("illness can be predicted for") != std::string::npos);
  CHECK(report_json(*made).find("\"prediction\":{\"target\":\"illness\"") != std::string::npos);
  CHECK(report_json(*made).find("\"numbers\":{\"mean_shift\":") != std::string::npos);
  REQUIRE(told.size() == 3);
  CHECK(told[0].before.numbers->mean == doctest::Approx(51.8));
  CHECK(told[2].before.mode == "flu");
  const auto text = statistics_json(told);
  CHECK(text.starts_with("{\"warning\":\"do not publish this file"));
  CHECK(text.find("\"mode\":\"flu\"") != std::string::npos);
}

TEST_CASE("pairs of values go to whoever asks for them, and into no report") {
  const Jobs jobs;
  AnonymizeRequest request;
  request.job = jobs.job("k: 2");
  request.contingency = {"age", "illness"};
  std::string told;
  AnonymizeHooks hooks;
  hooks.contingency = [&](const engine::Contingency& made) -> Result<void> {
    told = contingency_json(made);
    return {};
  };
  const auto made = anonymize(request, hooks);
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  CHECK(told.starts_with("{\"warning\":\"do not publish this file"));
  CHECK(told.find("\"before\":{\"first\":{\"values\":[\"34\",\"70\",\"51\"]") != std::string::npos);
  CHECK(told.find("\"after\":{\"first\":{\"values\":[\"[0, 60)\",\"[60, 120)\"]") != std::string::npos);
  for (const auto& text : {report_text(*made), report_json(*made)})
    CHECK(text.find("flu") == std::string::npos);
  request.job = jobs.job("k: 2", "{file: other.csv}");
  request.contingency = {"age", "name"};  // an identifier is not published
  CHECK(message_of(anonymize(request, hooks)) == "name is not published");
  CHECK(std::ranges::count(jobs.folder.names(), "other.csv") == 0);
  for (const auto* text : {"", "age", "age,", ",age", "a,b,c"}) CHECK(contingency_columns(text).has_error());
  CHECK(contingency_columns("age,city")->second == "city");
}

TEST_CASE("what groups are still good for is told of the input that they were cut of") {
  const Jobs jobs;
  AnonymizeRequest request;
  auto job = read_job_text(
      "version: 1\nname: groups\ninput: {file: people.csv, separator: ;}\nattributes:\n"
      "  age: {class: quasi_identifier, numeric: true}\n"
      "  city: {class: quasi_identifier, hierarchy: {file: city.csv}}\n"
      "  illness: {class: sensitive}\nk: 2\nalgorithm: mondrian\nseed: 3\noutput: {file: out.csv}\n",
      jobs.folder.path("job.yaml"));
  REQUIRE_MESSAGE(job.has_value(), one_line(job.error()));
  request.job = *job;
  request.wants_utility = true;
  const auto made = anonymize(request, {});
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  REQUIRE(made->utility);
  const auto& age = made->utility->columns.front();
  CHECK(age.column == "age");
  CHECK(age.before.distinct == 3);  // 34, 51, 70; two groups of two and three
  CHECK(age.after.distinct == 2);
  CHECK(age.after.missing == 0);
  const auto page = report_html(*made);
  CHECK(page.find("Groups") != std::string::npos);
  for (const auto* value : {"Oslo", "flu", "gout", "Ann"}) CHECK(page.find(value) == std::string::npos);
}

TEST_CASE("a chosen transformation is applied, if it is anonymous and the job's levels have it") {
  const Jobs jobs;
  AnonymizeRequest request;
  request.job = jobs.job("k: 2");
  const auto chosen = [&](std::vector<unsigned> levels) {
    request.levels = std::move(levels);
    return anonymize(request, {});
  };
  CHECK(message_of(chosen({0, 0})).find("is not anonymous") != std::string::npos);
  CHECK(message_of(chosen({1})).find("1 levels for 2") != std::string::npos);
  CHECK(message_of(chosen({4, 0})).find("level 4 of age is outside 0 to 3") != std::string::npos);
  request.job.attributes[0].max_level = 2;
  CHECK(message_of(chosen({3, 1})).find("level 3 of age is outside 0 to 2") != std::string::npos);
  const auto made = chosen({2, 1});
  REQUIRE(made.has_value());
  CHECK(made->search == std::nullopt);
  CHECK(report_text(*made).find("(transformation as chosen)") != std::string::npos);
  CHECK(jobs.lines().size() == 6);
}

TEST_CASE("heights of an earlier run are one for each quasi-identifier, and those of the hierarchies") {
  const Jobs jobs;
  AnonymizeRequest request;
  request.job = jobs.job("k: 2");
  const auto with_heights = [&](std::vector<unsigned> heights) {
    request.heights = std::move(heights);
    return anonymize(request, {});
  };
  CHECK(message_of(with_heights({})) == "0 heights of hierarchies for 2 quasi-identifiers");
  request.levels = std::vector<unsigned>{2, 1};
  CHECK(message_of(with_heights({})) == "0 heights of hierarchies for 2 quasi-identifiers");
  CHECK(message_of(with_heights({3})) == "1 heights of hierarchies for 2 quasi-identifiers");
  CHECK(message_of(with_heights({3, 1, 1})) == "3 heights of hierarchies for 2 quasi-identifiers");
  CHECK(message_of(with_heights({4, 1})) ==
        "the hierarchy of age has 3 levels above its values, but in the scheme it had 4");
  jobs.check_nothing_new();
  CHECK(with_heights({3, 1}).has_value());
}

TEST_CASE("--list publishes nothing and says what was checked") {
  const Jobs jobs;
  AnonymizeRequest request;
  request.job = jobs.job("k: 2\nalgorithm: brute_force");
  request.lists_only = true;
  const auto made = anonymize(request, {});
  REQUIRE(made.has_value());
  CHECK(made->search->checked.size() == 8);
  CHECK(checked_text(*made).find("2,1     yes") != std::string::npos);
  CHECK(checked_text(*made).find("0,0     no") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(jobs.folder.path("out.csv")));
}

TEST_CASE("a limit or an interrupt gives the best so far, and says that it is not proven") {
  const Jobs jobs;
  const auto made = jobs.run("k: 2\nalgorithm: depth_first\nlimits: {checks: 1}");
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  CHECK(is_unproven(*made));
  CHECK(made->levels == std::vector<unsigned>{3, 1});
  CHECK(report_text(*made).find("stopped before it was proven; nothing is below ") != std::string::npos);
  CHECK(report_json(*made).find("\"lower_bound\":") != std::string::npos);

  const std::string replaced = "{file: out.csv, separator: ;, replace: true}";
  int asked = 0;
  AnonymizeHooks hooks;
  hooks.wants_best_so_far = [&] { return ++asked > 2; };
  const auto interrupted = jobs.run("k: 2\nalgorithm: depth_first", replaced, hooks);
  REQUIRE(interrupted.has_value());
  CHECK(is_unproven(*interrupted));
  CHECK(interrupted->search->counts.checks == 2);

  CHECK(message_of(jobs.run("k: 2\nalgorithm: breadth_first\nlimits: {checks: 1}", replaced)) ==
        "stopped before anything anonymous was found");
}

TEST_CASE("a heuristic that finds nothing was not stopped, and says what may help") {
  const Jobs jobs;
  for (const std::string algorithm : {"beam", "igreedy", "datafly", "samarati", "flash"}) {
    CAPTURE(algorithm);
    AnonymizeRequest request;
    request.job = jobs.job("k: 5\nalgorithm: " + algorithm);
    request.job.attributes[0].max_level = 1;
    const auto made = anonymize(request, {});
    if (algorithm == "flash") {
      CHECK(message_of(made) == "no transformation within the job's levels is anonymous");
      continue;
    }
    CHECK(message_of(made) == algorithm + " found nothing anonymous");
    CHECK(one_line(made.error()).find("choose algorithm: flash") != std::string::npos);
    request.job.limits.checks = 0;
    CHECK(message_of(anonymize(request, {})) == "stopped before anything anonymous was found");
  }
}

TEST_CASE("local recoding that is stopped before it finds anything is not proven") {
  const Jobs jobs;
  jobs.folder.write(
      "people.csv",
      "name;age;city;illness\nA;34;Oslo;flu\nB;34;Oslo;cold\nC;34;Oslo;flu\nD;34;Oslo;flu\nE;51;Bonn;flu\n"
      "F;55;Rome;cold\n");
  const std::string job = "k: 2\nsuppression: 40%\n";
  const std::string replaced = "{file: out.csv, separator: ;, replace: true}";
  int asked = 0;
  AnonymizeHooks hooks;
  hooks.wants_best_so_far = [&] {
    ++asked;
    return false;
  };
  REQUIRE(jobs.run(job, replaced, hooks).has_value());
  hooks.wants_best_so_far = [&, of_search = asked] { return ++asked > of_search; };
  asked = 0;
  const auto made = jobs.run(job + "local_recoding: 3", replaced, hooks);
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  CHECK(made->search->is_proven);
  CHECK(made->recoding.size() == 1);
  CHECK(made->suppressed_rows == 2);
  CHECK(is_unproven(*made));
  const auto text = report_text(*made);
  CHECK(text.find("(optimum; local recoding is not proven to be the best)") != std::string::npos);
  CHECK(text.find("not proven that showing more of them does not pay off") != std::string::npos);
  CHECK(report_json(*made).find("\"is_recoding_proven\":false") != std::string::npos);

  const auto whole = jobs.run(job + "local_recoding: 3", replaced);
  REQUIRE(whole.has_value());
  CHECK_FALSE(is_unproven(*whole));
  CHECK(report_text(*whole).find("(optimum)") != std::string::npos);
  CHECK(report_json(*whole).find("\"is_recoding_proven\":true") != std::string::npos);
}

TEST_CASE("an interrupt of least_loss publishes the groups so far, and the report has no bound then") {
  const Jobs jobs;
  AnonymizeHooks hooks;
  bool has_begun = false;
  hooks.groups_began = [&] { has_begun = true; };
  hooks.wants_best_so_far = [&] { return has_begun; };
  const std::string replaced = "{file: out.csv, separator: ;, replace: true}";
  const auto made = jobs.run("k: 2\nalgorithm: least_loss", replaced, hooks);
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  CHECK(made->published_rows == 5);
  CHECK(made->groups.is_stopped);
  CHECK_FALSE(made->groups.bound);
  CHECK(is_unproven(*made));
  const auto text = report_text(*made);
  CHECK(text.find("stopped by limits.time or an interrupt") != std::string::npos);
  CHECK(text.find("not known: stopped before it was found") != std::string::npos);
  CHECK(report_json(*made).find("gcp_bound") == std::string::npos);

  const auto whole = jobs.run("k: 2\nalgorithm: least_loss", replaced);
  REQUIRE(whole.has_value());
  CHECK_FALSE(is_unproven(*whole));
  CHECK(whole->groups.bound);
  CHECK(report_text(*whole).find("not known") == std::string::npos);
}

TEST_CASE("what must be safe before publication is asked when all is written, and can forbid it") {
  const Jobs jobs;
  AnonymizeHooks hooks;
  std::vector<std::string> seen;
  hooks.before_publication = [&](const JobReport& report) -> Result<void> {
    CHECK(report.published_rows == 5);
    CHECK(report.phases.size() == 3);
    CHECK_FALSE(std::filesystem::exists(jobs.folder.path("out.csv")));
    seen = report.targets;
    return Error{ErrorKind::io, "58030", "no place for the report", ""};
  };
  CHECK(message_of(jobs.run("k: 2", "{file: out.csv, separator: ;}", hooks)) == "no place for the report");
  CHECK(seen.size() == 1);
  CHECK_FALSE(std::filesystem::exists(jobs.folder.path("out.csv")));
  jobs.check_nothing_new();

  AnonymizeRequest request;
  request.job = jobs.job("k: 2");
  request.lists_only = true;
  hooks.before_publication = [](const JobReport&) { return Error{ErrorKind::io, "58030", "no list", ""}; };
  CHECK(message_of(anonymize(request, hooks)) == "no list");
}

TEST_CASE("an aborted job leaves nothing") {
  const Jobs jobs;
  AnonymizeHooks hooks;
  bool is_aborted = false;
  hooks.is_aborted = [&] { return is_aborted; };
  hooks.search_progress = [&](const engine::Progress& progress) {
    is_aborted = progress.incumbent != nullptr;
  };
  CHECK(message_of(jobs.run("k: 2", "{file: out.csv}", hooks)) == "interrupted; nothing was published");
  CHECK_FALSE(std::filesystem::exists(jobs.folder.path("out.csv")));
  jobs.check_nothing_new();
}

TEST_CASE("what exists is only replaced on demand, and inputs never") {
  const Jobs jobs;
  jobs.folder.write("out.csv", "precious");
  CHECK(message_of(jobs.run("k: 2")).ends_with("out.csv exists already"));
  CHECK(jobs.folder.read("out.csv") == "precious");
  for (const std::string input : {"people.csv", "city.csv"}) {
    const auto before = jobs.folder.read(input);
    CHECK(message_of(jobs.run("k: 2", "{file: " + input + ", replace: true}")).find("would be overwritten") !=
          std::string::npos);
    CHECK(jobs.folder.read(input) == before);
  }
  std::filesystem::create_hard_link(jobs.folder.path("people.csv"), jobs.folder.path("other.csv"));
  CHECK(message_of(jobs.run("k: 2", "{file: other.csv, replace: true}")).find("would be overwritten") !=
        std::string::npos);
  std::filesystem::remove(jobs.folder.path("other.csv"));
  std::filesystem::create_symlink(jobs.folder.path("out.csv"), jobs.folder.path("other.csv"));
  CHECK(message_of(jobs.run("k: 2", "{file: other.csv, replace: true}")).ends_with("is not a regular file"));
  std::filesystem::remove(jobs.folder.path("other.csv"));
  CHECK(message_of(jobs.run("k: 2", "{file: /dev/full, replace: true}"))
            .find("/dev/full is not a regular file") != std::string::npos);
  CHECK(jobs.folder.read("out.csv") == "precious");
  REQUIRE(jobs.run("k: 2", "{file: out.csv, separator: ;, replace: true}").has_value());
  CHECK(jobs.lines().size() == 6);
  jobs.check_nothing_new();
}

TEST_CASE("bad input is refused with all that is wrong, and nothing is written") {
  const Jobs jobs;
  CHECK(message_of(jobs.run("k: 6")) == "k is 6, but there are 5 rows");

  jobs.folder.write("city.csv", "Oslo;*\n");
  const auto missing = jobs.run("k: 2");
  CHECK(message_of(missing) == "the hierarchy of city has no row for 2 values of the column");
  CHECK(missing.error().private_detail == "Rome, Bonn");
  jobs.folder.write("city.csv", "Oslo;a;x\nRome;a;y\nBonn;b;y\n");
  CHECK(message_of(jobs.run("k: 2")) == "the hierarchy of city generalizes 1 values in two ways");
  jobs.folder.write("city.csv", "Oslo;*\nRome\nBonn;*\n");
  CHECK(message_of(jobs.run("k: 2")).find("has 1 columns in row 2, 2 in row 1") != std::string::npos);
  jobs.folder.write("city.csv", "Oslo;*\nRome;*\nBonn;*\n");

  jobs.folder.write("people.csv", "name;age;city;illness\nAnn;34;Oslo\n");
  CHECK(message_of(jobs.run("k: 2")).find("record 2 has 3 fields, the header has 4") != std::string::npos);
  jobs.folder.write("people.csv", "name;age;city;illness\n");
  CHECK(message_of(jobs.run("k: 2")) == "the input has no rows");
  jobs.folder.write("people.csv", "name;Age\nAnn;34\n");
  CHECK(message_of(jobs.run("k: 2")).ends_with("has no column age, city, illness"));
  jobs.folder.write("people.csv", "name;age;city;illness\nAnn;x;Oslo;flu\nBob;y;Oslo;flu\n");
  const auto strange = jobs.run("k: 2");
  CHECK(message_of(strange) == "2 values of age are no numbers, but it has intervals");
  CHECK(strange.error().private_detail == "x, y");
  std::filesystem::remove(jobs.folder.path("people.csv"));
  CHECK(message_of(jobs.run("k: 2")).find("there is no file") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(jobs.folder.path("out.csv")));
}

TEST_CASE("the first record of a hierarchy that looks like a header may be that of a value") {
  const Jobs jobs;
  const auto rows = "Oslo;Oslo\nRome;*\nBonn;*\n";
  jobs.folder.write("city.csv", rows);
  CHECK(jobs.run("k: 2\nsuppression: 100%").has_value());  // the column has Oslo
  jobs.folder.write("city.csv", std::string("Paris;Paris\nOslo;*\n") + "Rome;*\nBonn;*\n");
  auto job = jobs.job("k: 2\nsuppression: 100%", "{file: other.csv}");
  AnonymizeRequest request;
  request.job = job;
  CHECK(message_of(anonymize(request, {})).find("looks like a header") != std::string::npos);
  std::get<JobFile>(request.job.attributes[1].hierarchy).has_header = false;
  CHECK(anonymize(request, {}).has_value());
}

TEST_CASE("from the console a file is only written below export_dir, through no link") {
  const Jobs jobs;
  const TemporaryFolder exports;
  const TemporaryFolder outside;
  std::filesystem::create_directory_symlink(outside.path(), exports.path("link"));
  Config config;
  config.export_dir = exports.path();
  AnonymizeRequest request;
  request.is_from_console = true;
  request.config = &config;
  const auto run_to = [&](const std::string& file) {
    request.job = jobs.job("k: 2", "{file: " + file + "}");
    return anonymize(request, {});
  };
  CHECK(message_of(run_to("out.csv")).ends_with("is not below export_dir"));
  CHECK(message_of(run_to(exports.path("../x.csv"))).ends_with("is not below export_dir"));
  CHECK(message_of(run_to(exports.path("link/x.csv"))).find("without following links") != std::string::npos);
  CHECK(outside.names().empty());
  REQUIRE(run_to(exports.path("x.csv")).has_value());
  CHECK(exports.names() == std::vector<std::string>{"link", "x.csv"});
  request.job = jobs.job("k: 2", "{file: " + exports.path("y.csv") + "}");
  std::get<JobFile>(request.job.input).path = kStandardInput;
  CHECK(message_of(anonymize(request, {})).starts_with("the job reads standard input"));
  config.export_dir.clear();
  CHECK(message_of(run_to(exports.path("y.csv"))) == "the configuration has no export_dir");
}

TEST_CASE("an output whose name promises another format is refused, and capital ends count as small ones") {
  const Jobs jobs;
  for (const auto* name : {"out.xlsx", "out.XLS", "out.ods", "out.json", "out.JSON.gz", "out.orc", "out.avro",
                           "out.csv.zip", "out.7z", "out.csv.bz2", "out.csv.xz", "out.lz4"}) {
    CAPTURE(name);
    const auto made = jobs.run("k: 2\nsuppression: 100%", std::string("{file: ") + name + "}");
    CHECK(message_of(made).find("such files are not written") != std::string::npos);
    CHECK(made.error().hint.find(".jsonl") != std::string::npos);
  }
  CHECK(message_of(jobs.run("k: 2\nsuppression: 100%", "{file: \"-\"}"))
            .starts_with("a job can't publish to standard output"));
  jobs.check_nothing_new();
  const auto publish = [&](const std::string& name) {
    const auto made = jobs.run("k: 2\nsuppression: 100%", "{file: " + name + "}");
    REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
    return jobs.folder.read(name);
  };
  CHECK(publish("out.CSV.GZ").starts_with("\x1F\x8B"));
  CHECK(publish("out.csv.Zst").starts_with("\x28\xB5\x2F\xFD"));
  CHECK(publish("out.JSONL").starts_with("{\""));
  for (const auto* name : {"out", "out.txt", "out.TSV", "out.data", "out.json.csv"})
    CHECK(publish(name).starts_with("age,city,illness\r\n"));
}

TEST_CASE("the recount of a file sees what was changed in it") {
  engine::Publication publication;
  publication.columns = {{"a", true, {"1", "2"}, {0, 0, 1, 1}},
                         {"s", false, {"x"}, {0, 0, 0, engine::kNullCode}}};
  publication.rows = 4;
  std::string text;
  const CsvForm form{',', "NULL"};
  REQUIRE(write_csv(publication, form, [&](std::string_view line) -> Result<void> {
            text += line;
            return {};
          }).has_value());
  CHECK(text == "a,s\r\n1,x\r\n1,x\r\n2,x\r\n2,\r\n");
  const auto recount = [&](const std::string& changed) {
    const auto whole =
        recount_csv(in_one_piece(changed), form, publication, 2, engine::SuppressedRecords::keep_or_drop);
    // In pieces of one byte, and on three threads, it sees the same.
    std::size_t at = 0;
    const auto pieces = [&](std::string& to) -> Result<bool> {
      if (at == changed.size()) return false;
      to += changed[at++];
      return true;
    };
    const auto again = recount_csv(pieces, form, publication, 2, engine::SuppressedRecords::keep_or_drop, 3);
    CHECK(again.has_error() == whole.has_error());
    if (whole.has_error()) CHECK(again.error().public_message == whole.error().public_message);
    return whole;
  };
  CHECK(recount(text).has_value());
  CHECK(recount("a,s\r\n1,x\r\n1,x\r\n2,x\r\n3,\r\n").has_error());
  CHECK(recount("a,s\r\n1,x\r\n1,x\r\n").has_error());
  CHECK(recount("a,s\r\n1,x\r\n1,x\r\n2,x\r\n2\r\n").has_error());
  CHECK(recount("a,s\r\n1,x\r\n1,x\r\n2,x\r\n\"2,\r\n").has_error());
  CHECK(recount("").has_error());
}

}  // namespace
}  // namespace pgveil::app::anonymize_test
