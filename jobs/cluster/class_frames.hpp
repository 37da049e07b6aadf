#pragma once
// Judges equivalence classes that a cluster has counted: which of them keep k and the models, from the number
// of their records and how often each sensitive value occurs in them (docs/spark.md). So models have the same
// judges on a cluster as on one machine: the engine's while a table is made, and the recount's for what was
// written.
#include <cstdint>
#include <vector>

#include "common/error.hpp"
#include "engine/privacy/anonymity.hpp"
#include "jobs/cluster/frames.hpp"
#include "jobs/cluster/sensitive_frames.hpp"

namespace pgveil::app {

enum class ClassJudge {
  engine,  // engine/privacy/class_test.hpp
  recount  // engine/recount/value_counts.hpp
};

struct ClassRequest {
  std::uint64_t k = 0;
  ClassJudge judge = ClassJudge::engine;
  std::vector<ColumnModels> models;  // by sensitive column
  std::vector<WholeColumn> whole;    // by sensitive column
  std::vector<std::uint64_t> records;
  // The values of one sensitive column in all classes, class after class: class c has those from ends[c − 1]
  // to ends[c].
  struct Counts {
    std::vector<std::uint64_t> ends;
    std::vector<engine::Code> codes;
    std::vector<std::uint64_t> counts;
  };
  std::vector<Counts> columns;
};

// Errors: ErrorKind::protocol for bytes that are no request, such as counts that do not add up to the records
// of a class.
[[nodiscard]] Result<ClassRequest> read_class_request(const ReadBytes& read);

// By class: whether it keeps k and all models. Errors: those of ValueTable::make.
[[nodiscard]] Result<std::vector<bool>> judged(const ClassRequest& request);

[[nodiscard]] Result<void> write_class_answer(const std::vector<bool>& kept, const WriteBytes& write);

}  // namespace pgveil::app
