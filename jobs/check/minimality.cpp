#include "jobs/check/minimality.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <unordered_map>

#include "engine/privacy/class_test.hpp"

namespace pgveil::app {
namespace {

using Counts = std::vector<std::uint64_t>;  // by code
using Persons = std::vector<std::uint32_t>;

// The values that each person can have in one column, as far as they are fewer than those of the class.
class Possible {
 public:
  Possible(const KnownOfPersons& known, std::size_t column) : known_(known), column_(column) {}

  [[nodiscard]] bool has(std::uint32_t person, engine::Code code) const {
    const auto found = excluded_.find(person);
    return counts_of(person)[code] > 0 && (found == excluded_.end() || !found->second[code]);
  }
  // True: the value was possible until now.
  bool exclude(std::uint32_t person, engine::Code code) {
    if (!has(person, code)) return false;
    auto& of_person = excluded_[person];
    of_person.resize(counts_of(person).size());
    of_person[code] = true;
    return true;
  }
  [[nodiscard]] const Counts& counts_of(std::uint32_t person) const {
    return known_.counts[*known_.class_of[person]][column_];
  }
  [[nodiscard]] std::vector<engine::Code> values_of(std::uint32_t person) const {
    std::vector<engine::Code> made;
    for (std::size_t code = 0; code < counts_of(person).size(); ++code) {
      if (has(person, static_cast<engine::Code>(code))) made.push_back(static_cast<engine::Code>(code));
    }
    return made;
  }
  [[nodiscard]] bool is_narrowed(std::uint32_t person) const { return excluded_.contains(person); }

 private:
  const KnownOfPersons& known_;
  std::size_t column_;
  std::unordered_map<std::uint32_t, std::vector<bool>> excluded_;
};

enum class Breaks { never, perhaps, unknown };  // unknown: there are too many histograms to tell

// Which histograms of values the persons of a part of a class can have, and which of them break the models.
class Part {
 public:
  Part(const ModeledColumn& column, const Counts& counts,
       std::vector<std::pair<std::uint64_t, std::uint64_t>> bounds, std::uint64_t size)
      : test_({.k = 1, .sensitive = models_of(column)}, std::span(&column.values, 1)), size_(size) {
    for (std::size_t code = 0; code < counts.size(); ++code) {
      if (counts[code] == 0) continue;
      codes_.push_back(static_cast<engine::Code>(code));
      in_class_.push_back(counts[code]);
      bounds_.push_back(bounds[code]);
    }
    // Frequent values first, so that the histograms of few values come early.
    std::vector<std::size_t> order(codes_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return in_class_[i]; });
    codes_ = taken(codes_, order);
    in_class_ = taken(in_class_, order);
    bounds_ = taken(bounds_, order);
    most_after_.assign(codes_.size() + 1, 0);
    for (std::size_t i = codes_.size(); i-- > 0;) most_after_[i] = most_after_[i + 1] + bounds_[i].second;
    few_values_ = distinct_alone(column.models);
  }

  [[nodiscard]] const std::vector<engine::Code>& codes() const { return codes_; }
  [[nodiscard]] const Counts& in_class() const { return in_class_; }

  [[nodiscard]] Breaks breaks() {
    if (few_values_ && sum_of_largest(*few_values_ - 1) < size_) return Breaks::never;
    bool is_found = false;
    const bool is_whole = for_each([&](const Counts& histogram) {
      is_found = is_broken(histogram);
      return !is_found;
    });
    if (is_found) return Breaks::perhaps;
    return is_whole ? Breaks::never : Breaks::unknown;
  }

  // Calls work(histogram, by the places of codes()) for those that break the models. False: too many.
  bool for_each_breaking(const std::function<void(const Counts&)>& work) {
    return for_each([&](const Counts& histogram) {
      if (is_broken(histogram)) work(histogram);
      return true;
    });
  }

  // The probability of a histogram if each record of the class is as likely any of its persons':
  // Π C(in class, in part) ÷ C(records of the class, size), a multivariate hypergeometric distribution.
  [[nodiscard]] double probability(const Counts& histogram) const {
    const auto log_choose = [](std::uint64_t n, std::uint64_t m) {
      return std::lgamma(static_cast<double>(n) + 1) - std::lgamma(static_cast<double>(m) + 1) -
             std::lgamma(static_cast<double>(n - m) + 1);
    };
    double sum = -log_choose(std::accumulate(in_class_.begin(), in_class_.end(), std::uint64_t{0}), size_);
    for (std::size_t i = 0; i < histogram.size(); ++i) sum += log_choose(in_class_[i], histogram[i]);
    return std::exp(sum);
  }

