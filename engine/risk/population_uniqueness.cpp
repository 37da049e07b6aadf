#include "engine/risk/population_uniqueness.hpp"

#include <algorithm>
#include <cmath>

namespace pgveil::engine {
namespace {

constexpr double kMostPeople = 1e12;
constexpr double kSmallFraction = 0.1;  // the threshold of Dankar et al.
constexpr int kSteps = 200;             // of bisection or golden section: more than the digits of a double

struct Sample {
  double n = 0, u = 0, singles = 0, population = 0;
  [[nodiscard]] double fraction() const { return n / population; }
};

Sample sample_of(const SizeHistogram& sizes, double population) {
  Sample made;
  made.population = population;
  for (const auto& [size, classes] : sizes) {
    made.n += static_cast<double>(size) * static_cast<double>(classes);
    made.u += static_cast<double>(classes);
    if (size == 1) made.singles = static_cast<double>(classes);
  }
  return made;
}

// h(j + 1) = h(j)·(j + 1)/j · (N − n − j + 1)/(N − j): the next size without computing factorials.
double zayatz(const Sample& sample, const SizeHistogram& sizes) {
  const double others = sample.population - sample.n;
  double not_drawn = 1;  // probability that none of j − 1 further ones is drawn
  double drawn_once = 0;
  std::uint64_t j = 1;
  for (const auto& [size, classes] : sizes) {
    for (; j < size && not_drawn > 0; ++j) {
      const auto so_far = static_cast<double>(j);
      not_drawn *= std::max(0.0, others - so_far + 1) / (sample.population - so_far);
    }
    if (not_drawn <= 0) break;
    drawn_once += static_cast<double>(classes) * static_cast<double>(size) * not_drawn;
  }
  return sample.singles * (sample.singles / drawn_once) / sample.n;
}

// P(0) and P(1) of the shifted negative binomial distribution.
struct Snb {
  double fraction, m, r;
  [[nodiscard]] double none() const { return std::exp(-m / r * std::log1p(r * fraction)); }
  [[nodiscard]] double unseen() const { return (1 - fraction) * none(); }
  [[nodiscard]] double once() const {
    return fraction * none() * (1 + (1 - fraction) * m / (1 + r * fraction));
  }
  [[nodiscard]] double unique() const { return std::exp(-m / r * std::log1p(r)) / (1 + m); }
};

// K(1 − P(0)) falls as m rises (see the formulas in the header). At m = N/u − 1 there are no more classes
// than in the sample.
Snb with_classes(const Sample& sample, double r) {
  double low = 0, high = sample.population / sample.u - 1;
  for (int i = 0; i < kSteps; ++i) {
    const double m = (low + high) / 2;
    const Snb tried{sample.fraction(), m, r};
    (sample.population / (1 + m) * (1 - tried.unseen()) > sample.u ? low : high) = m;
  }
  return {sample.fraction(), (low + high) / 2, r};
}

std::optional<double> snb(const Sample& sample) {
  const auto surplus = [&](double log_r) {
    const auto fitted = with_classes(sample, std::exp(log_r));
    return sample.population / (1 + fitted.m) * fitted.once() - sample.singles;
  };
  double low = std::log(1e-6), high = std::log(1e9);
  const bool rises = surplus(high) > 0;
  if ((surplus(low) > 0) == rises) return std::nullopt;
  for (int i = 0; i < kSteps; ++i) {
    const double middle = (low + high) / 2;
    ((surplus(middle) > 0) == rises ? high : low) = middle;
  }
  return with_classes(sample, std::exp((low + high) / 2)).unique();
}

// ψ, the derivative of ln Γ: uses the recurrence until the asymptotic series is accurate. x > 0.
double digamma(double x) {
  double sum = 0;
  for (; x < 12; ++x) sum -= 1 / x;
  const double square = 1 / (x * x);
  return sum + std::log(x) - 0.5 / x -
         square * (1.0 / 12 - square * (1.0 / 120 - square * (1.0 / 252 - square / 240)));
}

// ln Γ(x + step) − ln Γ(x), |step| ≤ 1. For a large x the difference loses all digits, but the derivative
// keeps them.
double log_gamma_step(double x, double step) {
  if (x < 1e4) return std::lgamma(x + step) - std::lgamma(x);
  return step * digamma(x + step / 2);
}

constexpr double kLeastAlpha = 1e-3, kMostAlpha = 0.999, kMostTheta = 1e8;

// For a given α the likelihood is largest where Σ_{i<u} 1/(θ + iα) = Σ_{i<n} 1/(θ + i). Below that θ the left
// side is larger.
double likely_theta(const Sample& sample, double alpha) {
  double low = std::log(1e-9), high = std::log(kMostTheta + 1);  // logarithm of θ + α, which is above 0
  for (int i = 0; i < kSteps; ++i) {
    const double middle = (low + high) / 2;
    const double theta = std::exp(middle) - alpha;
    const double left = (digamma(theta / alpha + sample.u) - digamma(theta / alpha + 1)) / alpha;
    const double right = digamma(theta + sample.n) - digamma(theta + 1);
    (left > right ? low : high) = middle;
  }
  return std::exp((low + high) / 2) - alpha;
}

double log_likelihood(const Sample& sample, const SizeHistogram& sizes, double theta, double alpha) {
  double sum = (sample.u - 1) * std::log(alpha) + std::lgamma(theta / alpha + sample.u) -
               std::lgamma(theta / alpha + 1) - std::lgamma(theta + sample.n) + std::lgamma(theta + 1);
  for (const auto& [size, classes] : sizes) {
    sum += static_cast<double>(classes) *
           (std::lgamma(static_cast<double>(size) - alpha) - std::lgamma(1 - alpha));
  }
  return sum;
}

std::optional<double> pitman(const Sample& sample, const SizeHistogram& sizes) {
  if (sample.u < 2 || sample.u == sample.n) return std::nullopt;  // θ and α cannot be determined
  const auto likelihood = [&](double alpha) {
    return log_likelihood(sample, sizes, likely_theta(sample, alpha), alpha);
  };
  const double golden = (std::sqrt(5.0) - 1) / 2;
  double low = kLeastAlpha, high = kMostAlpha;
  double left = high - golden * (high - low), right = low + golden * (high - low);
  double at_left = likelihood(left), at_right = likelihood(right);
  while (high - low > 1e-7) {
    if (at_left < at_right) {
      low = left;
      left = right;
      at_left = at_right;
      right = low + golden * (high - low);
      at_right = likelihood(right);
    } else {
      high = right;
      right = left;
      at_right = at_left;
      left = high - golden * (high - low);
      at_left = likelihood(left);
    }
  }
  const double alpha = (low + high) / 2;
  const double theta = likely_theta(sample, alpha);
  if (theta >= kMostTheta || alpha > kMostAlpha - 1e-5) return std::nullopt;
  return std::exp(std::lgamma(theta + 1) - std::lgamma(theta + alpha) +
                  log_gamma_step(sample.population + theta, alpha - 1));
}

void choose(const Sample& sample, PopulationUniqueness& made) {
  made.dankar = made.zayatz;
  if (sample.fraction() <= kSmallFraction) {
    if (!made.pitman) return;
    made.chosen = UniquenessModel::pitman;
    made.dankar = *made.pitman;
  } else if (made.snb && *made.snb <= made.zayatz) {
    made.chosen = UniquenessModel::snb;
    made.dankar = *made.snb;
  }
}

}  // namespace

std::string_view name(UniquenessModel model) {
  switch (model) {
    case UniquenessModel::zayatz: return "zayatz";
    case UniquenessModel::snb: return "snb";
    case UniquenessModel::pitman: return "pitman";
  }
  return "";
}

Result<PopulationUniqueness> estimate_uniqueness(const SizeHistogram& sizes, double population) {
  const auto sample = sample_of(sizes, population);
  if (sample.n == 0) return invalid_input("the table has no rows", "there is nothing to measure");
  if (!(population >= sample.n))
    return invalid_input("the population is smaller than the table",
                         "count everybody who could be in the table");
  if (population > kMostPeople) return invalid_input("the population is larger than 10^12", "correct it");
  PopulationUniqueness made;
  made.population = population;
  if (sample.singles == 0 || sample.n == population) {
    made.zayatz = made.dankar = sample.singles / sample.n;
    made.snb = made.pitman = made.zayatz;
    return made;
  }
  made.zayatz = zayatz(sample, sizes);
  made.snb = snb(sample);
  made.pitman = pitman(sample, sizes);
  choose(sample, made);
  return made;
}

}  // namespace pgveil::engine
