#pragma once
// Guards calls of functions that read behind the masks of the catalogs and that a client may call for some
// objects only: pg_get_constraintdef and pg_get_indexdef, whose text may quote constants of CHECK constraints
// and of expressions and conditions of indexes; pg_describe_object, which names objects that the masks leave
// out; and the functions for the sizes of relations, which grow with hidden rows.
#include <cstdint>
#include <span>

#include "pg/build.hpp"
#include "rewriter/lists/functions.hpp"

namespace pgveil::rewriter {

// f(x, …) → f((SELECT o FROM (SELECT d.oid AS o FROM <catalog> AS d WHERE <d is harmless>) AS d WHERE o =
// x::oid), …). The function gets the OID of a harmless object or NULL, for which it returns NULL. This holds
// whatever x is and however often its value changes while it is computed. REQUIRES: rule is constraint_def,
// index_def, description or relation_size, and the call has that argument. as_they_are: the relations whose
// sizes the client may know.
void guard_call(PgQuery__FuncCall& call, FunctionRule rule, std::span<const std::uint32_t> as_they_are,
                pg::Builder& build);

// '{16385,16390}'::pg_catalog.oid[]
[[nodiscard]] pg::Node* oid_array(std::span<const std::uint32_t> oids, pg::Builder& build);

// The position of the argument that the guard protects.
[[nodiscard]] std::size_t guarded_argument(FunctionRule rule);

}  // namespace pgveil::rewriter
