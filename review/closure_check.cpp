#include "review/closure_check.hpp"

#include <fmt/format.h>

#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <set>

namespace pgveil::review {
namespace {

// What an owner can do about a relation that clients cannot read.
std::string_view decision_about(const rewriter::Relation& relation) {
  switch (relation.kind) {
    case rewriter::RelationKind::table:
    case rewriter::RelationKind::partitioned_table:
      return "clients can't read it. Keep it closed and acknowledge it, or give it a policy";
    case rewriter::RelationKind::view:
      return "clients can't read it. Keep it closed and acknowledge it, list it in "
             "open_tables (the tables inside are masked), or give it a policy with source:";
    case rewriter::RelationKind::materialized_view:
    case rewriter::RelationKind::foreign_table:
      return "clients can't read it. Keep it closed and acknowledge it, or give it a policy "
             "with source:";
    case rewriter::RelationKind::sequence: return "clients can't read it. Keep it closed and acknowledge it";
  }
  return "clients can't read it";
}

struct Step {
  rewriter::RelationOid to = 0;
  FindingKind kind = FindingKind::view;
  std::string_view how;  // "{to} {how} {from}"
};

using Steps = std::multimap<rewriter::RelationOid, Step>;

FindingKind kind_of_reader(const rewriter::Relation& reader) {
  return reader.kind == rewriter::RelationKind::materialized_view ? FindingKind::materialized_view
                                                                  : FindingKind::view;
}

// From each relation to those that show its rows.
Steps upward_steps(const OwnerDecisions& standings, const rewriter::Surroundings& surroundings) {
  Steps steps;
  for (const auto& edge : surroundings.reads) {
    const rewriter::Relation* reader = standings.find(edge.reader);
    if (reader == nullptr) continue;
    const bool is_rule = edge.kind == rewriter::ReadKind::rule;
    const auto kind = is_rule ? FindingKind::rule : kind_of_reader(*reader);
    steps.emplace(edge.read, Step{edge.reader, kind, is_rule ? "has a rule on" : "reads"});
  }
  for (const auto& edge : surroundings.inheritance)
    steps.emplace(edge.child, Step{edge.parent, FindingKind::inheritance, "is a parent of"});
  for (const auto& column : surroundings.row_types)
    steps.emplace(column.of, Step{column.relation, FindingKind::row_type, "holds whole rows of"});
  return steps;
}

class Reach {
 public:
  Reach(const OwnerDecisions& standings, const rewriter::Surroundings& surroundings)
      : standings_(standings), steps_(upward_steps(standings, surroundings)) {
    for (const rewriter::Relation* relation : standings.guarded()) start(*relation);
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      for (const auto& edge : surroundings.inheritance) {
        if (edge.parent == starts_[i]) descend(edge);
      }
    }
  }

  std::vector<Finding> run() {
    std::deque<rewriter::RelationOid> queue(starts_.begin(), starts_.end());
    for (; !queue.empty(); queue.pop_front()) {
      const auto [first, last] = steps_.equal_range(queue.front());
      for (auto at = first; at != last; ++at) {
        const rewriter::Relation* to = standings_.find(at->second.to);
        if (to == nullptr || !seen_.insert(to->oid).second) continue;
        const rewriter::Relation& from = *standings_.find(queue.front());
        root_[to->oid] = root_.at(from.oid);
        report(*to, at->second, from);
        queue.push_back(to->oid);
      }
    }
    return std::move(findings_);
  }

 private:
  void start(const rewriter::Relation& relation) {
    if (!seen_.insert(relation.oid).second) return;
    starts_.push_back(relation.oid);
    root_[relation.oid] = &relation;
  }

  // Children hold rows of their parent, and nothing else that the parent shows.
  void descend(const rewriter::InheritanceEdge& edge) {
    const rewriter::Relation* child = standings_.find(edge.child);
    const rewriter::Relation* parent = standings_.find(edge.parent);
    if (child == nullptr || !seen_.insert(child->oid).second) return;
    starts_.push_back(child->oid);
    root_[child->oid] = root_.at(parent->oid);
    // A partition is always refused by name, so the policy of the partitioned table applies to it.
    if (child->is_partition && !standings_.is_open(child->oid)) return;
    report(*child, {child->oid, FindingKind::inheritance, "holds rows of"}, *parent);
  }

  void report(const rewriter::Relation& relation, const Step& step, const rewriter::Relation& from) {
    if (is_own(relation)) return;
    if (standings_.is_expanded(relation.oid)) return;  // masked inside, like the tables that it reads
    const bool is_open = standings_.is_open(relation.oid);
    const rewriter::Relation& root = *root_.at(relation.oid);
    Finding finding{step.kind, Severity::warning, name_of(relation),
                    fmt::format("{} {} {}", name_of(relation), step.how, name_of(from)),
                    std::string(decision_about(relation))};
    if (&root != &from) finding.what += fmt::format(", and so shows {}", name_of(root));
    if (step.kind == FindingKind::rule) {
      finding.severity = Severity::note;
      finding.mend = "a rule may copy rows when they are written. Check where it writes them";
    } else if (is_open) {
      finding.severity = Severity::error;
      finding.what += ", and is open: its rows would be shown without masks";
      finding.mend = relation.kind == rewriter::RelationKind::materialized_view
                         ? "remove it from open_tables"  // no materialized view may be listed there
                         : "remove it from open_tables, or acknowledge it";
    }
    findings_.push_back(std::move(finding));
  }

  const OwnerDecisions& standings_;
  Steps steps_;
  std::vector<rewriter::RelationOid> starts_;
  std::set<rewriter::RelationOid> seen_;
  std::map<rewriter::RelationOid, const rewriter::Relation*>
      root_;  // the protected table from which it was reached
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_reach(const OwnerDecisions& standings,
                                 const rewriter::Surroundings& surroundings) {
  return Reach(standings, surroundings).run();
}

std::vector<Finding> check_closure(const OwnerDecisions& standings,
                                   const rewriter::Surroundings& surroundings) {
  std::vector<Finding> findings;
  for (const auto part : {check_reach, check_repeats, check_join_keys, check_routines}) {
    auto found = part(standings, surroundings);
    std::move(found.begin(), found.end(), std::back_inserter(findings));
  }
  return findings;
}

}  // namespace pgveil::review
