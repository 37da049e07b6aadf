#pragma once
// Which values of a job's input can be behind an aggregate that a class of its published file shows. For
// attacks on files.
//
// A value is possible if records of the class can have it, and others values of the input, so that the class
// shows this aggregate (engine/publish/class_aggregate.hpp). Classes that look alike are one class in the
// file. Together they have the same aggregate, because their means, middles, modes and ends agree. So the
// conditions on one class of that size hold for all of them.
//
// For a mean of n records, a value is possible if n − 1 values of the input have the sum that is left. This is
// exact for two records, and up to a limit of work that depends on the column alone. Above it, and for a
// geometric mean of more than two records, the least and the greatest possible sum decide. So no value that
// occurs is called impossible. Pure.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
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
  // value. All false: no class shows this text. REQUIRES: records ≥ 1.
  [[nodiscard]] std::vector<bool> possible(const std::string& text, std::uint64_t records) const;

  // Whether the text names the value of all records by itself: NULL, or the interval of one value.
  [[nodiscard]] bool names_one_value(const std::string& text) const;

 private:
  // What a class can have in the column: all values of the input, or those below one node of the hierarchy.
  struct Domain {
    std::vector<engine::Code> codes;    // without NULL
    std::vector<std::int64_t> numbers;  // distinct, ascending; empty for a mode
    std::int64_t unit = 1;              // numbers differ by multiples of it
    // [j][i]: j + 2 of the numbers can have the sum (j + 2) · least + i · unit. As far as was computed.
    std::vector<std::vector<bool>> sums = {};
  };
  struct Shown;  // the text as numbers

  AggregatedValues(const JobAttribute& attribute, const engine::Column& raw, const Job& job);
  void add_domain(std::vector<engine::Code> codes);
  static void add_sums(Domain& domain);
  [[nodiscard]] std::optional<Shown> read(const std::string& text) const;
  [[nodiscard]] std::optional<std::int64_t> number_of(std::string_view text, unsigned more_digits) const;
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
  // Sets the flags of what such a class can have. False: there is no such class.
  bool add_possible(const Domain& domain, const Shown& shown, std::uint64_t known,
                    std::vector<bool>& flags) const;

  const JobAttribute* attribute_;
  const engine::Column* raw_;
  const Job* job_;
  std::optional<engine::Code> null_code_;
  engine::MeasuredValues measured_;  // unused for a mode
  std::vector<Domain> domains_;
};

}  // namespace pgveil::app
