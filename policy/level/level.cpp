#include "policy/level/level.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "common/assert.hpp"
#include "policy/level/level_date.hpp"
#include "policy/level/level_number.hpp"

namespace pgveil::policy {

namespace {

constexpr std::array<std::pair<std::string_view, Period>, 6> kPeriods = {{{"day", Period::day},
                                                                          {"week", Period::week},
                                                                          {"month", Period::month},
                                                                          {"quarter", Period::quarter},
                                                                          {"year", Period::year},
                                                                          {"decade", Period::decade}}};

// REQUIRES: UTF-8, as PostgreSQL writes it.
std::string_view first_characters(std::string_view text, std::uint32_t count) {
  std::size_t end = 0;
  const auto is_inside = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  for (; count > 0 && end < text.size(); --count) {
    ++end;
    while (end < text.size() && is_inside(text[end])) ++end;
  }
  return text.substr(0, end);
}

template <class Numbers>
std::optional<std::string> value_of(const Numbers& numbers, LevelShows shows, std::string_view text) {
  const auto at = scaled_of(text);
  const auto interval = at ? interval_of(numbers, *at) : std::nullopt;
  return interval ? show(*interval, shows) : std::nullopt;
}

std::optional<std::string> value_of(Period period, LevelShows shows, std::string_view text) {
  const auto at = day_of(text);
  const auto span = at ? days_of(period, *at) : std::nullopt;
  return span ? std::optional(show(period, span->first, shows)) : std::nullopt;
}

std::optional<std::string> value_of(const Prefix& prefix, LevelShows, std::string_view text) {
  return std::string(first_characters(text, prefix.length)) + "*";
}

std::optional<std::string> value_of(const Groups& groups, LevelShows, std::string_view text) {
  const auto at = std::ranges::lower_bound(groups.labels, text, {},
                                           [](const auto& pair) -> std::string_view { return pair.first; });
  if (at == groups.labels.end() || at->first != text) return std::nullopt;
  return at->second;
}

bool has_cut_at(const Bins& bins, Scaled at) {
  return (at - bins.origin) % bins.width == 0;
}

bool is_function_of(const Groups& fine, const Groups& coarse) {
  std::map<std::string_view, std::string_view> label_of;
  if (fine.labels.size() != coarse.labels.size()) return false;
  for (std::size_t i = 0; i < fine.labels.size(); ++i) {
    if (fine.labels[i].first != coarse.labels[i].first) return false;
    const std::string_view label = coarse.labels[i].second;
    if (label_of.try_emplace(fine.labels[i].second, label).first->second != label) return false;
  }
  return true;
}

struct Refines {
  bool operator()(const Bins& fine, const Bins& coarse) const {
    return coarse.width % fine.width == 0 && has_cut_at(fine, coarse.origin);
  }
  bool operator()(const Bins& fine, const Bounds& coarse) const {
    return std::ranges::all_of(coarse.cuts, [&](Scaled cut) { return has_cut_at(fine, cut); });
  }
  bool operator()(const Bounds& fine, const Bounds& coarse) const {
    return std::ranges::includes(fine.cuts, coarse.cuts);
  }
  bool operator()(Period fine, Period coarse) const {
    if (fine == Period::week) return coarse == Period::week;
    return fine == coarse || (coarse != Period::week && fine < coarse) || fine == Period::day;
  }
  bool operator()(const Prefix& fine, const Prefix& coarse) const { return coarse.length <= fine.length; }
  bool operator()(const Groups& fine, const Groups& coarse) const { return is_function_of(fine, coarse); }
  template <class Fine, class Coarse>
  bool operator()(const Fine&, const Coarse&) const {
    return false;
  }
};

std::string exact(std::string_view text) {
  return fmt::format("{}:{}", text.size(), text);
}

struct Describe {
  std::string operator()(const Bins& bins) const {
    std::string out = "width " + text_of(bins.width);
    return bins.origin == 0 ? out : out + " origin " + text_of(bins.origin);
  }
  std::string operator()(const Bounds& bounds) const {
    std::string out = "bounds ";
    for (const Scaled cut : bounds.cuts) out += (out.size() > 7 ? ", " : "") + text_of(cut);
    return out;
  }
  std::string operator()(Period period) const { return fmt::format("period {}", period_name(period)); }
  std::string operator()(const Prefix& prefix) const { return fmt::format("prefix {}", prefix.length); }
  std::string operator()(const Groups& groups) const {
    std::string out = "groups";
    for (const auto& [value, label] : groups.labels) out += " " + exact(value) + " " + exact(label);
    return out;
  }
};

}  // namespace

std::optional<std::string> level_value(const Level& level, std::string_view text) {
  return std::visit([&](const auto& method) { return value_of(method, level.shows, text); }, level.method);
}

bool refines(const LevelMethod& fine, const LevelMethod& coarse) {
  return std::visit(Refines{}, fine, coarse);
}

std::string describe(const LevelMethod& method) {
  return std::visit(Describe{}, method);
}

std::string_view period_name(Period period) {
  const auto at = std::ranges::find(kPeriods, period, &std::pair<std::string_view, Period>::second);
  PGVEIL_ASSERT(at != kPeriods.end());
  return at->first;
}

std::optional<Period> period_of(std::string_view name) {
  const auto at = std::ranges::find(kPeriods, name, &std::pair<std::string_view, Period>::first);
  return at == kPeriods.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace pgveil::policy
