#pragma once
// What the name of a column or of a table tells about its content, in English, German, Dutch, French,
// Spanish, Italian and Portuguese. A name without a meaning may still be anything. For drafts of policies
// only: nothing that protects data may rest on it.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pgveil::draft {

enum class Meaning {
  // Says who somebody is.
  given_name,
  family_name,
  name,  // of a person in a table of persons, of a thing elsewhere
  national_id,
  email,
  telephone,
  street,
  login,
  secret,
  account,
  record_number,
  device,
  position,
  picture,
  free_text,
  // Others may know it of somebody.
  sex,
  birth_date,
  birth_year,
  birth_part,  // the day or the month
  age,
  death_date,
  city,
  postcode,
  region,
  country,
  nationality,
  language,
  marital_status,
  household,
  occupation,
  education,
  employer,
  belief,
  salutation,
  body,
  // What is analysed, and outsiders do not know.
  health,
  income,
  wealth,
  offence,
  amount,
  quantity,
  // About a row.
  event_date,
  moment,  // when the row was written
  category,
  other_person  // somebody who works on it: a clerk, a doctor
};

// "dateOfBirth", "date_of_birth" and "DATE OF BIRTH" → {date, of, birth}; ä → ae, é → e.
[[nodiscard]] std::vector<std::string> words_of(std::string_view name);

// Of a column. nullopt: the name says nothing.
[[nodiscard]] std::optional<Meaning> meaning_of(std::string_view name);
// "a city": for comments.
[[nodiscard]] std::string_view describe(Meaning meaning);

// What a table has a row for, by the last word of its name, or the first one in Romance languages.
enum class TableMeaning { persons, organisations, addresses, unknown };
[[nodiscard]] TableMeaning table_meaning(std::string_view name);
// Whether some word of the name is a person: "customer_id", "patient".
[[nodiscard]] bool names_a_person(std::string_view name);
// Whether the name is about patients, so about health.
[[nodiscard]] bool names_health(std::string_view name);
// Whether the name is that of a key: "customer_id", "KdNr", "id".
[[nodiscard]] bool is_key_name(std::string_view name);
// Whether it ends with a word for a number that has no meaning of its own: "id", "key", "uuid".
[[nodiscard]] bool is_surrogate_name(std::string_view name);
// Whether a table of this name keeps what happened, so that its texts may say anything.
[[nodiscard]] bool names_a_log(std::string_view name);
// Whether the name is that of a key of persons: "patient_id", "UserId", "kunden_nr".
[[nodiscard]] bool is_person_key(std::string_view name);
// What a key is of: "customer_id" → customer, "KundenNr" → kunden. nullopt: the name is not that of a key,
// or of nothing in particular, as "id".
[[nodiscard]] std::optional<std::string> subject_of_key(std::string_view name);
// The last word of a key's name that says more than "id" alone: "o_custkey" → custkey. Empty: there is
// none.
[[nodiscard]] std::string own_word_of_key(std::string_view name);
// What a table has a row for: "tbl_customers" → customers. Empty: the name has no word.
[[nodiscard]] std::string head_of_table(std::string_view name);
// Whether two words are forms of one: "customer" and "customers", "kunden" and "kunde".
[[nodiscard]] bool is_same_thing(std::string_view left, std::string_view right);

}  // namespace pgveil::draft
