#include "draft/meaning.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace pgveil::draft {

TEST_CASE("a name is split into words, whatever style it is written in") {
  using Words = std::vector<std::string>;
  CHECK(words_of("dateOfBirth") == Words{"date", "of", "birth"});
  CHECK(words_of("DATE_OF_BIRTH") == Words{"date", "of", "birth"});
  CHECK(words_of("IPAddress") == Words{"ip", "address"});
  CHECK(words_of("Straße / Nr.") == Words{"strasse", "nr"});
  CHECK(words_of("Prénom") == Words{"prenom"});
  CHECK(words_of("größe") == Words{"groesse"});
  CHECK(words_of("").empty());
  CHECK(words_of("\xc3").empty());
}

TEST_CASE("names of columns have meanings in several languages") {
  struct Row {
    std::string_view name;
    Meaning meaning;
  };
  const std::vector<Row> rows = {
      {"first_name", Meaning::given_name},
      {"FirstName", Meaning::given_name},
      {"firstname", Meaning::given_name},
      {"c_last_name", Meaning::family_name},
      {"c_name", Meaning::name},
      {"c_phone", Meaning::telephone},
      {"EMail", Meaning::email},
      {"e-mail", Meaning::email},
      {"c_email_address", Meaning::email},
      {"ssn", Meaning::national_id},
      {"tax_id", Meaning::national_id},
      {"mrn", Meaning::record_number},
      {"c_address", Meaning::street},
      {"ca_street_name", Meaning::street},
      {"ca_suite_number", Meaning::street},
      {"ca_city", Meaning::city},
      {"ca_county", Meaning::region},
      {"ca_zip", Meaning::postcode},
      {"postal_code", Meaning::postcode},
      {"ca_country", Meaning::country},
      {"cd_gender", Meaning::sex},
      {"cd_marital_status", Meaning::marital_status},
      {"cd_education_status", Meaning::education},
      {"cd_dep_count", Meaning::household},
      {"c_birth_year", Meaning::birth_year},
      {"c_birth_month", Meaning::birth_part},
      {"c_birth_country", Meaning::nationality},
      {"c_salutation", Meaning::salutation},
      {"c_acctbal", Meaning::wealth},
      {"c_comment", Meaning::free_text},
      {"c_mktsegment", Meaning::category},
      {"o_clerk", Meaning::other_person},
      {"created_by", Meaning::other_person},
      {"created_at", Meaning::moment},
      {"o_totalprice", Meaning::amount},
      {"passwordHash", Meaning::secret},
      {"salary", Meaning::income},
      {"icd_code", Meaning::health},
      {"blood_type", Meaning::body},
      {"age", Meaning::age},
      {"visits", Meaning::quantity},
      // German
      {"Vorname", Meaning::given_name},
      {"Nachname", Meaning::family_name},
      {"Geburtsdatum", Meaning::birth_date},
      {"Geburtsjahr", Meaning::birth_year},
      {"Geschlecht", Meaning::sex},
      {"PLZ", Meaning::postcode},
      {"Wohnort", Meaning::city},
      {"Straße", Meaning::street},
      {"Telefonnummer", Meaning::telephone},
      {"Beruf", Meaning::occupation},
      {"Familienstand", Meaning::marital_status},
      {"Staatsangehörigkeit", Meaning::nationality},
      {"Kontostand", Meaning::wealth},
      {"Gehalt", Meaning::income},
      {"Hauptdiagnose", Meaning::health},
      {"Bemerkung", Meaning::free_text},
      {"KdNr", Meaning::record_number},
      // French, Spanish, Italian, Portuguese, Dutch
      {"prénom", Meaning::given_name},
      {"date_naissance", Meaning::birth_date},
      {"code_postal", Meaning::postcode},
      {"sexe", Meaning::sex},
      {"apellidos", Meaning::family_name},
      {"fecha_nacimiento", Meaning::birth_date},
      {"código_postal", Meaning::postcode},
      {"cognome", Meaning::family_name},
      {"data_di_nascita", Meaning::birth_date},
      {"codice_fiscale", Meaning::national_id},
      {"sobrenome", Meaning::family_name},
      {"cpf", Meaning::national_id},
      {"voornaam", Meaning::given_name},
      {"geboortedatum", Meaning::birth_date},
      {"woonplaats", Meaning::city},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.name));
    const auto meaning = meaning_of(row.name);
    REQUIRE(meaning.has_value());
    CHECK(std::string(describe(*meaning)) == std::string(describe(row.meaning)));
  }
}

TEST_CASE("names that say nothing have no meaning") {
  for (const std::string_view name : {"id", "x", "col7", "flavour", "", "123", "s_quux", "information"}) {
    CAPTURE(std::string(name));
    CHECK_FALSE(meaning_of(name).has_value());
  }
}

TEST_CASE("a table's meaning is that of its last word") {
  for (const char* name :
       {"customer", "Customers", "tbl_customer", "Kunden", "patients", "Patienten", "app_users",
        "Mitarbeiter", "clientes", "pazienti", "people", "staff", "employees", "customer_data"}) {
    CAPTURE(name);
    CHECK(table_meaning(name) == TableMeaning::persons);
  }
  for (const char* name : {"supplier", "insurers", "departments", "Lieferanten", "stores"}) {
    CAPTURE(name);
    CHECK(table_meaning(name) == TableMeaning::organisations);
  }
  for (const char* name : {"customer_address", "Adressen"}) {
    CAPTURE(name);
    CHECK(table_meaning(name) == TableMeaning::addresses);
  }
  for (const char* name :
       {"customer_demographics", "orders", "part", "nation", "patient_visits", "item", ""}) {
    CAPTURE(name);
    CHECK(table_meaning(name) == TableMeaning::unknown);
  }
}

TEST_CASE("keys of persons are told by their names") {
  for (const char* name :
       {"customer_id", "PatientID", "user_id", "kunden_nr", "KundenNr", "personId", "employee_no"}) {
    CAPTURE(name);
    CHECK(is_person_key(name));
  }
  for (const char* name : {"product_id", "id", "tenant_id", "parent_id", "customer", "nation_key"}) {
    CAPTURE(name);
    CHECK_FALSE(is_person_key(name));
  }
  CHECK(subject_of_key("customer_id") == "customer");
  CHECK(own_word_of_key("o_custkey") == "custkey");
  CHECK(own_word_of_key("customer_id").empty());
  CHECK(head_of_table("tbl_Customers") == "customers");
  CHECK(is_same_thing("customer", "customers"));
  CHECK(is_same_thing("kunden", "kunde"));
  CHECK_FALSE(is_same_thing("customer", "costume"));
}

}  // namespace pgveil::draft
