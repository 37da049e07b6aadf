#pragma once
// The independent check of the masks of the server's own catalogs, against their list
// (lists/system_catalogs.hpp).
#include "common/error.hpp"
#include "rewriter/catalog/catalog.hpp"
#include "rewriter/lists/system_catalogs.hpp"
#include "rewriter/mask/mask.hpp"

namespace pgveil::rewriter {

// Does what verify_text does, and checks that the mask reads this catalog alone, hides the columns and leaves
// out the rows that the rule names, and does nothing else. Errors: ErrorKind::policy, what disagrees.
[[nodiscard]] Result<void> verify_catalog_mask(const CompiledMask& mask, const SystemCatalog& rule,
                                               const Relation& relation);

}  // namespace pgveil::rewriter
