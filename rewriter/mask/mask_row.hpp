#pragma once
// The masking sub-select with one decision per row (policy/decision/row_decision.hpp) in place of one per
// column. For rewriter/mask only.
//
//   SELECT t.id AS id, NULL::pg_catalog.text AS name,
//          CASE WHEN (t."pgveil shown" OPERATOR(pg_catalog.&) 2) OPERATOR(pg_catalog.=) 2 THEN t.state
//               ELSE NULL::pg_catalog.text END AS state
//   FROM (SELECT t.id AS id, t.city AS city, t.state AS state,
//                CASE WHEN false AND pg_catalog.clock_timestamp() IS NULL THEN 0
//                     WHEN t.state OPERATOR(pg_catalog.=) 'OH'::pg_catalog.text THEN 2
//                     ELSE 0 END AS "pgveil shown"
//         FROM public.people AS t) AS t
//   WHERE <the guards>
//
// The first WHEN is never true, and PostgreSQL removes it before anything runs. It is there because
// PostgreSQL does not pull up a sub-query that names a volatile function in its targets, so the decision is
// made once per row. Unlike OFFSET 0, this still lets conditions on visible columns through to their indexes,
// and allows parallel scans. Only speed depends on it: if the sub-query were pulled up, the decision would be
// made in every column.
#include <optional>
#include <string_view>
#include <vector>

#include "policy/decision/row_decision.hpp"
#include "rewriter/mask/mask_column.hpp"

namespace pgveil::rewriter {

inline constexpr std::string_view kShownColumn = "pgveil shown";

// The decision as a number: bit a is set where attribute a is released. REQUIRES: at most
// policy::kMaxStoredAttributes.
[[nodiscard]] pg::Node* released_bits(const policy::RowDecision& decision, const TreeColumns& tree_columns,
                                      pg::Builder& build);

// CASE WHEN (t.<decision> & bit) = bit THEN the column ELSE NULL END, for an attribute of the tree.
[[nodiscard]] Result<pg::Node*> shown_if_released(std::string_view decision, std::size_t attribute,
                                                  const policy::DisclosureTree& tree,
                                                  const TreeColumns& tree_columns, pg::Builder& build);

// The mask's targets, where t.<decision> holds that number. by_column: see masking_select_by_row.
struct BitTargets {
  std::vector<pg::Node*> targets;
  std::size_t decided = 0;  // how many of the targets look at the decision
};
[[nodiscard]] Result<BitTargets> targets_by_bits(std::string_view decision,
                                                 const policy::DisclosureTree& tree,
                                                 const TreeColumns& tree_columns, const Relation& relation,
                                                 const PgQuery__SelectStmt& by_column, pg::Builder& build);

// How t.<decision> is computed: CASE <arms> ELSE <otherwise> END.
struct RowNumber {
  std::vector<pg::Builder::When> arms;
  pg::Node* otherwise = nullptr;
};
[[nodiscard]] RowNumber number_of(const policy::RowDecision& decision, const TreeColumns& tree_columns,
                                  pg::Builder& build);

// The mask with one decision per row. A level's column shows one of the constants that the tree releases of
// it: CASE WHEN <bit> THEN CASE WHEN <pre-image> THEN '[30,40)'::pg_catalog.text … ELSE NULL END ELSE NULL
// END. by_column: the mask in its other form, from which the raw columns, NULLs and guards are taken.
// nullopt: the mask has no such form, because fewer than two columns have a decision, there are more than 31
// attributes, or a column has the name kShownColumn.
[[nodiscard]] Result<std::optional<PgQuery__SelectStmt*>> masking_select_by_row(
    const RowNumber& number, const policy::DisclosureTree& tree, const TreeColumns& tree_columns,
    const Relation& relation, const PgQuery__SelectStmt& by_column, pg::Builder& build);

}  // namespace pgveil::rewriter
