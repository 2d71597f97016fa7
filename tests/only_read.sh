#!/bin/sh
# A launcher for the compiler, which then reads a source and leaves an empty object. Precompiled headers are made.
# SPDX-License-Identifier: BSD-3-Clause
case "$*" in *-emit-pch*) exec "$@" ;; esac
# In pages of 2 MiB that the system keeps, where it does: see large_pages.c.
GLIBC_TUNABLES=glibc.malloc.hugetlb=2 "$@" -fsyntax-only || exit
while [ $# -gt 1 ] && [ "$1" != -o ]; do shift; done
: > "$2"
