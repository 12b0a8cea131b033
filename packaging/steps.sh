# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-3.0-or-later
# Steps that packaging/run and tests/run share: say, find what is missing, install it, build.
# Sourced, not run. Expects $root.

say() { printf '\033[1m==>\033[0m %s\n' "$*" >&2; }
die() { printf 'plimsoll: %s\n' "$*" >&2; exit 1; }

# section NAME: the lines of that part of packaging/packages
section() {
    awk -v want="[$1]" '/^\[/ { on = ($0 == want); next } on && NF && !/^#/' "$root/packaging/packages"
}

# missing SECTION…: prints the packages that have to be installed, one a line.
# One call of dpkg-query for all, so that the second run costs nothing.
missing() {
    local names wanted installed line name found
    wanted=$(for name in "$@"; do section "$name"; done)
    names=$(tr '|' '\n' <<<"$wanted" | sort -u)
    # shellcheck disable=SC2086
    installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' $names 2>/dev/null | awk '$1 == "installed" { print $2 }')
    while read -r line; do
        found=
        for name in ${line//|/ }; do
            if grep -qxF "$name" <<<"$installed"; then found=1; break; fi
        done
        [ -n "$found" ] || echo "$line"
    done <<<"$wanted"
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif command -v sudo >/dev/null; then sudo "$@"
    else die "packages are missing and this is neither root nor is there sudo. Install by hand: ${needed[*]}"
    fi
}

# install_missing SECTION…: installs only what is not there, and says what.
install_missing() {
    command -v dpkg-query >/dev/null || die "this script knows Debian and Ubuntu only; the packages it needs stand in packaging/packages"
    local lines line name found
    lines=$(missing "$@")
    [ -n "$lines" ] || return 0
    mapfile -t needed <<<"$lines"
    say "refreshing the package lists"
    as_root apt-get update -q >/dev/null || say "the package lists could not be refreshed; going on with those that are here"
    needed=()
    for line in $lines; do
        found=
        for name in ${line//|/ }; do
            if apt-cache show "$name" >/dev/null 2>&1; then found=$name; break; fi
        done
        needed+=("${found:-${line%%|*}}")
    done
    say "installing: ${needed[*]}"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${needed[@]}" >"$root/build/apt.log" 2>&1 \
        || { tail -n 20 "$root/build/apt.log" >&2; die "apt-get could not install them (whole log: build/apt.log)"; }
}

# build PRESET [TARGET…]: configures once, then lets Ninja decide.
build() {
    local preset=$1 dir=$root/build/$1
    shift
    if [ ! -f "$dir/build.ninja" ]; then
        say "configuring ($preset)"
        (cd "$root" && cmake --preset "$preset" >"$root/build/configure-$preset.log" 2>&1) \
            || { tail -n 30 "$root/build/configure-$preset.log" >&2; die "configuring failed (whole log: build/configure-$preset.log)"; }
    fi
    # Whoever looks on sees how far it is; a call that finds nothing to do says nothing.
    local log=$root/build/build-$preset.log announced='' at=0
    ninja -C "$dir" "$@" >"$log" 2>&1 &
    local pid=$!
    trap 'kill "$pid" 2>/dev/null; exit 130' INT TERM # a job in the background does not hear Ctrl+C
    while sleep 0.2 && kill -0 "$pid" 2>/dev/null; do
        at=$((at + 1))
        [ "$at" -ge 5 ] || continue
        if [ -t 2 ]; then
            printf '\r\033[K\033[1m==>\033[0m building (%s) %s' "$preset" "$(grep -o '^\[[0-9]*/[0-9]*\]' "$log" | tail -n 1)" >&2
        elif [ -z "$announced" ]; then
            say "building ($preset)"
        fi
        announced=1
    done
    [ -z "$announced" ] || [ ! -t 2 ] || printf '\n' >&2
    trap - INT TERM
    wait "$pid" \
        || { grep -E -A 12 'error|FAILED' "$log" | head -n 60 >&2; die "building failed (whole log: build/build-$preset.log)"; }
}
