// Values that readers of a published file take for one count as one. And what is published can be read again
// as what it was, for checks of it.
#include "jobs/input/alike_values.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

#include "jobs/check/check_table.hpp"
#include "jobs/check/demand_words.hpp"
#include "jobs/check/fingerprint.hpp"
#include "jobs/input/table_file.hpp"
#include "jobs/report/certificate.hpp"
#include "jobs/run/anonymize.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace pgveil::app::alike_values_test {
namespace {

constexpr const char* kKey = "a key of more than sixteen bytes";

class Patients {
 public:
  explicit Patients(const std::string& rows) { folder.write("in.csv", "age,ill\n" + rows); }

  [[nodiscard]] Job job(const std::string& ill, const std::string& more = "",
                        const std::string& output = "out.csv") const {
    auto read = read_job_text(
        "version: 1\nname: patients\ninput: {file: in.csv, \"null\": \"?\"}\nattributes:\n"
        "  age: {class: quasi_identifier, hierarchy: {tree: {all: {a: [\"1\"], b: [\"9\"]}}}}\n"
        "  ill: {class: sensitive, " +
            ill + "}\nseed: 1\n" + (more.starts_with("k:") ? "" : "k: 2\n") + more +
            "output: {file: " + output + ", replace: true}\n",
        folder.path("job.yaml"));
    REQUIRE_MESSAGE(read.has_value(), one_line(read.error()));
    return *read;
  }
  [[nodiscard]] static Result<JobReport> publish(const Job& job) {
    AnonymizeRequest request;
    request.job = job;
    return anonymize(request, {});
  }
  // The column of the published file, sorted.
  [[nodiscard]] std::vector<std::string> cells(const std::string& column) const {
    const auto table = read_table_file({folder.path("out.csv")}, std::nullopt, {});
    REQUIRE(table.has_value());
    std::vector<std::string> made;
    const auto& found = *table->find(column);
    for (std::size_t row = 0; row < table->rows(); ++row) made.push_back(found.values[found.codes.at(row)]);
    std::ranges::sort(made);
    return made;
  }
  // What check-table --job finds.
  [[nodiscard]] Result<engine::CheckFindings> check(const Job& job) const {
    const auto table =
        read_table_file({folder.path("out.csv")}, job.null_text, {}, nullptr, nullptr, DelimitedText::marked);
    REQUIRE(table.has_value());
    const auto shown = without_hidden_rows(*table, {"age"}, {"", "?"});
    auto demand = demand_of(job, shown ? *shown : *table);
    if (!demand) return demand.error();
    demand->is_empty_null = true;
    return check_table(*table, *demand);
  }

