#pragma once
// What somebody who knows all quasi-identifiers of every person learns of sensitive values, because a better
// transformation was not chosen (minimality attack; Wong, Fu, Wang and Pei 2007). Its classes are known. So
// at least one of those that have k records breaks a model of a sensitive column. A class can break it only
// with values that its records have in the file. If only one class can, it does, and its values follow.
// Pure.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/data/code_column.hpp"
#include "engine/privacy/anonymity.hpp"
#include "engine/privacy/sensitive_values.hpp"

namespace pgveil::app {

// A sensitive column with models. Codes are those of the input.
struct ModeledColumn {
  std::string name;
  std::vector<engine::ValueModel> models;  // at least one
  engine::SensitiveValues values;          // as the models compare with them
};

// What the attacker has. Persons and classes are numbers from 0.
struct KnownOfPersons {
  std::vector<ModeledColumn> columns;
  // [person]: the person's class in the file; nullopt: the attacker does not know which records can be it.
  std::vector<std::optional<std::uint32_t>> class_of;
  // [class][column][code]: how many records of the class have the value.
  std::vector<std::vector<std::vector<std::uint64_t>>> counts;
};

// A transformation that would have been chosen if no class broke a model of a sensitive column: the persons
// of each of its classes that have k records or more.
struct ForgoneChoice {
  std::vector<std::vector<std::uint32_t>> classes;
};

struct InferredColumn {
  std::string name;
  std::uint64_t narrowed = 0;  // persons of whom a value is impossible that their class has
  std::uint64_t learnt = 0;    // of these: one value is left, which they have
  std::uint64_t mistaken = 0;  // of these: one value is left, which they do not have
  std::uint64_t wrong = 0;     // of these: their value was held to be impossible
  // Persons whose class is known and whose value is guessed: the most frequent one of the class, and the
  // likeliest one given that a class of each forgone choice breaks a model.
  std::uint64_t guessed = 0, prior_right = 0, guessed_right = 0;

  [[nodiscard]] std::uint64_t claimed() const { return learnt + mistaken; }
};

struct Minimality {
  std::uint64_t choices = 0;  // forgone ones
  std::uint64_t decided = 0;  // of these: only one of their classes can have broken a model
  std::vector<InferredColumn> columns;
};

// The values that a class can have are looked through in at most so many steps. If there are more, it may
// break its models.
inline constexpr std::size_t kMostSteps = 20'000;
// Guesses leave out choices of which more classes may have broken a model: they tell next to nothing.
inline constexpr std::size_t kMostGuessed = 64;

// true_codes: [column][person], to check the claims and guesses only. The values that are left out are
// impossible in every table that gives the same file. Not all impossible values are found, because choices
// of which several classes may have broken a model exclude nothing.
[[nodiscard]] Minimality infer_by_minimality(const KnownOfPersons& known,
                                             const std::vector<ForgoneChoice>& choices,
                                             const std::vector<const engine::CodeColumn*>& true_codes);

}  // namespace pgveil::app
