// In place of solver_z3.cpp where the library is not installed.
#include "attack/solver.hpp"

namespace pgveil::attack {

std::unique_ptr<Solver> make_solver() {
  return nullptr;
}

}  // namespace pgveil::attack
