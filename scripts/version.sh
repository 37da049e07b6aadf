# Sourced by the verbs. The version of pgveil, which CMakeLists.txt has.

version_of_tree() { sed -n 's/^project(pgveil VERSION \([0-9.]*\) .*/\1/p' "$ROOT/CMakeLists.txt"; }
