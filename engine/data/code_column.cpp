#include "engine/data/code_column.hpp"

#include <limits>

#include "common/assert.hpp"

namespace pgveil::engine {
namespace {

template <class Wide, class Narrow>
std::vector<Wide> widened(const std::vector<Narrow>& codes) {
  std::vector<Wide> made;
  made.reserve(codes.capacity());
  made.assign(codes.begin(), codes.end());
  return made;
}

}  // namespace

void CodeColumn::push_back(Code code) {
  if (code > std::numeric_limits<std::uint8_t>::max()) {
    if (const auto* bytes = std::get_if<std::vector<std::uint8_t>>(&codes_))
      codes_ = widened<std::uint16_t>(*bytes);
  }
  if (code > std::numeric_limits<std::uint16_t>::max()) {
    if (const auto* pairs = std::get_if<std::vector<std::uint16_t>>(&codes_))
      codes_ = widened<std::uint32_t>(*pairs);
  }
  std::visit([code]<class T>(std::vector<T>& codes) { codes.push_back(static_cast<T>(code)); }, codes_);
}

void CodeColumn::shrink() {
  std::visit([](auto& codes) { codes.shrink_to_fit(); }, codes_);
}

std::size_t CodeColumn::size() const {
  return visit([](auto codes) { return codes.size(); });
}

CodeColumn CodeColumn::taken(std::span<const std::uint32_t> rows) const {
  CodeColumn made;
  std::visit(
      [&]<class T>(const std::vector<T>& codes) {
        std::vector<T> chosen(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) chosen[i] = codes[rows[i]];
        made.codes_ = std::move(chosen);
      },
      codes_);
  return made;
}

NullableCodes NullableCodes::taken(std::span<const std::uint32_t> rows) const {
  NullableCodes made;
  made.above_ = above_.taken(rows);
  return made;
}

std::vector<Code> NullableCodes::all() const {
  std::vector<Code> made(size());
  for (std::size_t row = 0; row < made.size(); ++row) made[row] = (*this)[row];
  return made;
}

unsigned CodeColumn::bytes_per_code() const {
  return visit([](auto codes) { return static_cast<unsigned>(sizeof(codes[0])); });
}

Code ColumnEncoder::add(std::string_view cell) {
  const auto known = codes_.find(cell);
  if (known != codes_.end()) {
    column_.codes.push_back(known->second);
    return known->second;
  }
  PGVEIL_ASSERT(column_.values.size() < std::numeric_limits<Code>::max());
  const auto code = static_cast<Code>(column_.values.size());
  column_.values.emplace_back(cell);
  codes_.emplace(cell, code);
  column_.codes.push_back(code);
  return code;
}

}  // namespace pgveil::engine
