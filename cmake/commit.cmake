# Run at each build: writes OUTPUT, a header with the commit that is built, and leaves it alone if nothing
# changed. A tree without git, as in a package's source, takes the commit from the environment's
# PGVEIL_COMMIT.
#   cmake -DSOURCE=… -DOUTPUT=… -P cmake/commit.cmake
set(commit "$ENV{PGVEIL_COMMIT}")
if(NOT commit)
  execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    set(commit "unknown")
  else()
    execute_process(COMMAND git -C ${SOURCE} diff --quiet HEAD ERROR_QUIET RESULT_VARIABLE is_changed)
    if(NOT is_changed EQUAL 0)
      string(APPEND commit " with changes")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
"// Made by cmake/commit.cmake.
#define PGVEIL_COMMIT \"${commit}\"
")