 private:
  static std::vector<engine::SensitiveModel> models_of(const ModeledColumn& column) {
    std::vector<engine::SensitiveModel> made;
    for (const auto& model : column.models) made.push_back({0, model});
    return made;
  }
  template <class T>
  static std::vector<T> taken(const std::vector<T>& from, const std::vector<std::size_t>& order) {
    std::vector<T> made;
    for (const auto i : order) made.push_back(from[i]);
    return made;
  }
  // The number of values that all models together ask for, if they ask for nothing else.
  static std::optional<std::size_t> distinct_alone(const std::vector<engine::ValueModel>& models) {
    std::size_t most = 1;
    for (const auto& model : models) {
      const auto* distinct = std::get_if<engine::DistinctDiversity>(&model);
      if (distinct == nullptr) return std::nullopt;
      most = std::max(most, static_cast<std::size_t>(std::ceil(distinct->l)));
    }
    return most;
  }
  [[nodiscard]] std::uint64_t sum_of_largest(std::size_t values) const {
    Counts most;
    for (const auto& bound : bounds_) most.push_back(bound.second);
    std::ranges::sort(most, std::greater<>());
    most.resize(std::min(values, most.size()));
    return std::accumulate(most.begin(), most.end(), std::uint64_t{0});
  }

  bool is_broken(const Counts& histogram) {
    shown_codes_.clear();
    shown_counts_.clear();
    for (std::size_t i = 0; i < histogram.size(); ++i) {
      if (histogram[i] == 0) continue;
      shown_codes_.push_back(codes_[i]);
      shown_counts_.push_back(histogram[i]);
    }
    const engine::ClassView::Values view{shown_codes_, shown_counts_};
    return !test_.test({size_, size_, std::span(&view, 1)}).is_kept;
  }

  // work: whether to go on. False: the work did not see all histograms, because they are too many.
  bool for_each(const std::function<bool(const Counts&)>& work) {
    Counts histogram(codes_.size(), 0);
    steps_ = 0;
    is_stopped_ = false;
    fill(histogram, 0, size_, work);
    return steps_ < kMostSteps;
  }
  void fill(Counts& histogram, std::size_t at, std::uint64_t left,
            const std::function<bool(const Counts&)>& work) {
    if (is_stopped_ || steps_ >= kMostSteps || left > most_after_[at]) return;
    ++steps_;
    if (at == codes_.size()) {
      is_stopped_ = !work(histogram);
      return;
    }
    const auto [least, most] = bounds_[at];
    for (std::uint64_t count = std::min(most, left) + 1; count-- > least;) {
      histogram[at] = count;
      fill(histogram, at + 1, left - count, work);
    }
    histogram[at] = 0;
  }

  engine::ClassTest test_;
  std::uint64_t size_;
  std::vector<engine::Code> codes_;
  Counts in_class_, most_after_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> bounds_;  // least and most in the part
  std::optional<std::size_t> few_values_;
  std::size_t steps_ = 0;
  bool is_stopped_ = false;
  std::vector<engine::Code> shown_codes_;
  Counts shown_counts_;
};

class Inference {
 public:
  Inference(const KnownOfPersons& known, const std::vector<ForgoneChoice>& choices)
      : known_(known), choices_(choices) {
    for (std::size_t column = 0; column < known.columns.size(); ++column)
      possible_.emplace_back(known, column);
    persons_of_.resize(known.counts.size());
    for (std::size_t person = 0; person < known.class_of.size(); ++person) {
      if (const auto of = known.class_of[person])
        persons_of_[*of].push_back(static_cast<std::uint32_t>(person));
    }
  }

  [[nodiscard]] const Possible& possible(std::size_t column) const { return possible_[column]; }

  // What one choice excludes can decide another one, so all are looked at again until nothing changes.
  // Returns how many choices are decided.
  std::uint64_t run() {
    std::uint64_t decided = 0;
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      decided = 0;
      for (const auto& choice : choices_) {
        const auto only = only_candidate(choice);
        if (!only) continue;
        ++decided;
        has_changed = take_fact(*only->persons, only->column) || has_changed;
      }
    }
    return decided;
  }

  struct Candidate {
    const Persons* persons = nullptr;
    std::size_t column = 0;
  };

