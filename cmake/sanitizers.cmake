add_library(pgveil_sanitizers INTERFACE)
if(PGVEIL_SANITIZE_ADDRESS)
  # The sanitizers check the program and its libraries. In the text of the unit tests, which call them, they
  # would take more than 40 % of the time that it is compiled. The tests are linked with them, so memory that
  # a library uses wrongly is still found. An inline function that both have may be that of the test, which is
  # not checked. The program has the checked ones only.
  target_compile_options(pgveil_sanitizers INTERFACE
    "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:PGVEIL_WITHOUT_SANITIZERS>>>:-fsanitize=address;-fsanitize=undefined>"
    # null and alignment look at each address before it is used, and vptr at the type of each object. They
    # took up to a quarter of the time to compile a file. Without them, the access to null still ends the
    # program. A misaligned address, which this processor reads, is not reported any more.
    -fno-sanitize=null,alignment,vptr -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # A program with a fixed address has no relocations. One that can be loaded anywhere has 4 million of them,
  # for UBSan's descriptions of places: 109 MB that each start rewrites.
  target_link_options(pgveil_sanitizers INTERFACE -fsanitize=address,undefined
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
endif()
if(PGVEIL_SANITIZE_THREAD)
  # GCC warns about Asio's fences, which it does not follow. Asio's locks, which it follows, establish the
  # same order.
  target_compile_options(pgveil_sanitizers INTERFACE -fsanitize=thread -fno-omit-frame-pointer -Wno-tsan)
  target_link_options(pgveil_sanitizers INTERFACE -fsanitize=thread)
endif()
if(PGVEIL_COVERAGE)
  target_compile_options(pgveil_sanitizers INTERFACE --coverage)
  target_link_options(pgveil_sanitizers INTERFACE --coverage)
endif()
if(PGVEIL_FUZZ)
  # Coverage feedback from the libraries under test, not only from the target's own file. Clang 14 cannot
  # assemble coroutines together with the check of function types.
  target_compile_options(pgveil_sanitizers INTERFACE -fsanitize=fuzzer-no-link -fno-sanitize=function)
endif()
