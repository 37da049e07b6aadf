#include "draft/roles.hpp"

#include <doctest/doctest.h>

#include <string>

#include "tests/unit/draft/tables.hpp"

namespace pgveil::draft {
namespace {

TableFacts patients() {
  return made_table("patients",
                    {"patient_id int4", "first_name text", "last_name text", "birth_date date", "city text"});
}

// The roles by the names of the tables.
std::string role_in(const Database& database, std::string_view name) {
  const auto roles = roles_of(database);
  for (std::size_t i = 0; i < roles.size(); ++i) {
    if (database.tables[i].name != name) continue;
    switch (roles[i].role) {
      case Role::persons: return "persons";
      case Role::events:
        REQUIRE(roles[i].unit.has_value());
        return "events of " + database.tables[i].columns[*roles[i].unit].column.name;
      case Role::reference: return "open";
      case Role::closed: return "closed: " + roles[i].reason;
    }
  }
  return "no such table";
}

bool is_closed(const Database& database, std::string_view name, std::string_view because) {
  const auto role = role_in(database, name);
  CAPTURE(role);
  return role.starts_with("closed") && role.find(because) != std::string::npos;
}

}  // namespace

TEST_CASE("persons are found by names of tables and columns, whatever the table is called") {
  Database database{"d", true, {patients()}};
  CHECK(role_in(database, "patients") == "persons");
  database.tables[0].name = "t_4711";
  CHECK(role_in(database, "t_4711") == "persons");
  database.tables[0] =
      made_table("t", {"id int4", "age int4", "sex text", "occupation text", "education text"});
  CHECK(role_in(database, "t") == "persons");
  // One attribute makes no person.
  database.tables[0] = made_table("jobs", {"id int4", "occupation text"});
  CHECK(role_in(database, "jobs") == "open");
}

TEST_CASE("values that look like those of persons make a table of persons") {
  Database database{"d", true, {made_table("list", {"id int4", "c1 text"}, 100)}};
  CHECK(role_in(database, "list") == "open");
  add_sample(database.tables[0], 60, [](std::size_t row, const std::string& column) {
    return column == "id" ? std::to_string(row) : "user" + std::to_string(row) + "@example.org";
  });
  CHECK(role_in(database, "list") == "persons");
}

TEST_CASE("what happened to persons is counted by person") {
  Database database{
      "d", true, {patients(), made_table("visits", {"visit_id int4", "patient_id int4", "on date"})}};
  // By the name alone, and by a foreign key.
  CHECK(role_in(database, "visits") == "events of patient_id");
  refer(database, "visits", "patient_id", "patients");
  CHECK(role_in(database, "visits") == "events of patient_id");
  // A key that is called otherwise counts if it is declared.
  database.tables[1].columns[1].column.name = "whose";
  CHECK(role_in(database, "visits") == "events of whose");
}

TEST_CASE("of two persons the one whom the row is about is the unit, not who works on it") {
  Database database{
      "d",
      true,
      {patients(), made_table("staff", {"staff_id int4", "first_name text", "last_name text"}, 200),
       made_table("visits", {"visit_id int4", "doctor_id int4", "patient_id int4", "on date"})}};
  refer(database, "visits", "doctor_id", "staff");
  refer(database, "visits", "patient_id", "patients");
  CHECK(role_in(database, "visits") == "events of patient_id");
  const auto roles = roles_of(database);
  CHECK(roles[2].persons == std::vector<std::size_t>{1, 2});
}

TEST_CASE("a table that only says who worked on it is closed") {
  Database database{"d",
                    true,
                    {made_table("users", {"id int4", "login text", "email text"}),
                     made_table("products", {"id int4", "title text", "created_by int4"})}};
  refer(database, "products", "created_by", "users");
  CHECK(is_closed(database, "products", "created_by says which person worked on it"));
}

TEST_CASE("what belongs to an event is closed, because nothing says to which person") {
  Database database{"d",
                    true,
                    {patients(), made_table("visits", {"visit_id int4", "patient_id int4"}),
                     made_table("procedures", {"procedure_id int4", "visit_id int4", "ops text"}),
                     made_table("bills", {"bill_id int4", "procedure_id int4"})}};
  CHECK(is_closed(database, "procedures", "belong to rows of public.visits"));
  CHECK(is_closed(database, "bills", "belong to rows of public.procedures"));
  refer(database, "procedures", "visit_id", "visits");
  CHECK(is_closed(database, "procedures", "belong to rows of public.visits"));
}

TEST_CASE("a table that names somebody in passing is not opened") {
  Database database{"d", true, {patients()}};
  for (const auto& columns :
       std::vector<std::vector<std::string>>{{"id int4", "patient_name text", "hba1c numeric"},
                                             {"id int4", "full_name text", "drug text"},
                                             {"id int4", "patient text", "ward text"},
                                             {"id int4", "name text", "sex text", "city text"},
                                             {"id int4", "name text", "age int4"}}) {
    database.tables = {patients(), made_table("samples", columns, 300)};
    CAPTURE(columns[1]);
    CHECK(role_in(database, "samples") != "open");
  }
  database.tables[1] = made_table("wards", {"id int4", "name text", "beds int4"}, 300);
  CHECK(role_in(database, "wards") == "open");
}

TEST_CASE("a value of a large part of the rows is a kind, and nobody's number") {
  TableFacts table =
      made_table("patients", {"id int4", "first_name text", "birth_date date", "insurance text"}, 700);
  add_sample(table, 700, [](std::size_t row, const std::string& column) {
    return column == "insurance" ? "kind " + std::to_string(row % 3) : std::to_string(row);
  });
  CHECK(role_in({"d", true, {table}}, "patients") == "persons");
}

TEST_CASE("lists without persons are open, what may hold persons is not") {
  Database database{"d",
                    true,
                    {made_table("cities", {"city_id int4", "name text", "population int4"}, 500),
                     made_table("suppliers", {"id int4", "name text", "address text", "phone text"}),
                     made_table("stores", {"id int4", "name text", "manager text"}, 50),
                     made_table("documents", {"id int4", "payload jsonb"}),
                     made_table("audit_log", {"id int4", "message text"}, 100),
                     made_table("warehouses", {"id int4", "iban text"}, 10)}};
  CHECK(role_in(database, "cities") == "open");
  CHECK(role_in(database, "suppliers") == "open");
  CHECK(is_closed(database, "stores", "manager may be another person"));
  CHECK(is_closed(database, "documents", "payload can hold anything"));
  CHECK(is_closed(database, "audit_log", "message can hold anything"));
  CHECK(is_closed(database, "warehouses", "iban may be the number of an account"));
}

TEST_CASE("values that look like telephone numbers keep a list closed") {
  Database database{"d", true, {made_table("points", {"id int4", "c1 text"}, 60)}};
  add_sample(database.tables[0], 60, [](std::size_t row, const std::string& column) {
    return column == "id" ? std::to_string(row) : "+49 30 12345" + std::to_string(10 + row);
  });
  CHECK(is_closed(database, "points", "values of c1 look like a telephone number"));
}

TEST_CASE("a list of all combinations of attributes is no table of persons") {
  auto demographics = made_table(
      "customer_demographics",
      {"cd_demo_sk int4", "cd_gender text", "cd_marital_status text", "cd_education_status text"}, 70);
  const double values[] = {70, 2, 5, 7};
  for (std::size_t i = 0; i < demographics.columns.size(); ++i) demographics.columns[i].distinct = values[i];
  Database database{"d",
                    true,
                    {demographics, made_table("customer", {"c_customer_sk int4", "c_first_name text",
                                                           "c_current_cdemo_sk int4"})}};
  refer(database, "customer", "c_current_cdemo_sk", "customer_demographics");
  CHECK(role_in(database, "customer_demographics") == "open");
  CHECK(role_in(database, "customer") == "persons");
  // With fewer rows than combinations, a row may be a person.
  database.tables[0].rows = 40;
  CHECK(role_in(database, "customer_demographics") == "persons");
}

TEST_CASE("addresses of persons are persons' data") {
  Database database{"d",
                    true,
                    {made_table("address", {"address_sk int4", "street text", "city text"}),
                     made_table("customer", {"customer_sk int4", "first_name text", "addr_sk int4"})}};
  CHECK(is_closed(database, "address", "street may be"));
  refer(database, "customer", "addr_sk", "address");
  CHECK(role_in(database, "address") == "persons");
}

TEST_CASE("a number of a person that repeats is the unit") {
  auto table = made_table("patients", {"row_id int4", "last_name text", "mrn text", "city text"}, 1000);
  add_sample(table, 200, [](std::size_t row, const std::string& column) {
    if (column == "row_id") return std::to_string(row);
    return column == "city" ? std::string("Kiel") : "A" + std::to_string(row / 4);
  });
  Database database{"d", true, {table}};
  const auto roles = roles_of(database);
  REQUIRE(roles[0].unit.has_value());
  CHECK(table.columns[*roles[0].unit].column.name == "mrn");
}

TEST_CASE("tables that no policy can be for are closed with the reason") {
  Database database{"d", true, {patients(), patients(), patients()}};
  database.tables[0].obstacle = Obstacle::no_right;
  database.tables[1].obstacle = Obstacle::row_security;
  database.tables[2].obstacle = Obstacle::inheritance;
  const auto roles = roles_of(database);
  for (const auto& role : roles) CHECK(role.role == Role::closed);
  CHECK(roles[0].reason.find("GRANT SELECT ON") != std::string::npos);
  CHECK(roles[1].reason.find("row-level security") != std::string::npos);
  CHECK(roles[2].reason.find("inheritance children") != std::string::npos);
}

TEST_CASE("who is pointed to is known even where it can't be read") {
  Database database{"d", true, {patients(), made_table("visits", {"visit_id int4", "patient_id int4"})}};
  database.tables[0].obstacle = Obstacle::no_right;
  CHECK(role_in(database, "visits") == "events of patient_id");
}

}  // namespace pgveil::draft
