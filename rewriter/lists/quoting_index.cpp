#include "rewriter/lists/quoting_index.hpp"

#include <fmt/format.h>

namespace pgveil::rewriter {
namespace {

std::string quotes(std::string_view alias, std::string_view column) {
  return fmt::format("{}.{}::pg_catalog.text OPERATOR(pg_catalog.~) '{}'", alias, column, kQuotingTree);
}

}  // namespace

std::string is_quoting_index(std::string_view alias) {
  return quotes(alias, "indexprs") + " OR " + quotes(alias, "indpred");
}

std::string quoting_indexes() {
  return "SELECT i.indexrelid FROM pg_catalog.pg_index AS i WHERE " + is_quoting_index("i");
}

std::string quoting_index_names() {
  return "SELECT n.nspname, r.relname FROM pg_catalog.pg_index AS i JOIN pg_catalog.pg_class AS r ON r.oid "
         "OPERATOR(pg_catalog.=) i.indexrelid JOIN pg_catalog.pg_namespace AS n ON n.oid "
         "OPERATOR(pg_catalog.=) r.relnamespace WHERE " +
         is_quoting_index("i");
}

}  // namespace pgveil::rewriter
