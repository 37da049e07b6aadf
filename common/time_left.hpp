#pragma once
// What a person is told of how long something will take.
#include <chrono>
#include <optional>
#include <string>

namespace pgveil {

// By what was done so far in this time; nullopt: too early to tell. share: of the whole, in [0, 1].
[[nodiscard]] std::optional<std::chrono::seconds> time_left(std::chrono::milliseconds passed, double share);

// "37 %, some 20 s left", "37 %" while it is too early to tell, "99 %, some 1 s left".
[[nodiscard]] std::string share_text(std::chrono::milliseconds passed, double share);

}  // namespace pgveil
