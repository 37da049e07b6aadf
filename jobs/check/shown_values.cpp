#include "jobs/check/shown_values.hpp"

#include <algorithm>
#include <charconv>

#include "engine/publish/publication.hpp"
#include "jobs/input/data.hpp"

namespace pgveil::app {
namespace {

std::optional<double> number_of(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// Takes one element of `{a,"b,c",NULL}` from the front of `text`. nullopt: there is none.
std::optional<std::string> take_element(std::string_view& text, const std::optional<std::string>& null_text) {
  std::string element;
  if (!text.starts_with('"')) {
    element = text.substr(0, text.find(','));
    text.remove_prefix(element.size());
    return element == "NULL" ? null_text.value_or(element) : element;
  }
  std::size_t at = 1;
  for (; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\' && ++at == text.size()) return std::nullopt;
    element += text[at];
  }
  if (at >= text.size()) return std::nullopt;
  text.remove_prefix(at + 1);
  return element;
}

// nullopt: the text is no set.
std::optional<std::vector<std::string>> elements_of(std::string_view text,
                                                    const std::optional<std::string>& null_text) {
  if (text.size() < 2 || text.front() != '{' || text.back() != '}') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  std::vector<std::string> made;
  while (auto element = take_element(text, null_text)) {
    made.push_back(std::move(*element));
    if (text.empty()) return made;
    if (text.front() != ',') return std::nullopt;
    text.remove_prefix(1);
  }
  return std::nullopt;
}

struct NumberRange {
  double low = 0, high = 0;
};

// Of a number or `[1,5]`. nullopt: the text is neither.
std::optional<NumberRange> range_of(std::string_view text) {
  if (const auto number = number_of(text)) return NumberRange{*number, *number};
  const auto comma = text.find(',');
  if (!text.starts_with('[') || !text.ends_with(']') || comma == std::string_view::npos) return std::nullopt;
  const auto low = number_of(text.substr(1, comma - 1));
  const auto high = number_of(text.substr(comma + 1, text.size() - comma - 2));
  return low && high ? std::optional(NumberRange{*low, *high}) : std::nullopt;
}

bool is_in_range(const std::string& value, std::string_view text) {
  const auto number = number_of(value);
  const auto range = number ? range_of(text) : std::nullopt;
  return range && range->low <= *number && *number <= range->high;
}

}  // namespace

Result<ShownValues> ShownValues::make(const JobAttribute& attribute, const engine::Column& raw,
                                      const Job& job) {
  ShownValues made(raw, job);
  made.is_numeric_ = attribute.is_numeric;
  if (!has_hierarchy(attribute)) return made;
  const auto hierarchy = hierarchy_of(attribute, raw, job);
  if (!hierarchy) return hierarchy.error();
  auto levels = engine::make_level_tables(raw, *hierarchy);
  if (!levels) return levels.error();
  made.levels_ = std::move(*levels);
  return made;
}

std::vector<bool> ShownValues::covered(const std::string& text) const {
  std::vector<bool> made(raw_->values.size(), text == engine::kSuppressed);
  if (text == engine::kSuppressed) return made;
  const auto elements = elements_of(text, job_->null_text);
  for (std::size_t code = 0; code < made.size(); ++code) {
    const std::string& value = raw_->values[code];
    made[code] = value == text || (is_numeric_ && is_in_range(value, text)) ||
                 (elements && std::ranges::find(*elements, value) != elements->end()) ||
                 is_above(static_cast<engine::Code>(code), text);
  }
  return made;
}

bool ShownValues::are_equal(engine::Code one, engine::Code other) const {
  if (!is_numeric_) return one == other;
  const auto number = number_of(raw_->values[one]);
  return one == other || (number && number == number_of(raw_->values[other]));
}

std::vector<ShownValues::Equal> ShownValues::values_below(const std::string& text) const {
  std::vector<Equal> made;
  const auto flags = covered(text);
  for (std::size_t at = 0; at < flags.size(); ++at) {
    const auto code = static_cast<engine::Code>(at);
    if (!flags[at]) continue;
    const auto same =
        std::ranges::find_if(made, [&](const Equal& it) { return are_equal(it.front(), code); });
    if (same == made.end())
      made.push_back({code});
    else
      same->push_back(code);
  }
  return made;
}

std::vector<ShownValues::Equal> ShownValues::occurring(const std::string& text) const {
  auto values = values_below(text);
  if (text == engine::kSuppressed) return {};
  if (values.size() < 2 || elements_of(text, job_->null_text)) return values;
  // A text that is also a value can stand for this value alone.
  if (std::ranges::find(raw_->values, text) != raw_->values.end()) return {};
  if (values.size() == 2) return values;
  const auto range = is_numeric_ ? range_of(text) : std::nullopt;
  if (!range) return {};
  std::erase_if(values, [&](const Equal& it) {
    const auto number = number_of(raw_->values[it.front()]);
    return number != range->low && number != range->high;
  });
  return values;
}

std::optional<std::string> ShownValues::text_at(unsigned level, engine::Code code) const {
  if (!levels_ || level > levels_->height()) return std::nullopt;
  return levels_->values[level][levels_->code_at[level][code]];
}

bool ShownValues::is_above(engine::Code code, const std::string& text) const {
  if (!levels_) return false;
  for (unsigned level = 1; level <= levels_->height(); ++level) {
    if (levels_->values[level][levels_->code_at[level][code]] == text) return true;
  }
  return false;
}

}  // namespace pgveil::app
