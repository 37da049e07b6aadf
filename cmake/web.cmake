# Embeds the page's files into the program. npm makes web/page/dist (scripts/web.sh); without it, the proxy
# has no page.
#   pgveil_web_assets(OUTPUT): writes OUTPUT, the C++ file with all of them, when it is configured and
#     whenever they changed.
option(PGVEIL_WEB "embed the page, if web/page/dist has been built" ON)

set(PGVEIL_WEB_TYPES "/=index.html=text/html" "/page.js=page.js=text/javascript" "/page.css=page.css=text/css"
    "/icon.svg=icon.svg=image/svg+xml")

function(pgveil_web_assets output)
  set(dist ${PROJECT_SOURCE_DIR}/web/page/dist)
  set(arrays "")
  set(entries "")
  if(PGVEIL_WEB AND EXISTS ${dist}/index.html)
    set(number 0)
    foreach(asset IN LISTS PGVEIL_WEB_TYPES)
      string(REPLACE "=" ";" parts "${asset}")
      list(GET parts 0 path)
      list(GET parts 1 file)
      list(GET parts 2 type)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${dist}/${file})
      file(READ ${dist}/${file} bytes HEX)
      string(REGEX REPLACE "(................................................................)" "\\1\"\n\"" bytes "${bytes}")
      string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${bytes}")
      file(SIZE ${dist}/${file} size)
      string(APPEND arrays "constexpr char kFile${number}[] =\n\"${bytes}\";\n")
      string(APPEND entries "    {\"${path}\", \"${type}; charset=utf-8\", {kFile${number}, ${size}}},\n")
      math(EXPR number "${number} + 1")
    endforeach()
    set(table "constexpr WebAsset kAssets[] = {\n${entries}};\n")
    set(result "kAssets")
  else()
    if(PGVEIL_WEB)
      message(NOTICE "-- this build has no page: scripts/web.sh makes web/page/dist, and needs npm")
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/page)
    set(table "")
    set(result "{}")
  endif()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"// Made by cmake/web.cmake.
#include \"web/api/assets.hpp\"

namespace pgveil::app {
namespace {

${arrays}${table}
}  // namespace

std::span<const WebAsset> web_assets() {
  return ${result};
}

}  // namespace pgveil::app
")
endfunction()
