#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what building and testing need from the Debian or Ubuntu archive, as
# root or through sudo; does nothing, quickly, where everything is there.
set -eu

packages="llvm-22-dev libmlir-22-dev mlir-22-tools llvm-22-tools libpolly-22-dev
          clang-22 lld-22 libomp-22-dev clang-format-22 ninja-build ccache
          libgtest-dev python3 python3-numpy git"

die() { echo "install-deps: $*" >&2; exit 1; }

# A CMake that did not come from the archive serves as well, if new enough.
have_cmake() {
  command -v cmake >/dev/null || return 1
  set -- $(cmake --version | sed -n '1s/[^0-9]*\([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
  [ "$1" -gt 3 ] || { [ "$1" -eq 3 ] && [ "$2" -ge 20 ]; }
}
have_cmake || packages="$packages cmake"

command -v dpkg-query >/dev/null || die "this is no Debian or Ubuntu; install by hand:" $packages
missing=
for package in $packages; do
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
    missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
  as_root=
elif command -v sudo >/dev/null; then
  as_root=sudo
else
  die "needs root or sudo to install:$missing"
fi
export DEBIAN_FRONTEND=noninteractive
echo "install-deps: installing$missing"
available() {
  for package in $missing; do
    apt-cache show "$package" >/dev/null 2>&1 || return 1
  done
}
# A fresh machine has no package lists, a stale one has lists that lack LLVM 22.
available || $as_root apt-get update -qq || die "apt-get update failed"
for package in $missing; do
  apt-cache show "$package" >/dev/null 2>&1 ||
    die "the configured archives have no package '$package'; softcap needs LLVM 22 (see README)"
done
$as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null ||
  { $as_root apt-get update -qq &&
    $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null; } ||
  die "apt-get could not install:$missing"
