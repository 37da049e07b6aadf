#include "draft/table_draft.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/unit/draft/tables.hpp"

namespace pgveil::draft {
namespace {

using policy::ColumnClass;

TableDraft drafted(const Database& database, std::size_t table = 0) {
  const auto roles = roles_of(database);
  const auto proposal = propose(database, database.tables[table], roles[table], roles);
  CAPTURE(proposal.why_not);
  REQUIRE(proposal.draft.has_value());
  return *proposal.draft;
}

const ColumnDraft& column_in(const TableDraft& draft, std::string_view name) {
  const auto found = std::ranges::find(draft.columns, name, &ColumnDraft::name);
  REQUIRE(found != draft.columns.end());
  return *found;
}

// A town of 500 people, all of whom are in the sample.
Database town() {
  auto table = made_table(
      "residents",
      {"id int4", "name text", "born date", "age int4", "zip text", "city text", "nickname_id int4",
       "colour text", "salary int4", "note text", "seen_at timestamptz", "tags text[]"},
      500);
  add_sample(table, 500, [](std::size_t row, const std::string& column) -> std::string {
    if (column == "born") return std::to_string(1940 + row % 60) + "-03-" + std::to_string(10 + row % 15);
    if (column == "age") return std::to_string(row % 60);
    if (column == "zip") return "241" + std::to_string(10 + row % 80);
    if (column == "city") return row % 3 == 0 ? "Kiel" : "Husum";
    if (column == "colour") return row % 2 == 0 ? "green" : "blue";
    if (column == "salary") return std::to_string(20'000 + 7 * row);
    if (column == "tags") return kSampleNull;
    return std::to_string(row);
  });
  return {"d", true, {std::move(table)}};
}

}  // namespace

TEST_CASE("each column gets the class that its meaning and its values ask for") {
  const auto draft = drafted(town());
  CHECK(draft.k == 5);
  CHECK_FALSE(draft.unit.has_value());
  for (const char* hidden : {"id", "name", "nickname_id", "note", "seen_at", "tags"}) {
    CAPTURE(hidden);
    CHECK(column_in(draft, hidden).column_class == ColumnClass::identifier);
  }
  for (const char* shown : {"born", "age", "zip", "city", "colour"}) {
    CAPTURE(shown);
    CHECK(column_in(draft, shown).column_class == ColumnClass::quasi_identifier);
    CHECK_FALSE(column_in(draft, shown).reason.empty());
  }
  CHECK(column_in(draft, "salary").column_class == ColumnClass::sensitive);
  CHECK(column_in(draft, "salary").more.find("identifier") != std::string::npos);
  // 60 years of birth are too many for 500 people, and so are 60 ages and 80 postcodes.
  CHECK(column_in(draft, "born").generalize == "{period: decade}");
  CHECK(column_in(draft, "age").generalize == "{width: 10}");
  CHECK(column_in(draft, "zip").generalize == "{prefix: 3}");
  CHECK(column_in(draft, "seen_at").more.find("period: month") != std::string::npos);
}

TEST_CASE("levels are as coarse as the number of persons asks for") {
  auto database = town();
  database.tables[0].rows = 500'000;
  database.tables[0].is_sample_whole = false;
  const auto draft = drafted(database);
  CHECK(column_in(draft, "born").generalize == "{period: year}");
  CHECK(column_in(draft, "age").generalize.empty());
  CHECK(column_in(draft, "zip").generalize.empty());
}

TEST_CASE("a level that the type can't have is not proposed") {
  auto database = town();
  auto& columns = database.tables[0].columns;
  columns[position(database.tables[0], "zip")].column.type_name = "varchar";
  columns[position(database.tables[0], "zip")].column.typmod = 14;
  columns[position(database.tables[0], "age")].column.type_name = "int2";
  const auto draft = drafted(database);
  CHECK(column_in(draft, "zip").generalize.empty());
  CHECK(column_in(draft, "zip").more.find("column of type text") != std::string::npos);
  CHECK(column_in(draft, "age").generalize.empty());
  database = town();
  database.has_prefixes = false;
  CHECK(column_in(drafted(database), "zip").generalize.empty());
}

TEST_CASE("types that can't be compared, and documents, are hidden") {
  Database database{"d",
                    true,
                    {made_table("patients", {"id int4", "last_name text", "sex text", "city citext",
                                             "diagnosis text[]", "religion jsonb"})}};
  database.tables[0].columns[2].distinct = 2;
  const auto draft = drafted(database);
  for (const char* hidden : {"city", "diagnosis", "religion"}) {
    CAPTURE(hidden);
    CHECK(column_in(draft, hidden).column_class == ColumnClass::identifier);
  }
}

TEST_CASE("k follows from the data, and from how many persons there are") {
  const auto of = [](double rows, const char* column) {
    Database database{
        "d", true, {made_table("people", {"id int4", "sex text", std::string(column) + " text"}, rows)}};
    database.tables[0].columns[1].distinct = 2;
    database.tables[0].columns[2].distinct = 3;
    const auto roles = roles_of(database);
    const auto proposal = propose(database, database.tables[0], roles[0], roles);
    return proposal.draft ? proposal.draft->k : 0;
  };
  CHECK(of(10'000, "occupation") == 5);
  CHECK(of(10'000, "diagnosis") == 11);
  CHECK(of(12, "occupation") == 3);
  CHECK(of(3, "occupation") == 0);
}

TEST_CASE("the worked example gets a policy with k = 2") {
  auto table = made_table("people", {"id int4", "occupation text", "city text", "state text"}, 11);
  const char* rows[][3] = {{"Lawyer", "Washington", "DC"},  {"Lawyer", "Washington", "DC"},
                           {"Lawyer", "Hamlet", "OH"},      {"Accountant", "Hamlet", "OH"},
                           {"Farmer", "Hamlet", "OH"},      {"Farmer", "Hamlet", "OH"},
                           {"Lawyer", "Columbus", "OH"},    {"Accountant", "Withamsville", "OH"},
                           {"Accountant", "Whately", "MA"}, {"Accountant", "College Park", "MD"},
                           {"Accountant", "Bellevue", "KY"}};
  add_sample(table, 11, [&](std::size_t row, const std::string& column) -> std::string {
    if (column == "id") return std::to_string(row);
    return rows[row][column == "occupation" ? 0 : column == "city" ? 1 : 2];
  });
  const auto draft = drafted({"demo", true, {table}});
  CHECK(draft.k == 2);
  for (const char* shown : {"occupation", "city", "state"})
    CHECK(column_in(draft, shown).column_class == ColumnClass::quasi_identifier);
}

TEST_CASE("at most eight quasi-identifiers are proposed, the most useful ones") {
  std::vector<std::string> columns{"id int4", "last_name text"};
  for (const char* name : {"salutation", "language", "city", "state", "sex", "country", "occupation",
                           "education", "marital_status", "nationality"})
    columns.push_back(std::string(name) + " text");
  Database database{"d", true, {made_table("people", columns)}};
  for (auto& column : database.tables[0].columns) column.distinct = 10;
  const auto draft = drafted(database);
  const auto count =
      std::ranges::count(draft.columns, ColumnClass::quasi_identifier, &ColumnDraft::column_class);
  CHECK(count == kMostQuasiIdentifiers);
  CHECK(draft.priority.size() == kMostQuasiIdentifiers);
  CHECK(draft.priority.front() == "city");
  CHECK(column_in(draft, "salutation").column_class == ColumnClass::identifier);
  CHECK(column_in(draft, "salutation").reason.find("left out") != std::string::npos);
}

TEST_CASE("keys are hidden, unless they lead to an open table and are shared by many") {
  Database database{"d",
                    true,
                    {made_table("orders", {"order_id int4", "customer_id int4", "shop_id int4",
                                           "item_id int4", "next_order_id int4", "status text"}),
                     made_table("shops", {"shop_id int4", "title text"}, 20),
                     made_table("items", {"item_id int4", "title text"}, 90'000),
                     made_table("customers", {"customer_id int4", "last_name text", "sex text"})}};
  for (const auto& [column, target] : {std::pair("customer_id", "customers"), std::pair("shop_id", "shops"),
                                       std::pair("item_id", "items"), std::pair("next_order_id", "orders")})
    refer(database, "orders", column, target);
  const double distinct[] = {100'000, 40'000, 20, 80'000, 100'000, 3};
  for (std::size_t i = 0; i < 6; ++i) database.tables[0].columns[i].distinct = distinct[i];
  const auto draft = drafted(database);
  CHECK(draft.unit == "customer_id");
  CHECK(column_in(draft, "customer_id").column_class == ColumnClass::identifier);
  CHECK(column_in(draft, "shop_id").column_class == ColumnClass::quasi_identifier);
  CHECK(column_in(draft, "item_id").column_class == ColumnClass::identifier);
  CHECK(column_in(draft, "next_order_id").column_class == ColumnClass::identifier);
  CHECK(column_in(draft, "status").column_class == ColumnClass::quasi_identifier);
}

TEST_CASE("a table that shows nothing but identifiers has no draft, and neither has an empty one") {
  Database database{"d", true, {made_table("people", {"id int4", "first_name text", "last_name text"})}};
  auto roles = roles_of(database);
  CHECK(propose(database, database.tables[0], roles[0], roles).why_not.find("every column") == 0);
  database.tables[0].rows = 0;
  CHECK(propose(database, database.tables[0], roles[0], roles).why_not.find("it has no rows now") == 0);
  database.tables[0].rows = 3;
  CHECK(propose(database, database.tables[0], roles[0], roles).why_not.find("too few persons") == 0);
}

}  // namespace pgveil::draft
