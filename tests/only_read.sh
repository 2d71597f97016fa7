#!/bin/sh
# A launcher for the compiler, which then reads a source and leaves an empty object. Precompiled headers are made.
# SPDX-License-Identifier: BSD-3-Clause
case "$*" in *-emit-pch*) exec "$@" ;; esac
"$@" -fsyntax-only || exit
while [ $# -gt 1 ] && [ "$1" != -o ]; do shift; done
: > "$2"
