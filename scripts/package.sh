#!/usr/bin/env bash
# ./run package [12|13]: makes the Debian packages of this tree in build/packages: pgveil and pgveil-dbgsym,
# for this machine's distribution. With a number: for that Debian release, in a folder that debootstrap makes
# (build/debian-NUMBER), which needs root. The version is the one in CMakeLists.txt, with ~deb12 or ~deb13
# behind it, so that the newer distribution's package replaces the older one's.
set -euo pipefail
source "$ROOT/scripts/packages.sh"
source "$ROOT/scripts/debootstrap.sh"
source "$ROOT/scripts/version.sh"

OUTPUT=$ROOT/build/packages

# "deb12", "ubuntu24.04"
name_of_distribution() { (. /etc/os-release && echo "${ID/debian/deb}${VERSION_ID:-}"); }

commit_of_tree() {
  local commit
  [[ -z ${PGVEIL_COMMIT:-} ]] || { echo "$PGVEIL_COMMIT"; return; }
  commit=$(git -C "$ROOT" rev-parse --short=12 HEAD 2>/dev/null) || { echo unknown; return; }
  git -C "$ROOT" diff --quiet HEAD || commit+=" with changes"
  echo "$commit"
}

# copy_tree TO: what git knows of the tree, as it is now, and the built page.
copy_tree() {
  rm -rf "$1"
  mkdir -p "$1"
  if git -C "$ROOT" rev-parse >/dev/null 2>&1; then
    git -C "$ROOT" ls-files -z --cached --others --exclude-standard |
      (cd "$ROOT" && xargs -0 ls -d 2>/dev/null) | tar -C "$ROOT" -c -T - | tar -x -C "$1"
  else
    tar -C "$ROOT" -c --exclude=./build --exclude=node_modules . | tar -x -C "$1"
  fi
  if [[ -f $ROOT/web/page/dist/index.html ]]; then
    rm -rf "$1/web/page/dist"
    cp -R "$ROOT/web/page/dist" "$1/web/page/dist"
  fi
}

# The changelog of the Debian package says no more than which release it is: CHANGELOG.md has the rest.
write_changelog() {
  local folder=$1 version=$2 date
  date=$(date -R ${SOURCE_DATE_EPOCH:+-d "@$SOURCE_DATE_EPOCH"})
  cat >"$folder/debian/changelog" <<TEXT
pgveil ($version) stable; urgency=medium

  * Release ${version%%~*}: /usr/share/doc/pgveil/CHANGELOG.md tells what has changed.

 -- $(sed -n 's/^Maintainer: //p' "$folder/debian/control")  $date
TEXT
}

# The page is embedded in the program, so it has to be there first.
build_page() {
  bash "$ROOT/scripts/web.sh"
  [[ -f $ROOT/web/page/dist/index.html ]] ||
    die "the page is not built: install nodejs and npm, or copy web/page/dist from where it was built"
}

package_here() {
  local version folder=$OUTPUT/work/pgveil
  need_packages build package
  want_page_tools
  version=$(version_of_tree)~$(name_of_distribution)
  build_page
  step "packaging pgveil $version"
  copy_tree "$folder"
  write_changelog "$folder" "$version"
  rm -f "$OUTPUT"/work/*.deb
  (cd "$folder" && PGVEIL_COMMIT=$(commit_of_tree) DEB_BUILD_OPTIONS="nocheck parallel=$(jobs_by_memory)" \
    dpkg-buildpackage --build=binary --no-sign) >"$OUTPUT/build.log" 2>&1 || {
    tail -n 30 "$OUTPUT/build.log" >&2
    die "dpkg-buildpackage failed; its whole output is in build/packages/build.log"
  }
  step "checking the packages with lintian"
  lintian --fail-on error,warning --allow-root --info "$OUTPUT"/work/pgveil_*.changes >&2 ||
    die "lintian found something, see above"
  mv "$OUTPUT"/work/*.deb "$OUTPUT/"
  rm -rf "$OUTPUT/work"
  (cd "$OUTPUT" && ls -- *"$version"*.deb)
}

# The same command, in a folder of that release.
package_in_folder() {
  local release=$1 folder
  [[ $EUID -eq 0 ]] || die "debootstrap and chroot need root"
  folder=$ROOT/build/debian-$release
  make_debian "$release" "$folder"
  build_page
  step "building in ${folder#"$ROOT"/}"
  copy_tree "$folder/pgveil"
  mkdir -p "$OUTPUT"
  in_debian "$folder" env -C /pgveil PGVEIL_COMMIT="$(commit_of_tree)" CCACHE_DIR=/var/cache/pgveil-ccache \
    ./run package
  cp "$folder"/pgveil/build/packages/*.deb "$OUTPUT/"
}

main() {
  mkdir -p "$OUTPUT"
  case ${1:-} in
    '') package_here ;;
    12 | 13) package_in_folder "$1" ;;
    *) die_usage "package takes nothing, 12 or 13" ;;
  esac
}

main "$@"
