# GCC frees memory while it compiles, whenever its memory has grown by a part. That took a quarter of the
# time. Now it begins at 2 GB, which no file here reaches. The largest takes 1.1 GB, and scripts/packages.sh
# counts on 1.5 GB.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(keep_memory "--param ggc-min-expand=1000 --param ggc-min-heapsize=2000000")
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:${keep_memory}>")
endif()

# Eight sources are compiled as one, which halves the time, because most of it goes into headers and templates
# that they share. So names in anonymous namespaces must be unique in a library. -DPGVEIL_UNITY=OFF compiles
# each source separately.
option(PGVEIL_UNITY "compile several sources of a target as one" ON)
function(pgveil_join_sources target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${PGVEIL_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# pgveil_library(name SOURCES … SEPARATE … DEPENDS …): one folder, one target. SEPARATE: sources that are not
# joined with others. It links privately to the warnings and sanitizers. Includes start at the root of the
# repository (#include "folder/file.hpp").
function(pgveil_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;SEPARATE;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES} ${ARG_SEPARATE})
  pgveil_join_sources(${name} ${ARG_SEPARATE})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} PRIVATE pgveil_warnings)
  target_link_libraries(${name} PUBLIC pgveil_sanitizers)
endfunction()

# The main functions of all unit tests, and of all replays of a corpus. Each is compiled once.
function(pgveil_test_main name source)
  if(NOT TARGET ${name})
    add_library(${name} OBJECT ${source})
    target_link_libraries(${name} PRIVATE ${ARGN} pgveil_warnings pgveil_sanitizers)
  endif()
endfunction()

# pgveil_test_helpers(name SOURCES … DEPENDS …): sources that several test programs share.
function(pgveil_test_helpers name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  pgveil_join_sources(${name})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} PRIVATE pgveil_warnings pgveil_sanitizers)
  set_target_properties(${name} PROPERTIES PGVEIL_WITHOUT_SANITIZERS ON)
endfunction()

# pgveil_test(name SOURCES … SEPARATE … DEPENDS … ASIDE … COST …): one doctest program, registered with ctest
# and labelled unit. ASIDE: its longest cases, by the beginnings of their names. They are a separate ctest
# entry, so that they run in parallel with the others. COST: ctest starts the programs with the highest cost
# first. A new build folder has no measured times, so the long programs name a cost. With ASIDE it is 100.
function(pgveil_test name)
  cmake_parse_arguments(ARG "" "COST" "SOURCES;SEPARATE;DEPENDS;ASIDE" ${ARGN})
  pgveil_test_main(pgveil_unit_main ${PROJECT_SOURCE_DIR}/tests/unit/main.cpp doctest::doctest)
  add_executable(${name} ${ARG_SOURCES} ${ARG_SEPARATE} $<TARGET_OBJECTS:pgveil_unit_main>)
  pgveil_join_sources(${name} ${ARG_SEPARATE})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} doctest::doctest pgveil_warnings pgveil_sanitizers)
  set_target_properties(${name} PROPERTIES PGVEIL_WITHOUT_SANITIZERS ON)
  target_compile_definitions(${name} PRIVATE PGVEIL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set(aside "")
  foreach(beginning IN LISTS ARG_ASIDE)
    list(APPEND aside "${beginning}*")
  endforeach()
  if(aside)
    string(JOIN "," aside ${aside})
    add_test(NAME ${name} COMMAND ${name} "--test-case-exclude=${aside}")
    add_test(NAME ${name}_aside COMMAND ${name} "--test-case=${aside}")
    set_tests_properties(${name} ${name}_aside PROPERTIES LABELS unit COST 100)
  else()
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS unit)
    if(ARG_COST)
      set_tests_properties(${name} PROPERTIES COST ${ARG_COST})
    endif()
  endif()
endfunction()

# pgveil_fuzz(name SOURCES … DEPENDS …): a fuzz target; with PGVEIL_FUZZ a libFuzzer program, otherwise a
# program that replays its corpus (tests/fuzz/corpus/<name>) and runs with the unit tests.
function(pgveil_fuzz name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  if(PGVEIL_FUZZ)
    add_executable(${name} ${ARG_SOURCES})
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  else()
    pgveil_test_main(pgveil_replay_main ${PROJECT_SOURCE_DIR}/tests/fuzz/replay_main.cpp)
    add_executable(${name} ${ARG_SOURCES} $<TARGET_OBJECTS:pgveil_replay_main>)
    add_test(NAME ${name}_corpus COMMAND ${name} ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
    set_tests_properties(${name}_corpus PROPERTIES LABELS unit)
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} pgveil_warnings pgveil_sanitizers)
endfunction()
