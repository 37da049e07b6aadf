#include "db/catalog/candidate_query.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "common/assert.hpp"

namespace pgveil::db {
namespace {

using rewriter::Candidate;
using rewriter::RunFunction;
using rewriter::TypeElsewhere;
using rewriter::TypeOids;
using Oid = std::uint32_t;

// The same text that produced the pinned list (rewriter/lists/derive_extensions.sql).
constexpr const char* kExtensionFunctions =
#include "db/derive_extensions.inc"
    ;

constexpr Oid kFirstUserOid = 16'384;

// What the type is made of: the elements of an array, the type under a domain, the fields of a row, the
// bounds of a range. What it runs: its own functions, and those of casts to it. An extension's type in
// pg_catalog, as Citus has, counts as one from elsewhere: no client can name it.
constexpr const char* kTypesElsewhere = R"(
SELECT t.oid, n.nspname, t.typname, t.typtype, t.typcategory, t.typispreferred,
       EXISTS (SELECT FROM pg_cast c WHERE c.casttarget = t.oid AND c.castcontext = 'i' AND c.castsource <> t.oid),
       (SELECT e.extname FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
         WHERE d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e'
           AND d.refclassid = 'pg_extension'::regclass),
       concat_ws(' ', CASE WHEN t.typcategory = 'A' THEN NULLIF(t.typelem, 0) END, NULLIF(t.typbasetype, 0),
                 (SELECT concat_ws(' ', r.rngsubtype) FROM pg_range r WHERE r.rngtypid = t.oid),
                 (SELECT concat_ws(' ', r.rngtypid) FROM pg_range r WHERE r.rngmultitypid = t.oid),
                 (SELECT string_agg(a.atttypid::text, ' ') FROM pg_attribute a
                   WHERE a.attrelid = t.typrelid AND t.typrelid <> 0 AND a.attnum > 0 AND NOT a.attisdropped)),
       CASE WHEN t.typtype = 'b' AND t.typcategory <> 'A' THEN
         concat_ws(' ', t.typinput::oid, t.typoutput::oid, NULLIF(t.typreceive::oid, 0), NULLIF(t.typsend::oid, 0),
                   NULLIF(t.typmodin::oid, 0), NULLIF(t.typmodout::oid, 0),
                   (SELECT string_agg(c.castfunc::text, ' ') FROM pg_cast c
                     WHERE c.casttarget = t.oid AND c.castfunc <> 0)) END,
       t.typtype = 'e' AND NOT EXISTS (SELECT FROM pg_cast c WHERE t.oid IN (c.castsource, c.casttarget))
  FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE n.nspname <> 'pg_catalog' OR t.oid >= 16384)";

// A function with defaults is found with fewer arguments, too, so it is no twin.
constexpr const char* kFunctionCandidates = R"(
SELECT p.oid, p.proname, n.nspname, concat('function ', p.oid::regprocedure),
       n.nspname <> 'pg_catalog' AND p.pronargdefaults = 0
         AND EXISTS (SELECT FROM pg_proc b WHERE b.pronamespace = 'pg_catalog'::regnamespace AND b.oid < 16384
                        AND b.proname = p.proname AND b.proargtypes = p.proargtypes
                        AND b.provariadic = p.provariadic),
       array_to_string(p.proargtypes::oid[], ' '), p.pronargdefaults, p.provariadic <> 0,
       array_to_string(p.proallargtypes || p.prorettype, ' ')
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
 WHERE p.prokind <> 'p' AND n.nspname <> 'information_schema' AND (n.nspname <> 'pg_catalog' OR p.oid >= 16384)
 ORDER BY 1)";

constexpr const char* kOperatorCandidates = R"(
SELECT o.oprcode::oid, o.oprname, n.nspname, concat('operator ', o.oid::regoperator),
       n.nspname <> 'pg_catalog'
         AND EXISTS (SELECT FROM pg_operator b WHERE b.oprnamespace = 'pg_catalog'::regnamespace AND b.oid < 16384
                        AND b.oprname = o.oprname AND b.oprleft = o.oprleft AND b.oprright = o.oprright),
       concat_ws(' ', NULLIF(o.oprleft, 0), NULLIF(o.oprright, 0)), 0, false, o.oprresult::text
  FROM pg_operator o JOIN pg_namespace n ON n.oid = o.oprnamespace
 WHERE o.oprcode <> 0 AND (n.nspname <> 'pg_catalog' OR o.oid >= 16384)
 ORDER BY o.oid)";

