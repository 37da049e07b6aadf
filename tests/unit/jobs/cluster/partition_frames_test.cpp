// What a worker of a cluster reads and answers: a partition written by hand, and everything that is none.
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "jobs/cluster/job_description.hpp"
#include "jobs/cluster/partition_frames.hpp"

namespace pgveil::app::partition_frames_test {

namespace {

constexpr std::string_view kHeader =
    R"({"records":4,"k":2,"threads":1,"cut_by":"span","cuts":"strict","ranges":"tight","null":"NULL",)"
    R"("dimensions":[{"name":"age","numeric":true,"cut_before":true},)"
    R"({"name":"country","numeric":false,"cut_before":false}],"sensitive":[["distinct 2"]]})";

std::string number(std::uint32_t value) {
  std::string out(4, '\0');
  for (unsigned i = 0; i < 4; ++i) out[i] = static_cast<char>(value >> (8 * i) & 0xFFU);
  return out;
}

std::string text(std::string_view value) {
  return number(static_cast<std::uint32_t>(value.size())) + std::string(value);
}

std::string texts(const std::vector<std::string>& values) {
  std::string out = number(static_cast<std::uint32_t>(values.size())), all;
  for (const auto& value : values) {
    out += number(static_cast<std::uint32_t>(value.size()));
    all += value;
  }
  return out + all;
}

std::string numbers(const std::vector<std::uint32_t>& values) {
  std::string out;
  for (const auto value : values) out += number(value);
  return out;
}

struct Pieces {
  std::string begin = "PGVM" + number(2);
  std::string header = text(kHeader);
  std::string age = texts({"20", "80"}) + texts({"30", "31", "50", "52"}) + numbers({0, 1, 2, 3});
  std::string countries = number(3) +
                          texts({"Italy", "Europe", "*", "Spain", "Europe", "*", "USA", "America", "*"}) +
                          texts({"USA", "Italy"}) + texts({"Italy", "Spain"}) + numbers({0, 1, 0, 0});
  std::string speed = texts({"0", "1"}) + numbers({0, 1, 0, 1});
  [[nodiscard]] std::string all() const { return begin + header + age + countries + speed; }
};

ReadBytes reader_of(std::string_view& left) {
  return [&left](char* to, std::size_t size) -> Result<std::size_t> {
    const auto now = std::min(size, left.size());
    std::memcpy(to, left.data(), now);
    left.remove_prefix(now);
    return now;
  };
}

Result<PartitionRequest> read(std::string_view bytes) {
  return read_partition_request(reader_of(bytes));
}

std::string message(std::string_view bytes) {
  const auto made = read(bytes);
  return made ? "" : made.error().public_message;
}

Result<std::string> answer(const PartitionRequest& request) {
  std::vector<const engine::CodeColumn*> quasi_identifiers, sensitive;
  for (const auto& column : request.quasi_identifiers) quasi_identifiers.push_back(&column.codes);
  for (const auto& column : request.sensitive) sensitive.push_back(&column.codes);
  const auto groups = engine::mondrian(request.dimensions, quasi_identifiers, sensitive, request.options);
  if (!groups) return groups.error();
  std::string out;
  const auto append = [&](std::string_view bytes) -> Result<void> {
    out += bytes;
    return {};
  };
  if (const auto written = write_partition_answer(request, *groups, append); !written) return written.error();
  return out;
}

std::string replaced(std::string_view in, std::string_view what, std::string_view by) {
  std::string out(in);
  REQUIRE(out.find(what) != std::string::npos);
  return out.replace(out.find(what), what.size(), by);
}

std::string message_of_header(std::string_view what, std::string_view by) {
  Pieces pieces;
  pieces.header = text(replaced(kHeader, what, by));
  return message(pieces.all());
}

}  // namespace

TEST_CASE("a partition is cut, and measured by the whole column's range") {
  const auto request = read(Pieces().all());
  REQUIRE(request.has_value());
  const auto made = answer(*request);
  REQUIRE(made.has_value());
  // Two groups: ages 30 to 31 and 50 to 52 of 20 to 80; Europe is two of three countries.
  CHECK(made->find("[30,31]") != std::string::npos);
  CHECK(made->find("[50,52]") != std::string::npos);
  CHECK(made->find("Europe") != std::string::npos);
  CHECK(made->find(R"("groups":2)") != std::string::npos);
  CHECK(made->find(R"("discernibility_penalty":8E0)") != std::string::npos);
  CHECK(made->ends_with(numbers({0, 0, 1, 1})));
}

TEST_CASE(
    "the region of a partition begins as its own range where the table was cut before, and as the column's "
    "elsewhere") {
  Pieces pieces;
  pieces.header = text(replaced(kHeader, "tight", "region"));
  const auto cut = read(pieces.all());
  REQUIRE(cut.has_value());
  CHECK(answer(*cut)->find("[31,") == std::string::npos);
  CHECK(answer(*cut)->find("[30,31]") != std::string::npos);
  CHECK(answer(*cut)->find("[50,52]") != std::string::npos);
  pieces.header =
      text(replaced(replaced(kHeader, "tight", "region"), R"("cut_before":true)", R"("cut_before":false)"));
  const auto whole = read(pieces.all());
  REQUIRE(whole.has_value());
  CHECK(answer(*whole)->find("[20,31]") != std::string::npos);
  CHECK(answer(*whole)->find("[50,80]") != std::string::npos);
}

TEST_CASE("a partition that has not k or not the diversity is refused") {
  auto request = read(Pieces().all());
  REQUIRE(request.has_value());
  request->options.k = 5;
  CHECK(answer(*request).error().public_message == "4 records are fewer than k = 5");
  Pieces alike;
  alike.speed = texts({"0"}) + numbers({0, 0, 0, 0});
  request = read(alike.all());
  REQUIRE(request.has_value());
  CHECK(answer(*request).error().public_message == "all records together do not keep the models");
}

namespace {

// Speeds 0 and 1, of which the whole table has so many.
std::string message_with_whole(std::string_view models, const std::vector<std::uint32_t>& counts) {
  Pieces pieces;
  pieces.header = text(replaced(kHeader, R"("distinct 2")", models));
  std::string whole = number(static_cast<std::uint32_t>(counts.size()));
  for (const auto count : counts) whole += number(count) + number(0);
  pieces.speed = whole + pieces.speed;
  const auto request = read(pieces.all());
  if (!request) return request.error().public_message;
  const auto made = answer(*request);
  return made ? "" : made.error().public_message;
}

}  // namespace

TEST_CASE("a partition is compared with the whole table, which only its counts tell") {
  // Half of the partition is 0, and a fifth of the table.
  const std::vector<std::uint32_t> rare = {20, 80};
  CHECK(message_with_whole(R"("t_closeness 0.31")", rare) == "");
  CHECK(message_with_whole(R"("t_closeness 0.29")", rare) == "all records together do not keep the models");
  CHECK(message_with_whole(R"("beta_likeness 1.6 basic")", rare) == "");
  CHECK(message_with_whole(R"("beta_likeness 1.4 basic")", rare) ==
        "all records together do not keep the models");
  CHECK(message_with_whole(R"("t_closeness 0.29")", {50, 50}) == "");
}

TEST_CASE("counts of the whole table that do not fit the partition are refused") {
  const auto message_of = [](const std::vector<std::uint32_t>& counts) {
    return message_with_whole(R"("t_closeness 0.5")", counts);
  };
  CHECK(message_of({}).find("without a value") != std::string::npos);
  CHECK(message_of({0, 8}).find("occurs never") != std::string::npos);
  CHECK(message_of({1, 8}).find("more of a value than the whole table") != std::string::npos);
  CHECK(message_of({8, 8, 8}).find("other values than the whole table") != std::string::npos);
}

TEST_CASE("what ends anywhere is no partition, and neither is what goes on") {
  const std::string whole = Pieces().all();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK(message(std::string_view(whole).substr(0, size)).find("it ends too early") != std::string::npos);
  }
  CHECK(message(whole + "x").find("something follows") != std::string::npos);
}

