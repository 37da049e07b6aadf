#pragma once
// Local search over a few groups of records that lie close together: their records are exchanged and moved,
// or grouped anew, so that the groups lose less. For least_loss.hpp, which chooses the groups.
#include <cstdint>
#include <span>
#include <vector>

#include "engine/data/code_column.hpp"
#include "engine/mondrian/box_loss.hpp"
#include "engine/privacy/class_test.hpp"

namespace pgveil::engine {

using Record = std::uint32_t;

// Whether a group keeps k and the models of sensitive values. One thread at a time.
class GroupTest {
 public:
  // All must outlive this object. sensitive[i] are the codes of values[i].
  GroupTest(const Anonymity& anonymity, std::span<const CodeColumn* const> sensitive,
            std::span<const SensitiveValues> values)
      : test_(anonymity, values),
        smallest_(smallest_class(anonymity)),
        sensitive_(sensitive),
        tests_values_(!anonymity.sensitive.empty()) {}

  [[nodiscard]] std::uint64_t smallest() const { return smallest_; }
  [[nodiscard]] bool tests_values() const { return tests_values_; }
  [[nodiscard]] bool is_kept(std::span<const Record> records);
  // Whether some sensitive column of the group has no record with this one's value.
  [[nodiscard]] bool brings_a_value(std::span<const Record> records, Record record) const;

 private:
  ClassTest test_;
  std::uint64_t smallest_;
  std::span<const CodeColumn* const> sensitive_;
  bool tests_values_;
  std::vector<Code> sorted_;  // scratch, as are the following
  std::vector<std::vector<Code>> codes_;
  std::vector<std::vector<std::uint64_t>> counts_;
  std::vector<ClassView::Values> views_;
};

// Some groups, held so that a change is cheap to judge. Memory is kept between uses. Not for many thousand
// records at a time: a pass compares each with each.
class Neighbourhood {
 public:
  // loss and test must outlive this object.
  Neighbourhood(const BoxLoss& loss, GroupTest& test) : loss_(loss), test_(test) {}

  // The groups, one after the other: group g has sizes[g] of the records. cells: those of the records, in the
  // same order. All of the groups keep the models.
  void set(std::span<const Record> records, std::span<const std::uint32_t> sizes,
           std::span<const Cell> cells);

  // Moves records to other groups and exchanges them, as long as that loses less and all groups keep the
  // models. The number of groups stays.
  void exchange();

  // Groups the records anew: each group begins with the record that is farthest from the last group, and
  // takes the record that costs least until it keeps the models (as in Byun et al. 2007, k-member
  // clustering). What is left joins the group where it costs least. false: then the models cannot be kept in
  // this way, and the groups are unspecified. first: the place of the record to begin with.
  [[nodiscard]] bool group_anew(std::size_t first);

  [[nodiscard]] std::size_t records() const { return records_.size(); }
  [[nodiscard]] Loss total() const;
  // Appends the records, group after group, and the groups' sizes.
  void append_to(std::vector<Record>& records, std::vector<std::uint32_t>& sizes) const;

 private:
  using Place = std::uint32_t;  // of a record in this neighbourhood

  struct Change {
    std::int64_t gain = 0;  // negative: loses less
    std::size_t group = 0;  // to which the record goes
    Place other = 0;        // which comes back
    bool is_exchange = false;
  };

  [[nodiscard]] const Cell* cells(Place place) const { return cells_.data() + place * loss_.dimensions(); }
  [[nodiscard]] std::size_t at(std::size_t group) const { return group * loss_.dimensions(); }
  [[nodiscard]] std::int64_t size(std::size_t group) const {
    return static_cast<std::int64_t>(members_[group].size());
  }
  // What the record's group would lose less if it had one of the same cells as its other records instead.
  [[nodiscard]] std::int64_t saving(Place place) const {
    const std::size_t group = group_of_[place];
    return size(group) * static_cast<std::int64_t>(of_group_[group] - of_others_[place]);
  }
  void measure_all();
  void measure(std::size_t group);
  void measure_others_of_set(const std::vector<Place>& members, std::size_t d, Cell set);
  void measure_others_of_range(const std::vector<Place>& members, std::size_t d);
  void find_move(Place place, Change& best);
  void find_exchange(Place place, Change& best);
  void apply(Place place, const Change& change);
  bool keeps_without(std::size_t group, Place left_out, const Place* instead);
  std::size_t take_farthest(std::vector<Place>& left) const;
  bool join_cheapest(Place place);

  const BoxLoss& loss_;
  GroupTest& test_;
  std::vector<Record> records_;
  std::vector<Cell> cells_;
  std::vector<std::vector<Place>> members_;
  std::vector<std::size_t> group_of_;
  std::vector<Cell> low_, high_;                // of groups
  std::vector<Loss> of_group_;                  // of one record in the group
  std::vector<Cell> others_low_, others_high_;  // of the group without the record
  std::vector<Loss> of_others_;
  std::vector<Cell> box_low_, box_high_;  // of the group that is being made
  std::vector<Record> tested_;            // scratch
};

}  // namespace pgveil::engine
