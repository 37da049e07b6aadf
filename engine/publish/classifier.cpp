#include "engine/publish/classifier.hpp"

#include <algorithm>
#include <cmath>

namespace pgveil::engine {
namespace {

constexpr std::size_t kFolds = 5;
constexpr double kTie = 1e-12;  // equal scores may differ by so much, because logarithms are rounded

struct Model {
  std::vector<double> rows;                 // by class
  std::vector<std::vector<double>> scores;  // ln P(value | class), by feature; place code · classes + class
};

bool is_learned(const Examples& from, std::size_t row, std::size_t fold) {
  return row % kFolds != fold && from.is_published[row] != 0 && from.classes[row] < from.class_count;
}

std::vector<double> scores_of(const Examples& from, const Feature& feature, std::size_t fold) {
  const std::size_t classes = from.class_count;
  std::vector<double> cells(feature.covers.size() * classes, 0);
  for (std::size_t row = 0; row < from.classes.size(); ++row) {
    if (is_learned(from, row, fold)) cells[feature.cells[row] * classes + from.classes[row]] += 1;
  }
  std::vector<double> counts(feature.values * classes, 1);
  for (std::size_t cell = 0; cell < feature.covers.size(); ++cell) {
    const auto& covers = feature.covers[cell];
    if (covers.size() == feature.values) continue;
    for (const Code code : covers) {
      for (std::size_t c = 0; c < classes; ++c)
        counts[code * classes + c] += cells[cell * classes + c] / static_cast<double>(covers.size());
    }
  }
  std::vector<double> sums(classes, 0);
  for (std::size_t i = 0; i < counts.size(); ++i) sums[i % classes] += counts[i];
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = std::log(counts[i] / sums[i % classes]);
  return counts;
}

Model train(const Examples& from, std::size_t fold) {
  Model model;
  model.rows.assign(from.class_count, 0);
  for (std::size_t row = 0; row < from.classes.size(); ++row) {
    if (is_learned(from, row, fold)) model.rows[from.classes[row]] += 1;
  }
  for (const auto& feature : from.features) model.scores.push_back(scores_of(from, feature, fold));
  return model;
}

std::size_t predict(const Examples& from, const Model& model, std::size_t row) {
  std::vector<double> scores;
  for (const double rows : model.rows) scores.push_back(std::log(rows + 1));
  for (std::size_t i = 0; i < from.features.size(); ++i) {
    const auto& feature = from.features[i];
    const Code code = feature.raw[row];
    if (code == feature.null_code) continue;
    for (std::size_t c = 0; c < scores.size(); ++c) scores[c] += model.scores[i][code * scores.size() + c];
  }
  std::size_t best = 0;
  for (std::size_t c = 1; c < scores.size(); ++c) {
    if (scores[c] > scores[best] + kTie) best = c;
  }
  return best;
}

std::vector<std::size_t> rows_by_class(const Examples& from) {
  std::vector<std::size_t> rows(from.class_count, 0);
  for (const auto it : from.classes) {
    if (it < from.class_count) ++rows[it];
  }
  return rows;
}

double share_of_rows(std::size_t rows, const std::vector<std::size_t>& by_class) {
  std::size_t all = 0;
  for (const auto it : by_class) all += it;
  return all == 0 ? 0 : static_cast<double>(rows) / static_cast<double>(all);
}

}  // namespace

double accuracy(const Examples& examples) {
  std::size_t right = 0;
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    const Model model = train(examples, fold);
    for (std::size_t row = fold; row < examples.classes.size(); row += kFolds) {
      const auto own = examples.classes[row];
      if (own < examples.class_count && predict(examples, model, row) == own) ++right;
    }
  }
  return share_of_rows(right, rows_by_class(examples));
}

double share_of_most_frequent(const Examples& examples) {
  const auto by_class = rows_by_class(examples);
  return by_class.empty() ? 0 : share_of_rows(*std::ranges::max_element(by_class), by_class);
}

}  // namespace pgveil::engine
