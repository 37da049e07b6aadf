#include "review/open_by_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "common/ascii.hpp"
#include "review/closure_check.hpp"
#include "review/owner_decisions.hpp"
#include "review/release_check.hpp"
#include "rewriter/lists/system_catalogs.hpp"

namespace pgveil::review {
namespace {

using rewriter::Relation;
using rewriter::RelationKind;

struct Meant {
  const Relation* relation = nullptr;
  const rewriter::OpenPattern* pattern = nullptr;
};

const rewriter::OpenPattern* pattern_of(const Relation& relation,
                                        const std::vector<rewriter::OpenPattern>& patterns) {
  const auto at = std::ranges::find_if(
      patterns, [&](const auto& pattern) { return matches(pattern, relation.schema, relation.name); });
  return at == patterns.end() ? nullptr : &*at;
}

// Why the relation stays closed, whatever is around it. Empty: its kind may be open.
std::string reason_in_itself(const Relation& relation, const rewriter::Surroundings& surroundings) {
  if (relation.kind == RelationKind::materialized_view)
    return "it is a materialized view, which stores unmasked rows";
  if (relation.kind == RelationKind::foreign_table)
    return "it is a foreign table, and pgveil can't know whose rows the other server shows";
  if (relation.has_row_security)
    return "it has row-level security, and pgveil would read it with the rights of "
           "query_role for every client";
  if (!relation.stored.empty()) return "it has a column that kept the decisions of a policy";
  if (relation.has_parent || (relation.has_children && relation.kind != RelationKind::partitioned_table))
    return "it shares rows with inheritance relatives";
  // In a view's place its query is sent.
  if (relation.kind != RelationKind::view && !surroundings.readable.contains(relation.oid))
    return "query_role may not read it (pgveil setup-sql prints the GRANT)";
  return {};
}

bool is_of_name(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || is_above_ascii(c);
}

// The word that ends before `at`, behind blanks, quotes and the schema of a name.
std::string word_before(std::string_view text, std::size_t at) {
  const auto skip = [&](auto&& is_skipped) {
    while (at > 0 && is_skipped(text[at - 1])) --at;
  };
  skip([](char c) { return c == '"'; });
  if (at > 0 && text[at - 1] == '.') {
    skip([](char c) { return is_of_name(c) || c == '.' || c == '"'; });
  }
  skip([](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
  const std::size_t end = at;
  skip(is_of_name);
  return lower(text.substr(at, end - at));
}

// Whether the text of a function has INSERT INTO, SELECT … INTO or UPDATE before this name.
bool writes_into(std::string_view body, std::string_view name) {
  const std::string text = lower(body);
  const std::string wanted = lower(name);
  for (auto at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + 1)) {
    const auto end = at + wanted.size();
    if ((at > 0 && is_of_name(text[at - 1])) || (end < text.size() && is_of_name(text[end]))) continue;
    const std::string before = word_before(text, at);
    if (before == "into" || before == "update") return true;
  }
  return false;
}

// Sequences count rows, and partitions show through their parents: a pattern does not mean them.
bool is_meant(const Relation& relation) {
  return relation.kind != RelationKind::sequence && !relation.is_partition && !is_own(relation) &&
         rewriter::find_system_catalog(relation.schema, relation.name) == nullptr &&
         relation.schema != "pg_catalog" && relation.schema != "information_schema";
}

// The findings that say that an open relation shows too much, or that its rows can be put beside those of a
// person. Notes say nothing of the kind.
bool is_danger(const Finding& finding) {
  if (finding.severity == Severity::note) return false;
  return finding.kind == FindingKind::view || finding.kind == FindingKind::materialized_view ||
         finding.kind == FindingKind::inheritance || finding.kind == FindingKind::row_type ||
         finding.kind == FindingKind::foreign_key || finding.kind == FindingKind::foreign_table ||
         finding.kind == FindingKind::same_columns || finding.kind == FindingKind::join_key;
}

// "join public.people.id = public.visits.person_id" is about both.
bool is_about(const Finding& finding, const std::string& name) {
  return finding.object == name || (finding.kind == FindingKind::join_key &&
                                    finding.object.find(" " + name + ".") != std::string::npos);
}

// A finding's words about a table that is closed after all.
std::string as_reason(const Finding& finding) {
  std::string text = finding.what;
  for (const std::string_view claim : {", and is open", "; it is open"}) {
    if (const auto at = text.find(claim); at != std::string::npos) text.erase(at, claim.size());
  }
  return text;
}

class Opening {
 public:
  Opening(const std::vector<std::string>& named, const rewriter::Catalog& catalog,
          const std::vector<const policy::PolicySpec*>& policies, const rewriter::Surroundings& surroundings)
      : named_(named), catalog_(catalog), policies_(policies), surroundings_(surroundings) {}

  OpenedByPattern run(const std::vector<rewriter::OpenPattern>& patterns) {
    const OwnerDecisions decided(catalog_, policies_, named_);
    std::vector<Meant> candidates;
    for (const auto& [key, relation] : catalog_.relations) {
      const auto* pattern = pattern_of(relation, patterns);
      if (pattern == nullptr || !is_meant(relation) || decided.has_policy(relation.oid) || is_named(relation))
        continue;
      if (auto why = reason_in_itself(relation, surroundings_); !why.empty())
        close(relation, *pattern, why);
      else if (relation.kind != RelationKind::view && is_person_like(relation, decided))
        close(relation, *pattern, "its name or its columns look like those of a table of persons");
      else if (const auto* copying = routine_into(relation, decided); copying != nullptr)
        close(relation, *pattern, fmt::format("{} sees protected rows and writes into it", copying->object));
      else
        candidates.push_back({&relation, pattern});
    }
    judge(candidates);
    std::ranges::sort(out_.closed, {}, &Finding::object);
    return std::move(out_);
  }

 private:
  bool is_named(const Relation& relation) const {
    return std::ranges::find(named_, name_of(relation)) != named_.end();
  }

  // A function of a trigger on a protected table, or one that names or reads such a table.
  bool sees_protected(const rewriter::Routine& routine, const OwnerDecisions& decided) const {
    const auto is_trigger = [&](const rewriter::Trigger& trigger) {
      return decided.has_policy(trigger.table) && routine.object == "function " + trigger.function;
    };
    if (std::ranges::any_of(surroundings_.triggers, is_trigger)) return true;
    return std::ranges::any_of(decided.guarded(), [&](const Relation* table) {
      return std::ranges::find(routine.reads, table->oid) != routine.reads.end() ||
             lower(routine.body).find(lower(table->name)) != std::string::npos;
    });
  }

  // nullptr: no function is known to copy protected rows into it.
  const rewriter::Routine* routine_into(const Relation& relation, const OwnerDecisions& decided) const {
    const auto at = std::ranges::find_if(surroundings_.routines, [&](const rewriter::Routine& routine) {
      return writes_into(routine.body, relation.name) && sees_protected(routine, decided);
    });
    return at == surroundings_.routines.end() ? nullptr : &*at;
  }

  // As if all of them were open.
  void judge(const std::vector<Meant>& candidates) {
    std::vector<std::string> open = named_;
    for (const auto& candidate : candidates) open.push_back(name_of(*candidate.relation));
    const OwnerDecisions decisions(catalog_, policies_, open);
    const auto findings = check_closure(decisions, surroundings_);
    for (const auto& [relation, pattern] : candidates) {
      const std::string name = name_of(*relation);
      const auto danger = std::ranges::find_if(findings, [&, &it = *relation](const Finding& finding) {
        return it.kind != RelationKind::view && is_danger(finding) && is_about(finding, name);
      });
      if (danger != findings.end()) {
        close(*relation, *pattern, as_reason(*danger));
        continue;
      }
      out_.tables.push_back(name);
      if (pattern->access) out_.access.emplace(name, *pattern->access);
    }
  }

  void close(const Relation& relation, const rewriter::OpenPattern& pattern, const std::string& why) {
    out_.closed.push_back({FindingKind::kept_closed, Severity::note, name_of(relation),
                           fmt::format("{} stays closed under {}: {}", name_of(relation), pattern.text, why),
                           "if readers may see it unmasked, name it in open_tables. Otherwise name it under "
                           "except:"});
  }

  const std::vector<std::string>& named_;
  const rewriter::Catalog& catalog_;
  const std::vector<const policy::PolicySpec*>& policies_;
  const rewriter::Surroundings& surroundings_;
  OpenedByPattern out_;
};

}  // namespace

OpenedByPattern open_by_pattern(const std::vector<rewriter::OpenPattern>& patterns,
                                const std::vector<std::string>& named, const rewriter::Catalog& catalog,
                                const std::vector<const policy::PolicySpec*>& policies,
                                const rewriter::Surroundings& surroundings) {
  if (patterns.empty()) return {};
  return Opening(named, catalog, policies, surroundings).run(patterns);
}

}  // namespace pgveil::review