TEST_CASE("bytes that are no partition are refused by what is wrong") {
  const auto with = [](auto&& change) {
    Pieces pieces;
    change(pieces);
    return message(pieces.all());
  };
  CHECK(with([](Pieces& it) { it.begin[0] = 'X'; }).find("begins otherwise") != std::string::npos);
  CHECK(with([](Pieces& it) { it.begin[4] = 1; }).find("another version") != std::string::npos);
  CHECK(with([](Pieces& it) { it.header = number(kMostTextBytes + 1); }).find("too long") !=
        std::string::npos);
  CHECK(with([](Pieces& it) { it.header = text("{"); }).find("not JSON") != std::string::npos);
  CHECK(with([](Pieces& it) {
          it.speed = texts({"0", "0"}) + numbers({0, 1, 0, 1});
        }).find("a value twice") != std::string::npos);
  CHECK(with([](Pieces& it) {
          it.speed = texts({"0", "1"}) + numbers({0, 1, 0, 2});
        }).find("without a value") != std::string::npos);
  CHECK(with([](Pieces& it) { it.countries = number(0) + texts({}); }).find("without levels") !=
        std::string::npos);
  CHECK(with([](Pieces& it) {
          it.countries = number(2) + texts({"a", "b", "c"});
        }).find("too short") != std::string::npos);
  CHECK(with([](Pieces& it) {
          it.age = texts({}) + texts({"x"}) + numbers({0, 0, 0, 0});
        }).find("no numbers") != std::string::npos);
  CHECK(
      with([](Pieces& it) {
        it.countries = number(2) + texts({"Italy", "*"}) + texts({}) + texts({"Oz"}) + numbers({0, 0, 0, 0});
      }).find("country") != std::string::npos);
}

