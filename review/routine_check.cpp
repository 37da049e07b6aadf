// check_routines: code of users that sees a protected table's rows. Clients cannot call it (only functions of
// pg_catalog are sent), but a view, a cast or a trigger may.
#include <fmt/format.h>

#include <algorithm>

#include "common/ascii.hpp"
#include "review/closure_check.hpp"

namespace pgveil::review {
namespace {

bool is_word_byte(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || is_above_ascii(c);
}

// Whether it occurs as a whole word, in any case, because SQL folds it.
bool names_word(std::string_view text, std::string_view word) {
  const auto same = [](char a, char b) { return lower(a) == lower(b); };
  for (auto at = text.begin();; ++at) {
    at = std::search(at, text.end(), word.begin(), word.end(), same);
    if (at == text.end()) return false;
    const auto end = at + static_cast<std::ptrdiff_t>(word.size());
    const bool starts = at == text.begin() || !is_word_byte(*(at - 1));
    if (starts && (end == text.end() || !is_word_byte(*end))) return true;
  }
}

// The first protected table that the routine reads or names; nullptr: none.
const rewriter::Relation* table_of(const OwnerDecisions& standings, const rewriter::Routine& routine) {
  for (const rewriter::Relation* relation : standings.guarded()) {
    if (std::ranges::find(routine.reads, relation->oid) != routine.reads.end()) return relation;
    if (!routine.body.empty() && names_word(routine.body, relation->name)) return relation;
  }
  return nullptr;
}

void routine(const OwnerDecisions& standings, const rewriter::Routine& routine,
             std::vector<Finding>& findings) {
  const rewriter::Relation* table = table_of(standings, routine);
  if (routine.is_definer && routine.query_role_may_execute) {
    findings.push_back(
        {FindingKind::definer_function, Severity::warning, routine.object,
         fmt::format("{} runs with its owner's rights, and query_role may execute it{}", routine.object,
                     table == nullptr ? "" : fmt::format("; it names {}", name_of(*table))),
         fmt::format("REVOKE EXECUTE ON {} FROM PUBLIC, or acknowledge it", routine.object)});
  } else if (table != nullptr) {
    findings.push_back({FindingKind::function_body, Severity::note, routine.object,
                        fmt::format("{} names {}", routine.object, name_of(*table)),
                        "clients can't call it"});
  }
}

void trigger(const OwnerDecisions& standings, const rewriter::Trigger& trigger,
             std::vector<Finding>& findings) {
  const rewriter::Relation* table = standings.find(trigger.table);
  if (table == nullptr || !standings.has_policy(table->oid)) return;
  findings.push_back(
      {FindingKind::trigger, Severity::note, fmt::format("trigger {} on {}", trigger.name, name_of(*table)),
       fmt::format("trigger {} on {} runs {}", trigger.name, name_of(*table), trigger.function),
       "it may copy rows when they are written. Check where it writes them"});
}

}  // namespace

std::vector<Finding> check_routines(const OwnerDecisions& standings,
                                    const rewriter::Surroundings& surroundings) {
  std::vector<Finding> findings;
  if (standings.guarded().empty()) return findings;
  for (const auto& it : surroundings.routines) routine(standings, it, findings);
  for (const auto& it : surroundings.triggers) trigger(standings, it, findings);
  return findings;
}

}  // namespace pgveil::review
