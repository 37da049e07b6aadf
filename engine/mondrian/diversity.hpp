#pragma once
// Is a part diverse enough? Inside of mondrian.
#include <cstdint>
#include <span>

#include "engine/mondrian/mondrian.hpp"
#include "engine/mondrian/runs.hpp"

namespace pgveil::engine {

// scratch.numbers: the sensitive codes of the part's records, within [low, high]. As the last count before
// publication has it (common/frequencies.hpp), ends that rounding leaves open included.
[[nodiscard]] bool is_diverse(const GroupDiversity& diversity, RunScratch& scratch, std::uint32_t low,
                              std::uint32_t high);

}  // namespace pgveil::engine
