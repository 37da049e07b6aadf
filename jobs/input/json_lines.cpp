#include "jobs/input/json_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <unordered_map>
#include <utility>

#include "jobs/language/values.hpp"

namespace pgveil::app {
namespace {

using boost::json::error_code;

Error in_record(std::uint64_t record, std::string_view what, std::string hint) {
  return invalid_input(fmt::format("record {}: {}", record, what), std::move(hint));
}

// What Boost's parser calls: keeps the members of one object as texts.
class FieldHandler {
 public:
  static constexpr std::size_t max_object_size = SIZE_MAX;
  static constexpr std::size_t max_array_size = SIZE_MAX;
  static constexpr std::size_t max_key_size = SIZE_MAX;
  static constexpr std::size_t max_string_size = SIZE_MAX;

  explicit FieldHandler(std::vector<JsonField>& fields) : fields_(fields) {}
  [[nodiscard]] bool is_object() const { return is_object_; }

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code&) {
    if (depth_ == 0) is_object_ = true;
    return begin_nested();
  }
  bool on_object_end(std::size_t, error_code&) { return end_nested(); }
  bool on_array_begin(error_code&) { return begin_nested(); }
  bool on_array_end(std::size_t, error_code&) { return end_nested(); }
  bool on_key_part(boost::json::string_view part, std::size_t, error_code&) { return add_to_text(part); }
  bool on_key(boost::json::string_view part, std::size_t, error_code&) {
    add_to_text(part);
    if (depth_ == 1) fields_.push_back({text_, std::nullopt});
    text_.clear();
    return true;
  }
  bool on_string_part(boost::json::string_view part, std::size_t, error_code&) { return add_to_text(part); }
  bool on_string(boost::json::string_view part, std::size_t, error_code&) { return end_text(part); }
  bool on_number_part(boost::json::string_view part, error_code&) { return add_to_text(part); }
  bool on_int64(std::int64_t, boost::json::string_view part, error_code&) { return end_text(part); }
  bool on_uint64(std::uint64_t, boost::json::string_view part, error_code&) { return end_text(part); }
  bool on_double(double, boost::json::string_view part, error_code&) { return end_text(part); }
  bool on_bool(bool value, error_code&) { return end_text(value ? "true" : "false"); }
  bool on_null(error_code&) { return true; }
  bool on_comment_part(boost::json::string_view, error_code&) { return true; }
  bool on_comment(boost::json::string_view, error_code&) { return true; }

 private:
  bool begin_nested() {
    if (depth_ == 1 && is_object_) fields_.back().is_nested = true;
    ++depth_;
    return true;
  }
  bool end_nested() {
    --depth_;
    return true;
  }
  bool add_to_text(boost::json::string_view part) {
    if (depth_ == 1) text_.append(part.data(), part.size());
    return true;
  }
  bool end_text(boost::json::string_view part) {
    if (depth_ == 1 && is_object_) {
      text_.append(part.data(), part.size());
      fields_.back().text = text_;
    }
    text_.clear();
    return true;
  }

  std::vector<JsonField>& fields_;
  std::string text_;
  std::size_t depth_ = 0;
  bool is_object_ = false;
};

bool has_key_twice(const std::vector<JsonField>& fields) {
  std::vector<std::string_view> names;
  names.reserve(fields.size());
  for (const auto& field : fields) names.push_back(field.name);
  std::ranges::sort(names);
  return std::ranges::adjacent_find(names) != names.end();
}

// The parser calls itself for each level, so this bounds its stack.
constexpr std::size_t kMostNested = 500;

boost::json::parse_options record_options() {
  boost::json::parse_options made;
  made.max_depth = kMostNested;
  return made;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

struct ReadColumn {
  engine::ColumnEncoder encoder;
  bool is_wanted = true;
  std::uint64_t rows = 0;
};

// The columns of a table while its records come.
class TableOfFields {
 public:
  TableOfFields(const std::optional<std::string>& null_text, std::span<const std::string> wanted)
      : null_text_(null_text), wanted_(wanted) {}

  Result<void> add(const std::vector<JsonField>& fields, std::uint64_t record) {
    for (const auto& field : fields) {
      ReadColumn* column = column_of(field.name);
      if (column == nullptr) continue;
      if (field.is_nested)
        return in_record(record, fmt::format("{} is an array or an object", field.name),
                         "write its parts as columns of their own");
      if (auto filled = fill(field.name, *column, record - 1); !filled) return filled;
      if (!field.text && !null_text_) return no_value(field.name, record);
      column->encoder.add(field.text ? *field.text : *null_text_);
      ++column->rows;
    }
    return {};
  }

  Result<engine::Table> finish(std::uint64_t records, std::vector<std::string>* others) {
    engine::Table table;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (!columns_[i].is_wanted) {
        if (others != nullptr) others->push_back(names_[i]);
        continue;
      }
      if (auto filled = fill(names_[i], columns_[i], records); !filled) return filled.error();
      table.columns.push_back(std::move(columns_[i].encoder).finish());
    }
    return table;
  }

 private:
  [[nodiscard]] bool is_wanted(const std::string& name) const {
    return wanted_.empty() || std::ranges::find(wanted_, name) != wanted_.end();
  }
  ReadColumn* column_of(const std::string& name) {
    const auto [found, is_new] = place_of_.try_emplace(name, names_.size());
    if (is_new) {
      names_.push_back(name);
      columns_.push_back({engine::ColumnEncoder(name), is_wanted(name)});
    }
    auto& column = columns_[found->second];
    return column.is_wanted ? &column : nullptr;
  }
  // Records that have no such key.
  Result<void> fill(const std::string& name, ReadColumn& column, std::uint64_t rows) {
    if (column.rows < rows && !null_text_) return no_value(name, column.rows + 1);
    for (; column.rows < rows; ++column.rows) column.encoder.add(*null_text_);
    return {};
  }
  static Error no_value(const std::string& name, std::uint64_t record) {
    return in_record(record, fmt::format("{} has no value", name),
                     "name the text that stands for NULL: \"null\": \"NULL\" below input, or --null");
  }

  const std::optional<std::string>& null_text_;
  std::span<const std::string> wanted_;
  std::vector<std::string> names_;  // of all keys, in the order in which they came
  std::vector<ReadColumn> columns_;
  std::unordered_map<std::string, std::size_t> place_of_;  // by name, in both of them
};

}  // namespace

