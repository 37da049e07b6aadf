#pragma once
// A mask as a value: what its maker (masks.hpp) hands over, and all that its verifier (verify_mask.hpp) sees
// of it. Only the accessors of these values are here.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "pg/arena.hpp"
#include "pg/ast.hpp"
#include "rewriter/mask/mask_form.hpp"

namespace pgveil::rewriter {

// A mask can have hundreds of kilobytes, but a statement reads it at one place of many. So the resolver puts
// a stand-in where the mask goes: (SELECT * FROM "pgveil mask"."16385-2"). The verifier finds the place where
// the parser saw the stand-in, and the mask's text takes exactly that place. Both are a SelectStmt in
// parentheses, so the grammar reads the rest of the statement as it was verified. No client may name a
// relation of this schema.
inline constexpr std::string_view kStandInSchema = "pgveil mask";

// The parts of a stand-in's name: the table's OID, r for by_row or b for by_bitmap, then the positions left
// out, ascending: "16385", "16385-2-4", "16385r-4". The maker (mask_text.hpp) and the verifier
// (verify_stand_in.hpp) each have their own code for these names.
struct StandInName {
  std::uint32_t oid = 0;  // 0: not a stand-in's name
  MaskForm form = MaskForm::by_column;
  std::vector<std::size_t> left_out;
};

// A mask as text, in parts. A masked column can be tens of kilobytes of CASE. A statement that does not use
// the column need not make PostgreSQL parse and plan it: then a typed NULL takes the column's place, which
// never shows more.
struct MaskText {
  struct Column {
    std::string name;      // city
    std::string shown;     // CASE … END AS city
    std::string left_out;  // NULL::pg_catalog.text AS city; empty: this column is always shown
  };
  std::vector<Column> columns;  // as the mask's targets
  std::string rest;             //  FROM … AS t WHERE …
};

// A masked column that can be looked up (look_up.hpp).
struct LookUpColumn {
  std::string column;  // t.state
  std::string values;  // '{"OH","DC"}'::pg_catalog.text[], those that are released
  // The same for IN with several values. There PostgreSQL takes a parameter beside a varchar for a varchar;
  // beside = it takes it for a text.
  std::string values_of_list;
  std::string type_schema, type_name;                      // of the values: what a constant may be cast to
  std::map<std::string, std::uint64_t, std::less<>> rows;  // per value: rows that showed it at the build
};

struct LookUpColumns {
  std::vector<std::optional<LookUpColumn>> columns;  // per target of the mask; empty: none
  std::set<std::string, std::less<>> visible_keys;   // columns shown as they are that an index leads with
  std::uint64_t rows = 0;                            // of the table when the tree was built
};

// The share of a table's rows that show something in a masked column. Everybody who reads the mask can count
// the same.
struct ShownShare {
  double shown = 0;    // of the rows that show any value
  double typical = 0;  // of the rows that show the value of a row drawn from those
  // The values that are shown more often than PostgreSQL expects of any value, each with its share.
  std::map<std::string, double, std::less<>> frequent;
};

struct ShownShares {
  // Per column of the relation. nullopt: no column of the tree, or a boolean, of whose two values PostgreSQL
  // expects one half each. Empty where PostgreSQL has statistics.
  std::vector<std::optional<ShownShare>> columns;
  double rows = 0;  // of the table when the tree was built
};

// A column of a mask, and the constants or parameters that it is looked up by, as they are printed.
struct LookUp {
  std::size_t position = 0;
  std::vector<std::string> constants;  // empty: no look-up
};

// Immutable once made. It holds texts and no trees, because trees take five times as much memory.
struct Mask {
  std::string text;
  MaskText parts;  // the same text in parts, with replacements for unused columns
  // One decision for the row (mask_row.hpp), and the same by bitmaps (mask_bitmap.hpp). Both leave out the
  // same columns as `parts`.
  std::optional<MaskText> by_row, by_bitmap;
  MaskCosts costs;
  LookUpColumns look_ups;
  // The columns of the table's primary key, if the mask has by_bitmap and shows all of them as they are.
  std::vector<std::string> visible_key;
  ShownShares shares;
  std::uint32_t table_oid = 0;
  std::string policy;  // empty: a system catalog, or a table's plain columns
  std::uint64_t number = 0;
  std::string view;         // its name in the schema pgveil; empty: the text itself is sent (mask_view.hpp)
  std::string view_select;  // the SELECT that reads the view
  bool reads_copy = false;  // reads the version's copy in place of the table
  std::vector<bool> shows_raw;  // by column: each cell is the raw value in every row

  // REQUIRES: it has the form.
  [[nodiscard]] const MaskText& parts_in(MaskForm form) const {
    switch (form) {
      case MaskForm::by_column: return parts;
      case MaskForm::by_row: return by_row.value();
      case MaskForm::by_bitmap: return by_bitmap.value();
    }
    return parts;
  }
  // Whether a statement that does not use the column may leave it out.
  [[nodiscard]] bool may_leave_out(std::size_t position) const {
    return position < parts.columns.size() && !parts.columns[position].left_out.empty();
  }
};

// A mask with the trees that its texts were printed from. Its verifier compares the two; afterwards nobody
// needs the trees.
struct CompiledMask : Mask {
  std::unique_ptr<pg::Arena> arena;  // owns the trees
  PgQuery__SelectStmt* select = nullptr;
  std::vector<pg::Node*> left_out;                  // parts.columns[i].left_out as a tree; null: always shown
  PgQuery__SelectStmt* by_row_select = nullptr;     // null: there is no by_row
  PgQuery__SelectStmt* by_bitmap_select = nullptr;  // null: there is no by_bitmap
};

// What is kept of a mask that its verifier has accepted.
[[nodiscard]] inline std::shared_ptr<const Mask> without_trees(CompiledMask&& mask) {
  return std::make_shared<const Mask>(std::move(static_cast<Mask&>(mask)));
}

}  // namespace pgveil::rewriter