constexpr const char* kFunctionNames = R"(
SELECT p.oid, n.nspname, p.proname, l.lanname IN ('c', 'internal') AND p.prokind <> 'a', p.prosecdef, p.provolatile,
       CASE WHEN p.oid >= 16384 AND l.lanname NOT IN ('c', 'internal')
            THEN COALESCE(NULLIF(p.prosrc, ''), pg_get_function_sqlbody(p.oid)) END
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang)";

// Functions in another language than C that run without being named: they convert values by a cast of an
// extension (for other casts see db/server/server_facts_loader.cpp), sort, group and index values of a
// type, or read and write them. Only superusers can make such operator classes and types.
constexpr const char* kUnnamed = R"(
SELECT p.oid, concat('function ', p.oid::regprocedure), used.by
  FROM (SELECT a.amproc::oid, concat('operator family ', f.opfname) FROM pg_amproc a JOIN pg_opfamily f ON f.oid = a.amprocfamily
         UNION SELECT o.oprcode::oid, concat('operator family ', f.opfname) FROM pg_amop a
           JOIN pg_operator o ON o.oid = a.amopopr JOIN pg_opfamily f ON f.oid = a.amopfamily
         UNION SELECT f, concat('type ', t.oid::regtype) FROM pg_type t
          CROSS JOIN unnest(ARRAY[typinput, typoutput, typreceive, typsend, typmodin, typmodout, typsubscript]::oid[]) AS f
          WHERE t.typtype <> 'd'
         UNION SELECT c.castfunc, concat('cast to ', c.casttarget::regtype) FROM pg_cast c JOIN pg_depend d
            ON d.classid = 'pg_cast'::regclass AND d.objid = c.oid AND d.deptype = 'e'
       ) AS used(oid, by)
  JOIN pg_proc p ON p.oid = used.oid JOIN pg_language l ON l.oid = p.prolang
 WHERE p.oid >= 16384 AND l.lanname NOT IN ('c', 'internal') ORDER BY 2, 3)";

// '?': somebody made an implicit cast of another type of pg_catalog to it.
constexpr const char* kOwnTypes = R"(
SELECT t.oid, CASE WHEN EXISTS (SELECT FROM pg_cast c JOIN pg_type s ON s.oid = c.castsource
                                 WHERE c.casttarget = t.oid AND c.oid >= 16384 AND c.castcontext = 'i'
                                   AND s.typnamespace = 'pg_catalog'::regnamespace)
                   THEN '?' ELSE t.typcategory END
  FROM pg_type t WHERE t.typnamespace = 'pg_catalog'::regnamespace)";

struct TypeFacts {
  char category = '?';
  bool is_elsewhere = false;
  bool is_quiet = false;  // PostgreSQL converts nothing else to it by itself, see Candidate::needs_value
  std::vector<Oid> made_of;
};

std::vector<Oid> oids_of(const Field& field) {
  if (field.is_null()) return {};
  std::istringstream text(field.as<std::string>());
  return {std::istream_iterator<Oid>(text), std::istream_iterator<Oid>()};
}

std::uint64_t definition_of(std::string_view hex) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), number, 16);
  PGVEIL_ASSERT(error == std::errc{} && end == hex.data() + hex.size());  // substr(md5(…), 1, 16)
  return number;
}

class CandidateReader {
 public:
  CandidateReader(Connection& connection, const std::vector<std::string>& schemas, rewriter::Catalog& catalog)
      : connection_(connection), schemas_(schemas), catalog_(catalog) {}

  void run() {
    read_functions();
    read_types();
    for (const auto& row : connection_.run(kFunctionCandidates)) add(row, catalog_.functions_elsewhere);
    for (const auto& row : connection_.run(kOperatorCandidates)) add(row, catalog_.operators_elsewhere);
    for (const auto& row : connection_.run(kUnnamed))
      catalog_.unnamed_functions.push_back(
          {row[1].as<std::string>(), row[2].as<std::string>(), functions_[row[0].as<Oid>()]});
  }

