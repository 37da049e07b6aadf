#pragma once
// A dictionary-encoded column. Each cell is a code of 1, 2 or 4 bytes, as few as the number of values needs.
// Codes are assigned in order of first appearance.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace pgveil::engine {

using Code = std::uint32_t;

class CodeColumn {
 public:
  void push_back(Code code);
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] Code at(std::size_t row) const;
  [[nodiscard]] unsigned bytes_per_code() const;
  // Calls work(span<const uint8_t | uint16_t | uint32_t>). The dispatch happens once per column, not per row.
  template <class Work>
  decltype(auto) visit(Work&& work) const {
    return std::visit([&](const auto& codes) -> decltype(auto) { return work(std::span(codes)); }, codes_);
  }

 private:
  std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::uint32_t>> codes_;
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
  void add(std::string_view cell);
  [[nodiscard]] Column finish() && { return std::move(column_); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  Column column_;
  std::unordered_map<std::string, Code, Hash, std::equal_to<>> codes_;
};

}  // namespace pgveil::engine
