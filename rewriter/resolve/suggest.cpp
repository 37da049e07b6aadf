#include "rewriter/resolve/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "common/ascii.hpp"
#include "common/sql_quoting.hpp"
#include "pg/print.hpp"

namespace pgveil::rewriter {
namespace {

constexpr std::size_t kMostDistance = 3;  // PostgreSQL's MAX_FUZZY_DISTANCE
constexpr std::size_t kMostNames = 2;     // PostgreSQL names at most two

// The names at the smallest distance so far, in the order in which they came.
class Closest {
 public:
  Closest(std::string_view name, std::size_t most) : name_(name), most_(std::min(kMostDistance, most)) {}

  void offer(std::string_view candidate, std::string shown) {
    const std::size_t distance = name_distance(name_, candidate, kMostDistance);
    if (distance > most_ || distance > distance_) return;
    if (distance < distance_) shown_.clear();
    distance_ = distance;
    shown_.push_back(std::move(shown));
  }

  // "column" or "table"
  [[nodiscard]] std::string hint(std::string_view kind) const {
    if (shown_.empty() || shown_.size() > kMostNames) return {};
    std::string out = fmt::format("Perhaps you meant to reference the {} {}", kind, shown_[0]);
    if (shown_.size() > 1) out += fmt::format(" or the {} {}", kind, shown_[1]);
    return out + ".";
  }

 private:
  std::string_view name_;
  std::size_t most_;
  std::size_t distance_ = kMostDistance + 1;
  std::vector<std::string> shown_;
};

// PostgreSQL writes "a.b" around both. That would not say how to write a name that needs quotes of its own.
std::string quoted(std::string_view first, std::string_view second) {
  const std::string names =
      (first.empty() ? "" : pg::quote_identifier(first) + ".") + pg::quote_identifier(second);
  return names.find('"') == std::string::npos ? quoted_name(names) : names;
}

}  // namespace

std::size_t name_distance(std::string_view left, std::string_view right, std::size_t most) {
  const std::size_t least =
      left.size() > right.size() ? left.size() - right.size() : right.size() - left.size();
  if (least > most) return most + 1;
  if (left != right && lower(left) == lower(right)) return 1;
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < right.size(); ++j) {
      const std::size_t changed = diagonal + (left[i] == right[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, diagonal + 1, row[j] + 1});
    }
  }
  return std::min(row.back(), most + 1);
}

std::string suggest_column(const Scope& scope, std::string_view alias, std::string_view name) {
  Closest closest(name, name.size() / 2);  // as in PostgreSQL
  for (const Scope* at = &scope; at != nullptr; at = at->outer) {
    for (const Entry& entry : at->entries) {
      if (!entry.columns || (!alias.empty() && entry.alias != alias)) continue;
      for (const std::string& column : *entry.columns) closest.offer(column, quoted(entry.alias, column));
    }
  }
  return closest.hint("column");
}

std::string suggest_relation(std::span<const Relation* const> readable, std::string_view schema,
                             std::string_view name) {
  const std::size_t most = name.size() / 3;  // names of catalogs are alike from the start
  Closest here(name, most);
  Closest anywhere(name, most);
  for (const Relation* relation : readable) {
    const std::string shown = quoted(relation->schema, relation->name);
    if (relation->schema == schema) here.offer(relation->name, shown);
    anywhere.offer(relation->name, shown);
  }
  const std::string hint = here.hint("table");
  return hint.empty() ? anywhere.hint("table") : hint;
}

std::string suggest_alias(const Scope& scope, std::string_view table) {
  for (const Scope* at = &scope; at != nullptr; at = at->outer) {
    for (const Entry& entry : at->entries) {
      if (entry.table == nullptr || entry.table->name != table || entry.alias == table) continue;
      return fmt::format("Perhaps you meant to reference the table alias {}.", quoted_name(entry.alias));
    }
  }
  return {};
}

}  // namespace pgveil::rewriter
