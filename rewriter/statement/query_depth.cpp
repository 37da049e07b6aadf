#include "rewriter/statement/query_depth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "common/sqlstate.hpp"
#include "pg/fields.hpp"

namespace pgveil::rewriter {
namespace {

using Message = ProtobufCMessage;

// A WITH item, or the whole statement.
struct Item {
  std::string_view name;
  bool is_repeated = false;  // NOT MATERIALIZED: put into each query that reads it
  bool is_kept = false;      // MATERIALIZED: computed once
  std::size_t readers = 0;   // places that read it
  std::size_t tables = 0;    // that it reads itself
  std::vector<Item*> items;  // that it reads itself, once per read
  enum class State { unknown, in_progress, known } state = State::unknown;
  std::size_t chain = 0;  // number of items in the longest chain from here, one reading the next
  double reads = 0;       // including all that is put into it
};

// The items that a place can name, innermost first.
struct Visible {
  const Visible* outer = nullptr;
  Item* item = nullptr;
};

class Reader {
 public:
  // Every table and item that the text names, counted once however often it will be read.
  [[nodiscard]] double named() const { return named_; }

  void message(const Message& node, Item& reader, const Visible* visible) {
    if (node.descriptor == &pg_query__select_stmt__descriptor)
      return select(reinterpret_cast<const PgQuery__SelectStmt&>(node), reader, visible);
    if (node.descriptor == &pg_query__range_var__descriptor)
      return relation(reinterpret_cast<const PgQuery__RangeVar&>(node), reader, visible);
    pg::for_each_child(node, [&](const ProtobufCFieldDescriptor&, const Message& child) {
      message(child, reader, visible);
    });
  }

 private:
  void select(const PgQuery__SelectStmt& node, Item& reader, const Visible* visible) {
    if (node.with_clause != nullptr) visible = with(*node.with_clause, visible);
    pg::for_each_child(node.base, [&](const ProtobufCFieldDescriptor&, const Message& child) {
      if (&child != reinterpret_cast<const Message*>(node.with_clause)) message(child, reader, visible);
    });
  }

  // The items that the query around them sees. Recursive items see all of them, others only those before.
  const Visible* with(const PgQuery__WithClause& node, const Visible* visible) {
    std::vector<Item*> made;
    for (const pg::Node* each : pg::nodes(node.ctes, node.n_ctes)) {
      const PgQuery__CommonTableExpr& item = *each->common_table_expr;
      items_.push_back({.name = item.ctename,
                        .is_repeated = item.ctematerialized == PG_QUERY__CTEMATERIALIZE__CTEMaterializeNever,
                        .is_kept = item.ctematerialized == PG_QUERY__CTEMATERIALIZE__CTEMaterializeAlways,
                        .items = {}});
      made.push_back(&items_.back());
    }
    const auto show = [&](Item* item) { visible = &visible_.emplace_back(Visible{visible, item}); };
    if (node.recursive != 0) std::ranges::for_each(made, show);
    for (std::size_t i = 0; i < made.size(); ++i) {
      message(node.ctes[i]->common_table_expr->base, *made[i], visible);
      if (node.recursive == 0) show(made[i]);
    }
    return visible;
  }

  void relation(const PgQuery__RangeVar& node, Item& reader, const Visible* visible) {
    ++named_;
    if (node.schemaname[0] == '\0') {
      for (; visible != nullptr; visible = visible->outer) {
        if (visible->item->name != node.relname) continue;
        ++visible->item->readers;
        reader.items.push_back(visible->item);
        return;
      }
    }
    ++reader.tables;
  }

  std::deque<Item> items_;
  std::deque<Visible> visible_;
  double named_ = 0;
};

bool is_put_in_place(const Item& item) {
  return item.is_repeated || (!item.is_kept && item.readers == 1);
}

// An item that reads itself adds nothing to its own measure.
void measure(Item& item) {
  if (item.state != Item::State::unknown) return;
  item.state = Item::State::in_progress;
  item.reads = static_cast<double>(item.tables);
  for (Item* read : item.items) {
    measure(*read);
    item.chain = std::max(item.chain, read->chain);
    item.reads += is_put_in_place(*read) ? read->reads : 1;
  }
  ++item.chain;
  item.state = Item::State::known;
}

Error too_complex(std::string message, std::string hint) {
  return {.kind = ErrorKind::limit,
          .sqlstate = std::string(sqlstate::kStatementTooComplex),
          .public_message = std::move(message),
          .hint = std::move(hint)};
}

}  // namespace

Result<void> check_depth(const Message& statement) {
  Reader reader;
  Item whole;
  reader.message(statement, whole, nullptr);
  measure(whole);
  if (whole.chain > kMostChainedItems + 1) {  // the statement itself is one more
    return too_complex(fmt::format("more than {} WITH items read each other in a chain", kMostChainedItems),
                       "write several steps as one item, or as sub-queries");
  }
  if (whole.reads > std::max(static_cast<double>(kMostRepeatedReads), reader.named())) {
    return too_complex(
        fmt::format("items that are NOT MATERIALIZED make the statement read more than {} tables and items",
                    kMostRepeatedReads),
        "leave NOT MATERIALIZED out of items that are read more than once");
  }
  return {};
}

}  // namespace pgveil::rewriter
