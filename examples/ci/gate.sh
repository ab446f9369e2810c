#!/bin/sh
# Runs a short training under PieProf and fails when it wastes more than the committed baseline says.
# PIEPROF is the directory of PieProf's programs (empty: they are on the PATH), PYTHON the interpreter.
# After a change that is meant: `examples/ci/gate.sh --update-baseline`, and commit the new baseline.
set -eu
cd "$(dirname "$0")/../.."
run=$(mktemp -d)
trap 'rm -rf "$run"' EXIT
"${PIEPROF:+$PIEPROF/}pieprof" -o "$run/out.db" -- "${PYTHON:-python3}" examples/mlp_numpy/fixed.py --steps 200 || {
    echo "gate.sh: the training failed, with exit status $?" >&2
    exit 2
}
"${PIEPROF:+$PIEPROF/}pieprof-report" gate "$run/out.db" --baseline examples/ci/baseline.json "$@"
