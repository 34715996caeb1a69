#!/bin/bash
# Makes the jail's image from Debian's packages, without a container registry. Needs root, debootstrap and Docker.
#   docker/jail/build.sh [--fresh] [TAG]     TAG is envbounty-jail:1 by default; --fresh ignores the cache
# The root file system is kept in $ENVBOUNTY_CACHE (~/.cache/envbounty), so that only the first run takes a minute.
# $DEBIAN_MIRROR, if set, is where debootstrap fetches packages from.
set -euo pipefail

fresh=false
if [[ ${1:-} == --fresh ]]; then fresh=true; shift; fi
tag=${1:-envbounty-jail:1}
suite=bookworm
packages=python3,gcc,g++,libc6-dev

# What the image is made from: a changed script makes a new image, the same script finds the old one.
recipe=$(sha256sum < "$0" | cut -c1-16)
cache=${ENVBOUNTY_CACHE:-$HOME/.cache/envbounty}
rootfs=$cache/jail-$(dpkg --print-architecture)-$recipe.tar

label=$(docker image inspect --format '{{ index .Config.Labels "envbounty.recipe" }}' "$tag" 2>/dev/null || true)
if ! $fresh && [[ $label == "$recipe" ]]; then
    echo "$tag is up to date"
    exit 0
fi

if $fresh || [[ ! -f $rootfs ]]; then
    if [[ $(id -u) != 0 ]] || ! command -v debootstrap >/dev/null; then
        echo "Run this as root with debootstrap installed (apt-get install debootstrap)," >&2
        echo "or use a registry: docker build -t $tag docker/jail" >&2
        exit 1
    fi
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    echo "Making the root file system of $tag with debootstrap (about a minute)"
    debootstrap --variant=minbase --include="$packages" "$suite" "$work/root" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"} \
        > "$work/log" 2>&1 || { tail -20 "$work/log" >&2; exit 1; }
    mkdir -p "$cache"
    # Through a temporary name: an interrupted run must not leave half a file in the cache.
    # /dev/* are left out because Docker makes its own.
    tar -C "$work/root" --numeric-owner --sort=name -c -f "$rootfs.$$" \
        --exclude='./dev/*' --exclude='./var/cache/*' --exclude='./var/lib/apt/lists/*' --exclude='./var/log/*' \
        --exclude='./usr/share/doc/*' --exclude='./usr/share/info/*' --exclude='./usr/share/locale/*' \
        --exclude='./usr/share/man/*' .
    mv "$rootfs.$$" "$rootfs"
fi

docker import --change 'USER 65534:65534' --change 'WORKDIR /tmp' --change 'CMD ["/usr/bin/python3", "--version"]' \
    --change "LABEL envbounty.recipe=$recipe" "$rootfs" "$tag" >/dev/null
echo "$tag: $(docker image inspect --format '{{ .Size }}' "$tag" | numfmt --to=iec), $(docker run --rm --network none --read-only "$tag")"
