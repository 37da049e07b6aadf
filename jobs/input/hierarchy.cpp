// Reads the hierarchy section of an attribute: a file, or one of the rules.
#include <fmt/format.h>

#include "jobs/columnar/columnar_file.hpp"
#include "jobs/language/values.hpp"

namespace pgveil::app {
namespace {

using engine::DateStep;
using engine::HierarchyRule;
using engine::KeptSide;
using yaml::error_at;
using yaml::Value;

Error missing(const Value& section, std::string_view what, std::string_view fix) {
  return error_at(section.position(), what, fix);
}

Result<HierarchyRule> read_intervals(const Value& value) {
  const auto entries = read_job_section(value, "intervals");
  if (!entries) return entries.error();
  pgveil::FirstError errors;
  engine::Intervals rule;
  const auto* widths = yaml::find(*entries, "widths");
  if (widths == nullptr) return missing(value, "intervals without widths", "add widths: [5, 10, 20]");
  rule.widths = errors.take(widths->as_strings());
  if (const auto* origin = yaml::find(*entries, "origin")) rule.origin = errors.take(origin->as_string());
  if (const auto* low = yaml::find(*entries, "low")) rule.low = errors.take(low->as_string());
  if (const auto* high = yaml::find(*entries, "high")) rule.high = errors.take(high->as_string());
  if (errors.error()) return *errors.error();
  return rule;
}

Result<HierarchyRule> read_order(const Value& value) {
  const auto entries = read_job_section(value, "order");
  if (!entries) return entries.error();
  const auto* values = yaml::find(*entries, "values");
  const auto* groups = yaml::find(*entries, "groups");
  if (values == nullptr || groups == nullptr) {
    return missing(value, "an order needs values and groups",
                   "write {values: [low, mid, high], groups: [2]}");
  }
  pgveil::FirstError errors;
  engine::Order rule;
  rule.order = errors.take(values->as_strings());
  rule.group_sizes = errors.take(read_sizes(*groups));
  if (errors.error()) return *errors.error();
  return rule;
}

Result<HierarchyRule> read_masking(const Value& value) {
  constexpr std::array<std::pair<std::string_view, KeptSide>, 2> kSides{
      {{"prefix", KeptSide::prefix}, {"suffix", KeptSide::suffix}}};
  const auto entries = read_job_section(value, "masking");
  if (!entries) return entries.error();
  pgveil::FirstError errors;
  engine::Masking rule;
  if (const auto* keep = yaml::find(*entries, "keep")) rule.kept = errors.take(read_choice(*keep, kSides));
  if (const auto* masked = yaml::find(*entries, "masked")) rule.masked = errors.take(read_sizes(*masked));
  if (errors.error()) return *errors.error();
  return rule;
}

Result<HierarchyRule> read_dates(const Value& value) {
  constexpr std::array<std::pair<std::string_view, DateStep>, 5> kSteps{{{"day", DateStep::day},
                                                                         {"month", DateStep::month},
                                                                         {"quarter", DateStep::quarter},
                                                                         {"year", DateStep::year},
                                                                         {"decade", DateStep::decade}}};
  const auto items = value.as_sequence();
  if (!items) return items.error();
  engine::Dates rule;
  for (const auto& item : *items) {
    const auto step = read_choice(item, kSteps);
    if (!step) return step.error();
    rule.steps.push_back(*step);
  }
  return rule;
}

// A map of nodes, or a list of nodes and values.
Result<void> read_children(const Value& value, const std::string& parent, engine::Tree& tree) {
  const auto add = [&](const std::string& node, const yaml::Position& at) -> Result<void> {
    if (node.empty()) return error_at(at, "a node without a name", "use a hierarchy file for the empty text");
    tree.parent_of.emplace_back(node, parent);
    return {};
  };
  if (const auto nodes = value.as_map()) {
    for (const auto& [key, at, children] : *nodes) {
      if (auto added = add(key, at); !added) return added;
      if (auto below = read_children(children, key, tree); !below) return below;
    }
    return {};
  }
  const auto items = value.as_sequence();
  if (!items)
    return error_at(value.position(), "expected nodes or values", "write {Europe: [France, Spain]}");
  for (const auto& item : *items) {
    if (item.as_map()) {
      if (auto below = read_children(item, parent, tree); !below) return below;
      continue;
    }
    const auto text = item.as_string();
    if (!text) return text.error();
    if (auto added = add(*text, item.position()); !added) return added;
  }
  return {};
}

Result<HierarchyRule> read_tree(const Value& value) {
  engine::Tree rule;
  if (auto read = read_children(value, "", rule); !read) return read.error();
  return rule;
}

struct RuleReader {
  std::string_view key;
  Result<HierarchyRule> (*read)(const Value& value);
};
constexpr std::array<RuleReader, 5> kReaders{{{"intervals", read_intervals},
                                              {"order", read_order},
                                              {"masking", read_masking},
                                              {"dates", read_dates},
                                              {"tree", read_tree}}};

}  // namespace

Result<std::variant<JobFile, engine::HierarchyRule>> read_job_hierarchy(const Value& value,
                                                                        const std::string& folder) {
  using Source = std::variant<JobFile, HierarchyRule>;
  const auto entries = read_job_section(value, "hierarchy");
  if (!entries) return entries.error();
  const auto file = read_job_file_keys(*entries, folder, ';');
  if (!file) return file.error();
  std::optional<Source> source;
  std::size_t sources = 0;
  if (*file) {
    const auto columnar = columnar_format_of_name((*file)->path);
    if (is_json_lines((*file)->path) || (columnar && *columnar))
      return error_at(value.position(), "a hierarchy is delimited text, and this file is not",
                      "write a line for each value, with its generalizations");
    source = **file;
    ++sources;
  }
  if (const auto* header = yaml::find(*entries, "header")) {
    const auto has_header = header->as_boolean();
    if (!has_header) return has_header.error();
    if (!*file) return error_at(header->position(), "a header without a file", "remove it");
    std::get<JobFile>(*source).has_header = *has_header;
  }
  for (const auto& [key, read] : kReaders) {
    const auto* given = yaml::find(*entries, key);
    if (given == nullptr) continue;
    auto rule = read(*given);
    if (!rule) return rule.error();
    source = std::move(*rule);
    ++sources;
  }
  if (sources == 1) return *source;
  return error_at(value.position(), sources == 0 ? "an empty hierarchy" : "a hierarchy made in two ways",
                  "give one of file, intervals, order, masking, dates, tree");
}

}  // namespace pgveil::app
