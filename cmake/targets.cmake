# pgveil_library(name SOURCES … DEPENDS …): one folder, one target. Links privately to the warnings and sanitizers,
# includes from the root of the repository (#include "folder/file.hpp").
function(pgveil_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} PRIVATE pgveil_warnings)
  target_link_libraries(${name} PUBLIC pgveil_sanitizers)
endfunction()

# pgveil_test(name SOURCES … DEPENDS …): one doctest program, registered with ctest, labelled unit.
function(pgveil_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES} ${PROJECT_SOURCE_DIR}/tests/unit/main.cpp)
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} doctest::doctest pgveil_warnings pgveil_sanitizers)
  target_compile_definitions(${name} PRIVATE PGVEIL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS unit)
endfunction()

# pgveil_fuzz(name SOURCES … DEPENDS …): a fuzz target; with PGVEIL_FUZZ a libFuzzer program, otherwise a program that
# replays its corpus (tests/fuzz/corpus/<name>) and runs with the unit tests.
function(pgveil_fuzz name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  if(PGVEIL_FUZZ)
    add_executable(${name} ${ARG_SOURCES})
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  else()
    add_executable(${name} ${ARG_SOURCES} ${PROJECT_SOURCE_DIR}/tests/fuzz/replay_main.cpp)
    add_test(NAME ${name}_corpus COMMAND ${name} ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
    set_tests_properties(${name}_corpus PROPERTIES LABELS unit)
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} pgveil_warnings pgveil_sanitizers)
endfunction()
