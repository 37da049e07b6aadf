#include "rewriter/lists/extensions.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace pgveil::rewriter {
namespace {

constexpr auto kExtensionFunctions = std::to_array<ExtensionFunction>({
#include "rewriter/lists/extension_functions.inc"
});

constexpr auto signature_key(const ExtensionFunction& function) {
  return std::pair(function.extension, function.signature);
}

static_assert(std::ranges::is_sorted(kExtensionFunctions, {}, signature_key));

constexpr auto kNeverOpened = std::to_array<std::string_view>({"adminpack",
                                                               "amcheck",
                                                               "citus",
                                                               "citus_columnar",
                                                               "dblink",
                                                               "file_fdw",
                                                               "lo",
                                                               "old_snapshot",
                                                               "pageinspect",
                                                               "pg_buffercache",
                                                               "pg_freespacemap",
                                                               "pg_prewarm",
                                                               "pg_stat_statements",
                                                               "pg_surgery",
                                                               "pg_visibility",
                                                               "pg_walinspect",
                                                               "pgrowlocks",
                                                               "pgstattuple",
                                                               "plpgsql",
                                                               "postgis_raster",
                                                               "postgres_fdw",
                                                               "sslinfo",
                                                               "tablefunc",
                                                               "xml2"});

static_assert(std::ranges::is_sorted(kNeverOpened));

}  // namespace

Listed listed_in_extension(std::string_view extension, std::string_view signature, std::uint64_t definition) {
  const std::pair key(extension, signature);
  const auto at = std::ranges::lower_bound(kExtensionFunctions, key, {}, signature_key);
  if (at == kExtensionFunctions.end() || signature_key(*at) != key) return Listed::unknown;
  if (at->definition != definition) return Listed::changed;
  return at->is_pure ? Listed::pure : Listed::machinery;
}

bool is_listed_extension(std::string_view extension) {
  const auto at = std::ranges::lower_bound(kExtensionFunctions, extension, {}, &ExtensionFunction::extension);
  return at != kExtensionFunctions.end() && at->extension == extension;
}

bool is_never_opened(std::string_view extension) {
  return std::ranges::binary_search(kNeverOpened, extension);
}

}  // namespace pgveil::rewriter
