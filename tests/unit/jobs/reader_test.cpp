#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <string>

#include "jobs/language/job.hpp"
#include "jobs/language/keys.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace pgveil::app {
namespace {

// A small job with one part replaced.
std::string job_with(const std::string& from, const std::string& to) {
  std::string text =
      "version: 1\n"
      "name: people\n"
      "input: {file: people.csv}\n"
      "attributes:\n"
      "  age: {class: quasi_identifier, hierarchy: {file: age.csv}}\n"
      "  illness: {class: sensitive}\n"
      "k: 5\n"
      "output: {file: out.csv}\n";
  if (from.empty()) return text;
  const auto at = text.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, from);
  return text.replace(at, from.size(), to);
}

Job read(const std::string& text) {
  auto job = read_job_text(text, "/jobs/people.yaml");
  REQUIRE_MESSAGE(job.has_value(), one_line(job.error()));
  return *job;
}

template <class Rule>
Rule rule_of(const std::string& hierarchy) {
  const auto job = read(job_with("{file: age.csv}", hierarchy));
  return std::get<Rule>(std::get<engine::HierarchyRule>(job.attributes[0].hierarchy));
}

TEST_CASE("only as the input, - is standard input and no file") {
  CHECK(std::get<JobFile>(read(job_with("{file: people.csv}", "{file: \"-\"}")).input).path == "-");
  CHECK(std::get<JobFile>(read(job_with("{file: people.csv}", "{file: ./-}")).input).path != "-");
  const auto others = read(job_with("{file: age.csv}", "{file: \"-\"}"));
  CHECK(std::get<JobFile>(others.attributes[0].hierarchy).path == "/jobs/-");
}

TEST_CASE("a hierarchy's file has a header, has none, or the job does not say so") {
  const auto header = [](const std::string& key) {
    const auto job = read(job_with("{file: age.csv}", "{file: age.csv" + key + "}"));
    return std::get<JobFile>(job.attributes[0].hierarchy).has_header;
  };
  CHECK(header("") == std::nullopt);
  CHECK(header(", header: true") == true);
  CHECK(header(", header: false") == false);
}

TEST_CASE("a small job has the defaults of the reference") {
  const auto job = read(job_with("", ""));
  CHECK(job.name == "people");
  CHECK(std::get<JobFile>(job.input).path == "/jobs/people.csv");
  CHECK(std::get<JobFile>(job.input).separator == ',');
  CHECK(std::get<JobFile>(job.attributes[0].hierarchy).path == "/jobs/age.csv");
  CHECK(std::get<JobFile>(job.attributes[0].hierarchy).separator == ';');
  CHECK(job.attributes[1].attribute_class == AttributeClass::sensitive);
  CHECK(job.k == 5);
  CHECK(job.suppression == 0);
  CHECK(job.quality.metric == engine::Metric::loss);
  CHECK(job.quality.gs == 0.5);
  CHECK(job.algorithm == engine::Algorithm::flash);
  CHECK(job.suppressed_records == engine::SuppressedRecords::keep_or_drop);
  CHECK_FALSE(job.null_text);
  CHECK_FALSE(job.seed);
  CHECK(job.limits.threads == 1);
  CHECK_FALSE(job.output.replace);
}

TEST_CASE("outliers of older jobs mean what they meant") {
  const auto chosen = [](const std::string& line) {
    return read(
               "version: 1\nname: j\ninput: {file: a.csv}\nattributes:\n"
               "  a: {class: quasi_identifier, hierarchy: {masking: {}}}\nk: 3\n" +
               line + "output: {file: b.csv}\n")
        .suppressed_records;
  };
  using enum engine::SuppressedRecords;
  CHECK(chosen("") == keep_or_drop);
  CHECK(chosen("outliers: drop\n") == keep_or_drop);
  CHECK(chosen("outliers: hide\n") == keep_or_hide);
  CHECK(chosen("outliers: as_reference\n") == keep);
  CHECK(chosen("suppressed_records: drop\n") == drop);
  CHECK(chosen("suppressed_records: keep\n") == keep);
  CHECK(chosen("suppressed_records: keep_or_drop\n") == keep_or_drop);
  CHECK(chosen("suppressed_records: keep_or_hide\n") == keep_or_hide);
}

