#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs utils/install-deps.sh among pretended package tools: on a complete
# machine, without rights, with an archive that lacks LLVM 22, and on a bare one.
set -eu
script=$1 stubs=$2
rm -rf "$stubs"
mkdir -p "$stubs"
for real in sh sed dirname; do ln -s "$(command -v $real)" "$stubs/$real"; done
stub() { printf '#!/bin/sh\n%s\n' "$2" > "$stubs/$1"; chmod +x "$stubs/$1"; }
stub cmake 'echo cmake version 3.25.1'
stub apt-get 'echo "apt-get $*"'
attempt() {
  echo "case: $1"
  status=0
  PATH=$stubs sh "$script" 2>&1 || status=$?
  echo "exit $status"
}

stub id 'echo 1000'
stub dpkg-query 'echo installed'
attempt complete

stub dpkg-query 'case $* in *lld-22) exit 1;; *) echo installed;; esac'
stub apt-cache 'exit 0'
attempt no-rights

stub id 'echo 0'
stub apt-cache 'exit 100'
attempt no-such-package

stub dpkg-query 'exit 1'
stub apt-cache 'exit 0'
stub cmake 'echo cmake version 3.18.4'
stub apt-get 'echo "apt-get $*" >&2'
attempt bare
