#include "jobs/check/model_words.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

namespace pgveil::app {
namespace {

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(static_cast<double>(number))) return std::nullopt;
  return number;
}

std::optional<engine::Distance> distance_of(std::string_view word) {
  if (word == "equal") return engine::Distance::equal;
  if (word == "ordered") return engine::Distance::ordered;
  if (word == "hierarchical") return engine::Distance::hierarchical;
  return std::nullopt;
}

std::optional<engine::Likeness> likeness_of(std::string_view word) {
  if (word == "basic") return engine::Likeness::basic;
  if (word == "enhanced") return engine::Likeness::enhanced;
  return std::nullopt;
}

std::optional<engine::ValueModel> read(const std::vector<std::string_view>& words) {
  if (words.size() < 2) return std::nullopt;
  const auto number = number_of<double>(words[1]);
  if (!number) return std::nullopt;
  const auto& name = words[0];
  const auto last = words.size() == 3 ? words[2] : std::string_view();
  if (name == "recursive" && words.size() == 3) {
    const auto l = number_of<std::uint64_t>(last);
    return l ? std::optional<engine::ValueModel>(engine::RecursiveDiversity{*number, *l}) : std::nullopt;
  }
  if (name == "t_closeness" && words.size() <= 3) {
    const auto distance = distance_of(last.empty() ? "equal" : last);
    return distance ? std::optional<engine::ValueModel>(engine::TCloseness{*number, *distance})
                    : std::nullopt;
  }
  if (name == "beta_likeness" && words.size() <= 3) {
    const auto likeness = likeness_of(last.empty() ? "enhanced" : last);
    return likeness ? std::optional<engine::ValueModel>(engine::BetaLikeness{*number, *likeness})
                    : std::nullopt;
  }
  if (words.size() != 2) return std::nullopt;
  if (name == "distinct") return engine::DistinctDiversity{*number};
  if (name == "entropy") return engine::EntropyDiversity{*number};
  if (name == "delta_disclosure") return engine::DeltaDisclosure{*number};
  return std::nullopt;
}

std::optional<engine::Estimator> estimator_of(std::string_view word) {
  using engine::Estimator;
  for (const auto it : {Estimator::zayatz, Estimator::snb, Estimator::pitman, Estimator::dankar}) {
    if (word == engine::name(it)) return it;
  }
  return std::nullopt;
}

std::optional<engine::RiskModel> read_risk_words(const std::vector<std::string_view>& words) {
  if (words.size() < 2) return std::nullopt;
  const auto most = number_of<double>(words[1]);
  if (!most) return std::nullopt;
  const auto& name = words[0];
  if (name == "population_uniqueness" && (words.size() == 3 || words.size() == 4)) {
    const auto population = number_of<double>(words[2]);
    const auto estimator = estimator_of(words.size() == 4 ? words[3] : "dankar");
    if (!population || !estimator) return std::nullopt;
    return engine::UniquenessInPopulation{*most, *population, *estimator};
  }
  if (words.size() != 2) return std::nullopt;
  if (name == "highest_risk") return engine::HighestRisk{*most};
  if (name == "average_risk") return engine::AverageRisk{*most};
  if (name == "sample_uniqueness") return engine::UniquenessInSample{*most};
  return std::nullopt;
}

}  // namespace

Result<engine::ValueModel> model_of(std::string_view words) {
  if (const auto made = read(words_of(words))) return *made;
  return usage_error(
      fmt::format("\"{}\" is no model", words),
      "write distinct 3, entropy 2.5, recursive 4 2, t_closeness 0.2 ordered, beta_likeness 1 basic or "
      "delta_disclosure 2");
}

Result<engine::RiskModel> risk_of(std::string_view words) {
  if (const auto made = read_risk_words(words_of(words))) return *made;
  return usage_error(fmt::format("\"{}\" is no risk", words),
                     "write highest_risk 0.2, average_risk 0.05, sample_uniqueness 0.01 or "
                     "population_uniqueness 0.01 8000000 dankar");
}

Result<std::pair<std::string, std::string>> column_and_rest(std::string_view option, std::string_view text) {
  const auto at = text.rfind('=');
  if (at != std::string_view::npos && at > 0 && at + 1 < text.size())
    return std::pair(std::string(text.substr(0, at)), std::string(text.substr(at + 1)));
  return usage_error(fmt::format("{} is not COLUMN=…", option), "name a column, then what it is about");
}

}  // namespace pgveil::app