TEST_CASE("a header with what is unknown, missing or out of range is refused") {
  CHECK(message_of_header(R"("k":2)", R"("k":0)") != "");
  CHECK(message_of_header(R"("k":2,)", "") != "");
  CHECK(message_of_header(R"("k":2)", R"("k":2,"k":1)") != "");
  CHECK(message_of_header(R"("k":2)", R"("k":2,"new":1)") != "");
  CHECK(message_of_header(R"("records":4)", R"("records":0)") != "");
  CHECK(message_of_header(R"("records":4)", R"("records":4294967295)") != "");
  CHECK(message_of_header(R"("span")", R"("area")") != "");
  for (const std::string_view models :
       {R"("distinct nan")", R"("distinct 0.5")", R"("distinct")", R"("even 2")", R"("t_closeness 2")",
        R"("t_closeness 0.1 near")", R"("beta_likeness 0")", R"("recursive 1 0")", "2"}) {
    CAPTURE(models);
    CHECK(message_of_header(R"("distinct 2")", models) != "");
  }
  CHECK(message_of_header(R"([["distinct 2"]])", R"(["distinct 2"])") != "");
  CHECK(message_of_header(R"([["distinct 2"]])", R"({})") != "");
}

namespace {

constexpr std::string_view kJob = R"(version: 1
name: drivers
input: {file: drivers.csv, "null": none}
attributes:
  id: {class: identifier}
  age: {class: quasi_identifier, numeric: true}
  country: {class: quasi_identifier, hierarchy: {tree: {Europe: [Italy, Spain], America: [USA]}}}
  speed: {class: sensitive, l_diversity: {entropy: 2.5}}
k: 3
algorithm: mondrian
output: {file: out.csv}
)";

Job job_of(const std::string& yaml) {
  auto job = read_job_text(yaml, "/jobs/job.yaml");
  REQUIRE_MESSAGE(job.has_value(), one_line(job.error()));
  return *job;
}

Result<std::string> resolved(const Job& job, std::string_view bytes) {
  std::string out;
  const auto append = [&](std::string_view piece) -> Result<void> {
    out += piece;
    return {};
  };
  const auto done = resolve_domains(job, reader_of(bytes), append);
  return done ? Result<std::string>(out) : Result<std::string>(done.error());
}

}  // namespace

TEST_CASE("a job is described with what it promises") {
  const auto made = describe_job(job_of(std::string(kJob)));
  REQUIRE(made.has_value());
  for (const std::string_view part :
       {R"("name":"drivers")", R"("k":3)", R"("null":"none")", R"("models":["entropy 2.5"],"compared":false)",
        R"("smallest_class":3)", R"("class":"identifier")",
        R"("mondrian":{"cut_by":"normalized_span","cuts":"strict","ranges":"tight"})",
        R"("file":"/jobs/drivers.csv")"}) {
    CAPTURE(part);
    CHECK(made->find(part) != std::string::npos);
  }
}

TEST_CASE("models of sensitive attributes are described in the words of reports") {
  for (const auto& [keys, words, is_compared] :
       {std::tuple{"l_diversity: {recursive: {c: 2.5, l: 2}}", R"(["recursive 2.5 2"])", false},
        {"t_closeness: {t: 0.1, distance: ordered}, order: number", R"(["t_closeness 0.1 ordered"])", true},
        {"l_diversity: {distinct: 2}, order: number", R"(["distinct 2"])", false},
        {"beta_likeness: {beta: 1}, l_diversity: {distinct: 2}",
         R"(["beta_likeness 1 enhanced","distinct 2"])", true}}) {
    CAPTURE(keys);
    const auto made = describe_job(job_of(replaced(kJob, "l_diversity: {entropy: 2.5}", keys)));
    REQUIRE(made.has_value());
    CHECK(made->find(words) != std::string::npos);
    const bool is_told = made->find(R"("compared":true)") != std::string::npos;
    CHECK(is_told == is_compared);
    const bool says_number = std::string_view(keys).find("order: number") != std::string_view::npos;
    CHECK((made->find(R"("order":"number")") != std::string::npos) == says_number);
  }
}

