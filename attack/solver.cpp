#include "attack/solver.hpp"

#include <utility>

namespace pgveil::attack {

Sum& Sum::add(std::int64_t factor, const Sum& other) {
  for (const auto& [each, unknown] : other.terms) terms.emplace_back(factor * each, unknown);
  constant += factor * other.constant;
  return *this;
}

Sum number(std::int64_t constant) {
  return {{}, constant};
}

Sum operator+(Sum left, const Sum& right) {
  return std::move(left.add(1, right));
}

Sum operator-(Sum left, const Sum& right) {
  return std::move(left.add(-1, right));
}

Sum operator*(std::int64_t factor, const Sum& sum) {
  return std::move(Sum().add(factor, sum));
}

}  // namespace pgveil::attack
