// Drafts of jobs: what each column is taken for, and that a job's reader accepts the text is in
// tests/integration/job_init_test.py.
#include <doctest/doctest.h>

#include <algorithm>

#include "draft/job_draft.hpp"

using namespace pgveil;
using namespace pgveil::draft;

namespace {

engine::Table table_of(std::string_view text) {
  auto table = engine::read_table(text, ',');
  REQUIRE(table.has_value());
  return std::move(*table);
}

std::string drafted(std::string_view text, const JobDraftRequest& request = {"people.csv", ',', {}, 5}) {
  return draft_job(table_of(text), request);
}

bool has(const std::string& text, std::string_view line) {
  return text.find(line) != std::string::npos;
}

std::string people() {
  std::string text = "full name,e-mail,age,zip,Diagnosis,salary,visited,hair,mark,source\n";
  for (int i = 0; i < 80; ++i) {
    const auto number = std::to_string(i);
    text += "Person " + number + ",p" + number + "@example.org," + std::to_string(20 + i % 40) + "," +
            std::to_string(10000 + i % 70) + "," + (i % 3 == 0 ? "flu" : "gout") + "," +
            std::to_string(1000 + i % 9) + ",2024-0" + std::to_string(1 + i % 9) + "-11," +
            (i % 2 == 0 ? "red" : "brown") + ",x" + std::to_string(i % 79) + ",survey\n";
  }
  return text;
}

}  // namespace

TEST_CASE("each column of a draft has a class, what it needs, and the reason") {
  const auto text = drafted(people());
  CHECK(has(text, "  \"full name\": {class: identifier}\n"));
  CHECK(has(text, "  \"e-mail\": {class: identifier}\n"));
  CHECK(has(text, "  age: {class: quasi_identifier, numeric: true}\n"));
  CHECK(has(text, "  zip: {class: quasi_identifier, hierarchy: {masking: {}}}\n"));
  CHECK(has(text, "  Diagnosis: {class: sensitive, l_diversity: {distinct: 2}}\n"));
  CHECK(has(text, "  salary: {class: sensitive, l_diversity: {distinct: 2}}\n"));
  CHECK(has(text, "  visited: {class: quasi_identifier, hierarchy: {dates: [month, year, decade]}}\n"));
  CHECK(has(text, "  hair: {class: quasi_identifier}\n"));
  CHECK(has(text, "  mark: {class: quasi_identifier, hierarchy: {masking: {}}}\n"));
  CHECK(has(text, "  source: {class: insensitive}\n"));
  CHECK(has(text, "name: people\ninput: {file: people.csv}\n"));
  CHECK(has(text, "k: 5\n"));
  CHECK(has(text, "output: {file: people_k5.csv}\n"));
  CHECK(
      has(text, "# hair: it says nothing about itself, so others may know it; groups show a set of values."));
  CHECK(!has(text, "gout"));
  CHECK(!has(text, "example.org"));
}

TEST_CASE("a day that no calendar has does not make a draft that fails") {
  std::string text = "born,age\n2000-02-30,1\n";
  for (int i = 1; i < 20; ++i)
    text += "2000-02-1" + std::to_string(i % 9) + "," + std::to_string(i % 5) + "\n";
  const auto made = drafted(text);
  CHECK(has(made, "  born: {class: quasi_identifier, hierarchy: {masking: {}}}\n"));
  CHECK(has(made, "the calendar does not have 1\n"));
  CHECK(!has(made, "2000-02-30"));
}

TEST_CASE("values that look like sets are shown by their beginning") {
  std::string text = "town,hair,age\n";
  for (int i = 0; i < 20; ++i)
    text += std::string(i % 2 == 0 ? "{a" : "b") + "," + (i % 3 == 0 ? "red" : "brown") + "," +
            std::to_string(i % 5) + "\n";
  const auto made = drafted(text);
  CHECK(has(made, "  town: {class: quasi_identifier, hierarchy: {masking: {}}}\n"));
  CHECK(has(made, "  hair: {class: quasi_identifier, hierarchy: {masking: {}}}\n"));
  CHECK(has(made, "  age: {class: quasi_identifier, numeric: true}\n"));
  CHECK(has(made, "\nleast_loss: {ranges: tight}\n"));
  CHECK(!has(drafted(people()), "ranges: tight"));
}