TEST_CASE("risks are described in the words of reports, and the highest one is also a size of classes") {
  const auto yaml =
      replaced(replaced(kJob, "algorithm: mondrian\n", "risk: {highest: 12.5%, average: 10%}\n"),
               "numeric: true", "hierarchy: {intervals: {widths: [5]}}");
  const auto made = describe_job(job_of(yaml));
  REQUIRE(made.has_value());
  CHECK(made->find(R"("k":3,"smallest_class":8,"risks":["highest_risk 0.125","average_risk 0.1"])") !=
        std::string::npos);
}

TEST_CASE("what a cluster cannot count is refused with the reason") {
  const auto yaml = replaced(replaced(kJob, "algorithm: mondrian\n", "local_recoding: 3\nsuppression: 5%\n"),
                             "numeric: true", "hierarchy: {intervals: {widths: [5]}}");
  const auto made = describe_job(job_of(yaml));
  REQUIRE_FALSE(made.has_value());
  CHECK(made.error().public_message == "local_recoding is for one machine only");
  CHECK(made.error().hint.find("applies one transformation") != std::string::npos);
}

TEST_CASE("standard input is not read by a cluster") {
  auto job = job_of(std::string(kJob));
  std::get<JobFile>(job.input).path = kStandardInput;
  const auto made = describe_job(job);
  REQUIRE_FALSE(made.has_value());
  CHECK(made.error().public_message == "standard input is for one machine only");
}

TEST_CASE("the values of a compared column are put in their order, each with its row of the hierarchy") {
  const auto ordered = job_of(replaced(kJob, "l_diversity: {entropy: 2.5}",
                                       "t_closeness: {t: 0.1, distance: ordered}, order: number"));
  const std::string begin = "PGVM" + number(2), asked = texts({"17", "none"}) + texts({"USA"});
  const auto made = resolved(ordered, begin + asked + texts({"100", "90", "none"}));
  REQUIRE(made.has_value());
  CHECK(made->ends_with(texts({"none", "90", "100"}) + number(0) + texts({})));
  const auto lacking = resolved(ordered, begin + asked + texts({"100", "fast"}));
  REQUIRE_FALSE(lacking.has_value());
  CHECK(lacking.error().private_detail.find("fast") != std::string::npos);
  const auto tree = job_of(replaced(kJob, "l_diversity: {entropy: 2.5}",
                                    "t_closeness: {t: 0.1, distance: hierarchical}, "
                                    "hierarchy: {tree: {all: [{slow: [a, b]}, {fast: [c]}]}}"));
  const auto rows = resolved(tree, begin + asked + texts({"c", "a"}));
  REQUIRE(rows.has_value());
  CHECK(rows->ends_with(texts({"c", "a"}) + number(3) + texts({"c", "fast", "all", "a", "slow", "all"})));
}

TEST_CASE("what groups show and how they are cut on one machine only is refused") {
  for (const auto& [lines, message] :
       {std::pair{"resist: [refinement]\n", "resist is for one machine only"},
        {"mondrian: {ranges: region_sets}\n", "ranges: region_sets is for one machine only"}}) {
    const auto made = describe_job(
        job_of(replaced(kJob, "algorithm: mondrian\n", std::string("algorithm: mondrian\n") + lines)));
    REQUIRE_FALSE(made.has_value());
    CHECK(made.error().public_message == message);
  }
}

TEST_CASE("hierarchies are made for the values of the whole table, and all that they lack are named") {
  const auto job = job_of(std::string(kJob));
  const std::string begin = "PGVM" + number(2), ages = texts({"17", "9", "none"});
  const auto made = resolved(job, begin + ages + texts({"USA", "Spain"}));
  REQUIRE(made.has_value());
  CHECK(made->starts_with(begin + texts({"none", "9", "17"}) + number(0) + texts({}) +
                          texts({"Spain", "USA"}) + number(3)));
  const auto lacking = resolved(job, begin + ages + texts({"Oz", "Spain", "Utopia"}));
  REQUIRE_FALSE(lacking.has_value());
  CHECK(lacking.error().private_detail.find("Oz") != std::string::npos);
  CHECK(lacking.error().private_detail.find("Utopia") != std::string::npos);
  CHECK_FALSE(resolved(job, begin + ages).has_value());
  CHECK_FALSE(resolved(job, begin + ages + texts({"USA"}) + "x").has_value());
  CHECK_FALSE(resolved(job, begin + texts({}) + texts({"USA"})).has_value());
  CHECK_FALSE(resolved(job, begin + texts({"1", "1"}) + texts({"USA"})).has_value());
}

}  // namespace pgveil::app::partition_frames_test
