#include "bench/utility/answers.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>
#include <utility>

namespace pgveil::bench::utility {

namespace {

constexpr unsigned kBits = 21;  // of a code or cell in a key

// Rows that agree in the question's columns. Each field of the key is a cell at first and a code at the end.
struct Part {
  std::uint64_t key = 0;
  double rows = 0, amount = 0;
};

std::uint64_t field(std::uint64_t key, std::size_t place) {
  return key >> (place * kBits) & ((std::uint64_t{1} << kBits) - 1);
}

std::uint64_t with_field(std::uint64_t key, std::size_t place, std::uint64_t value) {
  return key + ((value - field(key, place)) << (place * kBits));
}

// In an order that depends on the parts alone, so that sums do too.
std::vector<Part> merged(std::vector<Part> parts) {
  std::ranges::sort(parts, [](const Part& a, const Part& b) {
    return std::tuple(a.key, a.rows, a.amount) < std::tuple(b.key, b.rows, b.amount);
  });
  std::vector<Part> out;
  for (const Part& part : parts) {
    if (!out.empty() && out.back().key == part.key) {
      out.back().rows += part.rows;
      out.back().amount += part.amount;
    } else {
      out.push_back(part);
    }
  }
  return out;
}

std::vector<Part> spread(const std::vector<Part>& parts, std::size_t place, const MaskedColumn& column) {
  std::vector<Part> out;
  for (const Part& part : parts) {
    const auto& covers = column.covers[field(part.key, place)];
    const double share = 1 / static_cast<double>(covers.size());
    for (const std::uint32_t code : covers)
      out.push_back({with_field(part.key, place, code), part.rows * share, part.amount * share});
  }
  return merged(std::move(out));
}

// Those that are exact in all of the columns; spread() makes codes of their cells.
void keep_exact(std::vector<Part>& parts, const Question& question, const Masked& masked) {
  std::erase_if(parts, [&](const Part& part) {
    for (std::size_t place = 0; place < question.columns.size(); ++place) {
      if (masked.columns[question.columns[place]].covers[field(part.key, place)].size() != 1) return true;
    }
    return false;
  });
}

double mean_error(std::span<const double> answers, std::span<const double> truths) {
  double sum = 0, groups = 0;
  for (std::size_t g = 0; g < truths.size(); ++g) {
    if (truths[g] == 0) continue;
    sum += std::abs(answers[g] - truths[g]) / std::abs(truths[g]);
    groups += 1;
  }
  return groups == 0 ? 0 : sum / groups;
}

double error_by_size(std::span<const double> answers, std::span<const double> truths) {
  double wrong = 0, all = 0;
  for (std::size_t g = 0; g < truths.size(); ++g) {
    wrong += std::abs(answers[g] - truths[g]);
    all += truths[g];
  }
  return all == 0 ? 0 : wrong / all;
}

}  // namespace

Question ask(const Set& set, std::vector<std::uint32_t> columns) {
  Question question{std::move(columns), {}, {}, {}};
  for (std::size_t row = 0; row < set.rows(); ++row) {
    std::uint64_t key = 0;
    bool has_null = false;
    for (std::size_t place = 0; place < question.columns.size(); ++place) {
      const Dimension& dimension = set.dimensions[question.columns[place]];
      has_null = has_null || dimension.null_code == dimension.codes[row];
      key = with_field(key, place, dimension.codes[row]);
    }
    if (has_null) continue;
    const auto [at, is_new] =
        question.group_of.emplace(key, static_cast<std::uint32_t>(question.rows.size()));
    if (is_new) {
      question.rows.push_back(0);
      question.amounts.push_back(0);
    }
    question.rows[at->second] += 1;
    if (!set.amounts.empty()) question.amounts[at->second] += set.amounts[row];
  }
  return question;
}

double least_error(const Question& question, std::uint64_t k) {
  const auto small =
      std::ranges::count_if(question.rows, [&](double n) { return n < static_cast<double>(k); });
  return static_cast<double>(small) / static_cast<double>(std::max<std::size_t>(question.rows.size(), 1));
}

MeanError error_of(const Question& question, const Masked& masked, const std::vector<MaskedClass>& classes,
                   Reading reading) {
  std::vector<Part> parts;
  for (const MaskedClass& alike : classes) {
    Part part{0, alike.rows, alike.amount};
    for (std::size_t place = 0; place < question.columns.size(); ++place)
      part.key = with_field(part.key, place, alike.cells[question.columns[place]]);
    parts.push_back(part);
  }
  parts = merged(std::move(parts));
  if (reading == Reading::strict) keep_exact(parts, question, masked);
  for (std::size_t place = 0; place < question.columns.size(); ++place)
    parts = spread(parts, place, masked.columns[question.columns[place]]);
  std::vector<double> rows(question.rows.size(), 0), amounts(question.rows.size(), 0);
  for (const Part& part : parts) {
    const auto group = question.group_of.find(part.key);
    if (group == question.group_of.end()) continue;
    rows[group->second] = part.rows;
    amounts[group->second] = part.amount;
  }
  return {mean_error(rows, question.rows), mean_error(amounts, question.amounts),
          error_by_size(rows, question.rows)};
}

}  // namespace pgveil::bench::utility
