#!/usr/bin/env bash
# Prints the Debian packages that own the shared libraries of a program: what an image needs in order to run
# it.
set -euo pipefail

for library in $(ldd "$1" | awk '$2 == "=>" {print $3}'); do
  # A package may list a file with or without the /usr that merged systems add to the path.
  dpkg-query -S "$(readlink -f "$library")" "$library" "${library#/usr}" 2>/dev/null || true
done | cut -d: -f1 | sort -u
