/* The header is one of C. The table of library_test.cpp, as a program in C would make it. */
#include "library/pgveil.h"

#include <stddef.h>

pgveil_table* table_made_in_c(pgveil_error** error);

pgveil_table* table_made_in_c(pgveil_error** error) {
  const uint32_t ages[] = {0, 1, 0, 1, 2, PGVEIL_NULL};
  const uint64_t age_ends[] = {0, 2, 4, 6};
  const uint32_t towns[] = {0, 0, 1, 1, 0, 1};
  const uint64_t town_ends[] = {0, 4, 8};
  pgveil_table* table = pgveil_table_new();
  if (pgveil_table_add_column(table, "age", ages, 6, "303133", age_ends, 3, error) == 0 &&
      pgveil_table_add_column(table, "town", towns, 6, "AberBree", town_ends, 2, error) == 0)
    return table;
  pgveil_table_free(table);
  return NULL;
}
