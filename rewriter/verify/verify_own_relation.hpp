#pragma once
// The lists of constants that pgveil.columns and pgveil.policies are for a role (told/own_relation.hpp), as
// the verifier writes them: from the policies whose reader the role is, and from their versions. Nothing of
// it is the maker's.
#include <optional>
#include <string>
#include <string_view>

#include "rewriter/snapshot/own_relation_name.hpp"
#include "rewriter/snapshot/snapshot.hpp"

namespace pgveil::rewriter {

// Which relation a stand-in of this name is for; nullopt: none, it may be one of a mask.
[[nodiscard]] std::optional<OwnRelation> own_stand_in(std::string_view relation_name);

// What must stand in the stand-in's place, to the byte.
[[nodiscard]] std::string expected_own_relation(OwnRelation which, std::string_view role,
                                                const Snapshot& snapshot);

// One of them has a column of this name.
[[nodiscard]] bool is_own_column(std::string_view name);

}  // namespace pgveil::rewriter