TEST_CASE("every key of a job is read") {
  const auto job = read(
      "version: 1\nname: all\n"
      "input: {table: [\"my schema\", t.1], database: demo}\n"
      "attributes:\n"
      "  a: {class: quasi_identifier, hierarchy: {masking: {keep: suffix, masked: [1, 3]}}, min_level: 1, "
      "max_level: 2, weight: 0.5}\n"
      "  b: {class: insensitive}\n  c: {class: identifier}\n"
      "k: 3\nsuppression: 2.5%\nmetric: precision\naggregate: rank\ngs: 0.25\nalgorithm: ola\n"
      "limits: {time: 30s, checks: 100, bytes: 4096, threads: 256}\noutliers: hide\nseed: 7\n"
      "output: {file: ../out.tsv, separator: tab, table: public.out, database: other, replace: true, "
      "types: {b: integer}}\n");
  const auto& table = std::get<JobTable>(job.input);
  CHECK(table.database == "demo");
  CHECK(table.schema == "my schema");
  CHECK(table.table == "t.1");
  CHECK(job.null_text == "NULL");
  CHECK(job.attributes[0].min_level == 1);
  CHECK(job.attributes[0].max_level == 2);
  CHECK(job.attributes[0].weight == 0.5);
  CHECK(job.suppression == 0.025);
  CHECK(job.quality.metric == engine::Metric::precision);
  CHECK(job.quality.aggregate == engine::Aggregate::rank);
  CHECK(job.quality.gs == 0.25);
  CHECK(job.algorithm == engine::Algorithm::ola);
  CHECK(job.limits.time_ms == 30'000);
  CHECK(job.limits.checks == 100);
  CHECK(job.limits.bytes == 4096);
  CHECK(job.limits.threads == 256);
  CHECK(job.suppressed_records == engine::SuppressedRecords::keep_or_hide);
  CHECK(job.seed == 7);
  CHECK(job.output.file->path == "/out.tsv");
  CHECK(job.output.file->separator == '\t');
  CHECK(job.output.table->database == "other");
  CHECK(job.output.replace);
  CHECK(job.output.types.at("b") == "integer");
}

TEST_CASE("every model of sensitive values and of a subset is read") {
  const auto job = read(job_with(
      "  illness: {class: sensitive}\nk: 5",
      "  illness: {class: sensitive, l_diversity: {distinct: 3, entropy: 2.5, recursive: {c: 4, l: 3}}, "
      "t_closeness: {t: 0.2, distance: ordered}, order: [cold, flu], beta_likeness: {beta: 1, kind: basic}, "
      "delta_disclosure: 1.5}\n"
      "  place: {class: sensitive, t_closeness: {t: 0.3, distance: hierarchical}, hierarchy: {file: "
      "place.csv}}\n"
      "k: 5\nk_map: 7\npresence: {least: 1%, most: 0.5}\nsubset: {column: study, value: yes}"));
  std::vector<std::string> models;
  for (const auto& model : job.attributes[1].models) models.push_back(engine::describe(model));
  CHECK(models == std::vector<std::string>{"distinct 3", "entropy 2.5", "recursive 4 3",
                                           "t_closeness 0.2 ordered", "beta_likeness 1 basic",
                                           "delta_disclosure 1.5"});
  CHECK(std::get<std::vector<std::string>>(*job.attributes[1].order) ==
        std::vector<std::string>{"cold", "flu"});
  CHECK(engine::describe(job.attributes[2].models.front()) == "t_closeness 0.3 hierarchical");
  CHECK(std::get<JobFile>(job.attributes[2].hierarchy).path == "/jobs/place.csv");
  CHECK(job.k_map == 7);
  CHECK(job.presence->least == 0.01);
  CHECK(job.presence->most == 0.5);
  CHECK(job.subset->column == "study");
  CHECK(job.subset->value == "yes");
}

TEST_CASE("a unit is a column that is not published") {
  CHECK_FALSE(read(job_with("", "")).unit);
  CHECK(read(job_with("k: 5", "k: 5\nunit: house")).unit == "house");
  const auto job = read(job_with("k: 5", "  house: {class: identifier}\nk: 5\nunit: house"));
  CHECK(job.unit == "house");
  CHECK(job.attributes.size() == 3);
}

TEST_CASE("every rule for a hierarchy is read") {
  const auto intervals =
      rule_of<engine::Intervals>("{intervals: {widths: [0.5, 5], origin: -1, low: 0, high: 90}}");
  CHECK(intervals.widths == std::vector<std::string>{"0.5", "5"});
  CHECK(intervals.origin == "-1");
  CHECK(intervals.low == "0");
  CHECK(intervals.high == "90");
  const auto order = rule_of<engine::Order>("{order: {values: [a, b, c], groups: [2, 3]}}");
  CHECK(order.order == std::vector<std::string>{"a", "b", "c"});
  CHECK(order.group_sizes == std::vector<std::size_t>{2, 3});
  CHECK(rule_of<engine::Masking>("{masking: {}}").kept == engine::KeptSide::prefix);
  CHECK(rule_of<engine::Dates>("{dates: [month, decade]}").steps ==
        std::vector{engine::DateStep::month, engine::DateStep::decade});
  const auto tree = rule_of<engine::Tree>("{tree: {world: {Europe: [France, {Spain: [Madrid]}], Asia: []}}}");
  CHECK(tree.parent_of == std::vector<std::pair<std::string, std::string>>{{"world", ""},
                                                                           {"Europe", "world"},
                                                                           {"France", "Europe"},
                                                                           {"Spain", "Europe"},
                                                                           {"Madrid", "Spain"},
                                                                           {"Asia", "world"}});
}

TEST_CASE("what is wrong in a job is said with its place and the fix") {
  const struct {
    const char* from;
    const char* to;
    const char* words;
  } cases[] = {
      {"k: 5", "k: 5\ncolour: red", "9:"},
      {"k: 5", "k: 0", "7:4"},
      {"k: 5\n", "", "\"k\" is missing"},
      {"version: 1", "version: 2", "1:10"},
      {"name: people", "name: People", "is not a job's name"},
      {"{file: people.csv}", "{}", "input is neither file nor table"},
      {"{file: people.csv}", "{file: a, table: b.c}", "input is both a file and a table"},
      {"{file: people.csv}", "{file: a, \"null\": '*'}", "null is *, which stands for everything"},
      {"{file: people.csv}", "{file: a, separator: ab}", "can't separate fields"},
      {"{file: people.csv}", "{file: a, separator: '\"'}", "can't separate fields"},
      {"{file: people.csv}", "{table: people}", "is not schema.table"},
      {"{file: people.csv}", "{file: a, database: b}", "a database without a table"},
      {"{file: people.csv}", "{table: a.b, separator: ','}", "a separator without a file"},
      {"{file: out.csv}", "{}", "output is neither file nor table"},
      {"{file: out.csv}", "{file: a, types: {age: integer}}", "types without a table"},
      {"{file: out.csv}", "{table: a.b, types: {age: int}}", "unknown type"},
      {"{file: out.csv}", "{table: a.b, types: {name: text}}", "is not published"},
      {"class: sensitive", "class: secret", "unknown value"},
      {"class: sensitive", "class: sensitive, weight: 1", "for quasi-identifiers only"},
      {"class: quasi_identifier, hierarchy: {file: age.csv}", "class: insensitive", "no quasi-identifier"},
      {", hierarchy: {file: age.csv}", "", "\"hierarchy\" is missing"},
      {"{file: age.csv}", "{}", "an empty hierarchy"},
      {"{file: age.csv}", "{file: a, dates: [year]}", "a hierarchy made in two ways"},
      {"{file: age.csv}", "{dates: [century]}", "unknown value"},
      {"{file: age.csv}", "{intervals: {}}", "intervals without widths"},
      {"{file: age.csv}", "{order: {values: [a]}}", "an order needs values and groups"},
      {"{file: age.csv}", "{tree: word}", "expected nodes or values"},
      {"{file: age.csv}}", "{file: a}, min_level: 3, max_level: 2}", "min_level is above max_level"},
      {"{file: age.csv}}", "{file: a}, weight: 0}", "all weights are 0"},
      {"{file: age.csv}}", "{file: a}, weight: -1}", "out of range"},
      {"k: 5", "k: 5\nsuppression: 101%", "is no share"},
      {"k: 5", "k: 5\nsuppression: 5", "is no share"},
      {"k: 5", "k: 5\nmetric: lost", "did you mean \"loss\"?"},
      {"k: 5", "k: 5\nalgorithm: flush", "did you mean \"flash\"?"},
      {"k: 5", "k: 5\ngs: nan", "out of range"},
      {"k: 5", "k: 5\noutliers: keep", "unknown value"},
      {"k: 5", "k: 5\nsuppressed_records: hide", "unknown value"},
      {"k: 5", "k: 5\nsuppressed_records: drop\noutliers: drop", "outliers and suppressed_records"},
      {"k: 5", "k: 5\nlimits: {thread: 2}", "did you mean \"threads\"?"},
      {"k: 5", "k: 5\nlimits: {threads: 0}", "out of range"},
      {"k: 5", "k: 5\nlimits: {threads: 257}", "out of range"},
      {"k: 5", "k: 5\nseed: -1", "9:"},
      {"class: sensitive", "class: sensitive, l_diversity: {}", "l_diversity without a model"},
      {"class: sensitive", "class: sensitive, l_diversity: {distinct: 0}", "out of range"},
      {"class: sensitive", "class: sensitive, l_diversity: {distinkt: 3}", "did you mean \"distinct\"?"},
      {"class: sensitive", "class: sensitive, l_diversity: {recursive: {c: 2}}", "recursive needs c and l"},
      {"class: sensitive", "class: sensitive, l_diversity: {recursive: {c: 0, l: 2}}", "out of range"},
      {"class: sensitive", "class: sensitive, t_closeness: {}", "t_closeness without"},
      {"class: sensitive", "class: sensitive, t_closeness: {t: 1.5}", "out of range"},
      {"class: sensitive", "class: sensitive, t_closeness: {t: 0.2, distance: ordered}", "needs \"order\""},
      {"class: sensitive", "class: sensitive, t_closeness: {t: 0.2, distance: hierarchical}",
       "needs \"hierarchy\""},
      {"class: sensitive", "class: sensitive, order: number", "no distance uses it"},
      {"class: sensitive", "class: sensitive, l_diversity: {distinct: 2}, order: text",
       "no distance uses it"},
      {"class: sensitive", "class: sensitive, beta_likeness: {beta: 1}, order: number",
       "no distance uses it"},
      {"class: sensitive", "class: sensitive, beta_likeness: {kind: basic}", "beta_likeness without"},
      {"class: sensitive", "class: sensitive, delta_disclosure: 0", "out of range"},
      {"class: sensitive", "class: insensitive, delta_disclosure: 1", "not for this class"},
      {"{file: age.csv}}", "{file: a}, delta_disclosure: 1}", "for sensitive attributes only"},
      {"k: 5", "k: 5\nk_map: 3", "there is no subset"},
      {"k: 5", "k: 5\npresence: {most: 0.5}", "there is no subset"},
      {"k: 5", "k: 5\nsubset: {column: study}", "a subset is a file, or a column and its value"},
      {"k: 5", "k: 5\nsubset: {file: a, column: study, value: x}",
       "a subset is a file, or a column and its value"},
      {"k: 5", "k: 5\nsubset: {column: s, value: x}\npresence: {least: 0.5, most: 0.1}",
       "least is above most"},
      {"k: 5", "k: 5\nunit: ''", "a unit without a name"},
      {"k: 5", "k: 5\nunit: [a]", "8:7"},
      {"k: 5", "k: 5\nunit: age", "the unit \"age\" is published"},
      {"k: 5", "k: 5\nunit: illness", "the unit \"illness\" is published"},
      {"class: sensitive}\nk: 5", "class: sensitive, l_diversity: {distinct: 2}}\nk: 5\nunit: house",
       "unit and a model of a sensitive attribute"},
      {"{file: age.csv}}\n  illness: {class: sensitive}\n", "{file: a}, aggregate: mean}\nunit: house\n",
       "unit and aggregate"},
      {"k: 5", "k: 5\nunit: house\nrisk: {highest: 20%}", "unit and risk"},
      {"k: 5", "k: 5\nunit: house\nsubset: {column: s, value: x}", "unit and subset"},
      {"k: 5", "k: 5\nlocal_recoding: 1001", "9:"},
      {"k: 5", "k: 5\nlocal_recoding: 3\nrisk: {average: 5%}", "local_recoding and risks of the whole table"},
      {"k: 5", "k: 5\nlocal_recoding: 3\nsubset: {column: s, value: x}", "local_recoding and subset"},
      {"class: sensitive}\nk: 5", "class: sensitive, delta_disclosure: 1}\nk: 5\nlocal_recoding: 3",
       "local_recoding and delta_disclosure"},
      {"k: 5", "k: 5\nrisk: {}", "risk without a model"},
      {"k: 5", "k: 5\nrisk: {averag: 5%}", "did you mean \"average\"?"},
      {"k: 5", "k: 5\nrisk: {highest: 0}", "a risk of 0"},
      {"k: 5", "k: 5\nrisk: {average: 0%}", "a risk of 0"},
      {"k: 5", "k: 5\nrisk: {sample_uniqueness: 101%}", "is no share"},
      {"k: 5", "k: 5\nrisk: {population_uniqueness: {most: 1%}}", "needs most and population"},
      {"k: 5", "k: 5\nrisk: {population_uniqueness: {most: 1%, population: 0}}", "out of range"},
      {"k: 5", "k: 5\nrisk: {population_uniqueness: {most: 1%, population: 9, estimator: luck}}",
       "unknown value"},
  };
  for (const auto& [from, to, words] : cases) {
    CAPTURE(to);
    const auto job = read_job_text(job_with(from, to), "/jobs/people.yaml");
    REQUIRE(job.has_error());
    CHECK(job.error().kind == ErrorKind::configuration);
    CHECK(job.error().public_message.starts_with("/jobs/people.yaml:"));
    const auto& message = job.error().public_message;
    if (std::string_view(words) != "9:") CHECK_MESSAGE(message.find(words) != std::string::npos, message);
  }
}

TEST_CASE("risks of a job, each by its words") {
  const auto job = read_job_text(
      job_with("k: 5",
               "k: 1\nrisk: {highest: 50%, average: 0.05, sample_uniqueness: 0, population_uniqueness: "
               "{most: 1%, population: 8000000, estimator: pitman}}"),
      "/jobs/people.yaml");
  REQUIRE_MESSAGE(job.has_value(), one_line(job.error()));
  std::vector<std::string> words;
  for (const auto& risk : job->risks) words.push_back(engine::describe(risk));
  CHECK(words == std::vector<std::string>{"highest_risk 0.5", "average_risk 0.05", "sample_uniqueness 0",
                                          "population_uniqueness 0.01 8000000 pitman"});
}

TEST_CASE("config/jobs/residents.yaml is read without an error") {
  const auto job = read_job_file(PGVEIL_SOURCE_DIR "/config/jobs/residents.yaml");
  REQUIRE_MESSAGE(job.has_value(), one_line(job.error()));
  CHECK(job->attributes.size() == 7);
}

TEST_CASE("a job keeps the text that was read, whatever its file has since") {
  const TemporaryFolder folder;
  const auto text = job_with("", "") + "# ends here\n";
  folder.write("job.yaml", text);
  const auto job = read_job_file(folder.path("job.yaml"));
  folder.write("job.yaml", job_with("k: 5", "k: 2"));
  REQUIRE_MESSAGE(job.has_value(), one_line(job.error()));
  CHECK(job->text == text);
  CHECK(read(text).text == text);
}

TEST_CASE("a job of mondrian") {
  constexpr std::string_view job_text = R"(version: 1
name: groups
input: {file: in.csv}
attributes:
  age: {class: quasi_identifier, numeric: true}
  town: {class: quasi_identifier, hierarchy: {file: towns.csv}}
  illness: {class: sensitive, l_diversity: {distinct: 2, entropy: 1.5}}
k: 3
algorithm: mondrian
mondrian: {cut_by: entropy, cuts: relaxed, ranges: region}
limits: {threads: 2}
output: {file: out.csv}
)";
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string text(job_text);
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    return read_job_text(text.replace(at, from.size(), to), "/jobs/job.yaml");
  };
  const auto job = read_job_text(job_text, "/jobs/job.yaml");
  REQUIRE(job.has_value());
  REQUIRE(job->mondrian.has_value());
  CHECK(job->mondrian->cut_by == engine::CutBy::entropy);
  CHECK(job->mondrian->cuts == engine::Cuts::relaxed);
  CHECK(job->mondrian->ranges == engine::Ranges::region);
  CHECK(job->attributes[0].is_numeric);
  CHECK(with("mondrian: {cut_by: entropy, cuts: relaxed, ranges: region}\n", "")->mondrian->cut_by ==
        engine::CutBy::normalized_span);
  const struct {
    std::string_view from, to, message;
  } cases[] = {
      {"algorithm: mondrian\n", "", "mondrian without its algorithm"},
      {"algorithm: mondrian\nmondrian: {cut_by: entropy, cuts: relaxed, ranges: region}\n", "",
       "age is numeric, which only mondrian and least_loss can use"},
      {"k: 3\n", "k: 3\nsuppression: 5%\n", "suppression has no meaning with algorithm: mondrian"},
      {"k: 3\n", "k: 3\nmetric: loss\n", "metric has no meaning"},
      {"k: 3\n", "k: 3\nrisk: {average: 5%}\n", "risk has no meaning"},
      {"threads: 2", "time: 5s", "time has no meaning"},
      {"numeric: true", "numeric: true, weight: 2", "age: levels, weights and continuous have no meaning"},
      {"numeric: true", "numeric: true, hierarchy: {file: a.csv}", "a hierarchy of a numeric attribute"},
      {"numeric: true", "numeric: true, continuous: true",
       "age: levels, weights and continuous have no meaning"},
      {"numeric: true", "numeric: yes", "true or false"},
      {"numeric: true", "numeric: false", "\"hierarchy\" is missing"},
      {"l_diversity: {distinct: 2, entropy: 1.5}", "delta_disclosure: 1",
       "illness: algorithm: mondrian can't keep delta_disclosure"},
      {"cut_by: entropy", "cut_by: luck", "luck"},
      {"cuts: relaxed", "cuts: fine", "fine"},
      {"ranges: region", "range: region", "unknown key \"range\""},
  };
  for (const auto& [from, to, message] : cases) {
    CAPTURE(to);
    const auto refused = with(from, to);
    REQUIRE(refused.has_error());
    CHECK_MESSAGE(refused.error().public_message.find(message) != std::string::npos,
                  refused.error().public_message);
  }
}

