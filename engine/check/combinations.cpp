#include "engine/check/combinations.hpp"

#include <algorithm>
#include <variant>

namespace pgveil::engine {
namespace {

constexpr double kMostExact = 0x1p126;

Code raw_code(const PreparedTable& table, std::size_t place, std::uint32_t row) {
  const auto [block, index] = table.distinct.places[place];
  return std::visit(
      [&, block = block, index = index](const auto& codes) {
        return table.distinct.blocks[block].raw[index][codes[block][row]];
      },
      table.distinct.codes);
}

bool is_published(const PreparedTable& table, std::uint32_t row) {
  const std::size_t membership = table.attributes.size() + table.sensitive.size();
  return !table.has_subset() || raw_code(table, membership, row) != 0;
}

}  // namespace

Combinations::Combinations(const PreparedTable& table, const Transformation& at) : table_(table), at_(at) {
  auto most = static_cast<double>(table.rows);
  for (const auto& attribute : table.attributes) most *= static_cast<double>(attribute.domain);
  is_exact_ = most < kMostExact;
}

std::uint64_t Combinations::factor(std::size_t attribute, std::uint32_t row) const {
  const auto& tables = table_.attributes[attribute];
  const unsigned level = at_.level(attribute);
  if (level > tables.height()) return 1;
  return tables.hierarchy_rows[level][tables.code_at[level][raw_code(table_, attribute, row)]];
}

void Combinations::add_to(Sum& sum, std::uint32_t row, std::int64_t records) const {
  if (is_exact_) {
    auto product = static_cast<Exact>(records);
    for (std::size_t j = 0; j < table_.attributes.size(); ++j) product *= factor(j, row);
    sum.exact += product;
    return;
  }
  auto product = static_cast<double>(records);
  for (std::size_t j = 0; j < table_.attributes.size(); ++j) product *= static_cast<double>(factor(j, row));
  sum.terms.push_back(product);
}

void Combinations::add(std::uint32_t row, std::uint64_t records) {
  if (!is_published(table_, row)) return;
  add_to(classes_, row, static_cast<std::int64_t>(records));
}

void Combinations::suppress(std::uint32_t row, std::uint64_t records) {
  add_to(suppressed_, row, -static_cast<std::int64_t>(records));
  suppressed_records_ += records;
}

double Combinations::of_classes() const {
  return total({&classes_}, 0);
}

double Combinations::shown() const {
  return total({&classes_, &suppressed_}, suppressed_records_);
}

double Combinations::total(std::initializer_list<const Sum*> sums, std::uint64_t suppressed) const {
  if (is_exact_) {
    auto made = static_cast<Exact>(suppressed);
    for (const auto& attribute : table_.attributes) made *= static_cast<Exact>(attribute.domain);
    for (const auto* sum : sums) made += sum->exact;
    return static_cast<double>(made);
  }
  auto whole = static_cast<double>(suppressed);
  for (const auto& attribute : table_.attributes) whole *= static_cast<double>(attribute.domain);
  std::vector<double> terms{whole};
  for (const auto* sum : sums) terms.insert(terms.end(), sum->terms.begin(), sum->terms.end());
  std::ranges::sort(terms);
  double made = 0;
  for (const auto term : terms) made += term;
  return made;
}

}  // namespace pgveil::engine
