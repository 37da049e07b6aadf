#include "jobs/check/unshown_cells.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace pgveil::app {
namespace {

// Bounds are sound after any number of rounds.
constexpr int kMostRounds = 20;

}  // namespace

UnshownCells::UnshownCells(const TransformationOrder& order, std::uint64_t k, std::vector<OpenClass> classes)
    : most_(k - 1), steps_(order.steps()), classes_(std::move(classes)) {
  find_cells(order);
  bool has_changed = true;
  for (int round = 0; round < kMostRounds && has_changed; ++round) {
    has_changed = false;
    for (std::size_t step = 0; step < steps_; ++step) has_changed = narrow(step) || has_changed;
  }
}

void UnshownCells::find_cells(const TransformationOrder& order) {
  std::vector<std::map<TransformationOrder::Codes, Cell>> numbers(steps_);
  for (const auto& of_class : classes_) {
    auto& of_combination = cells_.emplace_back();
    for (const auto& combination : of_class.combinations) {
      const auto place = order.place_of(combination);
      auto& cells = of_combination.emplace_back(steps_, kNoCell);
      for (std::size_t step = 0; step < (place ? place->step : steps_); ++step) {
        const auto next = static_cast<Cell>(numbers[step].size());
        cells[step] = numbers[step].emplace(order.values_at(step, combination), next).first->second;
      }
    }
  }
  for (const auto& of_step : numbers) cells_of_step_.push_back(of_step.size());
}

std::vector<UnshownCells::Bounds> UnshownCells::bounds_of(std::size_t number, std::size_t step) const {
  std::vector<Cell> cells;
  for (const auto& of_combination : cells_[number]) {
    if (of_combination[step] != kNoCell) cells.push_back(of_combination[step]);
  }
  std::ranges::sort(cells);
  const auto [first, last] = std::ranges::unique(cells);
  cells.erase(first, last);
  std::vector<Bounds> made;
  for (const auto cell : cells) made.push_back({cell, 0, std::min(most_, classes_[number].records)});
  return made;
}

bool UnshownCells::holds_all(std::size_t number, std::size_t step) const {
  return !classes_[number].is_open &&
         std::ranges::all_of(cells_[number], [&](const auto& it) { return it[step] != kNoCell; });
}

bool UnshownCells::narrow(std::size_t step) {
  std::vector<std::vector<Bounds>> bounds;
  std::vector<bool> is_whole;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    bounds.push_back(bounds_of(c, step));
    is_whole.push_back(holds_all(c, step));
  }
  std::vector<std::uint64_t> least_in(cells_of_step_[step], 0);  // of all classes
  bool has_changed = true;
  for (int round = 0; round < kMostRounds && has_changed; ++round) {
    has_changed = false;
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      const std::uint64_t records = classes_[c].records;
      std::uint64_t least = 0, most = 0;
      for (const auto& it : bounds[c]) {
        least += it.least;
        most += it.most;
      }
      for (auto& it : bounds[c]) {
        const Bounds before = it;
        const auto of_others = std::min(most_, least_in[it.cell] - it.least);
        const auto elsewhere = std::min(records, least - it.least);
        it.most = std::min({it.most, most_ - of_others, records - elsewhere});
        const auto most_elsewhere = most - before.most;
        if (is_whole[c] && records > most_elsewhere) it.least = std::max(it.least, records - most_elsewhere);
        most -= before.most - it.most;
        least += it.least - before.least;
        least_in[it.cell] += it.least - before.least;
        has_changed = has_changed || it.least != before.least || it.most != before.most;
      }
    }
  }
  return exclude(step, bounds);
}

bool UnshownCells::exclude(std::size_t step, const std::vector<std::vector<Bounds>>& bounds) {
  bool is_any = false;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    if (std::ranges::none_of(bounds[c], [](const Bounds& it) { return it.most == 0; })) continue;
    auto& combinations = classes_[c].combinations;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < combinations.size(); ++i) {
      const auto found = std::ranges::find(bounds[c], cells_[c][i][step], &Bounds::cell);
      if (found != bounds[c].end() && found->most == 0) continue;
      if (kept != i) {
        combinations[kept] = std::move(combinations[i]);
        cells_[c][kept] = std::move(cells_[c][i]);
      }
      ++kept;
    }
    is_any = is_any || kept < combinations.size();
    combinations.resize(kept);
    cells_[c].resize(kept);
  }
  return is_any;
}

std::map<engine::Code, std::uint64_t> UnshownCells::least_of(std::size_t number, std::size_t column) const {
  std::map<engine::Code, std::uint64_t> made;
  const OpenClass& of_class = classes_[number];
  for (std::size_t step = 0; step < steps_ && !of_class.is_open; ++step) {
    std::map<Cell, std::set<engine::Code>> values;  // of the column, by cell
    for (std::size_t i = 0; i < of_class.combinations.size(); ++i)
      values[cells_[number][i][step]].insert(of_class.combinations[i][column]);
    std::map<engine::Code, std::uint64_t> alone;  // cells in which a value is the only one
    for (const auto& [cell, in_cell] : values) {
      if (in_cell.size() == 1) ++alone[*in_cell.begin()];
    }
    const auto shown = values.find(kNoCell);
    for (const auto& [value, cells] : alone) {
      // What this transformation or an earlier one shows is not bounded, unless it has the value, too.
      if (shown != values.end() && shown->second != std::set{value}) continue;
      const std::uint64_t most = (values.size() - cells) * most_;
      if (most < of_class.records) made[value] = std::max(made[value], of_class.records - most);
    }
  }
  return made;
}

}  // namespace pgveil::app
