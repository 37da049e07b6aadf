#include "rewriter/export_select.hpp"

#include "rewriter/masks.hpp"
#include "rewriter/pg/build.hpp"
#include "rewriter/pg/print.hpp"

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
