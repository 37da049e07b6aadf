#pragma once
// Relations that an extension brought and that everybody may read. Nearly every database has some, nobody
// listed them, and most hold no rows of persons. setup-sql closes them; the role check judges what is left.
#include <string>

namespace pgveil::db {

enum class ExtensionRelation {
  none,      // it belongs to no extension, or may hold rows: a table, or a view that reads tables
  harmless,  // reviewed: constants, or names that catalogs show as well; closing it would break the extension
  view       // a view of functions and catalogs
};

// SQL expressions about a relation c of pg_class. The first gives the extension's name, or NULL; the second
// 'none', 'harmless' or 'view'.
[[nodiscard]] std::string extension_of_sql();
[[nodiscard]] std::string extension_relation_sql();
[[nodiscard]] ExtensionRelation extension_relation_of(const std::string& word);

}  // namespace pgveil::db
