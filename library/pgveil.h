/* The engine as a library for programs in C, and for languages that call C: publish a table held in memory, and
 * measure one. Python's package is made of it (docs/python.md). Not for the proxy, and not for tables in
 * PostgreSQL or in files: the program pgveil reads those itself.
 *
 * Tables are columns of codes and values, as dictionary-encoded columns of Arrow and of data frames are: row r of
 * a column has the value values[codes[r]]. So nothing is turned into separated text and back.
 *
 * Stability: what is declared here keeps its meaning as long as PGVEIL_ABI_VERSION does. Functions may be added.
 *
 * Errors: a function that can fail returns null and sets *error, which the caller frees. Otherwise *error is
 * null. error itself must not be null, and neither must handles, unless it says so below.
 *
 * Memory: the caller frees each table, report and error that it gets, with the function of its type.
 *
 * Threads: different handles may be used by different threads at the same time. A table may be read by several
 * threads once its columns are added.
 *
 * Text: all of it is UTF-8, and any other text is refused. It ends with a zero byte, except for the values
 * that pgveil_table_add_column gets.
 *
 * Options: `size` must be set, and other members may be zero unless their comments say otherwise. An array of
 * texts may be null if its count is 0. None of its texts may be null. */
#ifndef PGVEIL_H
#define PGVEIL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PGVEIL_ABI_VERSION 1
#define PGVEIL_NULL UINT32_MAX /* the code of a NULL */

#if defined(__GNUC__)
#define PGVEIL_PUBLIC __attribute__((visibility("default")))
#else
#define PGVEIL_PUBLIC
#endif

/* That of the library, which a program compares with PGVEIL_ABI_VERSION. */
PGVEIL_PUBLIC int pgveil_abi_version(void);
PGVEIL_PUBLIC const char* pgveil_version(void); /* "0.1.0"; lives for ever */

/* ---- errors */
typedef struct pgveil_error pgveil_error;

typedef enum pgveil_error_kind {
  PGVEIL_ERROR_USAGE = 1,         /* an argument is wrong, or the caller cancelled */
  PGVEIL_ERROR_CONFIGURATION = 2, /* a job, a hierarchy or a column cannot be used */
  PGVEIL_ERROR_POLICY = 3,        /* the table cannot be published in this way */
  PGVEIL_ERROR_OTHER = 4          /* a file cannot be read, memory is short, or a bug */
} pgveil_error_kind;

PGVEIL_PUBLIC pgveil_error_kind pgveil_error_kind_of(const pgveil_error* error);
/* Lower case, no full stop, no value of the data. */
PGVEIL_PUBLIC const char* pgveil_error_message(const pgveil_error* error);
PGVEIL_PUBLIC const char* pgveil_error_hint(const pgveil_error* error); /* what to do; may be empty */
/* May have values of the data, for example those that are no numbers; for the owner of the data. */
PGVEIL_PUBLIC const char* pgveil_error_detail(const pgveil_error* error);
PGVEIL_PUBLIC void pgveil_error_free(pgveil_error* error); /* null is allowed */

/* ---- tables */
typedef struct pgveil_table pgveil_table;

PGVEIL_PUBLIC pgveil_table* pgveil_table_new(void); /* null if memory is short */
/* Copies everything. Value v is the bytes offsets[v] to offsets[v + 1] of `bytes`, as in Arrow's layout, so
 * there are values + 1 offsets. A code is below `values`, or PGVEIL_NULL. REQUIRES: `codes` has `rows` codes,
 * and `bytes` has offsets[values] bytes, because nothing here can check that. `codes` may be null without
 * rows, `offsets` without values, and `bytes` if the last offset is 0. Errors: a name that is empty or taken;
 * 2^32 - 1 rows or more; another number of rows than the first column's; a code that has no value; offsets
 * that descend, or are above 2^47; any other array that is null; a name or a value that is not UTF-8; a value
 * that is there twice. Returns 0, or -1 for an error, after which the table is as it was. */
PGVEIL_PUBLIC int pgveil_table_add_column(pgveil_table* table, const char* name, const uint32_t* codes,
                                          uint64_t rows, const char* bytes, const uint64_t* offsets,
                                          uint32_t values, pgveil_error** error);
