# For scripts to source, as root: a Debian that has nothing but what a command installs itself.

# bare_debian <folder> [<package>...]: the smallest Debian 12, and these packages.
bare_debian() {
  local folder=$1 packages
  shift
  [ "$(id -u)" = 0 ] || { echo "expected root, who may use chroot, found $(id -un)" >&2 && return 1; }
  command -v debootstrap >/dev/null || { echo "expected debootstrap (Debian: apt-get install debootstrap), found none" >&2 && return 1; }
  packages=$(IFS=, && echo "$*")
  debootstrap --variant=minbase ${packages:+--include="$packages"} bookworm "$folder" ${BELLAMY_DEBIAN_MIRROR:+"$BELLAMY_DEBIAN_MIRROR"} >/dev/null
  cp /etc/resolv.conf "$folder/etc/resolv.conf"
  mount -t proc proc "$folder/proc"
  mount -t devpts devpts "$folder/dev/pts"  # terminals, which some tests need
}

# remove_bare_debian <folder>: only once nothing is mounted there any more, since /dev/pts of a root may be this machine's.
remove_bare_debian() {
  local place
  for place in dev/pts proc; do
    ! mountpoint -q "$1/$place" || umount "$1/$place" || return 1
  done
  rm -rf --one-file-system "$1"
}

# in_bare_debian <folder> <command>: as bash runs it, with nothing of this environment.
in_bare_debian() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root chroot "$1" bash -euo pipefail -c "$2"; }
