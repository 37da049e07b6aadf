# Sourced by the verbs. Folders with a bare Debian, in which packages are built and tried. Needs root.

# make_debian RELEASE FOLDER: makes it once. RELEASE: 12 or 13.
make_debian() {
  local release=$1 folder=$2 name
  case $release in
    12) name=bookworm ;;
    13) name=trixie ;;
  esac
  [[ ! -f $folder/etc/pgveil-debootstrap ]] || return 0
  command -v debootstrap >/dev/null || install_packages debootstrap
  step "making a bare Debian $release in ${folder#"$ROOT"/}"
  rm -rf --one-file-system "$folder"
  mkdir -p "$folder"
  debootstrap --variant=minbase --include=ca-certificates "$name" "$folder" >"$folder.log" 2>&1 ||
    die "debootstrap failed: $(tail -n 1 "$folder.log")"
  # No service may start in a folder, whatever is installed there.
  printf '#!/bin/sh\nexit 101\n' >"$folder/usr/sbin/policy-rc.d"
  chmod +x "$folder/usr/sbin/policy-rc.d"
  touch "$folder/etc/pgveil-debootstrap"
}

# in_debian FOLDER COMMAND…: runs it there, with /proc and this machine's resolver. Its /dev is what
# debootstrap made: this machine's own must not be where somebody removes build/.
in_debian() {
  local folder=$1 status=0
  shift
  cp -L /etc/resolv.conf "$folder/etc/resolv.conf"
  mountpoint -q "$folder/proc" || mount -t proc proc "$folder/proc"
  env -u CDPATH LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin chroot "$folder" "$@" || status=$?
  umount "$folder/proc" || true
  return "$status"
}
