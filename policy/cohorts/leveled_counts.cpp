#include "policy/cohorts/leveled_counts.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "common/assert.hpp"
#include "policy/tree/released_together.hpp"

namespace pgveil::policy {

namespace {

std::size_t exact_position(const Counts& counts, int number) {
  const auto is_it = [&](const Attribute& attribute) {
    return attribute.number == number && !attribute.level;
  };
  return static_cast<std::size_t>(std::ranges::find_if(counts.attributes, is_it) - counts.attributes.begin());
}

// The level's values are numbered in the order of their first exact ones. Per exact code, there is the
// level's code.
struct Recoding {
  std::vector<std::string> values;
  std::vector<Code> code_of{kNullCode};
};

Recoding recode(const Level& level, const std::vector<std::string>& exact) {
  Recoding out;
  std::unordered_map<std::string, Code> known;
  for (const std::string& text : exact) {
    auto value = level_value(level, text);
    if (!value) {
      out.code_of.push_back(kNullCode);
      continue;
    }
    const auto [at, is_new] = known.try_emplace(std::move(*value), static_cast<Code>(out.values.size() + 1));
    if (is_new) out.values.push_back(at->first);
    out.code_of.push_back(at->second);
  }
  return out;
}

}  // namespace

std::vector<TreeAttribute> attributes_of(const PolicySpec& spec,
                                         const std::map<std::string, int, std::less<>>& numbers) {
  std::vector<TreeAttribute> out;
  for (const ColumnRule& rule : spec.columns) {
    if (rule.column_class != ColumnClass::quasi_identifier) continue;
    out.push_back({rule.name, numbers.at(rule.name), rule.level});
    if (rule.level) out.back().level->source_number = numbers.at(rule.level->source);
  }
  std::ranges::sort(out, {}, &TreeAttribute::number);
  return out;
}

PolicySpec without_levels(PolicySpec spec) {
  std::erase_if(spec.columns,
                [](const ColumnRule& rule) { return rule.level && rule.level->source != rule.name; });
  for (ColumnRule& rule : spec.columns) rule.level.reset();
  return spec;
}

bool has_sources(const Counts& counts, std::span<const TreeAttribute> attributes) {
  return std::ranges::all_of(attributes, [&](const TreeAttribute& attribute) {
    return exact_position(counts, source_of(attribute)) < counts.attributes.size();
  });
}

Counts with_attributes(const Counts& counts, std::span<const TreeAttribute> attributes) {
  Counts out;
  out.rows = counts.rows;
  out.units = counts.units;
  out.sensitive = counts.sensitive;
  for (const TreeAttribute& attribute : attributes) {
    const std::size_t at = exact_position(counts, source_of(attribute));
    PGVEIL_ASSERT(at < counts.attributes.size());
    const std::vector<std::string>& exact = counts.attributes[at].values;
    out.codes.push_back(counts.codes[at]);
    if (!attribute.level) {
      out.attributes.push_back({attribute.name, attribute.number, exact});
      continue;
    }
    Recoding recoding = recode(*attribute.level, exact);
    for (Code& code : out.codes.back()) code = recoding.code_of[code];
    out.attributes.push_back({attribute.name, attribute.number, std::move(recoding.values), attribute.level});
  }
  return out;
}

std::vector<std::optional<std::string>> with_levels(std::span<const TreeAttribute> attributes,
                                                    std::span<const std::optional<std::string_view>> exact) {
  PGVEIL_ASSERT(attributes.size() == exact.size());
  std::vector<std::optional<std::string>> out;
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    if (!exact[a]) {
      out.emplace_back();
    } else if (attributes[a].level) {
      out.push_back(level_value(*attributes[a].level, *exact[a]));
    } else {
      out.emplace_back(std::string(*exact[a]));
    }
  }
  return out;
}

}  // namespace pgveil::policy
