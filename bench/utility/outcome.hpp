#pragma once
// One method on one table: how wrong its answers are, and what a model is worth that it trains.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/utility/answers.hpp"
#include "bench/utility/methods.hpp"
#include "bench/utility/sets.hpp"

namespace pgveil::bench::utility {

struct Questions {
  std::vector<Question> declared;
  std::array<std::vector<Question>, 3> others;  // of one, two and three columns
};

// All that are not declared, but of those of three columns a sample of so many, the same one in every run.
[[nodiscard]] Questions questions_of(const Set& set, std::size_t sample);
[[nodiscard]] Question question_of(const Set& set, const Names& columns);

// Means over questions. Of a generalized table the better reading counts for each question, which is more
// than a reader could choose who does not know the truth; `strict` is what SQL would answer.
struct Mean {
  MeanError better, strict;
};
[[nodiscard]] Mean mean_of(const std::vector<Question>& questions, const Method& method, const Masked& masked,
                           const std::vector<MaskedClass>& classes);

struct Outcome {
  std::string method;
  Mean declared;
  std::array<Mean, 3> others;
  double exact_cells = 0;
  double accuracy = 0;
  double ms = 0;
};
// `predicted`: the set whose masked table trains the model.
[[nodiscard]] Outcome outcome_of(const Method& method, const Set& set, const Set& predicted,
                                 const Questions& questions, std::uint64_t k);

}  // namespace pgveil::bench::utility
