#pragma once
// Which values of a job's input a text of its published file can stand for: the value itself, `*`, a set
// `{a,b}`, a range `[1,5]`, or what the job's hierarchy has above the value. For attacks on files. Pure.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "engine/data/hierarchy.hpp"
#include "jobs/language/job.hpp"

namespace pgveil::app {

class ShownValues {
 public:
  // raw: the attribute's column in the input; it and the job outlive this. Errors: those of hierarchy_of and
  // make_level_tables.
  [[nodiscard]] static Result<ShownValues> make(const JobAttribute& attribute, const engine::Column& raw,
                                                const Job& job);

  // One flag for each code of the raw column. All false: the text stands for none of its values.
  [[nodiscard]] std::vector<bool> covered(const std::string& text) const;
  // A value as the raw codes that are equal: one, or those of the texts of one number.
  using Equal = std::vector<engine::Code>;
  // The values that the text can stand for, in the order of their first code.
  [[nodiscard]] std::vector<Equal> values_below(const std::string& text) const;
  // Of these, the values that a class of the file certainly has, if the text is a tight range or a set of
  // values: the ends of a range, each value of a set, and both values below an ancestor that has two.
  [[nodiscard]] std::vector<Equal> occurring(const std::string& text) const;
  // What the job's hierarchy has at a level for a code of the raw column. Level 0 is the value itself.
  // nullopt: there is no such level.
  [[nodiscard]] std::optional<std::string> text_at(unsigned level, engine::Code code) const;

 private:
  ShownValues(const engine::Column& raw, const Job& job) : raw_(&raw), job_(&job) {}
  [[nodiscard]] bool are_equal(engine::Code one, engine::Code other) const;
  [[nodiscard]] bool is_above(engine::Code code, const std::string& text) const;

  const engine::Column* raw_;
  const Job* job_;
  bool is_numeric_ = false;
  std::optional<engine::LevelTables> levels_;
};

}  // namespace pgveil::app
