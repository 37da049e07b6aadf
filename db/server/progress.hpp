#pragma once
// Reports how far a long piece of work is, for a person at a terminal.
#include <cstdint>
#include <functional>
#include <string_view>

namespace pgveil::db {

// stage: "counting", "building the tree", "writing"; done: groups or rows so far. The function may be empty.
using Progress = std::function<void(std::string_view stage, std::uint64_t done)>;

}  // namespace pgveil::db
