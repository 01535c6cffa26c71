#!/usr/bin/env bash
# A step of action.yml: checks the manifests. Writes the findings as annotations of the job and as SARIF.
# In the mode try, the probes are run against a container instead. Results have no SARIF.
set -euo pipefail
# shellcheck source=program.sh
. "$(dirname "${BASH_SOURCE[0]}")/program.sh"

mapfile -t files < <(printf '%s\n' "$FILES" | grep -v '^[[:space:]]*$')
mapfile -t arguments < <(printf '%s\n' "$ARGUMENTS" | grep -v '^[[:space:]]*$')
set_project
# The arguments come last, so they can name another project file.
flags=("${project[@]}" "${arguments[@]}")
if [ -n "$NAMESPACE" ]; then flags+=("--namespace=$NAMESPACE"); fi
if [ -n "$POLICIES" ]; then flags+=("--policies=$POLICIES"); fi
if [ "$STRICT" = true ]; then flags+=(--strict); fi

code=0
case ${MODE:-check} in
  check) ;;
  try)
    "$program" try "${flags[@]}" --output=github -- "${files[@]}" || code=$?
    echo "code=$code" >>"$GITHUB_OUTPUT"
    exit 0
    ;;
  *)
    echo "::error title=Probewright::the input mode must be check or try, not $MODE"
    echo "code=2" >>"$GITHUB_OUTPUT"
    exit 0
    ;;
esac

sarif=$RUNNER_TEMP/probewright.sarif
# Behind `--`, a file whose name begins with a dash is no flag.
"$program" check "${flags[@]}" --output=github -- "${files[@]}" || code=$?
# The same findings once more. What cannot be read has been reported already.
"$program" check "${flags[@]}" --output=sarif -- "${files[@]}" >"$sarif" 2>/dev/null || true

echo "code=$code" >>"$GITHUB_OUTPUT"
if [ -s "$sarif" ]; then echo "sarif=$sarif" >>"$GITHUB_OUTPUT"; fi
