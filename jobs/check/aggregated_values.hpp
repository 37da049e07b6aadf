#pragma once
// Which values of a job's input can be behind an aggregate that a class of its published file shows. For
// attacks on files.
//
// A value is possible if records of the class can have it, and others values of the input, so that the class
// shows this aggregate (engine/publish/class_aggregate.hpp). A class that shows an aggregate has k records
// with a value at least. Classes that look alike are one class in the file, and their records together have
// the same aggregate: means, middles, modes and ends of both agree. So classes below one node of the
// hierarchy count as one. If several nodes can have the aggregate, the records of one of them can also be
// fewer: k at least, and k others.
//
// No value is called impossible that records can have. Every value that is called possible occurs in some
// class of that size, with these exceptions. For a mean of more than two records, a value is possible if the
// other records can have the sum that is left. Sums are computed up to a limit of work, which depends on the
// column alone. Above it, and for a geometric mean of more than two records, the least and the greatest sum
// decide. Logarithms decide with a margin for their rounding. If several nodes can have the aggregate, it is
// not asked whether the others have it with exactly the records that are left. Pure.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "engine/data/decimal.hpp"
#include "engine/data/measured_values.hpp"
#include "engine/data/table.hpp"
#include "jobs/language/job.hpp"

namespace pgveil::app {

class AggregatedValues {
 public:
  // raw: the attribute's column in the input, which outlives this, as the job does. level: of the hierarchy,
  // at which classes were formed; nullopt: not known. REQUIRES: the attribute is aggregated. Errors: those of
  // measure_values, hierarchy_of and make_level_tables; kind configuration: the hierarchy has no such level.
  [[nodiscard]] static Result<AggregatedValues> make(const JobAttribute& attribute, const engine::Column& raw,
                                                     const Job& job, std::optional<unsigned> level);

  // One flag for each code of the raw column: a class of so many records that shows this text can have the
  // value. Numbers and dates count as numbers, however they are written. All false: no class shows this text.
  // All true: `*`. REQUIRES: records ≥ 1.
  [[nodiscard]] std::vector<bool> possible(const std::string& text, std::uint64_t records) const;

  // Whether the text by itself names the value of all records that have one: NULL, or the interval of one
  // value.
  [[nodiscard]] bool names_one_value(const std::string& text) const;

 private:
  // What a class can have in the column: all values of the input, or those below one node of the hierarchy.
  struct Domain {
    std::vector<engine::Code> codes;  // without NULL
    bool has_null = false;
    std::vector<std::int64_t> numbers;  // distinct, ascending; empty for a mode
    std::int64_t unit = 1;              // numbers differ by multiples of it
    // [j][i]: j + 2 of the numbers can have the sum (j + 2) · least + i · unit. As far as was computed.
    std::vector<std::vector<bool>> sums = {};
  };
  struct Shown;  // the text as numbers

  AggregatedValues(const JobAttribute& attribute, const engine::Column& raw, const Job& job);
  void add_domain(const std::vector<engine::Code>& codes);
  void add_numbers(Domain& domain) const;
  static void add_sums(Domain& domain);
  [[nodiscard]] std::optional<Shown> read(const std::string& text) const;
  [[nodiscard]] std::optional<engine::Wide> number_of(std::string_view text, unsigned more_digits) const;
  [[nodiscard]] bool is_within(const Domain& domain, const Shown& shown) const;
  // Whether a class with so many records that have a value can have this number. The domain outlives it.
  using IsPossible = std::function<bool(std::int64_t)>;
  [[nodiscard]] static IsPossible of_mean(const Domain& domain, const Shown& shown, std::uint64_t known);
  [[nodiscard]] static IsPossible of_geometric_mean(const Domain& domain, const Shown& shown,
                                                    std::uint64_t known);
  [[nodiscard]] static IsPossible of_median(const Domain& domain, const Shown& shown, std::uint64_t known);
  [[nodiscard]] static IsPossible of_interval(const Domain& domain, const Shown& shown, std::uint64_t known);
  [[nodiscard]] std::function<bool(engine::Code)> of_mode(const Domain& domain, const Shown& shown,
                                                          std::uint64_t known) const;
  [[nodiscard]] std::function<bool(engine::Code)> condition(const Domain& domain, const Shown& shown,
                                                            std::uint64_t known) const;
  // How many of the records can have a value, without numbers that permit the same values as another.
  [[nodiscard]] std::vector<std::uint64_t> known_records(const Domain& domain, std::uint64_t records,
                                                         bool is_one_of_several) const;
  // Sets the flags of what records of the class can have that are below one node.
  void add_possible(const Domain& domain, const Shown& shown, std::uint64_t records, bool is_one_of_several,
                    std::vector<bool>& flags) const;

  const JobAttribute* attribute_;
  const engine::Column* raw_;
  const Job* job_;
  std::optional<engine::Code> null_code_;
  engine::MeasuredValues measured_;  // unused for a mode
  std::vector<Domain> domains_;
};

}  // namespace pgveil::app
