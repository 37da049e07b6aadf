#include "engine/check/plan.hpp"

namespace pgveil::engine {
namespace {

std::bitset<kMaxAttributes> differing(const Transformation& target,
                                      const std::optional<Transformation>& present,
                                      const Optimizations& optimizations, std::size_t attributes) {
  std::bitset<kMaxAttributes> columns;
  for (std::size_t j = 0; j < attributes; ++j) {
    const bool is_there = present && present->level(j) == target.level(j);
    columns[j] = !is_there || optimizations.projection == Switch::off;
  }
  return columns;
}

}  // namespace

Plan make_plan(const Transformation& target, const KnownTables& known, const Optimizations& optimizations,
               std::size_t attributes) {
  Plan plan;
  std::optional<Available> best;
  if (optimizations.roll_up == Switch::on && known.last && generalizes(target, known.last->transformation)) {
    best = known.last;
    plan.source = Source::roll_up;
  }
  if (optimizations.history == Switch::on) {
    for (std::size_t i = 0; i < known.snapshots.size(); ++i) {
      const auto& snapshot = known.snapshots[i];
      if (best && snapshot.classes >= best->classes) continue;
      if (!generalizes(target, snapshot.transformation)) continue;
      best = snapshot;
      plan.source = Source::snapshot;
      plan.snapshot = i;
    }
  }
  plan.to_transform = differing(target, known.tables, optimizations, attributes);
  return plan;
}

}  // namespace pgveil::engine