  // The classes that may have broken a model, at most `most` of them. nullopt: there are more, or it is
  // unclear what values one of them can have.
  std::optional<std::vector<Candidate>> candidates(const ForgoneChoice& choice, std::size_t most) {
    std::vector<Candidate> made;
    for (const auto& persons : choice.classes) {
      const bool is_known = class_of(persons).has_value();
      for (std::size_t column = 0; column < known_.columns.size(); ++column) {
        const auto breaks = is_known ? part(persons, column).breaks() : Breaks::unknown;
        if (breaks == Breaks::never) continue;
        if (breaks == Breaks::unknown || made.size() == most) return std::nullopt;
        made.push_back({&persons, column});
      }
    }
    return made;
  }

  // Of a part of one class. REQUIRES: class_of(persons).
  Part part(const Persons& persons, std::size_t column) const {
    const Counts& counts = known_.counts[*class_of(persons)][column];
    std::vector<std::pair<std::uint64_t, std::uint64_t>> bounds(counts.size());
    for (const auto person : persons) {
      const auto values = possible_[column].values_of(person);
      for (const auto value : values) ++bounds[value].second;
      if (values.size() == 1) ++bounds[values.front()].first;
    }
    for (std::size_t code = 0; code < counts.size(); ++code)
      bounds[code].second = std::min(bounds[code].second, counts[code]);
    return {known_.columns[column], counts, std::move(bounds), persons.size()};
  }

  // The class of the file that has all of them.
  [[nodiscard]] std::optional<std::uint32_t> class_of(const Persons& persons) const {
    const auto first = known_.class_of[persons.front()];
    const bool is_one =
        std::ranges::all_of(persons, [&](std::uint32_t it) { return known_.class_of[it] == first; });
    return is_one ? first : std::nullopt;
  }

 private:
  std::optional<Candidate> only_candidate(const ForgoneChoice& choice) {
    const auto found = candidates(choice, 1);
    return found && found->size() == 1 ? std::optional(found->front()) : std::nullopt;
  }

  // The models are broken in this part. True: that excludes a value.
  bool take_fact(const Persons& persons, std::size_t column) {
    auto of_part = part(persons, column);
    const auto& codes = of_part.codes();
    std::vector<bool> occurs(codes.size()), occurs_outside(codes.size());
    const bool is_whole = of_part.for_each_breaking([&](const Counts& histogram) {
      for (std::size_t i = 0; i < codes.size(); ++i) {
        if (histogram[i] > 0) occurs[i] = true;
        if (histogram[i] < of_part.in_class()[i]) occurs_outside[i] = true;
      }
    });
    if (!is_whole) return false;
    bool has_changed = false;
    const std::vector<bool> is_inside = flags_of(persons);
    for (const auto person : persons_of_[*class_of(persons)]) {
      const auto& here = is_inside[person] ? occurs : occurs_outside;
      for (std::size_t i = 0; i < codes.size(); ++i)
        has_changed = (!here[i] && possible_[column].exclude(person, codes[i])) || has_changed;
    }
    return has_changed;
  }

  [[nodiscard]] std::vector<bool> flags_of(const Persons& persons) const {
    std::vector<bool> made(known_.class_of.size());
    for (const auto person : persons) made[person] = true;
    return made;
  }

  const KnownOfPersons& known_;
  const std::vector<ForgoneChoice>& choices_;
  std::vector<Possible> possible_;   // by column
  std::vector<Persons> persons_of_;  // by class
};

struct Guess {
  engine::Code code = 0;
  double probability = 0;
};

using Guesses = std::unordered_map<std::uint32_t, Guess>;  // by person

// The likeliest values given that a class of the choice breaks a model. The classes of the choice count as
// independent, which they are if they are of different classes of the file.
class Guesser {
 public:
  Guesser(Inference& inference, std::size_t columns) : inference_(inference), guesses_(columns) {}

  void add(const ForgoneChoice& choice) {
    const auto found = inference_.candidates(choice, kMostGuessed);
    if (!found) return;
    std::vector<Broken> broken;
    double none = 1;
    for (const auto& candidate : *found) {
      broken.push_back(broken_of(candidate));
      none *= 1 - broken.back().probability;
    }
    if (none >= 1) return;
    for (std::size_t i = 0; i < broken.size(); ++i) {
      double no_other = 1;
      for (std::size_t other = 0; other < broken.size(); ++other)
        no_other *= other == i ? 1 : 1 - broken[other].probability;
      offer(found->at(i), likeliest(broken[i], no_other, none));
    }
  }

