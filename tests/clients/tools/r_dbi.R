# covers: R (RPostgreSQL, DBI)
# needs: apt r-cran-rpostgresql
# needs: apt r-cran-dbi
library(DBI)
library(RPostgreSQL)

quoted <- function(text) paste0('"', gsub('\n', '\\\\n', gsub('(["\\\\])', '\\\\\\1', text)), '"')
# Runs the work; what it gives must be the same everywhere.
check <- function(name, work) {
  outcome <- tryCatch(
    paste0('"value":', quoted(paste(capture.output(write.csv(work(), row.names = FALSE)), collapse = "\n"))),
    error = function(e) paste0('"error":', quoted(conditionMessage(e))))
  cat('{"check":', quoted(name), ',', outcome, '}\n', sep = '')
}
base <- dbConnect(PostgreSQL(), host = "127.0.0.1", port = as.integer(Sys.getenv("PGPORT")), dbname = "demo",
                  user = "analyst", password = "any")
check("rows", function() dbGetQuery(base, "SELECT city, born, is_member, height FROM people ORDER BY seen"))
check("groups", function() dbGetQuery(base, "SELECT city, count(*) AS n FROM people GROUP BY 1 ORDER BY 1"))
check("a whole table", function() dbReadTable(base, "towns"))
check("the tables", function() data.frame(name = sort(setdiff(dbListTables(base), "diary"))))
check("the columns of a table", function() data.frame(name = dbListFields(base, "people")))
check("whether a table is there", function() data.frame(is = c(dbExistsTable(base, "people"), dbExistsTable(base, "x"))))
check("in portions", function() {
  result <- dbSendQuery(base, "SELECT town FROM visits ORDER BY id")
  n <- c()
  while (!dbHasCompleted(result)) n <- c(n, nrow(fetch(result, 130)))
  data.frame(n = n[n > 0])
})
check("a transaction", function() {
  dbBegin(base)
  found <- dbGetQuery(base, "SELECT count(*) FROM people")
  dbCommit(base)
  found
})
