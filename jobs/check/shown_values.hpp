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
  // What the job's hierarchy has at a level for a code of the raw column. Level 0 is the value itself.
  // nullopt: there is no such level.
  [[nodiscard]] std::optional<std::string> text_at(unsigned level, engine::Code code) const;

 private:
  ShownValues(const engine::Column& raw, const Job& job) : raw_(&raw), job_(&job) {}
  [[nodiscard]] bool is_above(engine::Code code, const std::string& text) const;

  const engine::Column* raw_;
  const Job* job_;
  bool is_numeric_ = false;
  std::optional<engine::LevelTables> levels_;
};

}  // namespace pgveil::app
