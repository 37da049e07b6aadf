#include "policy/level/level_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "policy/level/level_number.hpp"

namespace pgveil::policy {

namespace {

std::string quoted_list(const auto& items, const auto& to_text) {
  std::string out;
  for (const auto& item : items) out += (out.empty() ? "" : ", ") + json_text(to_text(item));
  return "[" + out + "]";
}

struct MethodJson {
  std::string operator()(const Bins& bins) const {
    return fmt::format(R"("width": "{}", "origin": "{}")", text_of(bins.width), text_of(bins.origin));
  }
  std::string operator()(const Bounds& bounds) const {
    return R"("bounds": )" + quoted_list(bounds.cuts, [](Scaled cut) { return text_of(cut); });
  }
  std::string operator()(Period period) const {
    return fmt::format(R"("period": "{}")", period_name(period));
  }
  std::string operator()(const Prefix& prefix) const { return fmt::format(R"("prefix": {})", prefix.length); }
  std::string operator()(const Groups& groups) const {
    return fmt::format(R"("values": {}, "labels": {})",
                       quoted_list(groups.labels, [](const auto& pair) { return pair.first; }),
                       quoted_list(groups.labels, [](const auto& pair) { return pair.second; }));
  }
};

class MethodReader {
 public:
  MethodReader(JsonObjectView& object, FirstError& errors) : object_(object), errors_(errors) {}

  LevelMethod read() {
    if (object_.has("width")) return bins();
    if (object_.has("bounds")) return bounds();
    if (object_.has("period")) return period();
    if (object_.has("prefix")) return prefix();
    return groups();
  }

 private:
  Scaled number(const std::string& text, std::string_view key) {
    const auto read = exactly_scaled(text);
    if (!read) errors_.add(broken_json(object_.path_of(key), "not a number of a level"));
    return read.value_or(kScale);
  }
  Bins bins() {
    Bins out{number(object_.text("width"), "width"), number(object_.text("origin"), "origin")};
    if (out.width > 0) return out;
    errors_.add(broken_json(object_.path_of("width"), "not above 0"));
    return {};
  }
  std::vector<std::string> texts(std::string_view key) {
    std::vector<std::string> out;
    for (const auto& item : object_.array(key)) {
      if (!item.is_string()) {
        errors_.add(broken_json(object_.path_of(key), "not texts"));
        return {};
      }
      out.emplace_back(item.get_string());
      if (out.back().find('\0') != std::string::npos) errors_.add(broken_json(object_.path_of(key), "NUL"));
    }
    if (out.empty()) errors_.add(broken_json(object_.path_of(key), "empty"));
    return out;
  }
  Bounds bounds() {
    Bounds out;
    for (const std::string& text : texts("bounds")) out.cuts.push_back(number(text, "bounds"));
    if (std::ranges::adjacent_find(out.cuts, std::greater_equal<>()) != out.cuts.end())
      errors_.add(broken_json(object_.path_of("bounds"), "not ascending"));
    return out;
  }
  Period period() {
    const auto read = period_of(object_.text("period"));
    if (!read) errors_.add(broken_json(object_.path_of("period"), "no period"));
    return read.value_or(Period::day);
  }
  Prefix prefix() { return {static_cast<std::uint32_t>(object_.integer("prefix", 1, kMaxPrefix))}; }
  Groups groups() {
    const auto values = texts("values");
    const auto labels = texts("labels");
    Groups out;
    if (values.size() != labels.size()) {
      errors_.add(broken_json(object_.path_of("labels"), "not one per value"));
      return out;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0 && values[i - 1] >= values[i])
        errors_.add(broken_json(object_.path_of("values"), "not ascending"));
      out.labels.emplace_back(values[i], labels[i]);
    }
    return out;
  }

  JsonObjectView& object_;
  FirstError& errors_;
};

}  // namespace

std::string level_json(const Level& level) {
  return fmt::format(R"({{"source": {}, "source_number": {}, "step": {}, "shows": "{}", {}}})",
                     json_text(level.source), level.source_number, level.step,
                     level.shows == LevelShows::label ? "label" : "start",
                     std::visit(MethodJson{}, level.method));
}

Level read_level(JsonObjectView object, FirstError& errors) {
  Level level;
  level.source = object.text("source");
  level.source_number =
      static_cast<int>(object.integer("source_number", 1, std::numeric_limits<std::int16_t>::max()));
  level.step = static_cast<std::uint32_t>(object.integer("step", 1, 64));
  const std::string shows = object.text("shows");
  if (shows != "label" && shows != "start")
    errors.add(broken_json(object.path_of("shows"), "label or start"));
  level.shows = shows == "start" ? LevelShows::start : LevelShows::label;
  level.method = MethodReader(object, errors).read();
  object.finish();
  return level;
}

}  // namespace pgveil::policy
