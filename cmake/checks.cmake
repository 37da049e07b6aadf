# Checks of the source tree's text, for users of CMake alone. ./run test runs the first two.
add_custom_target(check_architecture
  COMMAND python3 ${PROJECT_SOURCE_DIR}/tests/architecture/include_graph_test.py USES_TERMINAL)
add_custom_target(check_format COMMAND ${PROJECT_SOURCE_DIR}/run format --check USES_TERMINAL)
add_custom_target(check_tidy COMMAND ${PROJECT_SOURCE_DIR}/run tidy USES_TERMINAL)
