#include "rewriter/pipeline/examine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pg/print.hpp"
#include "rewriter/mask/look_up.hpp"
#include "rewriter/mask/mask_text.hpp"
#include "rewriter/resolve/resolver.hpp"
#include "rewriter/told/own_relation.hpp"

namespace pgveil::rewriter {
namespace {

std::string table_of(const Mask& mask, const Catalog& catalog) {
  for (const auto& [name, relation] : catalog.relations) {
    if (relation.oid == mask.table_oid) return name.first + "." + name.second;
  }
  return {};
}

const NamedMask& named_own(OwnRelation which, const StatementContext& context,
                           std::vector<NamedMask>& masks) {
  const Relation& relation = relation_of(which);
  const std::string name = relation.schema + "." + relation.name;
  const auto known = std::ranges::find(masks, name, &NamedMask::name);
  if (known != masks.end()) return *known;
  return masks.emplace_back(NamedMask{.name = name,
                                      .table = name,
                                      .policy = {},
                                      .number = 0,
                                      .sql = own_relation_text(which, context.role, context.snapshot)});
}

// One statement can mask a table in two ways, with different columns left out.
const NamedMask& named(const Splice& splice, const StatementContext& context, std::vector<NamedMask>& masks) {
  if (splice.own) return named_own(*splice.own, context, masks);
  const Catalog& catalog = context.snapshot.catalog();
  std::string sql = splice.look_up.constants.empty()
                        ? text_without(splice.mask->parts_in(splice.form), splice.left_out)
                        : look_up_select(*splice.mask, splice.left_out, splice.look_up);
  const auto known = std::ranges::find(masks, sql, &NamedMask::sql);
  if (known != masks.end()) return *known;
  std::string table = table_of(*splice.mask, catalog);
  const auto others = std::ranges::count(masks, table, &NamedMask::table);
  std::string name =
      others == 0 ? fmt::format("mask of {}", table) : fmt::format("mask {} of {}", others + 1, table);
  return masks.emplace_back(NamedMask{.name = std::move(name),
                                      .table = std::move(table),
                                      .policy = splice.mask->policy,
                                      .number = splice.mask->number,
                                      .sql = std::move(sql)});
}

void name_masks(const StatementWork& work, const StatementContext& context, Examined& out) {
  const std::string_view text = work.text;
  std::size_t done = 0;
  for (const Splice& splice : work.splices) {  // including the brackets around it
    out.short_sql += text.substr(done, splice.offset - 1 - done);
    out.short_sql += fmt::format("\"{}\"", named(splice, context, out.masks).name);
    done = splice.offset + splice.bytes + 1;
  }
  out.short_sql += text.substr(done);
}

int position_of(const Objection& objection) {
  return std::visit([](const auto& no) { return no.position; }, objection);
}

std::string_view message_of(const Objection& objection) {
  if (const auto* refusal = std::get_if<Refusal>(&objection)) return refusal->message;
  return std::get<Error>(objection).public_message;
}

// Sorts by the order in the text and removes duplicates.
void put_in_order(std::vector<Objection>& objections) {
  const auto key = [](const Objection& it) { return std::pair(position_of(it), message_of(it)); };
  std::ranges::stable_sort(objections, {}, key);
  const auto is_same = [&](const Objection& one, const Objection& other) { return key(one) == key(other); };
  objections.erase(std::unique(objections.begin(), objections.end(), is_same), objections.end());
}

class Examiner {
 public:
  Examiner(std::string_view sql, const Client& client, const Snapshot& snapshot, const Limits& limits,
           pg::Arena& arena)
      : sql_(sql),
        context_{client.role, snapshot, limits, arena, nullptr},
        resolver_(snapshot, client, arena, &stops_) {}

  Examined operator()(PgQuery__RawStmt& raw) {
    Examined out;
    stops_.clear();
    try {
      out.statement = resolver_.statement(raw.stmt);
    } catch (Stop& stop) {
      stops_.push_back(std::move(stop));
    }
    for (const Stop& stop : stops_) out.objections.push_back(objection_of(stop, sql_, start_of(raw, sql_)));
    put_in_order(out.objections);
    if (out.objections.empty()) finished(raw, out);
    return out;
  }

 private:
  void finished(PgQuery__RawStmt& raw, Examined& out) {
    StatementWork work{.raw = raw, .stand_ins = resolver_.stand_ins(), .statement = out.statement};
    const auto passes = statement_passes();
    auto objection = run(passes.first(kPassesToVerified), work, context_);
    if (!objection) {
      name_masks(work, context_, out);
      objection = run(passes.subspan(kPassesToVerified), work, context_);
    }
    if (objection)
      out.objections.push_back(std::move(*objection));
    else
      out.statement = std::move(work.statement);
  }

  std::string_view sql_;
  StatementContext context_;
  std::vector<Stop> stops_;
  Resolver resolver_;
};

}  // namespace

Result<std::vector<Examined>> examine(std::string_view sql, const Client& client, const Snapshot& snapshot,
                                      const Limits& limits) {
  auto tree = pg::parse(sql, {.bytes = limits.statement_bytes, .nesting = limits.nesting});
  if (!tree) return tree.error();
  Examiner examiner(sql, client, snapshot, limits, *tree->arena);
  std::vector<Examined> out;
  for (std::size_t i = 0; i < tree->result->n_stmts; ++i) {
    try {
      out.push_back(examiner(*tree->result->stmts[i]));
    } catch (const pg::CannotPrint& cannot) {
      out.emplace_back().objections.emplace_back(unverified(cannot.what()));
    }
  }
  return out;
}

}  // namespace pgveil::rewriter
