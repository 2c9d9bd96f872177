#!/bin/bash
set -e
name=1
export PATH=/bin
f() { echo "$1"; }
function g { rm -rf "$1"; }
if [ -f a ]; then
  echo a
fi
if test -d b; then echo b; else echo c; fi
for x in 1 2; do echo "$x"; done
while read -r l; do echo "$l"; done < f
case "$1" in a) echo a ;; *) echo b ;; esac
cat f | grep x | wc -l
rm -rf a
x=$(date)
[[ $a == b ]] && echo yes
