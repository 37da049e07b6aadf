#include "policy/entity/history.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "common/assert.hpp"
#include "common/sha256.hpp"
#include "policy/tree/released_together.hpp"

namespace pgveil::policy {

namespace {

using Person = std::uint32_t;
using RowIndex = std::uint32_t;
using TupleId = std::uint32_t;

constexpr std::uint32_t kNoGroup = std::numeric_limits<std::uint32_t>::max();

// The attributes in the order in which the rungs hide them.
std::vector<std::size_t> hiding_order(std::span<const Attribute> attributes) {
  std::vector<std::size_t> column_of;  // per attribute: the first attribute of the same column
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    const auto is_same = [&](const Attribute& other) { return source_of(other) == source_of(attributes[a]); };
    column_of.push_back(
        static_cast<std::size_t>(std::ranges::find_if(attributes, is_same) - attributes.begin()));
  }
  std::vector<std::size_t> order(attributes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    if (column_of[a] != column_of[b]) return column_of[a] > column_of[b];
    return coarseness_of(attributes[a]) < coarseness_of(attributes[b]);
  });
  return order;
}

// Sorts rows by key_of(row) < keys, keeping the order of rows that have the same.
template <class KeyOf>
void sort_by_key(std::vector<RowIndex>& rows, std::vector<RowIndex>& spare, std::size_t keys,
                 const KeyOf& key_of) {
  std::vector<RowIndex> next(keys + 1, 0);
  for (const RowIndex row : rows) ++next[key_of(row) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (const RowIndex row : rows) spare[next[key_of(row)]++] = row;
  rows.swap(spare);
}

// The tuples that rows show on each rung, as numbers without gaps. They form a tree: parent[r][id] is what
// the tuple `id` of rung r is on rung r + 1.
struct TupleTree {
  std::vector<TupleId> finest;  // per row, on rung 0
  std::vector<std::vector<TupleId>> parent;
};

TupleTree tuple_tree(const FactRows& facts, std::span<const std::size_t> hidden_in_order) {
  const std::size_t size = facts.person.size();
  TupleTree tree;
  tree.finest.assign(size, 0);
  tree.parent.resize(hidden_in_order.size());
  std::size_t tuples = 1;  // on the last rung all rows show the same
  std::vector<RowIndex> rows(size);
  std::vector<RowIndex> spare(size);
  std::iota(rows.begin(), rows.end(), RowIndex{0});
  std::vector<TupleId> finer(size);
  for (std::size_t rung = hidden_in_order.size(); rung-- > 0;) {
    const std::size_t attribute = hidden_in_order[rung];
    const std::vector<Code>& codes = facts.codes[attribute];
    sort_by_key(rows, spare, facts.attributes[attribute].values.size() + 1,
                [&](RowIndex row) { return codes[row]; });
    sort_by_key(rows, spare, tuples, [&](RowIndex row) { return tree.finest[row]; });
    std::vector<TupleId>& parent = tree.parent[rung];
    for (std::size_t i = 0; i < size; ++i) {
      const RowIndex row = rows[i];
      const bool is_new =
          i == 0 || tree.finest[row] != tree.finest[rows[i - 1]] || codes[row] != codes[rows[i - 1]];
      if (is_new) parent.push_back(tree.finest[row]);
      finer[row] = static_cast<TupleId>(parent.size() - 1);
    }
    tuples = std::max<std::size_t>(parent.size(), 1);
    tree.finest.swap(finer);
  }
  return tree;
}

// The histories of all persons, one after the other: ascending tuples, each once.
class HistorySets {
 public:
  HistorySets(const FactRows& facts, const std::vector<TupleId>& tuple_of_row, std::size_t persons)
      : begin_(persons + 1, 0), size_(persons, 0), tuples_(facts.person.size()) {
    for (const Person person : facts.person) ++begin_[person + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    for (std::size_t row = 0; row < facts.person.size(); ++row) {
      const Person person = facts.person[row];
      tuples_[begin_[person] + size_[person]++] = tuple_of_row[row];
    }
    for (Person person = 0; person < persons; ++person) make_set(person);
  }

  [[nodiscard]] std::span<const TupleId> of(Person person) const {
    return std::span(tuples_).subspan(begin_[person], size_[person]);
  }

  void go_one_rung_down(Person person, const std::vector<TupleId>& parent) {
    for (std::size_t i = begin_[person]; i < begin_[person] + size_[person]; ++i)
      tuples_[i] = parent[tuples_[i]];
    make_set(person);
  }

 private:
  void make_set(Person person) {
    const auto first = tuples_.begin() + static_cast<std::ptrdiff_t>(begin_[person]);
    const auto last = first + static_cast<std::ptrdiff_t>(size_[person]);
    std::sort(first, last);
    size_[person] = static_cast<std::uint32_t>(std::unique(first, last) - first);
  }

  std::vector<std::uint32_t> begin_;
  std::vector<std::uint32_t> size_;
  std::vector<TupleId> tuples_;
};

// Where the rows of each person are.
struct RowsByPerson {
  explicit RowsByPerson(const FactRows& facts, std::size_t persons) : rows(facts.person.size()) {
    begin.assign(persons + 1, 0);
    for (const Person person : facts.person) ++begin[person + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::uint32_t> next = begin;
    for (std::size_t row = 0; row < facts.person.size(); ++row)
      rows[next[facts.person[row]]++] = static_cast<RowIndex>(row);
  }
  [[nodiscard]] std::span<const RowIndex> of(Person person) const {
    return std::span(rows).subspan(begin[person], begin[person + 1] - begin[person]);
  }
  std::vector<std::uint32_t> begin;
  std::vector<RowIndex> rows;
};

// Persons of one class who show the same set on the same rung.
struct HistoryGroup {
  std::uint32_t of_class = 0;
  std::uint16_t rung = 0;
  std::uint64_t persons = 0;
  Person first = 0;
};

class HistoryChooser {
 public:
  HistoryChooser(const FactRows& facts, std::span<const std::uint32_t> classes, std::uint64_t k)
      : facts_(facts), classes_(classes), k_(k), group_of_(classes.size(), kNoGroup) {}

  ChosenHistories choose() {
    chosen_.ladder = ladder_of(facts_.attributes);
    group_persons();
    unlink_groups();
    for (const std::uint32_t group : group_of_)
      chosen_.rung.push_back(group == kNoGroup ? kUnlinked : groups_[group].rung);
    number_classes();
    return std::move(chosen_);
  }

 private:
  // A person who has no group yet. The hash only speeds up comparing; whether sets are the same is decided by
  // the sets.
  struct Candidate {
    std::uint32_t of_class;
    std::uint64_t hash;
    Person person;
  };

  void group_persons() {
    const auto hidden_in_order = hiding_order(facts_.attributes);
    TupleTree tuples = tuple_tree(facts_, hidden_in_order);
    HistorySets sets(facts_, tuples.finest, classes_.size());
    tuples.finest = {};
    std::vector<Candidate> left;
    for (Person person = 0; person < classes_.size(); ++person) {
      if (!sets.of(person).empty()) left.push_back({classes_[person], 0, person});
    }
    for (std::size_t rung = 0; rung <= hidden_in_order.size(); ++rung) {
      if (rung > 0) {
        for (const Candidate& one : left) sets.go_one_rung_down(one.person, tuples.parent[rung - 1]);
        tuples.parent[rung - 1] = {};
      }
      group_on_rung(static_cast<std::uint16_t>(rung), sets, left);
    }
  }

  // Takes those who found a group out of `left`.
  void group_on_rung(std::uint16_t rung, const HistorySets& sets, std::vector<Candidate>& left) {
    for (Candidate& one : left) one.hash = hash_of(sets.of(one.person));
    std::ranges::sort(left, [&](const Candidate& a, const Candidate& b) {
      if (std::tie(a.of_class, a.hash) != std::tie(b.of_class, b.hash))
        return std::tie(a.of_class, a.hash) < std::tie(b.of_class, b.hash);
      const auto set_a = sets.of(a.person);
      const auto set_b = sets.of(b.person);
      if (!std::ranges::equal(set_a, set_b)) return std::ranges::lexicographical_compare(set_a, set_b);
      return a.person < b.person;
    });
    const auto is_alike = [&](const Candidate& a, const Candidate& b) {
      return a.of_class == b.of_class && a.hash == b.hash &&
             std::ranges::equal(sets.of(a.person), sets.of(b.person));
    };
    std::size_t kept = 0;
    for (std::size_t first = 0; first < left.size();) {
      std::size_t end = first + 1;
      while (end < left.size() && is_alike(left[first], left[end])) ++end;
      if (end - first >= k_) {
        for (std::size_t i = first; i < end; ++i)
          group_of_[left[i].person] = static_cast<std::uint32_t>(groups_.size());
        groups_.push_back({left[first].of_class, rung, end - first, left[first].person});
      } else {
        for (std::size_t i = first; i < end; ++i) left[kept++] = left[i];
      }
      first = end;
    }
    left.resize(kept);
  }

  static std::uint64_t hash_of(std::span<const TupleId> set) {
    std::uint64_t hash = set.size();
    for (const TupleId id : set) {
      hash = (hash ^ id) * 0x9E3779B97F4A7C15U;
      hash ^= hash >> 32;
    }
    return hash;
  }

  // In each class whose rest is too small the smallest group joins the rest: of several the one that shows
  // least, and of several of these the one whose text is first.
  void unlink_groups() {
    std::vector<std::uint64_t> rest(classes_.size(), 0);
    for (Person person = 0; person < classes_.size(); ++person) {
      if (group_of_[person] == kNoGroup) ++rest[classes_[person]];
    }
    const auto is_short = [&](std::uint32_t of_class) { return rest[of_class] > 0 && rest[of_class] < k_; };
    std::vector<std::uint32_t> in_short;
    for (std::uint32_t group = 0; group < groups_.size(); ++group) {
      if (is_short(groups_[group].of_class)) in_short.push_back(group);
    }
    const auto rank = [&](std::uint32_t group) {
      const HistoryGroup& it = groups_[group];
      return std::tuple(it.of_class, it.persons, -static_cast<int>(it.rung));
    };
    std::ranges::sort(in_short, [&](auto a, auto b) { return rank(a) < rank(b); });
    std::vector<bool> is_unlinked(groups_.size(), false);
    std::optional<RowsByPerson> rows;
    for (std::size_t first = 0; first < in_short.size();) {
      std::size_t end = first + 1;
      while (end < in_short.size() && rank(in_short[end]) == rank(in_short[first])) ++end;
      if (end - first > 1 && !rows) rows.emplace(facts_, classes_.size());
      const std::uint32_t unlinked = first_by_text(std::span(in_short).subspan(first, end - first), rows);
      is_unlinked[unlinked] = true;
      const std::uint32_t done = groups_[unlinked].of_class;
      rest[done] += groups_[unlinked].persons;
      while (end < in_short.size() && groups_[in_short[end]].of_class == done) ++end;
      first = end;
    }
    for (std::uint32_t& group : group_of_) {
      if (group != kNoGroup && is_unlinked[group]) group = kNoGroup;
    }
    for (const std::uint32_t of_class : classes_) PGVEIL_ASSERT(!is_short(of_class));
  }

  // rows: not null if there is more than one group.
  [[nodiscard]] std::uint32_t first_by_text(std::span<const std::uint32_t> groups,
                                            const std::optional<RowsByPerson>& rows) const {
    if (groups.size() == 1) return groups.front();
    std::optional<std::pair<std::string, std::uint32_t>> first;
    for (const std::uint32_t group : groups) {
      std::pair one{text_of(groups_[group], *rows), group};
      if (!first || one.first < first->first) first = std::move(one);
    }
    return first->second;
  }

  // SHA-256 of what the group shows, of texts instead of codes: the numbering of codes may not matter.
  [[nodiscard]] std::string text_of(const HistoryGroup& group, const RowsByPerson& rows) const {
    const Detail& detail = chosen_.ladder[group.rung];
    std::vector<std::string> tuples;
    for (const RowIndex row : rows.of(group.first)) {
      std::string tuple;
      for (std::size_t a = 0; a < facts_.attributes.size(); ++a) {
        if (!detail.shown[a]) continue;
        const Code code = facts_.codes[a][row];
        if (code == kNullCode) {
          tuple += "N,";
        } else {
          const std::string& value = facts_.attributes[a].values[code - 1];
          tuple += std::to_string(value.size()) + ":" + value;
        }
      }
      tuples.push_back(std::move(tuple));
    }
    std::ranges::sort(tuples);
    tuples.erase(std::unique(tuples.begin(), tuples.end()), tuples.end());
    std::string text;
    for (const std::string& tuple : tuples) text += std::to_string(tuple.size()) + ":" + tuple;
    return sha256_hex(text);
  }

  void number_classes() {
    std::vector<std::uint32_t> number(groups_.size() + classes_.size(), kNoGroup);
    std::uint32_t used = 0;
    for (Person person = 0; person < classes_.size(); ++person) {
      const bool is_rest = group_of_[person] == kNoGroup;
      std::uint32_t& it = number[is_rest ? groups_.size() + classes_[person] : group_of_[person]];
      if (it == kNoGroup) it = used++;
      chosen_.classes.push_back(it);
    }
  }

  const FactRows& facts_;
  std::span<const std::uint32_t> classes_;
  std::uint64_t k_;
  std::vector<HistoryGroup> groups_;
  std::vector<std::uint32_t> group_of_;  // per person; kNoGroup: the rest of the class
  ChosenHistories chosen_;
};

void require_valid(const FactRows& facts, std::span<const std::uint32_t> classes, std::uint64_t k) {
  PGVEIL_ASSERT(k >= 1 && facts.person.size() < kNoGroup && classes.size() < kNoGroup / 2);
  PGVEIL_ASSERT(facts.attributes.size() < kUnlinked && facts.codes.size() == facts.attributes.size());
  for (const Person person : facts.person) PGVEIL_ASSERT(person < classes.size());
  for (std::size_t a = 0; a < facts.codes.size(); ++a) {
    PGVEIL_ASSERT(facts.codes[a].size() == facts.person.size());
    for (const Code code : facts.codes[a]) PGVEIL_ASSERT(code <= facts.attributes[a].values.size());
  }
  std::vector<std::uint64_t> persons(classes.size(), 0);
  for (const std::uint32_t of_class : classes) {
    PGVEIL_ASSERT(of_class < classes.size());
    ++persons[of_class];
  }
  for (const std::uint64_t count : persons) PGVEIL_ASSERT(count == 0 || count >= k);
}

}  // namespace

std::vector<Detail> ladder_of(std::span<const Attribute> attributes) {
  std::vector<Detail> ladder(1, Detail{std::vector<bool>(attributes.size(), true)});
  for (const std::size_t attribute : hiding_order(attributes)) {
    ladder.push_back(ladder.back());
    ladder.back().shown[attribute] = false;
  }
  return ladder;
}

ChosenHistories choose_histories(const FactRows& facts, std::span<const std::uint32_t> classes,
                                 std::uint64_t k) {
  require_valid(facts, classes, k);
  return HistoryChooser(facts, classes, k).choose();
}

}  // namespace pgveil::policy
