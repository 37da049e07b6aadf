#pragma once
// What a name of a function or an operator may find beside PostgreSQL's own: candidates, as PostgreSQL calls
// them. A plain value that the catalog holds (db/catalog/candidate_query.hpp fills it).
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace pgveil::rewriter {

// A function of users or of an extension, by what decides whether clients may run it.
struct RunFunction {
  std::string schema = {};
  std::string name = {};
  std::string extension = {};  // that it is a member of; empty: none
  std::string signature = {};  // as lists/extensions.hpp writes it: "citext_eq(citext.citext,citext.citext)"
  std::uint64_t definition = 0;  // see derive_extensions.sql; 0: it is of no extension
  std::string body = {};         // its text, if it is not in C
  bool is_ours = false;          // PostgreSQL's own, in pg_catalog
  bool is_code = true;           // in C or internal: no SQL that reads tables
  bool is_definer = false;       // SECURITY DEFINER
  char volatility = 'v';         // pg_proc.provolatile
  bool is_pure_here = false;     // of an extension: what derive_extensions.sql says of it on this server
  bool operator==(const RunFunction&) const = default;
};

using TypeOids = std::set<std::uint32_t>;

struct Candidate {
  std::string schema = {};  // pg_catalog: somebody added it there
  std::string object = {};  // "function public.replace(citext,citext,citext)"
  RunFunction runs = {};
  bool is_safe = false;   // clients may run it (review/candidate_check.hpp)
  bool has_twin = false;  // pg_catalog has one with the same types of arguments
  // One letter for each argument: pg_type.typcategory of a type of pg_catalog, '?' for another type.
  std::string arguments = {};
  std::size_t defaults = 0;
  bool is_variadic = false;
  // Whether the candidate is chosen only where a value of one of the types in `needs` is an argument: all
  // its arguments are of types outside pg_catalog, to which PostgreSQL converts neither another type by
  // itself nor a constant without a type in preference to others.
  bool needs_value = false;
  TypeOids needs = {};    // the types outside pg_catalog that its arguments are made of
  TypeOids returns = {};  // and those that its result is made of
  bool operator==(const Candidate&) const = default;
};

using Candidates = std::map<std::string, std::vector<Candidate>, std::less<>>;  // by name

// A function that is not in C and runs without being named.
struct UnnamedFunction {
  std::string object = {};   // "function public.compare(public.t,public.t)"
  std::string used_by = {};  // "operator family f", "type t"
  RunFunction runs = {};
  bool operator==(const UnnamedFunction&) const = default;
};

// A type outside pg_catalog.
struct TypeElsewhere {
  std::uint32_t oid = 0;
  std::string extension = {};
  bool is_row = false;                 // a row type
  bool is_base = false;                // runs functions of its own when it is read, written or converted
  bool is_castable = false;            // clients may name it in a cast
  std::vector<RunFunction> runs = {};  // what a base type runs
  bool operator==(const TypeElsewhere&) const = default;
};

}  // namespace pgveil::rewriter
