#pragma once
// pgveil's own schema in a served database. No client reads anything in it. db/versions/version_schema.hpp
// installs it.
#include <string_view>

namespace pgveil::rewriter {

inline constexpr std::string_view kOwnSchema = "pgveil";
inline constexpr std::string_view kGuardFunction = "guard";
inline constexpr std::string_view kShapeFunction = "shape";
inline constexpr std::string_view kTypeFunction = "has_type";
inline constexpr std::string_view kOpenFunction = "is_open";
inline constexpr std::string_view kCurrentView = "current_version";

// Whether the database has this schema, so that masks may call its functions.
enum class VersionGuard { absent, present };

}  // namespace pgveil::rewriter
