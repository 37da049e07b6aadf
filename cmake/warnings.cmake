# Warnings are errors in every preset. A suppression is one line, at the place, with its reason. Packages turn
# the option off, because the flags of distributions and newer compilers bring warnings of their own.
option(PGVEIL_WERROR "warnings are errors" ON)
add_library(pgveil_warnings INTERFACE)
target_compile_options(pgveil_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wswitch
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  $<$<BOOL:${PGVEIL_WERROR}>:-Werror>)
