// What a cluster gets to see of a table, and what is believed of its answer.
#include "jobs/cluster/pseudonyms.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>

#include "jobs/input/mondrian.hpp"

namespace pgveil::app {
namespace {

constexpr std::string_view kJob =
    "version: 1\nname: drivers\ninput: {file: a.csv, \"null\": none}\nattributes:\n"
    "  who: {class: identifier}\n"
    "  age: {class: quasi_identifier, numeric: true}\n"
    "  town: {class: quasi_identifier, hierarchy: {tree: {North: [Aber, Bree], South: [Cork, \"a;b\"]}}}\n"
    "  illness: {class: sensitive, l_diversity: {distinct: 2, entropy: 1.5}}\n"
    "  note: {class: insensitive}\n"
    "k: 2\nalgorithm: mondrian\nseed: 9\noutput: {file: out.csv}\n";
// In the job's order, without identifiers.
constexpr std::string_view kTable =
    "age,town,illness,note\n"
    "31,Aber,flu,first\n31.0,Bree,gout,second\n-40,Cork,flu,third\nnone,a;b,secret illness,fourth\n";

struct Case {
  Job job;
  engine::Table table;
};

Case made() {
  auto job = read_job_text(kJob, "/jobs/job.yaml");
  REQUIRE_MESSAGE(job.has_value(), one_line(job.error()));
  auto table = engine::read_table(kTable, ',');
  REQUIRE(table.has_value());
  return {std::move(*job), std::move(*table)};
}

Pseudonyms of(const Case& it) {
  const auto hierarchy_of = [&](const JobAttribute& attribute) {
    return pgveil::app::hierarchy_of(attribute, *it.table.find(attribute.name), it.job);
  };
  auto pseudonyms = Pseudonyms::make(it.job, it.table, hierarchy_of);
  REQUIRE(pseudonyms.has_value());
  return std::move(*pseudonyms);
}

std::map<std::string, std::string> files_of(const Case& it) {
  std::map<std::string, std::string> files;
  for (auto& [name, text] : of(it).files()) files.emplace(name, text);
  return files;
}

std::vector<std::string> column(const engine::Table& table, std::string_view name) {
  const auto* found = table.find(name);
  REQUIRE(found != nullptr);
  std::vector<std::string> cells;
  for (std::size_t row = 0; row < table.rows(); ++row) cells.push_back(found->values[found->codes.at(row)]);
  return cells;
}

TEST_CASE("only numbers of quasi-identifiers leave, and numbers of ours") {
  const auto it = made();
  const auto files = files_of(it);
  CHECK(files.at("input.csv") == "record,q0,q1,s0\n0,31,l0_0,0\n1,31,l0_1,1\n2,-40,l0_2,0\n3,NULL,l0_3,2\n");
  CHECK(files.at("q1.csv") == "l0_0;l1_0;l2_0\nl0_1;l1_0;l2_0\nl0_2;l1_1;l2_0\nl0_3;l1_1;l2_0\n");
  for (const auto& file : files) {
    for (const char* secret :
         {"Aber", "a;b", "flu", "secret", "illness", "town", "age", "drivers", "first", "none"}) {
      CAPTURE(file.first);
      CAPTURE(secret);
      CHECK(file.second.find(secret) == std::string::npos);
    }
  }
}

TEST_CASE("the job that is sent is one, with the same demands") {
  const auto it = made();
  const auto job = read_job_text(files_of(it).at("job.yaml"), "/run/job.yaml");
  REQUIRE_MESSAGE(job.has_value(), one_line(job.error()));
  CHECK(job->k == 2);
  CHECK(job->seed == 9);
  CHECK(job->null_text == "NULL");
  REQUIRE(job->mondrian.has_value());
  CHECK(job->mondrian->cuts == it.job.mondrian->cuts);
  REQUIRE(job->attributes.size() == 4);
  CHECK(job->attributes[1].is_numeric);
  CHECK(job->attributes[3].models.size() == 2);
}

TEST_CASE("labels come back as what they stand for, record by record") {
  const auto it = made();
  const auto table = of(it).read_answer(
      "s0,q1,record,q0\n2,l2_0,3,*\n0,l1_0,0,31\n1,l1_0,1,\"[-40,31]\"\n0,l0_2,2,\"[-40,31]\"\n");
  REQUIRE(table.has_value());
  CHECK(column(*table, "age") == std::vector<std::string>{"31", "[-40,31]", "[-40,31]", "*"});
  CHECK(column(*table, "town") == std::vector<std::string>{"North", "North", "Cork", "*"});
  CHECK(column(*table, "illness") == std::vector<std::string>{"flu", "gout", "flu", "secret illness"});
  CHECK(column(*table, "note") == std::vector<std::string>{"first", "second", "third", "fourth"});
}

TEST_CASE("an answer that is not true of its records is refused") {
  const auto it = made();
  const auto pseudonyms = of(it);
  const auto answer = [](std::string_view third) {
    return fmt::format("record,q0,q1\n0,31,l0_0\n1,31,l0_1\n{}\n3,NULL,l0_3\n", third);
  };
  CHECK(pseudonyms.read_answer(answer("2,-40,l0_2")).has_value());
  for (const char* third :
       {"1,-40,l0_2", "4,-40,l0_2", "x,-40,l0_2", "2,31,l0_2", "2,\"[0,31]\",l0_2", "2,NULL,l0_2",
        "2,-40,l0_0", "2,-40,l1_0", "2,-40,Cork", "2,-40,", "2,,l0_2", "2,\"[-40,31\",l0_2",
        "2,\"-50,50\",l0_2", "2,\"[nan,nan]\",l0_2", "2,\"[-inf,inf]\",l0_2",
        "2,\"[-40,31.00000000123]\",l0_2", "2,\"[-99,31]\",l0_2", "2,-40.0,l0_2", "2,\"[31,-40]\",l0_2"}) {
    CAPTURE(third);
    CHECK_FALSE(pseudonyms.read_answer(answer(third)).has_value());
  }
  for (const char* whole :
       {"", "record,q0,q1\n", "record,q0\n0,31\n1,31\n2,-40\n3,NULL\n",
        "q0,q1\n31,l0_0\n31,l0_1\n-40,l0_2\nNULL,l0_3\n", "record,q0,q1\n0,31,l0_0\n1,31\n"}) {
    CAPTURE(whole);
    CHECK_FALSE(pseudonyms.read_answer(whole).has_value());
  }
}

TEST_CASE("a mark before what spreadsheets would run is no part of a label") {
  auto it = made();
  it.table = *engine::read_table("age,town,illness,note\n-.5,Aber,flu,x\n+5,Bree,flu,y\n", ',');
  const auto table = of(it).read_answer("record,q0,q1\n0,'-.5,l0_0\n1,\"[-.5,+5]\",l0_1\n");
  REQUIRE(table.has_value());
  CHECK(column(*table, "age") == std::vector<std::string>{"-.5", "[-.5,+5]"});
}

TEST_CASE("what can't be cut is refused before anything is sent") {
  auto it = made();
  it.table = *engine::read_table("age,town,illness,note\nold,Aber,flu,x\n", ',');
  const auto hierarchy_of = [&](const JobAttribute& attribute) {
    return pgveil::app::hierarchy_of(attribute, *it.table.find(attribute.name), it.job);
  };
  CHECK_FALSE(Pseudonyms::make(it.job, it.table, hierarchy_of).has_value());
}

}  // namespace
}  // namespace pgveil::app
