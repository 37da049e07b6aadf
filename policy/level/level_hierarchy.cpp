#include "policy/level/level_hierarchy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/separated_text.hpp"
#include "common/utf8.hpp"

namespace pgveil::policy {
namespace {

bool is_readable(std::string_view field) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  return utf8_prefix(field) == field.size() && std::ranges::none_of(field, is_control);
}

Result<void> check_record(const std::vector<std::string_view>& fields, std::size_t width,
                          std::uint64_t record) {
  if (fields.size() != width) {
    return invalid_input(fmt::format("record {}: {} fields instead of {}", record, fields.size(), width),
                         "write the value and all its ancestors in each record. Check the separator");
  }
  if (!std::ranges::all_of(fields, is_readable))
    return invalid_input(fmt::format("record {}: not UTF-8, or a control character", record), "remove it");
  return {};
}

}  // namespace

Result<Groups> groups_of_hierarchy(std::string_view text, char separator, std::uint32_t step) {
  RecordReader reader(text, separator);
  std::vector<std::string_view> fields;
  std::map<std::string, std::string> label_of;
  std::size_t width = 0;
  while (true) {
    const auto more = reader.next(fields);
    if (!more) return more.error();
    if (!*more) break;
    const auto record = reader.records_read();
    if (width == 0) width = fields.size();
    if (step >= width) {
      return invalid_input(fmt::format("record {}: the value has no ancestor {}", record, step),
                           fmt::format("it has {} ancestors. Check the separator", width - 1));
    }
    if (auto checked = check_record(fields, width, record); !checked) return checked.error();
    if (fields[step].empty())
      return invalid_input(fmt::format("record {}: an ancestor has no name", record), "name it");
    if (label_of.size() == kMaxHierarchyValues) {
      return invalid_input(fmt::format("more than {} values", kMaxHierarchyValues),
                           "generalize by prefix, or add a coarser column to the table");
    }
    if (!label_of.emplace(fields.front(), fields[step]).second)
      return invalid_input(fmt::format("record {}: its value is listed twice", record),
                           "list each value once");
  }
  if (label_of.empty()) return invalid_input("no record", "write one for each value");
  return Groups{{label_of.begin(), label_of.end()}};
}

}  // namespace pgveil::policy
