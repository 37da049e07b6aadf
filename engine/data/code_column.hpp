#pragma once
// A dictionary-encoded column. Each cell is a code of 1, 2 or 4 bytes, as few as the number of values needs.
// Codes are assigned in order of first appearance.
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace pgveil::engine {

using Code = std::uint32_t;

class CodeColumn {
 public:
  void push_back(Code code);
  // Gives memory for further codes back.
  void shrink();
  [[nodiscard]] std::size_t size() const;
  // Calls work(span<const uint8_t | uint16_t | uint32_t>). The dispatch happens once per column, not per row.
  template <class Work>
  decltype(auto) visit(Work&& work) const {
    return std::visit([&](const auto& codes) -> decltype(auto) { return work(std::span(codes)); }, codes_);
  }
  [[nodiscard]] Code at(std::size_t row) const {
    return visit([row](auto codes) -> Code { return codes[row]; });
  }
  // These rows, in this order.
  [[nodiscard]] CodeColumn taken(std::span<const std::uint32_t> rows) const;
  [[nodiscard]] unsigned bytes_per_code() const;

 private:
  std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::uint32_t>> codes_;
};

inline constexpr Code kNullCode = UINT32_MAX;

// Codes of which each may be missing (kNullCode). A cell takes as few bytes as in a CodeColumn.
class NullableCodes {
 public:
  NullableCodes() = default;
  NullableCodes(std::initializer_list<Code> codes) {
    for (const Code code : codes) push_back(code);
  }
  void push_back(Code code) { above_.push_back(code + 1); }
  void shrink() { above_.shrink(); }
  [[nodiscard]] Code operator[](std::size_t row) const { return above_.at(row) - 1; }
  [[nodiscard]] std::size_t size() const { return above_.size(); }
  [[nodiscard]] NullableCodes taken(std::span<const std::uint32_t> rows) const;
  [[nodiscard]] std::vector<Code> all() const;
  // Like CodeColumn::visit, with each code plus 1, and 0 for kNullCode.
  template <class Work>
  decltype(auto) visit_above(Work&& work) const {
    return above_.visit(std::forward<Work>(work));
  }

 private:
  CodeColumn above_;  // kNullCode wraps around to 0
};

struct Column {
  std::string name;
  std::vector<std::string> values;  // values[code]
  CodeColumn codes;
};

// Builds a column from its cells, one after the other.
class ColumnEncoder {
 public:
  explicit ColumnEncoder(std::string name) { column_.name = std::move(name); }
  // Returns the code of the cell, which repeat() adds again without looking for the value. REQUIRES of
  // repeat: add() has returned the code.
  Code add(std::string_view cell);
  void repeat(Code code) { column_.codes.push_back(code); }
  [[nodiscard]] Column finish() && {
    column_.codes.shrink();
    return std::move(column_);
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  Column column_;
  std::unordered_map<std::string, Code, Hash, std::equal_to<>> codes_;
};

}  // namespace pgveil::engine