  TemporaryFolder folder;
};

std::string repeated(const std::string& text, int times) {
  std::string made;
  for (int i = 0; i < times; ++i) made += text;
  return made;
}

engine::Column column_of(std::string name, const std::vector<std::string>& cells) {
  engine::ColumnEncoder made(std::move(name));
  for (const auto& cell : cells) made.add(cell);
  return std::move(made).finish();
}

TEST_CASE("NULL and the empty text are one value of a sensitive column that is published to a file") {
  const Patients alike(repeated("1,?\n1,\"\"\n", 3) + repeated("9,?\n9,\"\"\n", 3));
  for (const auto* output : {"out.csv", "out.jsonl"}) {
    for (const auto* model : {"distinct: 2", "entropy: 1.5", "recursive: {c: 4, l: 2}"}) {
      CAPTURE(model);
      const auto made = Patients::publish(alike.job("l_diversity: {" + std::string(model) + "}", "", output));
      REQUIRE(made.has_error());
      CHECK(made.error().public_message == "no transformation within the job's levels is anonymous");
    }
  }
  const Patients different(repeated("1,?\n1,\"\"\n1,flu\n", 3));
  const auto job = different.job("l_diversity: {distinct: 2}");
  REQUIRE(Patients::publish(job).has_value());
  const auto found = different.check(job);
  REQUIRE_MESSAGE(found.has_value(), one_line(found.error()));
  CHECK(found->is_kept());
  CHECK(found->columns.front().distinct_l == 2);
  const auto text = different.folder.read("out.csv");
  CHECK(text.find("1,\"\"") == std::string::npos);  // it is published as NULL
  CHECK(Patients::publish(different.job("l_diversity: {distinct: 3}")).has_error());
}

TEST_CASE("a class is no further from the table because NULL and the empty text differ") {
  const Patients patients(repeated("1,?\n", 4) + repeated("9,\"\"\n", 4));
  const auto job = patients.job("t_closeness: {t: 0.01}");
  const auto made = Patients::publish(job);
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  CHECK(made->levels == std::vector<unsigned>{0});
}

TEST_CASE("columns without both, and columns without models, stay as they are") {
  const Patients patients("1,?\n1,flu\n1,\"\"\n");
  const auto job = patients.job("l_diversity: {distinct: 1}");
  engine::Table table{{column_of("ill", {"?", "flu", "?"}), column_of("age", {"?", "", "1"})}};
  CHECK(join_alike_values(job, table).empty());
  table = {{column_of("ill", {"", "flu"})}};
  CHECK(join_alike_values(job, table).empty());
  table = {{column_of("ill", {"", "flu", "?"})}};
  auto to_table = job;
  to_table.output.file.reset();
  CHECK(join_alike_values(to_table, table).empty());
  const auto before = join_alike_values(job, table);
  REQUIRE(before.size() == 1);
  CHECK(before.front().values == std::vector<std::string>{"", "flu", "?"});
  CHECK(table.columns.front().values == std::vector<std::string>{"?", "flu"});
}

TEST_CASE("the fingerprint of the input is of its own texts") {
  const Patients patients("1,?\n1,\"\"\n1,flu\n");
  const auto job = patients.job("l_diversity: {distinct: 2}");
  const auto data = read_job_data(job, nullptr, {}, {});
  REQUIRE(data.has_value());
  CHECK(data->table.find("ill")->values == std::vector<std::string>{"?", "flu"});
  const auto prints = fingerprints_of(job, *data, {}, kKey);
  REQUIRE_MESSAGE(prints.has_value(), one_line(prints.error()));
  TableFingerprint expected({"age", "ill"}, kKey);
  for (const auto* ill : {"?", "", "flu"}) expected.add({"1", ill});
  CHECK(prints->input == std::move(expected).finish());
  CHECK(prints->job == fingerprint_of(job.text));  // its file is not there any more
}

TEST_CASE("texts that begin like formulas are told apart, and are read again as they were") {
  const Patients patients(repeated("1,=x\n1,'=x\n", 2));
  const auto job = patients.job("l_diversity: {distinct: 2}");
  REQUIRE(Patients::publish(job).has_value());
  CHECK(patients.cells("ill") == std::vector<std::string>{"''=x", "''=x", "'=x", "'=x"});
  const auto found = patients.check(job);
  REQUIRE(found.has_value());
  CHECK(found->is_kept());
  CHECK(found->columns.front().distinct_l == 2);
}

TEST_CASE("orders and hierarchies have the values that got a mark") {
  const Patients patients(repeated("1,+\n1,-\n", 3) + "9,+\n9,-\n");
  for (const auto* ill :
       {"t_closeness: {t: 0.2, distance: ordered}, order: ['-', '+']",
        "t_closeness: {t: 0.2, distance: hierarchical}, hierarchy: {tree: {all: ['-', '+']}}"}) {
    CAPTURE(ill);
    const auto job = patients.job(ill);
    REQUIRE(Patients::publish(job).has_value());
    CHECK(patients.cells("ill").front() == "'+");
    const auto found = patients.check(job);
    REQUIRE_MESSAGE(found.has_value(), one_line(found.error()));
    CHECK(found->is_kept());
  }
}

TEST_CASE("names of columns are read without their marks, too, and wanted columns are found by them") {
  const TemporaryFolder folder;
  folder.write("a.csv", "\"'=x\",b,\"''=x\"\r\n\"'+1\",\"''a\",-2\r\n");
  std::vector<std::string> others;
  const std::vector<std::string> wanted{"'=x", "=x"};
  const auto read = [&](DelimitedText how) {
    others.clear();
    return read_table_file({folder.path("a.csv")}, std::nullopt, wanted, &others, nullptr, how);
  };
  const auto marked = read(DelimitedText::marked);
  REQUIRE(marked.has_value());
  REQUIRE(marked->columns.size() == 2);
  CHECK(marked->columns[0].name == "=x");
  CHECK(marked->columns[0].values == std::vector<std::string>{"+1"});
  CHECK(marked->columns[1].name == "'=x");
  CHECK(marked->columns[1].values == std::vector<std::string>{"-2"});
  CHECK(others == std::vector<std::string>{"b"});
  const auto plain = read(DelimitedText::plain);
  REQUIRE(plain.has_value());
  CHECK(plain->columns.size() == 1);
  CHECK(plain->columns[0].values == std::vector<std::string>{"'+1"});
}

TEST_CASE("hidden rows need no place in a hierarchy or an order") {
  const Patients patients(repeated("1,flu\n1,hiv\n", 4) + "9,hiv\n");
  for (const auto* ill :
       {"t_closeness: {t: 0.2, distance: ordered}, order: [flu, hiv]",
        "t_closeness: {t: 0.2, distance: hierarchical}, hierarchy: {tree: {all: {r: [flu], o: [hiv]}}}"}) {
    CAPTURE(ill);
    const auto job = patients.job(ill, "suppression: 20%\nsuppressed_records: keep_or_hide\n");
    const auto made = Patients::publish(job);
    REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
    CHECK(made->hidden_rows == 1);
    const auto found = patients.check(job);
    REQUIRE_MESSAGE(found.has_value(), one_line(found.error()));
    CHECK(found->is_kept());
    CHECK(found->hidden_records == 1);
  }
}

TEST_CASE("rows are hidden only if they show nothing at all") {
  engine::Table table{{column_of("age", {"*", "*", "1", "2"}), column_of("ill", {"", "", "flu", "gout"}),
                       column_of("note", {"?", "", "x", "?"})}};
  const auto shown = without_hidden_rows(table, {"age"}, {"", "?"});
  REQUIRE(shown);
  CHECK(shown->rows() == 2);
  CHECK(shown->find("ill")->values == std::vector<std::string>{"flu", "gout"});
  CHECK(shown->find("note")->values == std::vector<std::string>{"x", "?"});
  CHECK_FALSE(without_hidden_rows(table, {"age"}, {""}));
  CHECK_FALSE(without_hidden_rows(table, {"age", "ill"}, {"", "?"}));
  // One of the rows of stars shows something, so they are a class like any other.
  table.columns[2] = column_of("note", {"?", "seen", "x", "?"});
  CHECK_FALSE(without_hidden_rows(table, {"age"}, {"", "?"}));
}

std::vector<std::string> joined(const std::vector<std::string>& cells, const std::string& null_text = "?") {
  const auto column = column_of("inc", cells);
  const auto made = with_joined_numbers(column, null_text);
  std::vector<std::string> texts;
  for (std::size_t row = 0; row < cells.size(); ++row) {
    const auto& from = made ? *made : column;
    texts.push_back(from.values[from.codes.at(row)]);
  }
  CHECK(made.has_value() == (texts != cells));
  return texts;
}

TEST_CASE("texts of one number are joined, and no others") {
  using Texts = std::vector<std::string>;
  CHECK(joined({"1.00", "1", "1.0", "01", "10e-1", "2"}) == Texts{"1", "1", "1", "1", "1", "2"});
  CHECK(joined({"1e2", "100.0"}) == Texts{"100.0", "100.0"});
  CHECK(joined({"10e1", "1e2", "1E+2"}) == Texts{"1e2", "1e2", "1e2"});
  CHECK(joined({"1e2", "1E2"}) == Texts{"1E2", "1E2"});  // the first in text order
  CHECK(joined({"0", "-0", "0.00", "-0e5"}) == Texts{"0", "0", "0", "0"});
  CHECK(joined({".5", "0.50", "5."}) == Texts{".5", ".5", "5."});
  CHECK(joined({"-1", "-1.0", "1"}) == Texts{"-1", "-1", "1"});
  // A double holds neither of these.
  const Texts large{"9007199254740993", "9007199254740992", "0.1000000000000000055", "0.1"};
  CHECK(joined(large) == large);
  const Texts no_numbers{
      "", ".", "-", "1 ", "e1", "1e", "1e+", "1e-+1", "1.2.3", "inf", "1e99999999999999999999"};
  CHECK(joined(no_numbers) == no_numbers);
  CHECK(joined({"999", "999.0", "5"}, "999") == Texts{"999", "999.0", "5"});
}

TEST_CASE("numbers are joined exactly if they are equal") {
  std::mt19937_64 random(7);
  std::vector<std::string> cells;
  for (int i = 0; i < 400; ++i) {
    // At most four digits on each side, so a double tells which are equal.
    std::string text = random() % 3 == 0 ? "-" : "";
    for (auto zeros = random() % 3; zeros > 0; --zeros) text += '0';
    text += std::to_string(random() % 12);
    if (random() % 2 == 0) text += "." + std::to_string(random() % 3) + std::string(random() % 3, '0');
    if (random() % 4 == 0) text += "e" + std::to_string(static_cast<int>(random() % 3) - 1);
    cells.push_back(text);
  }
  const auto made = joined(cells);
  for (std::size_t one = 0; one < cells.size(); ++one) {
    for (std::size_t other = 0; other < one; ++other) {
      CAPTURE(cells[one]);
      CAPTURE(cells[other]);
      // 1.1e1 and 11 may differ as doubles of products, but not as correctly rounded texts.
      CHECK((made[one] == made[other]) == (std::stod(cells[one]) == std::stod(cells[other])));
    }
  }
}

TEST_CASE("a class of one number, spelled in several ways, is not diverse") {
  const Patients patients(repeated("1,1\n1,1.0\n1,1.00\n", 2));
  const std::string ordered = ", t_closeness: {t: 0.5, distance: ordered}, order: number";
  const auto made = Patients::publish(patients.job("l_diversity: {distinct: 2}" + ordered));
  REQUIRE(made.has_error());
  CHECK(made.error().kind == ErrorKind::policy);
  patients.folder.write("out.csv", "age,ill\n" + repeated("1,1\n1,1.0\n1,1.00\n", 2));  // by somebody else
  for (const auto& more : {ordered, std::string(", order: number"), std::string()}) {
    CAPTURE(more);
    for (const auto* model : {"distinct: 2", "entropy: 1.5", "recursive: {c: 4, l: 2}"}) {
      CAPTURE(model);
      const auto job = patients.job("l_diversity: {" + std::string(model) + "}" + more, "", "out.jsonl");
      CHECK(Patients::publish(job).has_error());
      const auto found = patients.check(job);
      REQUIRE(found.has_value());
      CHECK_FALSE(found->is_kept());
      CHECK(found->columns.front().distinct_l == 1);
    }
  }
}

TEST_CASE("JSON lines have as many different numbers as a class promises") {
  const Patients patients("1,1\n1,1.0\n1,1e0\n9,2\n9,2.0\n9,20e-1\n");
  const auto made = Patients::publish(patients.job("l_diversity: {distinct: 2}", "", "out.jsonl"));
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  CHECK(made->levels == std::vector<unsigned>{2});  // neither class has two values by itself
  const auto text = patients.folder.read("out.jsonl");
  for (const auto* written : {"1.0", "1e0", "2.0", "20e-1"}) CHECK(text.find(written) == std::string::npos);
  CHECK(text.find("\"ill\":1}") != std::string::npos);
  CHECK(Patients::publish(patients.job("l_diversity: {distinct: 3}", "", "out.jsonl")).has_error());
}

TEST_CASE("numbers are one value beside other texts, too, because those may be dropped") {
  const Patients patients("1,1\n1,1.0\n1,1\n1,1.0\n9,flu\n");
  const auto job = patients.job("l_diversity: {distinct: 2}", "suppression: 20%\nsuppressed_records: drop\n");
  const auto made = Patients::publish(job);
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  CHECK(made->levels == std::vector<unsigned>{2});
  CHECK(patients.cells("ill") == std::vector<std::string>{"1", "1", "1", "1", "flu"});
  const auto found = patients.check(job);
  REQUIRE(found.has_value());
  CHECK(found->is_kept());
}

TEST_CASE("order: number beside l-diversity says that the values are numbers") {
  const Patients numbers("1,1\n1,1.0\n1,2\n");
  const std::string ill = "l_diversity: {distinct: 2}, order: number";
  CHECK(Patients::publish(numbers.job(ill)).has_value());
  const Patients texts("1,1\n1,flu\n1,2\n");
  const auto made = Patients::publish(texts.job(ill));
  REQUIRE(made.has_error());
  CHECK(made.error().public_message == "1 values of ill are no numbers");
}

TEST_CASE("equal numbers are one step of an ordered distance") {
  const Patients patients(repeated("1,2\n", 4) + "9,1\n9,1.0\n9,1.00\n9,1.000\n");
  const std::string closeness = "t_closeness: {t: 0.3, distance: ordered}, order: number";
  CHECK(Patients::publish(patients.job(closeness, "k: 4\n"))->levels == std::vector<unsigned>{2});
  CHECK(Patients::publish(patients.job("t_closeness: {t: 0.5, distance: ordered}, order: number", "k: 4\n"))
            ->levels == std::vector<unsigned>{0});
  CHECK(patients.cells("ill") == std::vector<std::string>{"1", "1", "1", "1", "2", "2", "2", "2"});
}

}  // namespace
}  // namespace pgveil::app::alike_values_test
