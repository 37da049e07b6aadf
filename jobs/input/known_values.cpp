#include "jobs/input/known_values.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/check/prepared_table.hpp"
#include "jobs/input/data.hpp"
#include "jobs/input/input_text.hpp"

namespace pgveil::app {
namespace {

using Codes = std::vector<engine::Code>;

// Finds the values of one attribute that its hierarchy does not know. Each value is known or not by itself,
// so halves are tried of what is not known as a whole.
class UnknownValues {
 public:
  UnknownValues(const Job& job, const JobAttribute& attribute, const engine::Column& column)
      : job_(job), attribute_(attribute), column_(column), is_unknown_(column.values.size(), false) {}

  Result<std::vector<bool>> find() && {
    Codes rest(column_.values.size());
    std::iota(rest.begin(), rest.end(), engine::Code{0});
    if (std::holds_alternative<JobFile>(attribute_.hierarchy)) {
      auto read = hierarchy_of(attribute_, column_, job_);
      if (!read) return read.error();
      file_ = std::move(*read);
      mark_what_the_file_lacks(rest);
    }
    try_values(rest);
    if (error_ && std::ranges::find(is_unknown_, false) == is_unknown_.end()) return *error_;
    return std::move(is_unknown_);
  }

 private:
  void mark_what_the_file_lacks(Codes& rest) {
    std::unordered_set<std::string_view> known;
    for (const auto& row : file_->rows) known.insert(row.front());
    const auto is_lacking = [&](engine::Code code) { return !known.contains(column_.values[code]); };
    // If the file has none of them, the words of prepare() say so.
    if (std::ranges::all_of(rest, is_lacking)) return;
    for (const auto code : rest) is_unknown_[code] = is_lacking(code);
    std::erase_if(rest, is_lacking);
  }

  void try_values(std::span<const engine::Code> codes) {
    auto made = prepared(codes);
    if (made) return;
    if (!error_) error_ = made.error();
    if (codes.size() == 1) {
      is_unknown_[codes.front()] = true;
      return;
    }
    try_values(codes.first(codes.size() / 2));
    try_values(codes.subspan(codes.size() / 2));
  }

  [[nodiscard]] Result<void> prepared(std::span<const engine::Code> codes) const {
    engine::Table table;
    auto& column = table.columns.emplace_back();
    column.name = column_.name;
    for (const auto code : codes) {
      column.codes.push_back(static_cast<engine::Code>(column.values.size()));
      column.values.push_back(column_.values[code]);
    }
    auto hierarchy = file_ ? Result<engine::Hierarchy>(*file_) : hierarchy_of(attribute_, column, job_);
    if (!hierarchy) return hierarchy.error();
    const std::array<engine::QuasiIdentifier, 1> quasi_identifiers{
        {{column.name, std::move(*hierarchy), attribute_.is_continuous, job_.null_text}}};
    if (auto made = engine::prepare(table, quasi_identifiers); !made) return made.error();
    return {};
  }

  const Job& job_;
  const JobAttribute& attribute_;
  const engine::Column& column_;
  std::optional<engine::Hierarchy> file_;  // if the hierarchy is a file
  std::vector<bool> is_unknown_;           // per code
  std::optional<Error> error_;             // the first one
};

// These rows, with the values that occur in them.
engine::Table with_own_values(const engine::Table& table, std::span<const std::size_t> rows) {
  engine::Table made;
  for (const auto& column : table.columns) {
    auto& own = made.columns.emplace_back();
    own.name = column.name;
    Codes code_of(column.values.size(), engine::kNullCode);
    for (const auto row : rows) {
      const auto code = column.codes.at(row);
      if (code_of[code] == engine::kNullCode) {
        code_of[code] = static_cast<engine::Code>(own.values.size());
        own.values.push_back(column.values[code]);
      }
      own.codes.push_back(code_of[code]);
    }
  }
  return made;
}

}  // namespace

Result<std::uint64_t> leave_out_unknown_values(const Job& job, engine::Table& table) {
  std::vector<bool> is_left(table.rows(), true);
  for (const auto& attribute : job.attributes) {
    if (attribute.attribute_class == AttributeClass::identifier) continue;
    const auto& column = *table.find(attribute.name);
    const auto unknown = UnknownValues(job, attribute, column).find();
    if (!unknown) return unknown.error();
    for (std::size_t row = 0; row < table.rows(); ++row) {
      if ((*unknown)[column.codes.at(row)]) is_left[row] = false;
    }
  }
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (is_left[row]) rows.push_back(row);
  }
  if (rows.empty())
    return invalid_input("each record has a value that a hierarchy does not know",
                         "write hierarchies for all values that the subject can have");
  const std::uint64_t left_out = table.rows() - rows.size();
  table = with_own_values(table, rows);
  return left_out;
}

}  // namespace pgveil::app
