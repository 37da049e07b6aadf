#pragma once
// What a name without a schema may find: PostgreSQL's own functions and operators alone, or also those of
// other schemas of the search path. docs/rewriting.md, "Functions and operators of other schemas", has the
// rule. Pure; the verifier has its own reading of the rule (verify/verify_candidates.hpp).
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pg/ast.hpp"
#include "rewriter/catalog/candidate.hpp"

namespace pgveil::rewriter {

// What the arguments of a call tell without their types.
struct CallShape {
  std::optional<std::size_t> count;  // nullopt: not known
  bool has_names = false;            // f(a => 1): a function with the same arguments may have other names
  std::vector<bool> is_number;       // a number as a constant, or with a cast to a type of numbers
};

// REQUIRES: the arguments are resolved.
[[nodiscard]] CallShape shape_of(const PgQuery__FuncCall& call);
[[nodiscard]] bool fits(const Candidate& candidate, const CallShape& shape);

struct Choice {
  enum class Kind {
    ours,     // only PostgreSQL's own can be meant
    servers,  // the server finds what the client means, and all that it may find is safe
    unsafe,   // `candidate` could be meant, and may not run
    path      // the client's search path does not find `candidate` where the server's does, or vice versa
  };
  Kind kind = Kind::ours;
  const Candidate* candidate = nullptr;
};

// is_possible: whether the use at hand can choose the candidate.
[[nodiscard]] Choice choose(std::span<const Candidate> candidates, std::span<const std::string> server_path,
                            std::span<const std::string> client_path, const CallShape& shape,
                            const std::function<bool(const Candidate&)>& is_possible);

}  // namespace pgveil::rewriter
