#pragma once
// Judges all equivalence classes of a table together, from their sizes, which a cluster has counted
// (docs/spark.md): the models of `risk`, by the same judges as on one machine.
#include <cstdint>
#include <vector>

#include "common/error.hpp"
#include "engine/privacy/anonymity.hpp"
#include "engine/risk/class_sizes.hpp"
#include "jobs/cluster/class_frames.hpp"
#include "jobs/cluster/frames.hpp"

namespace pgveil::app {

struct RiskRequest {
  std::vector<engine::RiskModel> risks;
  ClassJudge judge = ClassJudge::engine;
  engine::SizeHistogram sizes;
};

// Errors: ErrorKind::protocol for bytes that are no request; those of validate_populations.
[[nodiscard]] Result<RiskRequest> read_risk_request(const ReadBytes& read);

// How many classes have to be suppressed, the smallest first, until the others keep all risks. The recount
// finds no number: it says 0 if all classes together keep them, and the number of all classes otherwise.
[[nodiscard]] std::uint64_t classes_to_suppress(const RiskRequest& request);

[[nodiscard]] Result<void> write_risk_answer(std::uint64_t classes, const WriteBytes& write);

}  // namespace pgveil::app