PGVEIL_PUBLIC uint64_t pgveil_table_rows(const pgveil_table* table);
PGVEIL_PUBLIC uint32_t pgveil_table_columns(const pgveil_table* table);
/* These live as long as the table. column < pgveil_table_columns; value < pgveil_table_values. */
PGVEIL_PUBLIC const char* pgveil_table_name(const pgveil_table* table, uint32_t column);
PGVEIL_PUBLIC const uint32_t* pgveil_table_codes(const pgveil_table* table, uint32_t column);
PGVEIL_PUBLIC uint32_t pgveil_table_values(const pgveil_table* table, uint32_t column);
PGVEIL_PUBLIC const char* pgveil_table_value(const pgveil_table* table, uint32_t column, uint32_t value,
                                             uint64_t* bytes);
PGVEIL_PUBLIC void pgveil_table_free(pgveil_table* table); /* null is allowed */

/* ---- reports */
typedef struct pgveil_report pgveil_report;

typedef enum pgveil_format { PGVEIL_TEXT = 1, PGVEIL_JSON = 2, PGVEIL_HTML = 3 } pgveil_format;

/* The same bytes as the program's. Lives as long as the report. */
PGVEIL_PUBLIC const char* pgveil_report_in(const pgveil_report* report, pgveil_format format);
PGVEIL_PUBLIC void pgveil_report_free(pgveil_report* report); /* null is allowed */

/* ---- what is done with a table */

typedef struct pgveil_options {
  uint32_t size; /* sizeof(pgveil_options), so that fields can be added */
  /* A transformation instead of the search, one level for each quasi-identifier in the job's order; null: the
   * search. heights: those of the hierarchies when the levels were found; null: not compared. */
  const uint32_t* levels;
  const uint32_t* heights;
  uint32_t level_count; /* of levels and of heights, each if it is not null */
  /* Whether to measure how much of each column is left (docs/utility.md); 0 or 1. */
  int wants_utility;
  /* Called once in 50 ms at most; with mondrian or least_loss and limits.threads above 1, on any thread. 1:
   * stop. Then nothing is returned but an error of kind usage. May be null. */
  int (*is_cancelled)(void* context);
  void* context;
} pgveil_options;

/* Publishes the table as a job says (docs/anonymize.md), after the same tests as the program's. The job's
 * sections input and output have to be there, but only input.null is used: it is the text that stands for NULL
 * in hierarchies and models ("NULL" if a column has a NULL and the job says nothing). Files of hierarchies are
 * read; relative paths start at the current folder. The rows are in an order that tells nothing about the
 * input's. options may be null: all of them are zero. Returns the published table and sets *report. After an
 * error, both are null. report may be null. */
PGVEIL_PUBLIC pgveil_table* pgveil_anonymize(const pgveil_table* table, const char* job,
                                             const pgveil_options* options, pgveil_report** report,
                                             pgveil_error** error);

typedef struct pgveil_check_options {
  uint32_t size;                          /* sizeof(pgveil_check_options) */
  const char* const* quasi_identifiers;   /* at least one */
  uint32_t quasi_identifier_count;
  const char* const* sensitive;           /* whose models are measured */
  uint32_t sensitive_count;
  uint64_t k;                             /* 0: not required */
  const char* const* required;            /* "illness=distinct 3" */
  uint32_t required_count;
  const char* const* risks;               /* "average_risk 0.05" */
  uint32_t risk_count;
} pgveil_check_options;

/* Which models a table keeps, like check-table (docs/check-table.md). *is_kept: 1 if all that is required is
 * kept, otherwise 0, and 0 after an error; is_kept may be null. options must not be null. */
PGVEIL_PUBLIC pgveil_report* pgveil_check(const pgveil_table* table, const pgveil_check_options* options,
                                          int* is_kept, pgveil_error** error);

typedef struct pgveil_risk_options {
  uint32_t size;               /* sizeof(pgveil_risk_options) */
  const char* const* columns;  /* that an attacker knows; none: all */
  uint32_t column_count;
  /* The report has the share of records with a higher risk. Above 0, at most 1; so it must be set. */
  double threshold;
  /* People who could be in the table: at least its rows, at most 10^12. 0: no estimate of uniqueness. */
  double population_size;
  uint32_t most_columns;       /* of the sets whose identifying power is measured; 0 to 20 */
} pgveil_risk_options;

/* The re-identification risk of the people in a table, like risk (docs/risk.md). If options is null, they are
 * those of the program: all columns, a threshold of 0.2, sets of up to 2 columns. */
PGVEIL_PUBLIC pgveil_report* pgveil_risk(const pgveil_table* table, const pgveil_risk_options* options,
                                         pgveil_error** error);

#ifdef __cplusplus
}
#endif
#endif
