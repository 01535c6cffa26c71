#!/usr/bin/env bash
# A step of action.yml: compares the policies of the pull request with those of its base, and comments the effect.
set -euo pipefail

if [ -z "$POLICIES" ]; then
  echo "::error title=Probewright::the input plan needs the input policies"
  exit 2
fi
# shellcheck source=program.sh
. "$(dirname "${BASH_SOURCE[0]}")/program.sh"
mapfile -t files < <(printf '%s\n' "$FILES" | grep -v '^[[:space:]]*$')

# The policies of the base branch. A base without policies is no error: then all policies are new.
base=$RUNNER_TEMP/probewright-base-policies
mkdir -p "$base"
set_project
from=()
if git cat-file -e "FETCH_HEAD:$POLICIES" 2>/dev/null; then
  git archive FETCH_HEAD -- "$POLICIES" | tar -x -C "$base"
  from=("--from=$base/$POLICIES")
fi

body=$RUNNER_TEMP/probewright-plan.md
code=0
flags=("${project[@]}" "--policies=$POLICIES" "${from[@]}" --output=markdown)
if [ -n "$NAMESPACE" ]; then flags+=("--namespace=$NAMESPACE"); fi
# The program needs no token.
env -u GH_TOKEN "$program" plan "${flags[@]}" -- "${files[@]}" >"$body" || code=$?
# 0: no effect, 1: some effect.
if [ "$code" -gt 1 ]; then exit "$code"; fi

comments="repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments"
# Only a comment of a bot: anyone may write a comment that begins with the marker.
own='.[] | select(.user.type == "Bot" and (.body | startswith("<!-- probewright plan -->"))) | .id'
id=$(gh api --paginate "$comments" --jq "$own" | head -n 1)
if [ -n "$id" ]; then
  gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" --field "body=@$body" --silent
else
  gh api --method POST "$comments" --field "body=@$body" --silent
fi
