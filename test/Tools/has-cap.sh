#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Interesting (1), as mlir-reduce wants it, is a module that still holds a cap.
! grep -q 'softcap\.cap' "$1"