 private:
  void read_functions() {
    for (const auto& row : connection_.run(kFunctionNames)) {
      const Oid oid = row[0].as<Oid>();
      const auto schema = row[1].as<std::string>();
      const bool is_ours = schema == "pg_catalog" && oid < kFirstUserOid;
      RunFunction& function = functions_[oid];
      function.schema = schema;
      function.name = row[2].as<std::string>();
      function.is_ours = is_ours;
      function.is_code = row[3].as<bool>();
      function.is_definer = row[4].as<bool>();
      function.volatility = row[5].c_str()[0];
      if (!row[6].is_null()) function.body = row[6].as<std::string>();
    }
    for (const auto& row : connection_.run(kExtensionFunctions)) {
      RunFunction& function = functions_[row[0].as<Oid>()];
      function.extension = row[1].as<std::string>();
      function.signature = row[2].as<std::string>();
      function.is_pure_here = row[3].as<bool>();
      function.definition = definition_of(row[5].c_str());
    }
  }

  void read_types() {
    for (const auto& row : connection_.run(kOwnTypes)) types_[row[0].as<Oid>()].category = row[1].c_str()[0];
    for (const auto& row : connection_.run(kTypesElsewhere)) read_type(row);
    for (const auto& [oid, type] : types_) {
      if (type.is_elsewhere) catalog_.parts_of_types.emplace(oid, parts_of(oid));
    }
  }

  void read_type(const Row& row) {
    TypeElsewhere type;
    type.oid = row[0].as<Oid>();
    const auto schema = row[1].as<std::string>();
    const char kind = row[3].c_str()[0];
    const char category = row[4].c_str()[0];
    const bool is_alone = category != 'S' && !row[5].as<bool>() && kind != 'c' && !row[6].as<bool>();
    types_[type.oid] = {
        .category = '?', .is_elsewhere = true, .is_quiet = is_alone, .made_of = oids_of(row[8])};
    if (!row[7].is_null()) type.extension = row[7].as<std::string>();
    for (const Oid function : oids_of(row[9])) type.runs.push_back(functions_[function]);
    type.is_row = kind == 'c';
    type.is_base = !type.runs.empty();
    const bool is_listed = std::ranges::find(schemas_, schema) != schemas_.end();
    type.is_castable = row[10].as<bool>() && is_listed;  // a cast to an enum only looks up a label
    catalog_.types_elsewhere.emplace(std::pair(schema, row[2].as<std::string>()), std::move(type));
  }

  TypeOids parts_of(Oid type) {
    TypeOids parts;
    std::vector<Oid> left{type};
    while (!left.empty()) {
      const Oid oid = left.back();
      left.pop_back();
      const TypeFacts& facts = types_[oid];
      if (!facts.is_elsewhere || !parts.insert(oid).second) continue;
      left.insert(left.end(), facts.made_of.begin(), facts.made_of.end());
    }
    return parts;
  }

  bool is_quiet(Oid type) {
    const TypeOids parts = parts_of(type);
    return types_[type].is_elsewhere &&
           std::ranges::all_of(parts, [&](Oid part) { return types_[part].is_quiet; });
  }

  void add(const Row& row, rewriter::Candidates& candidates) {
    Candidate candidate;
    candidate.runs = functions_[row[0].as<Oid>()];
    candidate.schema = row[2].as<std::string>();
    candidate.object = row[3].as<std::string>();
    candidate.has_twin = row[4].as<bool>();
    const std::vector<Oid> arguments = oids_of(row[5]);
    candidate.needs_value = !arguments.empty();
    for (const Oid argument : arguments) {
      candidate.arguments += types_[argument].category;
      candidate.needs_value = candidate.needs_value && is_quiet(argument);
      candidate.needs.merge(parts_of(argument));
    }
    candidate.defaults = row[6].as<std::size_t>();
    candidate.is_variadic = row[7].as<bool>();
    for (const Oid result : oids_of(row[8])) candidate.returns.merge(parts_of(result));
    candidates[row[1].as<std::string>()].push_back(std::move(candidate));
  }

  Connection& connection_;
  const std::vector<std::string>& schemas_;
  rewriter::Catalog& catalog_;
  std::map<Oid, RunFunction> functions_;
  std::map<Oid, TypeFacts> types_;
};

}  // namespace

void read_candidates(Connection& connection, const std::vector<std::string>& schemas,
                     rewriter::Catalog& catalog) {
  CandidateReader(connection, schemas, catalog).run();
}

}  // namespace pgveil::db
