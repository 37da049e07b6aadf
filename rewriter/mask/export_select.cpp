#include "rewriter/mask/export_select.hpp"

#include "pg/build.hpp"
#include "pg/print.hpp"
#include "rewriter/mask/masks.hpp"

namespace pgveil::rewriter {

Result<std::string> export_select_sql(const policy::PolicySpec& spec, const policy::DisclosureTree& tree,
                                      const Relation& relation) {
  pg::Arena arena;
  auto select = masking_select(spec, tree, relation, std::nullopt, arena);
  if (!select) return select.error();
  pg::Builder build(arena);
  return pg::print_statement(*build.select_node(*select));
}

}  // namespace pgveil::rewriter
