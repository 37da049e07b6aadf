#pragma once
// Is a part diverse enough? Inside of mondrian.
#include <cstdint>
#include <span>

#include "engine/mondrian/mondrian.hpp"
#include "engine/mondrian/runs.hpp"

namespace pgveil::engine {

// scratch.numbers: the sensitive codes of the part's records, within [low, high]. Entropy: ln n − Σ f·ln f ÷ n ≥ ln l, written
// Σ f·ln f ≤ n·(ln n − ln l) (engine.md), and ⌈l⌉ different values.
[[nodiscard]] bool is_diverse(const GroupDiversity& diversity, RunScratch& scratch, std::uint32_t low,
                              std::uint32_t high);

}  // namespace pgveil::engine