TEST_CASE("a job that resists attacks has its cuts drawn and shows regions") {
  const auto with = [](std::string_view lines) {
    return read_job_text(fmt::format("version: 1\nname: groups\ninput: {{file: in.csv}}\nattributes:\n"
                                     "  age: {{class: quasi_identifier, numeric: true}}\n"
                                     "  town: {{class: quasi_identifier, hierarchy: {{file: t.csv}}}}\n"
                                     "k: 3\n{}\noutput: {{file: out.csv}}\n",
                                     lines),
                         "/jobs/job.yaml");
  };
  const auto job = with("algorithm: mondrian\nresist: [refinement, downcoding]");
  REQUIRE(job.has_value());
  CHECK(job->mondrian->cuts == engine::Cuts::drawn);
  CHECK(job->mondrian->ranges == engine::Ranges::region_sets);
  CHECK(job->mondrian->resist ==
        std::vector<ResistedAttack>{ResistedAttack::refinement, ResistedAttack::downcoding});
  CHECK(with("algorithm: mondrian\nresist: [minimality]\nmondrian: {ranges: region}")->mondrian->ranges ==
        engine::Ranges::region);
  CHECK(with("algorithm: mondrian\nmondrian: {ranges: region_sets}")->mondrian->cuts == engine::Cuts::strict);
  const struct {
    std::string_view lines, message;
  } cases[] = {
      {"algorithm: mondrian\nresist: []", "resist names no attack"},
      {"algorithm: mondrian\nresist: downcoding", "list"},
      {"algorithm: mondrian\nresist: [luck]", "unknown value \"luck\""},
      {"algorithm: mondrian\nresist: [refinement, refinement]", "refinement is named twice"},
      {"algorithm: mondrian\nresist: [refinement]\nmondrian: {cut_by: entropy}",
       "cut_by has no meaning with resist"},
      {"algorithm: mondrian\nresist: [refinement]\nmondrian: {cuts: strict}",
       "cuts has no meaning with resist"},
      {"algorithm: mondrian\nresist: [refinement]\nmondrian: {ranges: tight}",
       "ranges: tight shows what resist hides"},
      {"algorithm: mondrian\nresist: [refinement]\nmondrian: {ranges: sets}",
       "ranges: sets shows what resist hides"},
      {"algorithm: mondrian\nmondrian: {cuts: drawn}", "unknown value \"drawn\""},
      {"algorithm: least_loss\nresist: [refinement]", "resist needs algorithm: mondrian"},
      {"algorithm: least_loss\nleast_loss: {ranges: region_sets}", "region_sets has no meaning"},
  };
  for (const auto& [lines, message] : cases) {
    CAPTURE(lines);
    const auto refused = with(lines);
    REQUIRE(refused.has_error());
    CHECK_MESSAGE(refused.error().public_message.find(message) != std::string::npos,
                  refused.error().public_message);
  }
  // Other algorithms, with and without local recoding.
  for (const auto* lines : {"resist: [refinement]", "resist: [refinement]\nlocal_recoding: 5"}) {
    const auto refused =
        read_job_text(fmt::format("version: 1\nname: levels\ninput: {{file: in.csv}}\nattributes:\n"
                                  "  town: {{class: quasi_identifier, hierarchy: {{file: t.csv}}}}\n"
                                  "k: 3\n{}\noutput: {{file: out.csv}}\n",
                                  lines),
                      "/jobs/job.yaml");
    REQUIRE(refused.has_error());
    CHECK(refused.error().public_message.find("resist needs algorithm: mondrian") != std::string::npos);
  }
}

