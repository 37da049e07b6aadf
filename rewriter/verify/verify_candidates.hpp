#pragma once
// The verifier's own reading of what names of functions, operators and types outside pg_catalog may be sent.
// It shares the facts of the catalog with the resolver, and no code.
#include <optional>
#include <string_view>

#include "pg/ast.hpp"
#include "rewriter/catalog/catalog.hpp"
#include "rewriter/snapshot/snapshot.hpp"

namespace pgveil::rewriter {

// Of one statement, which outlives it.
class FoundNames {
 public:
  FoundNames(const ProtobufCMessage& statement, const Snapshot& snapshot)
      : statement_(statement), catalog_(snapshot.catalog()) {}

  // Whether all that the server may find for a call without a schema is safe.
  [[nodiscard]] bool is_safe_call(const PgQuery__FuncCall& call) const;
  // The same for a call with a schema other than pg_catalog.
  [[nodiscard]] bool is_safe_call_of(std::string_view schema, const PgQuery__FuncCall& call) const;
  [[nodiscard]] bool is_safe_operator(std::string_view name);
  [[nodiscard]] bool is_safe_operator_of(std::string_view schema, std::string_view name) const;
  [[nodiscard]] bool is_castable(std::string_view schema, std::string_view name) const;
  // Whether = of two values, of which one is of a type of pg_catalog, can only be pg_catalog's.
  [[nodiscard]] bool has_plain_equality() const;

 private:
  [[nodiscard]] bool is_visible(const Candidate& candidate) const;
  void add_values_of(const ProtobufCMessage& node, TypeOids& values) const;
  void add_relation(const Relation* relation, TypeOids& values) const;
  void add_results(const Candidates& candidates, std::string_view name, TypeOids& values) const;
  void add_parts(std::uint32_t type, TypeOids& values) const;

  const ProtobufCMessage& statement_;
  const Catalog& catalog_;
  std::optional<TypeOids> values_;  // types outside pg_catalog of which the statement may have values
};

}  // namespace pgveil::rewriter
