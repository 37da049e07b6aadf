#include "common/json_object.hpp"

#include <fmt/format.h>

#include <boost/json/parse.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "common/sqlstate.hpp"
#include "common/yaml.hpp"

namespace pgveil {

namespace json = boost::json;

boost::json::value number_or_null(std::optional<double> value) {
  return value && std::isfinite(*value) ? boost::json::value(*value) : boost::json::value(nullptr);
}

boost::json::value text_or_null(const std::optional<std::string>& text) {
  return text ? boost::json::value(*text) : boost::json::value(nullptr);
}

Error broken_json(std::string_view path, std::string_view what) {
  return {.kind = ErrorKind::configuration,
          .sqlstate = std::string(sqlstate::kInvalidParameterValue),
          .public_message =
              fmt::format("{}: {}; not a version of this pgveil: build the policy again", path, what)};
}

JsonObjectView::JsonObjectView(const json::value& value, std::string path, FirstError& errors,
                               std::string_view separator)
    : object_(value.if_object()), path_(std::move(path)), errors_(errors), separator_(separator) {
  if (object_ == nullptr) errors_.add(broken_json(path_, "not an object"));
}

JsonObjectView::JsonObjectView(const json::object& object, std::string path, FirstError& errors)
    : object_(&object), path_(std::move(path)), errors_(errors), separator_(".") {}

bool JsonObjectView::has(std::string_view key) const {
  return object_ != nullptr && object_->contains(key);
}

const json::value* JsonObjectView::take(std::string_view key) {
  if (object_ == nullptr) return nullptr;
  const json::value* value = object_->if_contains(key);
  if (value == nullptr) fail(key, "is missing");
  taken_.emplace(key);
  return value;
}

void JsonObjectView::fail(std::string_view key, std::string_view what) {
  errors_.add(broken_json(path_, fmt::format("{} {}", yaml::in_quotes(key), what)));
}

std::int64_t JsonObjectView::integer(std::string_view key, std::int64_t min, std::int64_t max) {
  const json::value* value = take(key);
  if (value == nullptr) return min;
  if (!value->is_int64() || value->get_int64() < min || value->get_int64() > max) {
    fail(key, fmt::format("is not a whole number from {} to {}", min, max));
    return min;
  }
  return value->get_int64();
}

bool JsonObjectView::flag(std::string_view key) {
  const json::value* value = take(key);
  if (value == nullptr) return false;
  if (value->is_bool()) return value->get_bool();
  fail(key, "is not true or false");
  return false;
}

std::uint64_t JsonObjectView::count(std::string_view key) {
  return static_cast<std::uint64_t>(integer(key, 0, std::numeric_limits<std::int64_t>::max()));
}

std::string JsonObjectView::text(std::string_view key) {
  const json::value* value = take(key);
  if (value == nullptr) return {};
  const json::string* text = value->if_string();
  if (text == nullptr || text->find('\0') != json::string::npos) {
    fail(key, "is not a text");
    return {};
  }
  return std::string(text->data(), text->size());
}

std::optional<std::string> JsonObjectView::text_or_null(std::string_view key) {
  if (has(key) && !has_value(key)) return std::nullopt;
  return text(key);
}

const json::array& JsonObjectView::array(std::string_view key) {
  static const json::array kEmpty;
  const json::value* value = take(key);
  if (value == nullptr) return kEmpty;
  if (const json::array* array = value->if_array()) return *array;
  fail(key, "is not a list");
  return kEmpty;
}

std::vector<std::string> JsonObjectView::texts(std::string_view key) {
  std::vector<std::string> texts;
  for (const json::value& item : array(key)) {
    const json::string* text = item.if_string();
    if (text == nullptr || text->find('\0') != json::string::npos) {
      fail(key, "is not a list of texts");
      return {};
    }
    texts.emplace_back(text->data(), text->size());
  }
  return texts;
}

std::vector<std::int64_t> JsonObjectView::integers(std::string_view key, std::int64_t min, std::int64_t max) {
  std::vector<std::int64_t> integers;
  for (const json::value& item : array(key)) {
    if (!item.is_int64() || item.get_int64() < min || item.get_int64() > max) {
      fail(key, fmt::format("is not a list of whole numbers from {} to {}", min, max));
      return {};
    }
    integers.push_back(item.get_int64());
  }
  return integers;
}

std::vector<double> JsonObjectView::numbers(std::string_view key, double min, double max) {
  std::vector<double> numbers;
  for (const json::value& item : array(key)) {
    const bool is_number = item.is_number();
    const double number = is_number ? item.to_number<double>() : 0;
    if (!is_number || !(number >= min && number <= max)) {
      fail(key, fmt::format("is not a list of numbers from {} to {}", min, max));
      return {};
    }
    numbers.push_back(number);
  }
  return numbers;
}

JsonObjectView JsonObjectView::object(std::string_view key) {
  static const json::value kNull;
  const json::value* value = take(key);
  return {value == nullptr ? kNull : *value, path_of(key), errors_};
}

std::string JsonObjectView::path_of(std::string_view key) const {
  return fmt::format("{}{}{}", path_, separator_, key);
}

bool JsonObjectView::has_value(std::string_view key) {
  if (!has(key)) return false;
  if (!object_->at(key).is_null()) return true;
  skip(key);
  return false;
}

bool JsonObjectView::is_list(std::string_view key) const {
  return has(key) && object_->at(key).is_array();
}

void JsonObjectView::skip(std::string_view key) {
  taken_.emplace(key);
}

void JsonObjectView::finish() {
  if (object_ == nullptr) return;
  for (const auto& member : *object_) {
    if (!taken_.contains(std::string_view(member.key()))) fail(member.key(), "is an unknown key");
  }
}

namespace {

// The parser's depth limit bounds the recursion.
std::size_t member_count(const json::value& value) {
  std::size_t count = 0;
  if (const json::array* array = value.if_array()) {
    for (const json::value& item : *array) count += member_count(item);
  } else if (const json::object* object = value.if_object()) {
    count = object->size();
    for (const auto& member : *object) count += member_count(member.value());
  }
  return count;
}

}  // namespace

std::optional<json::value> parse_json(std::string_view text, std::size_t max_depth) {
  json::parse_options options;
  options.max_depth = max_depth;
  boost::system::error_code failed;
  json::value value = json::parse(text, failed, {}, options);
  if (failed || has_duplicate_keys(text, value)) return std::nullopt;
  return value;
}

bool has_duplicate_keys(std::string_view text, const json::value& parsed) {
  std::size_t colons = 0;
  bool is_in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_in_string && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      is_in_string = !is_in_string;
    } else if (!is_in_string && text[i] == ':') {
      ++colons;
    }
  }
  return colons != member_count(parsed);
}

}  // namespace pgveil
