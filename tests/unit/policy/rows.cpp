#include "rows.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace pgveil::policy::testing {

Table worked_example() {
  return {{"occupation", "city", "state"},
          false,
          {{{"Lawyer", "Washington", "DC"}},
           {{"Lawyer", "Washington", "DC"}},
           {{"Lawyer", "Hamlet", "OH"}},
           {{"Accountant", "Hamlet", "OH"}},
           {{"Farmer", "Hamlet", "OH"}},
           {{"Farmer", "Hamlet", "OH"}},
           {{"Lawyer", "Columbus", "OH"}},
           {{"Accountant", "Withamsville", "OH"}},
           {{"Accountant", "Whately", "MA"}},
           {{"Accountant", "College Park", "MD"}},
           {{"Accountant", "Bellevue", "KY"}}}};
}

namespace {

// Distinct texts in an order the seed chooses, and the code of each.
std::map<std::string, Code> number_texts(const std::vector<Text>& texts, std::vector<std::string>& values,
                                         std::mt19937_64& random) {
  std::map<std::string, Code> codes;
  for (const Text& text : texts) {
    if (text) codes.emplace(*text, 0);
  }
  for (const auto& [text, code] : codes) values.push_back(text);
  std::shuffle(values.begin(), values.end(), random);
  for (std::size_t i = 0; i < values.size(); ++i) codes[values[i]] = static_cast<Code>(i + 1);
  return codes;
}

std::vector<Text> column_of(const Table& table, std::size_t a) {
  std::vector<Text> texts;
  for (const Row& row : table.rows) texts.push_back(row.values[a]);
  return texts;
}

}  // namespace

Counts count(const Table& table, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Counts counts;
  std::vector<std::vector<Code>> coded(table.rows.size());
  for (std::size_t a = 0; a < table.attributes.size(); ++a) {
    Attribute attribute{table.attributes[a], static_cast<int>(2 * a + 2), {}};
    if (const Level* level = table.level_of(a)) attribute.level = *level;
    const auto codes = number_texts(column_of(table, a), attribute.values, random);
    counts.attributes.push_back(std::move(attribute));
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const Text& text = table.rows[r].values[a];
      coded[r].push_back(text ? codes.at(*text) : kNullCode);
    }
  }
  if (table.has_units) {
    std::vector<Text> units;
    for (const Row& row : table.rows) units.push_back(row.unit);
    std::vector<std::string> names;
    const auto codes = number_texts(units, names, random);
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      coded[r].push_back(units[r] ? codes.at(*units[r]) : kNullCode);
    }
  }
  if (table.has_sensitive) {
    std::map<std::string, Code> codes;
    for (const Row& row : table.rows) {
      if (row.sensitive) codes.emplace(*row.sensitive, 0);
    }
    Code next = kNullCode;
    for (auto& [text, code] : codes) code = ++next;
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const Text& text = table.rows[r].sensitive;
      coded[r].push_back(text ? codes.at(*text) : kNullCode);
    }
    counts.sensitive.push_back({"sensitive", 1, codes.size(), {}});
  }
  std::map<std::vector<Code>, std::uint64_t> aggregate;
  for (const auto& row : coded) ++aggregate[row];
  std::vector<std::pair<std::vector<Code>, std::uint64_t>> entries(aggregate.begin(), aggregate.end());
  std::shuffle(entries.begin(), entries.end(), random);
  counts.codes.resize(table.attributes.size());
  for (const auto& [row, occurrences] : entries) {
    for (std::size_t a = 0; a < table.attributes.size(); ++a) counts.codes[a].push_back(row[a]);
    if (table.has_units) counts.units.push_back(row[table.attributes.size()]);
    if (table.has_sensitive) counts.sensitive.front().codes.push_back(row.back());
    counts.rows.push_back(occurrences);
  }
  return counts;
}

std::vector<std::optional<std::string_view>> view(const Row& row) {
  std::vector<std::optional<std::string_view>> values;
  for (const Text& text : row.values) {
    values.push_back(text ? std::optional<std::string_view>(*text) : std::nullopt);
  }
  return values;
}

namespace {

int source_number(const TreeAttribute& attribute) {
  return attribute.level ? attribute.level->source_number : attribute.number;
}

std::uint32_t step(const TreeAttribute& attribute) {
  return attribute.level && attribute.level->source_number != attribute.number ? attribute.level->step : 0;
}

}  // namespace

