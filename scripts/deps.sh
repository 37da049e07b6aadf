#!/usr/bin/env bash
# ./run deps [GROUP…] [--drivers]
set -euo pipefail
source "$ROOT/scripts/packages.sh"
source "$ROOT/scripts/arrow.sh"
source "$ROOT/scripts/spark.sh"
source "$ROOT/scripts/servers.sh"

groups=()
for argument in "$@"; do
  case $argument in
    --drivers) groups+=(drivers) ;;
    -*) die_usage "deps: unknown option \"$argument\"" ;;
    *) packages_of "$argument" >/dev/null && groups+=("$argument") ;;
  esac
done
[[ ${#groups[@]} -gt 0 && ${groups[*]} != drivers ]] || groups+=(build demo test)
need_packages "${groups[@]}"
case " ${groups[*]} " in
  *" servers "*)
    for ((major = OLDEST_MAJOR; major <= NEWEST_MAJOR; ++major)); do
      install_server "$major" || die "PostgreSQL $major can't be installed; is there a network?"
    done
    ;;
esac
case " ${groups[*]} " in
  *" arrow "*) install_arrow ;;
esac
case " ${groups[*]} " in
  *" spark "*)
    install_spark
    install_minicluster
    ;;
esac
say "dependencies are installed: ${groups[*]}"
