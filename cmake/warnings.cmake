# Warnings are errors in every preset. A suppression is one line, at the place, with its reason.
add_library(pgveil_warnings INTERFACE)
target_compile_options(pgveil_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wswitch -Wnon-virtual-dtor -Werror)