std::set<std::size_t> with_coarser(const std::vector<TreeAttribute>& attributes, std::size_t attribute) {
  std::set<std::size_t> out = {attribute};
  for (std::size_t other = 0; other < attributes.size(); ++other) {
    const bool is_of_it = source_number(attributes[other]) == source_number(attributes[attribute]);
    if (is_of_it && step(attributes[other]) > step(attributes[attribute])) out.insert(other);
  }
  return out;
}

std::vector<Text> shown(const DisclosureTree& tree, const Row& row) {
  std::vector<const Node*> taken;
  const Node* node = &tree.nodes.front();
  while (node->split || node->falls_back) {
    if (!node->split) {
      node = taken.back();
      taken.pop_back();
      while (node->split) node = &tree.nodes[node->no];
    } else if (row.values[node->split->attribute] == node->split->value) {
      taken.push_back(node);
      node = &tree.nodes[node->yes];
    } else {
      node = &tree.nodes[node->no];
    }
  }
  std::vector<Text> result(row.values.size());
  for (const Node* split : taken) {
    for (const std::size_t a : with_coarser(tree.attributes, split->split->attribute))
      result[a] = row.values[a];
  }
  return result;
}

void fill_levels(const Table& table, Row& row) {
  for (std::size_t a = 0; a < table.attributes.size(); ++a) {
    const Level* level = table.level_of(a);
    if (level == nullptr) continue;
    const auto source = std::find(table.attributes.begin(), table.attributes.end(), level->source);
    const Text& exact = row.values[static_cast<std::size_t>(source - table.attributes.begin())];
    row.values[a] = exact ? level_value(*level, *exact) : Text{};
  }
}

Table random_leveled_table(std::mt19937_64& random, const RandomShape& shape) {
  const Table plain = random_table(random, shape);
  Table table{{"n0_2", "n0", "n1"}, plain.has_units, {}, {}};
  table.attributes.insert(table.attributes.end(), plain.attributes.begin(), plain.attributes.end());
  table.attributes.insert(table.attributes.end(), {"n0_6", "n1_b"});
  table.levels.resize(table.attributes.size());
  table.levels.front() = Level{"n0", 4, 1, LevelShows::label, Bins{2 * kScale, 0}};
  table.levels[table.levels.size() - 2] = Level{"n0", 4, 2, LevelShows::start, Bins{6 * kScale, 0}};
  table.levels.back() = Level{"n1", 6, 1, LevelShows::label, Bounds{{3 * kScale, 7 * kScale}}};
  for (const Row& row : plain.rows) {
    Row leveled{{}, row.unit};
    leveled.values = {Text{}, std::to_string(random() % 12),
                      std::to_string(std::min(random() % 12, random() % 12))};
    if (random() % 8 == 0) leveled.values[1 + random() % 2].reset();
    leveled.values.insert(leveled.values.end(), row.values.begin(), row.values.end());
    leveled.values.resize(table.attributes.size());
    fill_levels(table, leveled);
    table.rows.push_back(std::move(leveled));
  }
  return table;
}

Table random_table(std::mt19937_64& random, const RandomShape& shape) {
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  Table table;
  table.has_units = shape.has_units;
  table.has_sensitive = shape.sensitive_values > 0;
  const std::size_t attribute_count = 1 + below(shape.max_attributes);
  for (std::size_t a = 0; a < attribute_count; ++a) table.attributes.push_back("a" + std::to_string(a));
  std::vector<std::size_t> value_counts;
  for (std::size_t a = 0; a < attribute_count; ++a) value_counts.push_back(1 + below(shape.max_values));
  const std::size_t row_count = 1 + below(shape.max_rows);
  const std::size_t unit_count = 1 + below(row_count);
  const std::size_t null_share = below(4);  // of 10
  for (std::size_t r = 0; r < row_count; ++r) {
    Row row;
    for (std::size_t a = 0; a < attribute_count; ++a) {
      // The smaller of two: low values are frequent.
      const std::size_t value = std::min(below(value_counts[a]), below(value_counts[a]));
      row.values.push_back(below(10) < null_share ? Text{} : Text{"v" + std::to_string(value)});
    }
    if (shape.has_units && below(10) >= null_share / 2) row.unit = "u" + std::to_string(below(unit_count));
    if (table.has_sensitive && below(10) >= null_share / 2)
      row.sensitive =
          "s" + std::to_string(std::min(below(shape.sensitive_values), below(shape.sensitive_values)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace pgveil::policy::testing
