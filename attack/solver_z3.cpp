// The only file that includes Z3.
#include <z3++.h>

#include <optional>
#include <string>
#include <vector>

#include "attack/solver.hpp"
#include "common/assert.hpp"

namespace pgveil::attack {

namespace {

class Z3Solver final : public Solver {
 public:
  Z3Solver() : solver_(context_, z3::solver::simple()) {}

  Unknown unknown(std::int64_t least, std::int64_t most) override {
    const Unknown index = unknowns_.size();
    unknowns_.push_back(context_.int_const(("x" + std::to_string(index)).c_str()));
    solver_.add(unknowns_.back() >= context_.int_val(least));
    solver_.add(unknowns_.back() <= context_.int_val(most));
    return index;
  }

  void require(const AnyOf& any_of) override { solver_.add(either(any_of)); }

  Verdict check(const AnyOf& also, std::uint32_t limit) override {
    if (is_broken_) return Verdict::unknown;
    z3::params parameters(context_);
    parameters.set("rlimit", limit);
    solver_.set(parameters);
    example_.reset();
    z3::check_result result = z3::unknown;
    try {
      solver_.push();
      solver_.add(either(also));
      result = solver_.check();
      if (result == z3::sat) example_.emplace(solver_.get_model());
      solver_.pop();
    } catch (const z3::exception&) {  // out of memory, for example
      is_broken_ = true;
    }
    if (is_broken_) return Verdict::unknown;
    switch (result) {
      case z3::sat: return Verdict::possible;
      case z3::unsat: return Verdict::impossible;
      case z3::unknown: return Verdict::unknown;
    }
    return Verdict::unknown;
  }

  std::int64_t example(const Sum& sum) const override {
    PGVEIL_ASSERT(example_);
    std::int64_t value = sum.constant;
    for (const auto& [factor, index] : sum.terms)
      value += factor * example_->eval(unknowns_[index], true).get_numeral_int64();
    return value;
  }

 private:
  z3::expr expression(const Sum& sum) {
    z3::expr_vector terms(context_);
    terms.push_back(context_.int_val(sum.constant));
    for (const auto& [factor, index] : sum.terms) {
      terms.push_back(factor == 1 ? unknowns_[index] : context_.int_val(factor) * unknowns_[index]);
    }
    return z3::sum(terms);
  }

  z3::expr either(const AnyOf& any_of) {
    z3::expr_vector alternatives(context_);
    for (const Sum& sum : any_of) alternatives.push_back(expression(sum) >= context_.int_val(0));
    return z3::mk_or(alternatives);
  }

  z3::context context_;
  z3::solver solver_;
  std::vector<z3::expr> unknowns_;
  std::optional<z3::model> example_;
  bool is_broken_ = false;  // what was required is not known any more
};

}  // namespace

std::unique_ptr<Solver> make_solver() {
  return std::make_unique<Z3Solver>();
}

}  // namespace pgveil::attack