TEST_CASE("local recoding is a number of parts, or says how many records each shows") {
  const auto with = [](std::string_view recoding) {
    return read_job_text(fmt::format("version: 1\nname: parts\ninput: {{file: in.csv}}\nattributes:\n"
                                     "  town: {{class: quasi_identifier, hierarchy: {{file: t.csv}}}}\n"
                                     "k: 3\nlocal_recoding: {}\noutput: {{file: out.csv}}\n",
                                     recoding),
                         "/jobs/job.yaml");
  };
  CHECK(with("10")->local_recoding.parts == 10);
  CHECK(with("10")->local_recoding.least == 0);
  CHECK(with("{least: 1%}")->local_recoding.parts == 1000);
  CHECK(with("{least: 1%}")->local_recoding.least == doctest::Approx(0.01));
  CHECK(with("{parts: 5, least: 0.02}")->local_recoding.parts == 5);
  for (const auto* wrong : {"-1", "1001", "many", "{parts: 1001}", "{least: 2}", "{most: 1%}", "[1]"})
    CHECK_MESSAGE(with(wrong).has_error(), wrong);
}

TEST_CASE("a job of least loss") {
  constexpr std::string_view job_text = R"(version: 1
name: groups
input: {file: in.csv}
attributes:
  age: {class: quasi_identifier, numeric: true}
  town: {class: quasi_identifier}
  illness: {class: sensitive, t_closeness: {t: 0.2}}
k: 3
algorithm: least_loss
least_loss: {rounds: 7}
limits: {threads: 2, time: 5s}
output: {file: out.csv}
)";
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string text(job_text);
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    return read_job_text(text.replace(at, from.size(), to), "/jobs/job.yaml");
  };
  const auto job = with("k: 3", "k: 3");
  REQUIRE(job.has_value());
  CHECK(job->mondrian->rounds == 7);
  CHECK(job->mondrian->ranges == engine::Ranges::sets);
  CHECK(with("least_loss: {rounds: 7}\n", "")->mondrian->rounds == 60);
  CHECK(with("town: {class: quasi_identifier}", "town: {class: quasi_identifier, hierarchy: {masking: {}}}")
            .has_value());
  const struct {
    std::string_view from, to, message;
  } cases[] = {
      {"algorithm: least_loss\n", "", "\"hierarchy\" is missing"},
      {"algorithm: least_loss\n", "algorithm: mondrian\nmondrian: {ranges: sets}\n",
       "least_loss without its algorithm"},
      {"algorithm: least_loss\n", "algorithm: mondrian\n", "\"hierarchy\" is missing"},
      {"rounds: 7", "ranges: tight", "\"hierarchy\" is missing"},
      {"rounds: 7", "ranges: region", "\"hierarchy\" is missing"},
      {"least_loss: {rounds: 7}", "mondrian: {cuts: relaxed}", "mondrian without its algorithm"},
      {"rounds: 7", "rounds: 10001", "10000"},
      {"rounds: 7", "round: 7", "unknown key \"round\""},
      {"k: 3\n", "k: 3\nlocal_recoding: 5\n", "local_recoding has no meaning with algorithm: least_loss"},
      {"time: 5s", "checks: 5", "checks has no meaning with algorithm: least_loss"},
      {"t_closeness: {t: 0.2}", "delta_disclosure: 1", "can't keep delta_disclosure"},
  };
  for (const auto& [from, to, message] : cases) {
    CAPTURE(to);
    const auto refused = with(from, to);
    REQUIRE(refused.has_error());
    CHECK_MESSAGE(refused.error().public_message.find(message) != std::string::npos,
                  refused.error().public_message);
  }
  std::string whole(job_text);
  whole.replace(whole.find("town: {class: quasi_identifier}"), 31,
                "town: {class: quasi_identifier, hierarchy: {masking: {}}}");
  whole.replace(whole.find("rounds: 7"), 9, "ranges: region");
  CHECK(read_job_text(whole, "/jobs/job.yaml").error().public_message.find("region has no meaning") !=
        std::string::npos);
}

TEST_CASE("docs/anonymize.md has the tables of all keys") {
  std::ifstream file(PGVEIL_SOURCE_DIR "/docs/anonymize.md");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  for (const auto* section : {"",
                              "input",
                              "attributes",
                              "l_diversity",
                              "recursive",
                              "t_closeness",
                              "beta_likeness",
                              "subset",
                              "presence",
                              "differential_privacy",
                              "risk",
                              "population_uniqueness",
                              "hierarchy",
                              "intervals",
                              "order",
                              "masking",
                              "mondrian",
                              "local_recoding",
                              "least_loss",
                              "limits",
                              "output"}) {
    CHECK_MESSAGE(text.find(job_markdown(section)) != std::string::npos, job_markdown(section));
  }
  for (const auto& key : job_keys()) CHECK(!key.meaning.empty());
}

}  // namespace
}  // namespace pgveil::app