TEST_CASE("a text that is too long to be masked is not published, and the draft says why") {
  const auto with_longest = [](std::size_t longest) {
    std::string text = "mark,age\n";
    for (std::size_t i = 0; i < 300; ++i) {
      const auto mark = std::to_string(i % 217);
      // Two bytes make one character.
      for (std::size_t j = mark.size(); j < longest - i % 217 % 40; ++j) text += "ß";
      text += mark + "," + std::to_string(i % 50) + "\n";
    }
    return drafted(text);
  };
  const auto masked = "  mark: {class: quasi_identifier, hierarchy: {masking: {}}}\n";
  CHECK(has(with_longest(126), masked));
  const auto made = with_longest(127);
  CHECK(has(made, "  mark: {class: identifier}\n"));
  CHECK(has(made, "up to 127 characters"));
  CHECK(!has(made, masked));
}

TEST_CASE("a draft has no more quasi-identifiers than a job can have, and keeps those that are known") {
  std::string head, row;
  for (int i = 0; i < 40; ++i) {
    head += "c" + std::to_string(i) + ",";
    row += "1,";
  }
  std::string other = row;
  std::ranges::replace(other, '1', '2');
  const auto made = drafted(head + "age,diagnosis\n" + row + "3,flu\n" + other + "4,gout\n");
  std::size_t looked_at = 0;
  for (std::size_t at = 0; (at = made.find("{class: quasi_identifier", at)) != std::string::npos; ++at)
    ++looked_at;
  CHECK(looked_at == 31);  // and the sensitive one
  CHECK(has(made, "  age: {class: quasi_identifier, numeric: true}\n"));
  CHECK(has(made, "  diagnosis: {class: sensitive"));
  CHECK(has(made, "  c39: {class: identifier}\n"));
  CHECK(has(made, "  # c39: a job can have 32 quasi-identifiers and sensitive columns together"));
}

TEST_CASE("a draft names files, separators and NULL as a job does") {
  const auto text = drafted("age,town\n1,a\nNA,b\n", {"../2024 Données.txt", '\t', "NA", 3});
  CHECK(has(text, "name: job_2024_donn_es\n"));
  CHECK(has(text, "separator: tab, \"null\": NA}"));
  CHECK(has(text, "  age: {class: quasi_identifier, numeric: true}\n"));
  CHECK(has(text, "_k3.csv"));
  CHECK(has(drafted("email\na@example.org\nb@example.org\n"), "a job needs one. Change a class below."));
}

TEST_CASE("a name of a job has 63 bytes at most, and is no word of YAML") {
  CHECK(has(drafted(people(), {"null.csv", ',', {}, 5}), "name: \"null\"\n"));
  const std::string most(63, 'a');
  CHECK(has(drafted(people(), {most + "bc.csv", ',', {}, 5}), "name: " + most + "\n"));
  CHECK(has(drafted(people(), {std::string(62, 'a') + "_b.csv", ',', {}, 5}),
            "name: " + std::string(62, 'a') + "\n"));
}

TEST_CASE("a first record that is data is no header") {
  CHECK(begins_with_data(table_of("20,M,0\n31,M,0\n40,F,1\n")));
  CHECK(begins_with_data(table_of("Ann,20,M\nBen,31,M\nCat,40,F\n")));
  CHECK(begins_with_data(table_of("1,2\n3,4\n")));
  CHECK(begins_with_data(table_of("20,M,0\n,M,0\n40,F,\n")));
  CHECK(begins_with_data(table_of("2024-01-05,M\n2024-02-05,M\n")));
  CHECK_FALSE(begins_with_data(table_of("age,sex\n20,M\n31,F\n")));
  CHECK_FALSE(begins_with_data(table_of("country,1990,1991\nPeru,4,5\nChad,6,7\n")));
  CHECK_FALSE(begins_with_data(table_of("type,n\ntype,4\nother,6\n")));
}

TEST_CASE("a draft tells of columns that have no name") {
  CHECK(has(drafted(people(), {"people.csv", ',', {}, 5, 1}),
            "# Columns of the file without a name: 1. No job"));
  CHECK(!has(drafted(people()), "without a name"));
}

TEST_CASE("the separator is the one that gives the most columns") {
  CHECK(guess_separator(";a\n0;1,5\n1;2,5\n") == ';');
  CHECK(guess_separator("a;b;c\n1,5;2;3\n") == ';');
  CHECK(guess_separator("a,b\n\"x;y\",2\n") == ',');
  CHECK(guess_separator("a\tb\n1\t2\n3") == '\t');
  CHECK(guess_separator("a|b|c\n1|2|3\n") == '|');
  CHECK(guess_separator("one\nvalue\n") == ',');
  CHECK(guess_separator("") == ',');
}
