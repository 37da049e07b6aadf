#pragma once
// What a session is told once of a masked table that it reads:
//   public.patients is masked (policy patients_k5, k = 5, built 2026-11-24 19:07 UTC): city 52 % shown,
//   sex 98 %, birth_date never; hidden values are NULL
#include "rewriter/snapshot/snapshot.hpp"
#include "rewriter/statement/notice.hpp"
#include "rewriter/told/told_columns.hpp"

namespace pgveil::rewriter {

// Columns that are hidden in all rows or shown in some, in the table's order. A copy is said to be of its
// time rather than so many hours old: a text that is made once must not become wrong. REQUIRES: the policy is
// open.
[[nodiscard]] Notice mask_notice(const Snapshot::ProtectedTable& table);

// What the comment of a masked table, and of a column of it, says; empty: nothing, the column is shown as it
// is. REQUIRES of table_comment: the policy is open.
[[nodiscard]] std::string table_comment(const Snapshot::ProtectedTable& table);
[[nodiscard]] std::string column_comment(const policy::PolicySpec& spec, const ToldColumn& column);

// Of a comparison by = that a column decides which is hidden in all rows.
enum class HiddenCondition { join, comparison };
[[nodiscard]] Notice hidden_condition_notice(const policy::PolicySpec& spec, std::string_view column,
                                             HiddenCondition condition);

}  // namespace pgveil::rewriter
