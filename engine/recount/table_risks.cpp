#include "engine/recount/table_risks.hpp"

#include <algorithm>
#include <cmath>

#include "engine/privacy/overloaded.hpp"

namespace pgveil::engine {
namespace {

constexpr double kTolerance = 1e-9;
constexpr double kOfFits = 1e-3;
constexpr int kHalvings = 80;

// The place where `surplus` changes its sign; nullopt: it does not.
template <class Surplus>
std::optional<double> root(double low, double high, Surplus&& surplus) {
  const bool is_above = surplus(low) > 0;
  if (is_above == (surplus(high) > 0)) return std::nullopt;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    ((surplus(middle) > 0) == is_above ? low : high) = middle;
  }
  return (low + high) / 2;
}

struct Sums {
  double n = 0, u = 0, singles = 0;
};

Sums sums_of(const CountedSizes& sizes) {
  Sums made;
  for (const auto& [size, classes] : sizes) {
    made.n += static_cast<double>(size * classes);
    made.u += static_cast<double>(classes);
    if (size == 1) made.singles = static_cast<double>(classes);
  }
  return made;
}

double log_binomial(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

double zayatz(const CountedSizes& sizes, const Sums& sums, double population) {
  const auto drawn_once = [&](double size) {
    if (population - size < sums.n - 1) return 0.0;
    return size * std::exp(log_binomial(population - size, sums.n - 1) - log_binomial(population, sums.n));
  };
  double all = 0;
  for (const auto& [size, classes] : sizes)
    all += static_cast<double>(classes) * drawn_once(static_cast<double>(size));
  return sums.singles * (sums.singles * drawn_once(1) / all) / sums.n;
}

// Solves ln(1 + rπ) ÷ r = c, whose left side falls from π to 0 as r rises. Returns the logarithm of r.
std::optional<double> log_r_of(double fraction, double c) {
  return root(std::log(1e-7), std::log(1e10), [&](double log_r) {
    const double r = std::exp(log_r);
    return std::log1p(r * fraction) / r - c;
  });
}

std::optional<double> snb(const Sums& sums, double population) {
  const double fraction = sums.n / population;
  const auto unseen = [&](double m) { return 1 - sums.u * (1 + m) / population; };  // the P(0) for u
  // From an unbounded r down to r = 0, where sizes are 1 + a Poisson number.
  const double least = sums.n / sums.u - 1;
  const auto most = root(least + 1e-12, population / sums.u - 1,
                         [&](double m) { return unseen(m) - (1 - fraction) * std::exp(-m * fraction); });
  if (!most) return std::nullopt;
  const auto log_r = [&](double m) { return log_r_of(fraction, -std::log(unseen(m) / (1 - fraction)) / m); };
  const auto surplus = [&](double m) {
    const auto found = log_r(m);
    if (!found) return std::nan("");
    const double r = std::exp(*found);
    const double none = std::exp(-m / r * std::log1p(r * fraction));
    const double once = fraction * none * (1 + (1 - fraction) * m / (1 + r * fraction));
    return population / (1 + m) * once - sums.singles;
  };
  // At the very ends r is out of its range, so both ends move inwards.
  double low = least, high = *most;
  const double width = high - low;
  for (double part = 1e-9; part < 0.5 && std::isnan(surplus(low)); part *= 2) low = least + width * part;
  for (double part = 1e-9; part < 0.5 && std::isnan(surplus(high)); part *= 2) high = *most - width * part;
  if (!(low < high)) return std::nullopt;
  const auto m = root(low, high, surplus);
  if (!m) return std::nullopt;
  const auto found = log_r(*m);
  if (!found) return std::nullopt;
  const double r = std::exp(*found);
  return std::exp(-*m / r * std::log1p(r)) / (1 + *m);
}

// Σ_{i=1}^{count} 1 ÷ (x + i·step): first term by term, then by the midpoint integral with its first
// correction.
double sum_of_quotients(double x, double step, double count) {
  constexpr double kOneByOne = 256;
  double sum = 0;
  const double first = std::min(count, kOneByOne);
  for (double i = 1; i <= first; ++i) sum += 1 / (x + i * step);
  if (count <= kOneByOne) return sum;
  const double from = x + (kOneByOne + 0.5) * step, to = x + (count + 0.5) * step;
  return sum + std::log(to / from) / step + step / 24 * (1 / (to * to) - 1 / (from * from));
}

double theta_of(const Sums& sums, double alpha) {
  const auto surplus = [&](double log_theta) {
    const double theta = std::exp(log_theta) - alpha;
    return sum_of_quotients(theta, alpha, sums.u - 1) - sum_of_quotients(theta, 1, sums.n - 1);
  };
  return std::exp(root(std::log(1e-9), std::log(1e8 + 1), surplus).value_or(std::log(1e8 + 1))) - alpha;
}

// The derivative of the likelihood with respect to α, where the one with respect to θ is 0.
double slope(const CountedSizes& sizes, const Sums& sums, double alpha) {
  const double theta = theta_of(sums, alpha);
  double made = (sums.u - 1 - theta * sum_of_quotients(theta, alpha, sums.u - 1)) / alpha;
  for (const auto& [size, classes] : sizes)
    made -= static_cast<double>(classes) * sum_of_quotients(-alpha, 1, static_cast<double>(size) - 1);
  return made;
}

std::optional<double> pitman(const CountedSizes& sizes, const Sums& sums, double population) {
  if (sums.u < 2 || sums.u == sums.n) return std::nullopt;
  const auto alpha = root(1e-3, 0.999, [&](double tried) { return slope(sizes, sums, tried); });
  // If the sign does not change, the likelihood is largest at one end. At the lower end α is practically 0.
  const double chosen = alpha.value_or(slope(sizes, sums, 1e-3) <= 0 ? 1e-3 : 0.999);
  const double theta = theta_of(sums, chosen);
  if (theta >= 1e8 || chosen > 0.999 - 1e-5) return std::nullopt;
  const double x = population + theta, a = chosen - 1;
  const double step =
      x < 1e4 ? std::lgamma(x + a) - std::lgamma(x)
              : a * std::log(x) + a * (a - 1) / (2 * x) - a * (a - 1) * (2 * a - 1) / (12 * x * x);
  return std::exp(std::lgamma(theta + 1) - std::lgamma(theta + chosen) + step);
}

std::optional<double> dankar(const CountedSizes& sizes, const Sums& sums, double population) {
  const double by_zayatz = zayatz(sizes, sums, population);
  if (sums.n / population <= 0.1) return pitman(sizes, sums, population).value_or(by_zayatz);
  return std::min(by_zayatz, snb(sums, population).value_or(by_zayatz));
}

}  // namespace

TableRisks table_risks(const CountedSizes& sizes) {
  TableRisks made;
  const auto sums = sums_of(sizes);
  if (sums.n == 0) return made;
  made.highest = 1 / static_cast<double>(sizes.begin()->first);
  for (const auto& [size, classes] : sizes) {
    const double records = static_cast<double>(size) * static_cast<double>(classes);
    made.average += records / sums.n * (1 / static_cast<double>(size));
  }
  made.sample_uniqueness = sums.singles / sums.n;
  return made;
}

std::optional<double> uniqueness_in_population(const CountedSizes& sizes, double population,
                                               Estimator estimator) {
  const auto sums = sums_of(sizes);
  if (sums.singles == 0 || sums.n >= population) return sums.n == 0 ? 0 : sums.singles / sums.n;
  switch (estimator) {
    case Estimator::zayatz: return zayatz(sizes, sums, population);
    case Estimator::snb: return snb(sums, population);
    case Estimator::pitman: return pitman(sizes, sums, population);
    case Estimator::dankar: return dankar(sizes, sums, population);
  }
  return std::nullopt;
}

bool keeps_risk(const CountedSizes& sizes, const RiskModel& model) {
  if (sizes.empty()) return true;
  const auto found = table_risks(sizes);
  return std::visit(
      Overloaded{
          [&](const HighestRisk& it) { return found.highest <= it.most * (1 + kTolerance); },
          [&](const AverageRisk& it) { return found.average <= it.most * (1 + kTolerance); },
          [&](const UniquenessInSample& it) { return found.sample_uniqueness <= it.most * (1 + kTolerance); },
          [&](const UniquenessInPopulation& it) {
            if (sums_of(sizes).n > it.population) return false;
            const auto share = uniqueness_in_population(sizes, it.population, it.estimator);
            return share && *share <= it.most * (1 + kOfFits) + kTolerance * kTolerance;
          }},
      model);
}

}  // namespace pgveil::engine