  [[nodiscard]] const Guesses& of_column(std::size_t column) const { return guesses_[column]; }

 private:
  struct Broken {
    std::vector<engine::Code> codes;
    double probability = 0;
    std::vector<double> together, share;  // by code: P(value, broken), P(value)
  };

  Broken broken_of(const Inference::Candidate& candidate) {
    auto part = inference_.part(*candidate.persons, candidate.column);
    Broken made{part.codes(), 0, std::vector<double>(part.codes().size(), 0), {}};
    const auto size = static_cast<double>(candidate.persons->size());
    part.for_each_breaking([&](const Counts& histogram) {
      const double weight = part.probability(histogram);
      made.probability += weight;
      for (std::size_t i = 0; i < histogram.size(); ++i)
        made.together[i] += weight * static_cast<double>(histogram[i]) / size;
    });
    made.probability = std::min(made.probability, 1.0);
    const auto& in_class = part.in_class();
    const auto records = std::accumulate(in_class.begin(), in_class.end(), std::uint64_t{0});
    for (const auto count : in_class)
      made.share.push_back(static_cast<double>(count) / static_cast<double>(records));
    return made;
  }

  // P(v | some class breaks) = (P(v) − P(no other breaks) · P(v, this one does not)) ÷ P(some class breaks).
  static Guess likeliest(const Broken& it, double no_other, double none) {
    Guess best;
    for (std::size_t i = 0; i < it.codes.size(); ++i) {
      const double found = (it.share[i] - no_other * (it.share[i] - it.together[i])) / (1 - none);
      if (found > best.probability) best = {it.codes[i], found};
    }
    return best;
  }

  void offer(const Inference::Candidate& candidate, Guess guess) {
    for (const auto person : *candidate.persons) {
      auto& best = guesses_[candidate.column][person];
      if (guess.probability > best.probability) best = guess;
    }
  }

  Inference& inference_;
  std::vector<Guesses> guesses_;
};

engine::Code most_frequent(const Counts& counts) {
  return static_cast<engine::Code>(std::ranges::max_element(counts) - counts.begin());
}

// Of the values that are possible. If none is, the input is not the one of the file.
engine::Code most_frequent(const Possible& possible, std::uint32_t person) {
  const auto values = possible.values_of(person);
  if (values.empty()) return most_frequent(possible.counts_of(person));
  return *std::ranges::max_element(values, {},
                                   [&](engine::Code it) { return possible.counts_of(person)[it]; });
}

InferredColumn judged(const KnownOfPersons& known, std::size_t column, const Possible& possible,
                      const Guesses& guesses, const engine::CodeColumn& true_codes) {
  InferredColumn made{known.columns[column].name};
  for (std::uint32_t person = 0; person < known.class_of.size(); ++person) {
    if (!known.class_of[person]) continue;
    const auto truth = true_codes.at(person);
    const auto prior = most_frequent(possible.counts_of(person));
    const auto guess = guesses.find(person);
    auto guessed = guess == guesses.end() ? prior : guess->second.code;
    if (!possible.has(person, guessed)) guessed = most_frequent(possible, person);
    if (possible.is_narrowed(person)) {
      const auto values = possible.values_of(person);
      ++made.narrowed;
      const bool is_certain = values.size() == 1;
      if (!possible.has(person, truth)) ++made.wrong;
      if (is_certain) ++(values.front() == truth ? made.learnt : made.mistaken);
      if (is_certain) guessed = values.front();
    }
    ++made.guessed;
    if (prior == truth) ++made.prior_right;
    if (guessed == truth) ++made.guessed_right;
  }
  return made;
}

}  // namespace

Minimality infer_by_minimality(const KnownOfPersons& known, const std::vector<ForgoneChoice>& choices,
                               const std::vector<const engine::CodeColumn*>& true_codes) {
  Inference inference(known, choices);
  Minimality made;
  made.choices = choices.size();
  made.decided = inference.run();
  Guesser guesser(inference, known.columns.size());
  for (const auto& choice : choices) guesser.add(choice);
  for (std::size_t column = 0; column < known.columns.size(); ++column)
    made.columns.push_back(
        judged(known, column, inference.possible(column), guesser.of_column(column), *true_codes[column]));
  return made;
}

}  // namespace pgveil::app
