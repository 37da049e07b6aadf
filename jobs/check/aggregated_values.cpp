#include "jobs/check/aggregated_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "engine/data/calendar.hpp"
#include "engine/data/hierarchy.hpp"
#include "engine/publish/publication.hpp"
#include "jobs/input/data.hpp"

namespace pgveil::app {
namespace {

using engine::Microaggregate;
using engine::Wide;

// Of the tables of sums of one domain: entries, and steps to make them.
constexpr std::size_t kMostSums = std::size_t{1} << 20;
constexpr std::size_t kMostSteps = std::size_t{1} << 24;
constexpr std::size_t kMostRecords = 64;
// More than what logarithms of 64 bits are wrong by, for each record.
constexpr double kLogarithmError = 1e-12;

// A mean and a median of numbers have two decimals more than the values. They are in hundredths of a unit.
constexpr unsigned kMoreDigits = 2;
constexpr Wide kHundredths = 100;

// Both are rounded towards negative infinity. REQUIRES: by > 0.
Wide quotient(Wide number, Wide by) {
  return number >= 0 ? number / by : -((-number + by - 1) / by);
}

bool contains(const std::vector<std::int64_t>& numbers, std::int64_t number) {
  return std::ranges::binary_search(numbers, number);
}

bool has_number_between(const std::vector<std::int64_t>& numbers, Wide least, Wide greatest) {
  const auto found =
      std::ranges::lower_bound(numbers, least, {}, [](std::int64_t number) { return Wide{number}; });
  return found != numbers.end() && Wide{*found} <= greatest;
}

}  // namespace

struct AggregatedValues::Shown {
  std::string text;
  std::int64_t low = 0, high = 0;  // the ends of an interval; both are the number in all other cases
  Wide each = 1;                   // low and high are in parts of a unit, of which there are so many
};

AggregatedValues::AggregatedValues(const JobAttribute& attribute, const engine::Column& raw, const Job& job)
    : attribute_(&attribute), raw_(&raw), job_(&job) {
  const auto null = std::ranges::find(raw.values, job.null_text.value_or(""));
  if (job.null_text && null != raw.values.end())
    null_code_ = static_cast<engine::Code>(null - raw.values.begin());
}

Result<AggregatedValues> AggregatedValues::make(const JobAttribute& attribute, const engine::Column& raw,
                                                const Job& job, std::optional<unsigned> level) {
  AggregatedValues made(attribute, raw, job);
  if (*attribute.aggregate != Microaggregate::mode) {
    auto measured = engine::measure_values(raw, job.null_text);
    if (!measured) return measured.error();
    made.measured_ = std::move(*measured);
  }
  std::map<engine::Code, std::vector<engine::Code>> below;  // by the node at the level
  std::optional<engine::LevelTables> levels;
  if (level && has_hierarchy(attribute)) {
    const auto hierarchy = hierarchy_of(attribute, raw, job);
    if (!hierarchy) return hierarchy.error();
    auto tables = engine::make_level_tables(raw, *hierarchy);
    if (!tables) return tables.error();
    if (*level > tables->height())
      return invalid_input(fmt::format("the hierarchy of {} has no level {}", attribute.name, *level),
                           "is this the report of the job?");
    levels = std::move(*tables);
  }
  for (std::size_t at = 0; at < raw.values.size(); ++at) {
    const auto code = static_cast<engine::Code>(at);
    if (code != made.null_code_) below[levels ? levels->code_at[*level][code] : 0].push_back(code);
  }
  for (auto& [node, codes] : below) made.add_domain(std::move(codes));
  return made;
}

void AggregatedValues::add_domain(std::vector<engine::Code> codes) {
  auto& domain = domains_.emplace_back();
  domain.codes = std::move(codes);
  if (*attribute_->aggregate == Microaggregate::mode) return;
  for (const auto code : domain.codes) domain.numbers.push_back(*measured_.exact[code]);
  std::ranges::sort(domain.numbers);
  const auto [first, last] = std::ranges::unique(domain.numbers);
  domain.numbers.erase(first, last);
  if (*attribute_->aggregate == Microaggregate::mean) add_sums(domain);
}

void AggregatedValues::add_sums(Domain& domain) {
  const auto least = domain.numbers.front();
  std::int64_t unit = 0;
  for (const auto number : domain.numbers) unit = std::gcd(unit, number - least);
  domain.unit = std::max<std::int64_t>(unit, 1);
  std::vector<std::size_t> places;
  for (const auto number : domain.numbers)
    places.push_back(static_cast<std::size_t>((number - least) / domain.unit));
  if (places.back() >= kMostSums) return;
  std::vector<bool> sums(places.back() + 1, false);
  for (const auto place : places) sums[place] = true;
  std::size_t steps = 0;
  for (std::size_t records = 2; records <= kMostRecords; ++records) {
    const std::size_t size = places.back() * records + 1;
    steps += size * places.size();
    if (size > kMostSums || steps > kMostSteps) return;
    std::vector<bool> next(size, false);
    for (std::size_t sum = 0; sum < sums.size(); ++sum) {
      if (!sums[sum]) continue;
      for (const auto place : places) next[sum + place] = true;
    }
    domain.sums.push_back(next);
    sums = std::move(next);
  }
}

std::optional<std::int64_t> AggregatedValues::number_of(std::string_view text, unsigned more_digits) const {
  switch (measured_.measured_as) {
    case engine::MeasuredAs::date: {
      const auto day = engine::calendar_day(text);
      return day ? std::optional(engine::day_number(*day)) : std::nullopt;
    }
    case engine::MeasuredAs::number: {
      const auto decimal = engine::decimal_of(text);
      const auto digits = measured_.scale + more_digits;
      if (!decimal || decimal->scale > digits || digits > 18) return std::nullopt;
      const Wide number = engine::scaled(*decimal, digits);
      const auto narrow = static_cast<std::int64_t>(number);
      return Wide{narrow} == number ? std::optional(narrow) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<AggregatedValues::Shown> AggregatedValues::read(const std::string& text) const {
  Shown shown{.text = text};
  switch (*attribute_->aggregate) {
    case Microaggregate::mode: return shown;
    case Microaggregate::interval: {
      const auto comma = text.find(',');
      const bool is_interval = text.starts_with('[') && text.ends_with(']') && comma != std::string::npos;
      const auto low = number_of(is_interval ? text.substr(1, comma - 1) : text, 0);
      const auto high = number_of(is_interval ? text.substr(comma + 1, text.size() - comma - 2) : text, 0);
      if (!low || !high) return std::nullopt;
      shown.low = *low;
      shown.high = *high;
      return shown;
    }
    case Microaggregate::mean:
    case Microaggregate::geometric_mean:
    case Microaggregate::median: {
      const bool is_number = measured_.measured_as == engine::MeasuredAs::number;
      const auto number = number_of(text, is_number ? kMoreDigits : 0);
      if (!number) return std::nullopt;
      shown.low = shown.high = *number;
      shown.each = is_number ? kHundredths : Wide{1};
      return shown;
    }
  }
  return std::nullopt;
}

AggregatedValues::IsPossible AggregatedValues::of_mean(const Domain& domain, const Shown& shown,
                                                       std::uint64_t known) {
  const auto records = static_cast<Wide>(known);
  // The shown mean is ⌊sum · each / records + 1/2⌋.
  const Wide least_sum = -quotient(-records * (2 * Wide{shown.low} - 1), 2 * shown.each);
  const Wide greatest_sum = -quotient(-records * (2 * Wide{shown.low} + 1), 2 * shown.each) - 1;
  return [&domain, others = records - 1, least_sum, greatest_sum](std::int64_t value) {
    const Wide low = least_sum - value, high = greatest_sum - value;  // of the sum of the others
    const Wide least = Wide{domain.numbers.front()} * others;
    const Wide greatest = Wide{domain.numbers.back()} * others;
    if (high < least || low > greatest) return false;
    if (others == 0) return true;
    if (others == 1) return has_number_between(domain.numbers, low, high);
    const auto unit = Wide{domain.unit};
    const Wide first = std::max<Wide>(0, -quotient(-(low - least), unit));
    const Wide last = quotient(std::min(high, greatest) - least, unit);
    if (first > last) return false;
    const auto table = static_cast<std::size_t>(others) - 2;
    if (table >= domain.sums.size()) return true;
    const auto begin = domain.sums[table].begin();
    const auto end = begin + static_cast<std::ptrdiff_t>(last) + 1;
    return std::find(begin + static_cast<std::ptrdiff_t>(first), end, true) != end;
  };
}

AggregatedValues::IsPossible AggregatedValues::of_geometric_mean(const Domain& domain, const Shown& shown,
                                                                 std::uint64_t known) {
  if (shown.low == 0) {
    const bool is_there = contains(domain.numbers, 0);
    return [is_there, known](std::int64_t value) { return is_there && (known > 1 || value == 0); };
  }
  // It was rounded to a unit, and then to six significant digits.
  Wide unit = 1;
  while (shown.low / unit >= 1'000'000) unit *= 10;
  const double slack = 0.5 + static_cast<double>(unit) / 2 + 1e-6;
  const auto each = static_cast<double>(shown.each), records = static_cast<double>(known);
  const double low = (static_cast<double>(shown.low) - slack) / each;
  const double high = (static_cast<double>(shown.low) + slack) / each;
  const double error = kLogarithmError * records * 64;
  const double least_sum = low <= 0 ? -INFINITY : records * std::log(low) - error;
  const double greatest_sum = records * std::log(high) + error;
  return [&domain, known, least_sum, greatest_sum](std::int64_t value) {
    if (value <= 0) return false;
    const auto logarithm = [](std::int64_t number) { return std::log(static_cast<double>(number)); };
    // Of the logarithms of the other records.
    const double least = least_sum - logarithm(value), greatest = greatest_sum - logarithm(value);
    if (known == 1) return least <= 0 && 0 <= greatest;
    const auto positive =
        std::ranges::subrange(std::ranges::upper_bound(domain.numbers, 0), domain.numbers.end());
    if (known == 2) {
      const auto other = std::ranges::lower_bound(positive, least, {}, logarithm);
      return other != positive.end() && logarithm(*other) <= greatest;
    }
    const auto others = static_cast<double>(known - 1);
    return logarithm(positive.front()) * others <= greatest && logarithm(positive.back()) * others >= least;
  };
}

AggregatedValues::IsPossible AggregatedValues::of_median(const Domain& domain, const Shown& shown,
                                                         std::uint64_t known) {
  const auto is_shown = [each = shown.each, low = shown.low](std::int64_t number) {
    return number * each == Wide{low};
  };
  if (known % 2 == 1) {
    const bool is_there = std::ranges::any_of(domain.numbers, is_shown);
    return [=](std::int64_t value) { return is_there && (known > 1 || is_shown(value)); };
  }
  // Both middle values, whose mean was rounded up. The last pair is the closest one.
  std::vector<std::int64_t> of_two;
  std::optional<std::pair<std::int64_t, std::int64_t>> closest;
  const Wide doubled = 2 * Wide{shown.low};
  auto upper = domain.numbers.rbegin();
  for (const auto lower : domain.numbers) {
    while (upper != domain.numbers.rend() && (Wide{lower} + *upper) * shown.each > doubled) ++upper;
    for (auto at = upper; at != domain.numbers.rend() && *at >= lower; ++at) {
      if ((Wide{lower} + *at) * shown.each < doubled - 1) break;
      closest = {lower, *at};
      of_two.insert(of_two.end(), {lower, *at});
    }
  }
  if (known > 2)
    return [closest](std::int64_t value) {
      return closest && (value <= closest->first || value >= closest->second);
    };
  std::ranges::sort(of_two);
  return [of_two](std::int64_t value) { return contains(of_two, value); };
}

AggregatedValues::IsPossible AggregatedValues::of_interval(const Domain& domain, const Shown& shown,
                                                           std::uint64_t known) {
  const bool is_there = contains(domain.numbers, shown.low) && contains(domain.numbers, shown.high) &&
                        (known > 1 || shown.low == shown.high);
  return [=, low = shown.low, high = shown.high](std::int64_t value) {
    return is_there && (value == low || value == high || (known > 2 && low < value && value < high));
  };
}

std::function<bool(engine::Code)> AggregatedValues::of_mode(const Domain& domain, const Shown& shown,
                                                            std::uint64_t known) const {
  // Two records at least have it, or the only one.
  const auto has_it = [this, text = shown.text](engine::Code code) { return raw_->values[code] == text; };
  const bool is_there = std::ranges::any_of(domain.codes, has_it);
  return [=](engine::Code code) { return is_there && (known > 2 || has_it(code)); };
}

std::function<bool(engine::Code)> AggregatedValues::condition(const Domain& domain, const Shown& shown,
                                                              std::uint64_t known) const {
  const auto by_number = [this](IsPossible is_possible) {
    return [this, is_possible = std::move(is_possible)](engine::Code code) {
      return is_possible(*measured_.exact[code]);
    };
  };
  switch (*attribute_->aggregate) {
    case Microaggregate::mean: return by_number(of_mean(domain, shown, known));
    case Microaggregate::geometric_mean: return by_number(of_geometric_mean(domain, shown, known));
    case Microaggregate::median: return by_number(of_median(domain, shown, known));
    case Microaggregate::interval: return by_number(of_interval(domain, shown, known));
    case Microaggregate::mode: return of_mode(domain, shown, known);
  }
  return {};
}

bool AggregatedValues::add_possible(const Domain& domain, const Shown& shown, std::uint64_t known,
                                    std::vector<bool>& flags) const {
  const auto is_possible = condition(domain, shown, known);
  bool is_any = false;
  for (const auto code : domain.codes) {
    if (!is_possible(code)) continue;
    flags[code] = true;
    is_any = true;
  }
  return is_any;
}

std::vector<bool> AggregatedValues::possible(const std::string& text, std::uint64_t records) const {
  if (text == engine::kSuppressed) return std::vector<bool>(raw_->values.size(), true);
  std::vector<bool> made(raw_->values.size(), false);
  if (job_->null_text && text == *job_->null_text) {
    if (null_code_) made[*null_code_] = true;
    return made;
  }
  const auto shown = read(text);
  if (!shown) return made;
  // The class can have been joined of classes below several nodes, which show the same.
  const std::uint64_t k = std::max<std::uint64_t>(job_->k, 1);
  const bool can_be_joined = domains_.size() > 1 && records >= 2 * k;
  const std::uint64_t fewest = null_code_ || can_be_joined ? std::min(k, records) : records;
  for (auto known = records; known >= fewest; --known) {
    for (const auto& domain : domains_) {
      const bool is_any = add_possible(domain, *shown, known, made);
      if (is_any && null_code_ && known < records) made[*null_code_] = true;
    }
    if (std::ranges::find(made, false) == made.end()) break;
  }
  return made;
}

bool AggregatedValues::names_one_value(const std::string& text) const {
  if (job_->null_text && text == *job_->null_text) return true;
  return *attribute_->aggregate == Microaggregate::interval && text != engine::kSuppressed &&
         !text.starts_with('[');
}

}  // namespace pgveil::app
