#include <fmt/format.h>

#include "engine/data/hierarchy.hpp"
#include "engine/data/table.hpp"
#include "tables.hpp"

using namespace pgveil;
using namespace pgveil::engine;
using namespace pgveil::engine::test;

TEST_CASE("a table's columns take as few bytes per code as their values need") {
  std::string text = "few,many,most\n";
  for (int row = 0; row < 70'000; ++row) text += fmt::format("{},{},{}\n", row % 256, row % 257, row);
  const auto table = value_of(read_table(text, ','));
  CHECK(table.rows() == 70'000);
  CHECK(table.columns[0].codes.bytes_per_code() == 1);
  CHECK(table.columns[1].codes.bytes_per_code() == 2);
  CHECK(table.columns[2].codes.bytes_per_code() == 4);
  CHECK(table.columns[1].values[table.columns[1].codes.at(256)] == "256");
  CHECK(table.columns[1].values[table.columns[1].codes.at(300)] == "43");
  CHECK(table.columns[2].values[table.columns[2].codes.at(69'999)] == "69999");
  CHECK(table.find("many") == &table.columns[1]);
  CHECK(table.find("Many") == nullptr);
}

TEST_CASE("a table with a bad shape is refused") {
  for (const std::string_view text : {"", "a,\n1,2\n", "a,a\n1,2\n", "a,b\n1\n", "a,b\n1,2,3\n", "a\n\"\n"}) {
    CAPTURE(text);
    CHECK(read_table(text, ',').has_error());
  }
}

TEST_CASE("only wanted columns need a name of their own") {
  const std::string text = ",a,b,b\n0,1,2,3\n1,4,5,6\n";
  std::vector<std::string> others;
  const auto read = [&](const std::vector<std::string>& wanted) {
    others.clear();
    return read_table(in_one_piece(text), ',', wanted, &others);
  };
  const auto table = value_of(read({"a"}));
  REQUIRE(table.columns.size() == 1);
  CHECK(table.columns[0].values == std::vector<std::string>{"1", "4"});
  CHECK(others == std::vector<std::string>{"b", "b"});
  CHECK(read({"a", "b"}).error().public_message == "column 4 of the header repeats a name");
  const auto all = read({});
  CHECK(all.error().public_message == "column 1 of the header has no name");
  CHECK(all.error().hint.find("the index that pandas writes") != std::string::npos);
  CHECK(read_table("a,\n1,2\n", ',').error().hint == "name every column");
}

TEST_CASE("columns without a name can be left out") {
  const auto read = value_of(read_named_columns(",a,,b\n0,1,2,3\n\n1,4,5,6\n", ','));
  CHECK(read.nameless == 2);
  REQUIRE(read.table.columns.size() == 2);
  CHECK(read.table.columns[1].name == "b");
  CHECK(read.table.columns[1].values == std::vector<std::string>{"3", "6"});
  CHECK(value_of(read_named_columns("a,b\n1,2\n", ',')).nameless == 0);
  for (const std::string_view text : {"", ",\n1,2\n", ",a,a\n1,2,3\n", ",a\n1\n", "a,a\n1,2\n"}) {
    CAPTURE(text);
    CHECK(read_named_columns(text, ',').has_error());
  }
}

TEST_CASE("level tables count shares over the rows of the hierarchy") {
  const auto table = value_of(read_table("age\n34\n70\n34\n", ';'));
  const auto hierarchy =
      value_of(read_hierarchy("1;<50;*\n34;<50;*\n70;>=50;*\n71;>=50;*\n72;>=50;*\n", ';'));
  const auto levels = value_of(make_level_tables(table.columns[0], hierarchy));
  CHECK(levels.height() == 2);
  CHECK(levels.domain == 5);
  CHECK(levels.code_at[1] == std::vector<Code>{0, 1});
  CHECK(levels.values[1] == std::vector<std::string>{"<50", ">=50"});
  CHECK(levels.hierarchy_rows[0] == std::vector<std::uint64_t>{1, 1});
  CHECK(levels.hierarchy_rows[1] == std::vector<std::uint64_t>{2, 3});
  CHECK(levels.hierarchy_rows[2] == std::vector<std::uint64_t>{5});
}

TEST_CASE(
    "a hierarchy names all values that are missing, twice there or contradictory, in the private detail "
    "only") {
  const auto table = value_of(read_table("age\n34\n70\n80\n", ';'));
  const struct {
    const char* name;
    std::string_view rows;
    std::string_view message;
    std::string_view detail;
  } cases[] = {{"missing", "70;*\n", "the hierarchy of age has no row for 2 values of the column", "34, 80"},
               {"twice", "34;a\n34;b\n70;a\n70;a\n80;a\n", "the hierarchy of age has 2 values more than once",
                "34, 70"},
               {"contradictory", "34;a;x\n70;a;y\n80;b;x\n",
                "the hierarchy of age generalizes 1 values in two ways", "a at level 1: x and y"}};
  for (const auto& [name, rows, message, detail] : cases) {
    CAPTURE(name);
    const auto levels = make_level_tables(table.columns[0], value_of(read_hierarchy(rows, ';')));
    REQUIRE(levels.has_error());
    CHECK(levels.error().public_message == message);
    CHECK(levels.error().private_detail == detail);
  }
}

TEST_CASE("a file of a hierarchy with another separator is told of it") {
  const auto table = value_of(read_table("age\n34\n70\n", ';'));
  const struct {
    std::string_view rows;
    bool tells;
  } cases[] = {{"34,*\n70,*\n", true},
               {"34\t*\n70\t*\n", true},
               {"34|*\n70|*\n", true},
               {"34\n71\n", false},
               {"34;1,5\n71;1,5\n", false}};
  for (const auto& [rows, tells] : cases) {
    CAPTURE(rows);
    const auto levels = make_level_tables(table.columns[0], value_of(read_hierarchy(rows, ';')));
    REQUIRE(levels.has_error());
    CHECK(levels.error().hint.starts_with("add a row for each"));
    CHECK((levels.error().hint.find("name the separator") != std::string::npos) == tells);
  }
}

TEST_CASE("a hierarchy that is empty, uneven or too high is refused") {
  CHECK(read_hierarchy("", ';').has_error());
  CHECK(read_hierarchy("a;b\nc\n", ';').has_error());
  std::string high = "a";
  for (unsigned level = 0; level < kMaxHeight; ++level) high += ";*";
  CHECK_FALSE(read_hierarchy(high, ';').has_error());
  CHECK(read_hierarchy(high + ";*", ';').has_error());
}

TEST_CASE("what can't be prepared is refused") {
  const auto table = value_of(read_table("a;b\n1;2\n", ';'));
  const auto a = quasi_identifier("a", "1;*\n");
  CHECK(prepare(table, {}).has_error());
  CHECK(prepare(table, std::vector{a, a}).has_error());
  CHECK(prepare(table, std::vector{quasi_identifier("c", "1;*\n")}).has_error());
  CHECK(prepare(value_of(read_table("a;b\n", ';')), std::vector{a}).has_error());
  CHECK(prepare(table, std::vector(kMaxAttributes + 1, a)).has_error());
  CHECK_FALSE(prepare(table, std::vector{a}).has_error());
}

TEST_CASE("codes that may be missing take no more room than others, and keep their order") {
  NullableCodes codes{3, kNullCode, 254, 0};
  codes.push_back(70'000);
  CHECK(codes.all() == std::vector<Code>{3, kNullCode, 254, 0, 70'000});
  CHECK(codes[1] == kNullCode);
  const std::vector<std::uint32_t> rows{4, 1, 1, 0};
  CHECK(codes.taken(rows).all() == std::vector<Code>{70'000, kNullCode, kNullCode, 3});
  NullableCodes small{0, kNullCode, 254};
  small.visit_above([](auto above) { CHECK(sizeof(above[0]) == 1); });
  small.push_back(255);
  small.visit_above([](auto above) { CHECK(sizeof(above[0]) == 2); });
  CHECK(small.taken(std::vector<std::uint32_t>{3, 1}).all() == std::vector<Code>{255, kNullCode});
}

TEST_CASE("empty lines are no records of a table with several columns, and columns can be left out") {
  const auto table = value_of(read_table("a;b;c\r\n1;x;2\r\n\r\n3;y;4\r\n\r\n\r\n", ';'));
  CHECK(table.rows() == 2);
  CHECK(value_of(read_table("a\n1\n\n2\n", ';')).rows() == 3);
  std::vector<std::string> others;
  const std::vector<std::string> wanted{"c", "a", "missing"};
  const auto some = value_of(read_table(in_one_piece("a;b;c\n1;x;2\n3;y;4\n"), ';', wanted, &others));
  REQUIRE(some.columns.size() == 2);
  CHECK(some.columns[0].name == "a");
  CHECK(some.columns[1].values == std::vector<std::string>{"2", "4"});
  CHECK(others == std::vector<std::string>{"b"});
  CHECK(read_table(in_one_piece("a;b;c\n1;x\n"), ';', wanted).has_error());
}

TEST_CASE("a hierarchy with a header is read as one or refused, never as one more value") {
  const std::string rows = "34;<50;*\n70;>=50;*\n\n71;>=50;*\n";
  CHECK(value_of(read_hierarchy(rows, ';')).rows.size() == 3);
  const std::string with_header = "age;decade;all\n" + rows;
  CHECK(read_hierarchy(with_header, ';').has_error());
  CHECK(value_of(read_hierarchy(with_header, ';', HierarchyHeader::first_record)).rows.size() == 3);
  // Without a common top nothing can be told.
  CHECK_FALSE(read_hierarchy("a;x\nb;y\nc;z\n", ';').has_error());
  CHECK(read_hierarchy("age;all\n", ';', HierarchyHeader::first_record).has_error());
}

TEST_CASE("a first record that looks like a header is a value if the job says so, or if the column has it") {
  const std::string rows = "NA;NA\na;*\nb;*\nc;*\n";
  const auto refused = read_hierarchy(rows, ';');
  REQUIRE(refused.has_error());
  CHECK(refused.error().hint.find("header: false") != std::string::npos);
  CHECK(value_of(read_hierarchy(rows, ';', HierarchyHeader::none)).rows.size() == 4);
  const std::vector<std::string> values{"a", "NA"}, others{"a", "na"};
  CHECK(value_of(read_hierarchy(rows, ';', HierarchyHeader::not_said, values)).rows.size() == 4);
  CHECK(read_hierarchy(rows, ';', HierarchyHeader::not_said, others).has_error());
  CHECK(value_of(read_hierarchy("a;*\nb;*\nc;*\nNA;NA\n", ';')).rows.size() == 4);  // moved below
}