Result<std::optional<std::string_view>> JsonLineReader::next_line() {
  while (true) {
    const auto end = held_.find('\n', searched_);
    if (end != std::string::npos) {
      const auto line = std::string_view(held_).substr(at_, end - at_);
      at_ = searched_ = end + 1;
      return std::optional(line);
    }
    if (is_over_) break;
    held_.erase(0, std::exchange(at_, 0));
    searched_ = held_.size();
    const auto more = read_(held_);
    if (!more) return more.error();
    is_over_ = !*more;
  }
  if (at_ == held_.size()) return std::optional<std::string_view>();
  searched_ = held_.size();
  return std::optional(std::string_view(held_).substr(std::exchange(at_, held_.size())));
}

Result<bool> JsonLineReader::next(std::vector<JsonField>& fields) {
  fields.clear();
  while (true) {
    const auto line = next_line();
    if (!line) return line.error();
    if (!*line) return false;
    std::string_view text = **line;
    if (record_ == 0 && text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    if (is_blank(text)) continue;
    ++record_;
    boost::json::basic_parser<FieldHandler> parser(record_options(), fields);
    error_code error;
    const std::size_t taken = parser.write_some(false, text.data(), text.size(), error);
    if (error == boost::json::error::too_deep)
      return in_record(record_,
                       fmt::format("arrays or objects are nested more than {} levels deep", kMostNested),
                       "leave such a column out of the file, or write its parts as columns of their own");
    if (error || !parser.handler().is_object() || !is_blank(text.substr(taken)))
      return in_record(record_, "the line is no JSON object", "write one object in each line");
    if (has_key_twice(fields)) return in_record(record_, "a key is there twice", "write each key once");
    return true;
  }
}

Result<void> check_no_json(std::string_view beginning) {
  constexpr std::string_view kBlank = " \t\r\n";
  if (beginning.starts_with(kByteOrderMark)) beginning.remove_prefix(kByteOrderMark.size());
  const auto first = beginning.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  const auto next = beginning.find_first_not_of(kBlank, first + 1);
  if (next == std::string_view::npos) return {};
  const bool is_object = beginning[first] == '{' && beginning[next] == '"';
  const bool is_array = beginning[first] == '[' && beginning[next] == '{';
  if (!is_object && !is_array) return {};
  return invalid_input("the text looks like JSON, which is read only from files with the name of JSON lines",
                       "JSON lines have one object in each line, in a file whose name ends with .jsonl or "
                       ".ndjson, packed or not");
}

Result<engine::Table> read_json_lines(ReadPiece read, const std::optional<std::string>& null_text,
                                      std::span<const std::string> wanted, std::vector<std::string>* others) {
  JsonLineReader reader(std::move(read));
  TableOfFields table(null_text, wanted);
  std::vector<JsonField> fields;
  while (true) {
    const auto more = reader.next(fields);
    if (!more) return more.error();
    if (!*more) return table.finish(reader.records_read(), others);
    if (auto added = table.add(fields, reader.records_read()); !added) return added.error();
  }
}

}  // namespace pgveil::app
