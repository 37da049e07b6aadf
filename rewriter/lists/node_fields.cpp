#include "rewriter/lists/node_fields.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_map>

namespace pgveil::rewriter {
namespace {

constexpr FieldRule walked(std::string_view name, std::string_view because = {}) {
  return {name, FieldUse::walked, because};
}
constexpr FieldRule query(std::string_view name) {
  return {name, FieldUse::query, {}};
}
constexpr FieldRule names(std::string_view name) {
  return {name, FieldUse::names, {}};
}
constexpr FieldRule checked(std::string_view name, std::string_view because) {
  return {name, FieldUse::checked, because};
}
constexpr FieldRule label(std::string_view name) {
  return {name, FieldUse::label, {}};
}
constexpr FieldRule value(std::string_view name, std::string_view because = {}) {
  return {name, FieldUse::value, because};
}
constexpr FieldRule flag(std::string_view name, std::string_view because) {
  return {name, FieldUse::flag, because};
}
constexpr FieldRule position() {
  return {"location", FieldUse::position, {}};
}
constexpr FieldRule empty(std::string_view name, std::string_view because = "set by parse analysis only") {
  return {name, FieldUse::empty, because};
}
constexpr FieldRule only(std::string_view name, std::initializer_list<int> allowed,
                         std::string_view because = {}) {
  std::uint32_t bits = 0;
  for (const int one : allowed) bits |= std::uint32_t{1} << one;
  return {name, FieldUse::choice, because, bits};
}
// All values up to this one, from 1 on (0 is the protobuf's "undefined").
constexpr FieldRule up_to(std::string_view name, int last) {
  return {name, FieldUse::choice, {}, ((std::uint32_t{1} << last) - 1) << 1};
}

// Fields that came or went with a major of the parser.
constexpr FieldRule since(int major, FieldRule rule) {
  rule.first_parser = major;
  return rule;
}
constexpr FieldRule until(int major, FieldRule rule) {
  rule.last_parser = major;
  return rule;
}

// ---- constants, names, types

constexpr FieldRule kInteger[] = {value("ival")};
constexpr FieldRule kFloat[] = {value("fval")};
constexpr FieldRule kBoolean[] = {flag("boolval", "a constant")};
constexpr FieldRule kBitString[] = {value("bsval")};
constexpr FieldRule kString[] = {value("sval", "where it is a name, the node it stands in is checked")};
constexpr FieldRule kList[] = {walked("items")};
constexpr FieldRule kNothing[] = {FieldRule{}};  // a span of no fields is made from it
constexpr FieldRule kConstant[] = {walked("ival"), walked("fval"),  walked("boolval"),
                                   walked("sval"), walked("bsval"), flag("isnull", "a constant"),
                                   position()};
constexpr FieldRule kParameter[] = {value("number"), position()};
constexpr FieldRule kAlias[] = {label("aliasname"), names("colnames")};
constexpr FieldRule kTypeName[] = {checked("names", "a type of the catalog's lists, with its schema"),
                                   empty("type_oid"),
                                   empty("setof", "SETOF is for function definitions"),
                                   empty("pct_type", "%TYPE reads a column's type"),
                                   walked("typmods"),
                                   value("typemod"),
                                   walked("array_bounds"),
                                   position()};
constexpr FieldRule kColumnRef[] = {
    checked("fields", "at most table.column; a field that could call a function is not let through"),
    position()};
constexpr FieldRule kCollate[] = {
    walked("arg"), checked("collname", "pg_catalog and a collation of the catalog's list"), position()};

// ---- expressions

constexpr FieldRule kOperation[] = {up_to("kind", PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN_SYM),
                                    checked("name", "an operator of pg_catalog, qualified if ambiguous"),
                                    walked("lexpr"), walked("rexpr"), position()};
constexpr FieldRule kBoolExpr[] = {empty("xpr"), up_to("boolop", PG_QUERY__BOOL_EXPR_TYPE__NOT_EXPR),
                                   walked("args"), position()};
constexpr FieldRule kBooleanTest[] = {
    empty("xpr"), walked("arg"), up_to("booltesttype", PG_QUERY__BOOL_TEST_TYPE__IS_NOT_UNKNOWN), position()};
constexpr FieldRule kNullTest[] = {empty("xpr"), walked("arg"),
                                   up_to("nulltesttype", PG_QUERY__NULL_TEST_TYPE__IS_NOT_NULL),
                                   empty("argisrow"), position()};
constexpr FieldRule kCase[] = {empty("xpr"),
                               empty("casetype"),
                               empty("casecollid"),
                               checked("arg", "looks up an operator =: none of a user"),
                               checked("args", "guarded definitions, else visited"),
                               walked("defresult"),
                               position()};
constexpr FieldRule kWhen[] = {empty("xpr"), walked("expr"), walked("result"), position()};
constexpr FieldRule kCoalesce[] = {empty("xpr"), empty("coalescetype"), empty("coalescecollid"),
                                   walked("args"), position()};
constexpr FieldRule kMinMax[] = {empty("xpr"),
                                 empty("minmaxtype"),
                                 empty("minmaxcollid"),
                                 empty("inputcollid"),
                                 up_to("op", PG_QUERY__MIN_MAX_OP__IS_LEAST),
                                 walked("args"),
                                 position()};
constexpr FieldRule kTypeCast[] = {walked("arg"), walked("type_name"), position()};
constexpr FieldRule kIndirection[] = {
    walked("arg"), checked("indirection", "a field that could call a function is not let through")};
constexpr FieldRule kIndices[] = {flag("is_slice", "[a] or [a:b]"), walked("lidx"), walked("uidx")};
constexpr FieldRule kArray[] = {walked("elements"), position()};
constexpr FieldRule kRow[] = {empty("xpr"),
                              walked("args"),
                              empty("row_typeid"),
                              only("row_format", {PG_QUERY__COERCION_FORM__COERCE_EXPLICIT_CALL,
                                                  PG_QUERY__COERCION_FORM__COERCE_IMPLICIT_CAST}),
                              empty("colnames"),
                              position()};
constexpr FieldRule kSubLink[] = {
    empty("xpr"),
    only("sub_link_type",
         {PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK, PG_QUERY__SUB_LINK_TYPE__ALL_SUBLINK,
          PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK, PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK,
          PG_QUERY__SUB_LINK_TYPE__ARRAY_SUBLINK},
         "the others are made by parse analysis, or assign in UPDATE"),
    empty("sub_link_id"),
    walked("testexpr"),
    checked("oper_name", "as an operation's"),
    query("subselect"),
    position()};
constexpr FieldRule kCall[] = {checked("funcname", "pg_catalog and a function of the list"),
                               walked("args"),
                               walked("agg_order"),
                               walked("agg_filter"),
                               walked("over"),
                               flag("agg_within_group", "WITHIN GROUP"),
                               flag("agg_star", "count(*)"),
                               flag("agg_distinct", "DISTINCT"),
                               flag("func_variadic", "VARIADIC"),
                               only("funcformat", {PG_QUERY__COERCION_FORM__COERCE_EXPLICIT_CALL},
                                    "SQL's own syntax is written as the call it stands for"),
                               position()};
constexpr FieldRule kNamedArgument[] = {empty("xpr"), walked("arg"), label("name"), value("argnumber"),
                                        position()};
constexpr FieldRule kGroupingFunc[] = {
    empty("xpr"), walked("args"), empty("refs"), until(15, empty("cols")), empty("agglevelsup"), position()};
constexpr FieldRule kValueFunction[] = {
    empty("xpr"),
    only("op",
         {PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_DATE,
          PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIME,
          PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIME_N,
          PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIMESTAMP,
          PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIMESTAMP_N,
          PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIME, PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIME_N,
          PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIMESTAMP,
          PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIMESTAMP_N,
          PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_CATALOG,
          PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_SCHEMA},
         "the others would answer the backend's role"),
    empty("type"), value("typmod"), position()};
constexpr FieldRule kXml[] = {empty("xpr"),
                              only("op",
                                   {PG_QUERY__XML_EXPR_OP__IS_XMLCONCAT, PG_QUERY__XML_EXPR_OP__IS_XMLELEMENT,
                                    PG_QUERY__XML_EXPR_OP__IS_XMLFOREST, PG_QUERY__XML_EXPR_OP__IS_XMLPARSE,
                                    PG_QUERY__XML_EXPR_OP__IS_XMLPI, PG_QUERY__XML_EXPR_OP__IS_XMLROOT,
                                    PG_QUERY__XML_EXPR_OP__IS_DOCUMENT},
                                   "XMLSERIALIZE is a node of its own; the server loads no external entity"),
                              label("name"),
                              walked("named_args"),
                              empty("arg_names"),
                              walked("args"),
                              up_to("xmloption", PG_QUERY__XML_OPTION_TYPE__XMLOPTION_CONTENT),
                              since(16, empty("indent", "set by parse analysis of XMLSERIALIZE only")),
                              empty("type"),
                              empty("typmod"),
                              position()};
constexpr FieldRule kXmlSerialize[] = {up_to("xmloption", PG_QUERY__XML_OPTION_TYPE__XMLOPTION_CONTENT),
                                       walked("expr"), walked("type_name"),
                                       since(16, flag("indent", "line feeds between elements")), position()};

// ---- queries

constexpr FieldRule kSelect[] = {
    walked("distinct_clause"),
    empty("into_clause", "SELECT INTO writes a table"),
    walked("target_list"),
    walked("from_clause"),
    walked("where_clause"),
    walked("group_clause"),
    flag("group_distinct", "GROUP BY DISTINCT"),
    walked("having_clause"),
    walked("window_clause"),
    walked("values_lists"),
    walked("sort_clause"),
    walked("limit_offset"),
    walked("limit_count"),
    up_to("limit_option", PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_WITH_TIES),
    empty("locking_clause", "FOR UPDATE and FOR SHARE lock rows"),
    checked("with_clause", "its items are visited in the order they are seen in"),
    up_to("op", PG_QUERY__SET_OPERATION__SETOP_EXCEPT),
    flag("all", "UNION ALL"),
    walked("larg"),
    walked("rarg")};
constexpr FieldRule kWith[] = {checked("ctes", "visited by the SELECT"),
                               checked("recursive", "decides which items see which"), position()};
constexpr FieldRule kCommonTable[] = {checked("ctename", "what an unqualified relation may be"),
                                      names("aliascolnames"),
                                      up_to("ctematerialized", PG_QUERY__CTEMATERIALIZE__CTEMaterializeNever),
                                      query("ctequery"),
                                      walked("search_clause"),
                                      walked("cycle_clause"),
                                      position(),
                                      empty("cterecursive"),
                                      empty("cterefcount"),
                                      empty("ctecolnames"),
                                      empty("ctecoltypes"),
                                      empty("ctecoltypmods"),
                                      empty("ctecolcollations")};
constexpr FieldRule kSearch[] = {names("search_col_list"), flag("search_breadth_first", "or depth first"),
                                 label("search_seq_column"), position()};
constexpr FieldRule kCycle[] = {names("cycle_col_list"),       label("cycle_mark_column"),
                                walked("cycle_mark_value"),    walked("cycle_mark_default"),
                                label("cycle_path_column"),    position(),
                                empty("cycle_mark_type"),      empty("cycle_mark_typmod"),
                                empty("cycle_mark_collation"), empty("cycle_mark_neop")};
constexpr FieldRule kTarget[] = {label("name"), empty("indirection", "assignments only"), walked("val"),
                                 position()};
constexpr FieldRule kSortBy[] = {walked("node"), up_to("sortby_dir", PG_QUERY__SORT_BY_DIR__SORTBY_USING),
                                 up_to("sortby_nulls", PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_LAST),
                                 checked("use_op", "as an operation's"), position()};
constexpr FieldRule kGroupingSet[] = {up_to("kind", PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_SETS),
                                      walked("content"), position()};
constexpr FieldRule kWindow[] = {label("name"),
                                 label("refname"),
                                 walked("partition_clause"),
                                 walked("order_clause"),
                                 value("frame_options", "bits of the frame's words"),
                                 walked("start_offset"),
                                 walked("end_offset"),
                                 position()};

// ---- FROM

constexpr FieldRule kRelation[] = {empty("catalogname", "the connection has one database"),
                                   checked("schemaname", "present unless relname is a common table in scope"),
                                   checked("relname", "open, exempt, or the mask's own"),
                                   checked("inh", "no ONLY"),
                                   checked("relpersistence", "permanent: others only in INTO"),
                                   walked("alias"),
                                   position()};
constexpr FieldRule kSubselect[] = {checked("lateral", "a mask behind LATERAL is not let through"),
                                    checked("subquery", "a compiled mask to the letter, else visited"),
                                    walked("alias")};
constexpr FieldRule kSample[] = {walked("relation"), checked("method", "bernoulli or system"), walked("args"),
                                 walked("repeatable"), position()};
constexpr FieldRule kRangeFunction[] = {flag("lateral", "LATERAL"),
                                        flag("ordinality", "WITH ORDINALITY"),
                                        flag("is_rowsfrom", "ROWS FROM"),
                                        walked("functions"),
                                        walked("alias"),
                                        walked("coldeflist")};
constexpr FieldRule kColumnDef[] = {label("colname"),
                                    walked("type_name"),
                                    empty("compression", "CREATE TABLE only"),
                                    empty("inhcount", "CREATE TABLE only"),
                                    flag("is_local", "always set by the grammar"),
                                    empty("is_not_null", "CREATE TABLE only"),
                                    empty("is_from_type", "CREATE TABLE only"),
                                    empty("storage", "CREATE TABLE only"),
                                    since(16, empty("storage_name", "CREATE TABLE only")),
                                    empty("raw_default", "CREATE TABLE only"),
                                    empty("cooked_default", "CREATE TABLE only"),
                                    empty("identity", "CREATE TABLE only"),
                                    empty("identity_sequence", "CREATE TABLE only"),
                                    empty("generated", "CREATE TABLE only"),
                                    walked("coll_clause"),
                                    empty("coll_oid"),
                                    empty("constraints", "CREATE TABLE only"),
                                    empty("fdwoptions", "CREATE TABLE only"),
                                    position()};
constexpr FieldRule kXmlTable[] = {
    flag("lateral", "LATERAL"), walked("docexpr"), walked("rowexpr"), walked("namespaces"),
    walked("columns"),          walked("alias"),   position()};
constexpr FieldRule kXmlTableColumn[] = {label("colname"),
                                         walked("type_name"),
                                         flag("for_ordinality", "FOR ORDINALITY"),
                                         flag("is_not_null", "NOT NULL"),
                                         walked("colexpr"),
                                         walked("coldefexpr"),
                                         position()};
constexpr FieldRule kJoin[] = {only("jointype",
                                    {PG_QUERY__JOIN_TYPE__JOIN_INNER, PG_QUERY__JOIN_TYPE__JOIN_LEFT,
                                     PG_QUERY__JOIN_TYPE__JOIN_FULL, PG_QUERY__JOIN_TYPE__JOIN_RIGHT},
                                    "the others are the planner's"),
                               checked("is_natural", "looks up an operator =: none of a user"),
                               walked("larg"),
                               walked("rarg"),
                               names("using_clause"),
                               walked("join_using_alias"),
                               walked("quals"),
                               walked("alias"),
                               empty("rtindex")};

// ---- statements

constexpr FieldRule kPrepare[] = {label("name"), walked("argtypes"), query("query")};
constexpr FieldRule kExecute[] = {label("name"), walked("params")};
constexpr FieldRule kDeallocate[] = {label("name"), since(17, flag("isall", "the same as without a name")),
                                     since(17, position())};
constexpr FieldRule kDeclare[] = {label("portalname"), value("options", "bits of the cursor's words"),
                                  query("query")};
constexpr FieldRule kFetch[] = {up_to("direction", PG_QUERY__FETCH_DIRECTION__FETCH_RELATIVE),
                                value("how_many"), label("portalname"), flag("ismove", "MOVE")};
constexpr FieldRule kClosePortal[] = {label("portalname")};
constexpr FieldRule kCopy[] = {empty("relation", "COPY of a table is written as COPY of a query"),
                               query("query"),
                               empty("attlist", "COPY of a table is written as COPY of a query"),
                               empty("is_from", "COPY FROM writes"),
                               empty("is_program", "runs a program on the server"),
                               empty("filename", "writes a file on the server"),
                               checked("options", "those of a list"),
                               empty("where_clause", "COPY FROM only")};
constexpr FieldRule kDefElem[] = {empty("defnamespace", "only in storage parameters"),
                                  checked("defname", "by the statement it stands in"), walked("arg"),
                                  only("defaction", {PG_QUERY__DEF_ELEM_ACTION__DEFELEM_UNSPEC}), position()};
constexpr FieldRule kSet[] = {
    only("kind", {PG_QUERY__VARIABLE_SET_KIND__VAR_SET_VALUE, PG_QUERY__VARIABLE_SET_KIND__VAR_SET_DEFAULT,
                  PG_QUERY__VARIABLE_SET_KIND__VAR_SET_MULTI, PG_QUERY__VARIABLE_SET_KIND__VAR_RESET,
                  PG_QUERY__VARIABLE_SET_KIND__VAR_RESET_ALL}),
    checked("name", "a setting of the list"), checked("args", "constants, or modes of a transaction"),
    flag("is_local", "SET LOCAL")};
constexpr FieldRule kShow[] = {checked("name", "a setting of the list")};
constexpr FieldRule kTransaction[] = {up_to("kind", PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK_TO),
                                      checked("options", "no READ WRITE"),
                                      label("savepoint_name"),
                                      empty("gid", "two-phase commit"),
                                      flag("chain", "AND CHAIN"),
                                      since(17, position())};
constexpr FieldRule kDiscard[] = {
    only("target", {PG_QUERY__DISCARD_MODE__DISCARD_ALL, PG_QUERY__DISCARD_MODE__DISCARD_PLANS,
                    PG_QUERY__DISCARD_MODE__DISCARD_SEQUENCES, PG_QUERY__DISCARD_MODE__DISCARD_TEMP})};
constexpr FieldRule kUnlisten[] = {empty("conditionname", "only UNLISTEN * is let through")};
constexpr FieldRule kExplain[] = {query("query"), checked("options", "those of a list")};

using enum NodeCheck;
constexpr KindRule kKinds[] = {
    {&pg_query__a__array_expr__descriptor, none, kArray},
    {&pg_query__a__const__descriptor, none, kConstant},
    {&pg_query__a__expr__descriptor, operation, kOperation},
    {&pg_query__a__indices__descriptor, none, kIndices},
    {&pg_query__a__indirection__descriptor, indirection, kIndirection},
    {&pg_query__a__star__descriptor, none, std::span(kNothing).first<0>()},
    {&pg_query__alias__descriptor, none, kAlias},
    {&pg_query__bit_string__descriptor, none, kBitString},
    {&pg_query__bool_expr__descriptor, none, kBoolExpr},
    {&pg_query__boolean__descriptor, none, kBoolean},
    {&pg_query__boolean_test__descriptor, none, kBooleanTest},
    {&pg_query__ctecycle_clause__descriptor, none, kCycle},
    {&pg_query__ctesearch_clause__descriptor, none, kSearch},
    {&pg_query__case_expr__descriptor, case_expression, kCase},
    {&pg_query__case_when__descriptor, none, kWhen},
    {&pg_query__close_portal_stmt__descriptor, none, kClosePortal},
    {&pg_query__coalesce_expr__descriptor, none, kCoalesce},
    {&pg_query__collate_clause__descriptor, collation, kCollate},
    {&pg_query__column_def__descriptor, none, kColumnDef},
    {&pg_query__column_ref__descriptor, column, kColumnRef},
    {&pg_query__common_table_expr__descriptor, none, kCommonTable},
    {&pg_query__copy_stmt__descriptor, copy, kCopy},
    {&pg_query__deallocate_stmt__descriptor, none, kDeallocate},
    {&pg_query__declare_cursor_stmt__descriptor, none, kDeclare},
    {&pg_query__def_elem__descriptor, none, kDefElem},
    {&pg_query__discard_stmt__descriptor, none, kDiscard},
    {&pg_query__execute_stmt__descriptor, none, kExecute},
    {&pg_query__explain_stmt__descriptor, explain, kExplain},
    {&pg_query__fetch_stmt__descriptor, none, kFetch},
    {&pg_query__float__descriptor, none, kFloat},
    {&pg_query__func_call__descriptor, call, kCall},
    {&pg_query__grouping_func__descriptor, none, kGroupingFunc},
    {&pg_query__grouping_set__descriptor, none, kGroupingSet},
    {&pg_query__integer__descriptor, none, kInteger},
    {&pg_query__join_expr__descriptor, join, kJoin},
    {&pg_query__list__descriptor, none, kList},
    {&pg_query__min_max_expr__descriptor, none, kMinMax},
    {&pg_query__named_arg_expr__descriptor, none, kNamedArgument},
    {&pg_query__null_test__descriptor, none, kNullTest},
    {&pg_query__param_ref__descriptor, none, kParameter},
    {&pg_query__prepare_stmt__descriptor, none, kPrepare},
    {&pg_query__range_function__descriptor, none, kRangeFunction},
    {&pg_query__range_subselect__descriptor, subselect, kSubselect},
    {&pg_query__range_table_func__descriptor, none, kXmlTable},
    {&pg_query__range_table_func_col__descriptor, none, kXmlTableColumn},
    {&pg_query__range_table_sample__descriptor, sample, kSample},
    {&pg_query__range_var__descriptor, relation, kRelation},
    {&pg_query__res_target__descriptor, none, kTarget},
    {&pg_query__row_expr__descriptor, none, kRow},
    {&pg_query__select_stmt__descriptor, select, kSelect},
    {&pg_query__sort_by__descriptor, sort, kSortBy},
    {&pg_query__string__descriptor, none, kString},
    {&pg_query__sub_link__descriptor, sub_link, kSubLink},
    {&pg_query__transaction_stmt__descriptor, transaction, kTransaction},
    {&pg_query__type_cast__descriptor, none, kTypeCast},
    {&pg_query__type_name__descriptor, type, kTypeName},
    {&pg_query__unlisten_stmt__descriptor, none, kUnlisten},
    {&pg_query__variable_set_stmt__descriptor, set, kSet},
    {&pg_query__variable_show_stmt__descriptor, show, kShow},
    {&pg_query__window_def__descriptor, none, kWindow},
    {&pg_query__with_clause__descriptor, none, kWith},
    {&pg_query__xml_expr__descriptor, none, kXml},
    {&pg_query__xml_serialize__descriptor, none, kXmlSerialize},
    {&pg_query__sqlvalue_function__descriptor, none, kValueFunction},
};

// Whether the use makes sense for a field of this type: a sub-tree must be visited or absent, and the values
// of an enum must be listed.
bool suits(FieldUse use, const ProtobufCFieldDescriptor& field) {
  const bool is_message = field.type == PROTOBUF_C_TYPE_MESSAGE;
  switch (use) {
    case FieldUse::walked:
    case FieldUse::query:
    case FieldUse::names: return is_message;
    case FieldUse::label: return field.type == PROTOBUF_C_TYPE_STRING;
    case FieldUse::flag: return field.type == PROTOBUF_C_TYPE_BOOL;
    case FieldUse::choice: return field.type == PROTOBUF_C_TYPE_ENUM;
    case FieldUse::position: return field.type == PROTOBUF_C_TYPE_INT32;
    case FieldUse::value:
      return !is_message && field.type != PROTOBUF_C_TYPE_ENUM && field.type != PROTOBUF_C_TYPE_BOOL;
    case FieldUse::checked:
    case FieldUse::empty: return true;
  }
  return false;
}

}  // namespace

bool fits(const KindRule& rule) {
  if (rule.kind->n_fields != rule.fields.size()) return false;
  for (unsigned i = 0; i < rule.kind->n_fields; ++i) {
    const ProtobufCFieldDescriptor& field = rule.kind->fields[i];
    if (rule.fields[i].name != field.name || !suits(rule.fields[i].use, field)) return false;
  }
  return true;
}

std::vector<FieldRule> fields_of_parser(std::span<const FieldRule> fields, int major) {
  std::vector<FieldRule> out;
  std::ranges::copy_if(fields, std::back_inserter(out), [major](const FieldRule& field) {
    return field.first_parser <= major && major <= field.last_parser;
  });
  return out;
}

std::span<const KindRule> listed_kinds() {
  static const auto fields = [] {
    std::vector<std::vector<FieldRule>> out;
    for (const KindRule& rule : kKinds) out.push_back(fields_of_parser(rule.fields, pg::kParserMajor));
    return out;
  }();
  static const auto kinds = [] {
    std::vector<KindRule> out(std::begin(kKinds), std::end(kKinds));
    for (std::size_t i = 0; i < out.size(); ++i) out[i].fields = fields[i];
    return out;
  }();
  return kinds;
}

const KindRule* kind_rule(const ProtobufCMessageDescriptor& kind) {
  static const auto rules = [] {
    std::unordered_map<const ProtobufCMessageDescriptor*, const KindRule*> out;
    for (const KindRule& rule : listed_kinds()) {
      if (fits(rule)) out.emplace(rule.kind, &rule);
    }
    return out;
  }();
  const auto at = rules.find(&kind);
  return at == rules.end() ? nullptr : at->second;
}

std::string_view use_name(FieldUse use) {
  switch (use) {
    case FieldUse::walked: return "walked";
    case FieldUse::query: return "query";
    case FieldUse::names: return "names";
    case FieldUse::checked: return "checked";
    case FieldUse::label: return "label";
    case FieldUse::value: return "value";
    case FieldUse::flag: return "flag";
    case FieldUse::choice: return "choice";
    case FieldUse::position: return "position";
    case FieldUse::empty: return "empty";
  }
  return "";
}

}  // namespace pgveil::rewriter
