#include "bench/utility/methods.hpp"

#include <algorithm>
#include <utility>

namespace pgveil::bench::utility {

namespace {

using policy::Growth;
using policy::Strategy;

Method tree(std::string name, Growth growth) {
  return {std::move(name), true, [growth = std::move(growth)](const Set& set, std::uint64_t k) {
            return mask_by_tree(set, k, growth);
          }};
}

Method full_domain(std::string name, double suppression, Names favoured) {
  return {std::move(name), false,
          [suppression, favoured = std::move(favoured)](const Set& set, std::uint64_t k) {
            return mask_by_full_domain(set, k, suppression, favoured);
          }};
}

Method mondrian(std::string name, bool is_relaxed) {
  return {std::move(name), false,
          [is_relaxed](const Set& set, std::uint64_t k) { return mask_by_mondrian(set, k, is_relaxed); }};
}

}  // namespace

Method greedy_tree() {
  return tree("the paper's greedy", {.strategy = Strategy::greedy});
}

Method thorough_tree() {
  return tree("thorough", {.strategy = Strategy::thorough});
}

Method priority_tree(const std::string& column) {
  return tree("priority", {.strategy = Strategy::thorough, .priority = {column}});
}

Method workload_tree(const std::vector<Names>& questions) {
  Growth growth{.strategy = Strategy::thorough};
  for (const Names& columns : questions) growth.workload.push_back({columns, 1});
  return tree("workload", std::move(growth));
}

Method broad_workload_tree(const std::vector<Names>& questions) {
  return {"workload, all columns beside", true, [questions](const Set& set, std::uint64_t k) {
            Growth growth{.strategy = Strategy::thorough};
            for (const Names& columns : questions) growth.workload.push_back({columns, 10});
            for (const Dimension& dimension : set.dimensions) {
              const Names alone = {dimension.name};
              if (std::ranges::find(questions, alone) == questions.end())
                growth.workload.push_back({alone, 1});
            }
            return mask_by_tree(set, k, growth);
          }};
}

std::vector<Method> generalizations(const std::vector<Names>& questions) {
  Names favoured;
  for (const Names& columns : questions) favoured.insert(favoured.end(), columns.begin(), columns.end());
  return {full_domain("full domain, 0 %", 0, {}), full_domain("full domain, 5 %", 0.05, {}),
          full_domain("full domain, 5 %, weighted", 0.05, favoured), mondrian("Mondrian, strict", false),
          mondrian("Mondrian, relaxed", true)};
}

}  // namespace pgveil::bench::utility
