#include "mask_texts.hpp"

#include "pg/print.hpp"
#include "rewriter/mask/mask_text.hpp"

namespace pgveil::rewriter::test {
namespace {

// Every set of columns that may be left out.
std::vector<std::vector<std::size_t>> choices(const Mask& mask) {
  std::vector<std::vector<std::size_t>> out{{}};
  for (std::size_t i = 0; i < mask.parts.columns.size(); ++i) {
    if (!mask.may_leave_out(i)) continue;
    for (std::size_t n = out.size(); n > 0; --n) {
      out.push_back(out[n - 1]);
      out.back().push_back(i);
    }
  }
  return out;
}

// A look-up with one of these masks inside it, from its bracket on: how long it is; 0: it is none.
std::size_t look_up_bytes_at(const std::string& sql, std::size_t at, const std::string& text) {
  constexpr std::string_view kBefore = "(SELECT * FROM (";
  constexpr std::string_view kFence = " ORDER BY t.ctid OFFSET 0) AS t WHERE ";
  constexpr std::string_view kAfter = " IS NOT NULL OFFSET 0)";
  if (sql.compare(at, kBefore.size(), kBefore) != 0 ||
      sql.compare(at + kBefore.size(), text.size(), text) != 0 ||
      sql.compare(at + kBefore.size() + text.size(), 5, " AND ") != 0) {
    return 0;
  }
  const std::size_t fence = sql.find(kFence, at);
  const std::size_t end = fence == std::string::npos ? fence : sql.find(kAfter, fence);
  return end == std::string::npos ? 0 : end + kAfter.size() - at;
}

void replace_look_ups(std::string& sql, const std::string& text, const std::string& replacement) {
  for (std::size_t at = 0; (at = sql.find("(SELECT * FROM (", at)) != std::string::npos; ++at) {
    if (const std::size_t bytes = look_up_bytes_at(sql, at, text); bytes > 0)
      sql.replace(at, bytes, "(" + replacement + ")");
  }
}

}  // namespace

std::string with_masks_replaced(std::string sql, const std::string& role, const Snapshot& snapshot,
                                const std::function<std::string(const FoundMask&)>& put) {
  for (const auto& [name, relation] : snapshot.catalog().relations) {
    const Mask* mask = snapshot.mask_for(relation.oid, role);
    if (mask == nullptr) continue;
    for (const auto& left_out : choices(*mask)) {
      const std::string text = text_without(mask->parts, left_out);
      const std::string table = name.first + "." + name.second;
      replace_look_ups(sql, text, put({*mask, left_out, table, true}));
      const std::string replacement = put({*mask, left_out, table});
      for (std::size_t at = 0; (at = sql.find('(' + text + ')', at)) != std::string::npos;
           at += replacement.size()) {
        sql.replace(at + 1, text.size(), replacement);
      }
    }
  }
  return sql;
}

std::string with_whole_masks(std::string sql, const std::string& role, const Snapshot& snapshot) {
  return with_masks_replaced(std::move(sql), role, snapshot,
                             [](const FoundMask& found) { return found.mask.text; });
}

std::string with_stand_ins(std::string sql, const std::string& role, const Snapshot& snapshot) {
  return with_masks_replaced(std::move(sql), role, snapshot, [](const FoundMask& found) {
    pg::Arena arena;
    pg::Builder build(arena);
    const StandInName name{
        .oid = found.mask.table_oid, .form = MaskForm::by_column, .left_out = found.left_out};
    return pg::print_statement(*build.select_node(stand_in(name, build)));
  });
}

bool is_stand_in(const ProtobufCMessage& message) {
  if (message.descriptor != &pg_query__select_stmt__descriptor) return false;
  const auto& select = reinterpret_cast<const PgQuery__SelectStmt&>(message);
  return select.n_from_clause == 1 && pg::is_kind(select.from_clause[0], PG_QUERY__NODE__NODE_RANGE_VAR) &&
         select.from_clause[0]->range_var->schemaname == kStandInSchema;
}

}  // namespace pgveil::rewriter::test
