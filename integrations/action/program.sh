# The place of the program, outside of the checkout. npx would read .npmrc and node_modules of the checkout.
directory=$RUNNER_TEMP/probewright-program
# shellcheck disable=SC2034 # for the script that reads this file
program=$directory/node_modules/.bin/probewright

# Sets the flags of the project file. In a pull request, that of the base branch counts: a change must not exclude itself.
# An empty file sets nothing. Without GITHUB_BASE_REF, this is no pull request.
set_project() {
  project=()
  if [ -z "${GITHUB_BASE_REF:-}" ]; then return; fi
  local file=$RUNNER_TEMP/probewright-base/.probewright.yaml
  mkdir -p "$(dirname "$file")"
  : >"$file"
  project=("--project-file=$file")
  # No checkout here, so there is no project file either.
  if [ ! -e .git ]; then return; fi
  fetch_base
  if git cat-file -e FETCH_HEAD:.probewright.yaml 2>/dev/null; then
    git cat-file blob FETCH_HEAD:.probewright.yaml >"$file"
  fi
}

# Fetches the base branch as FETCH_HEAD. A complete clone stays complete.
fetch_base() {
  local depth=()
  if [ "$(git rev-parse --is-shallow-repository)" = true ]; then depth=(--depth=1); fi
  git fetch --quiet --no-tags --no-recurse-submodules "${depth[@]}" origin "refs/heads/$GITHUB_BASE_REF" || {
    echo "::error title=Probewright::the base branch $GITHUB_BASE_REF cannot be fetched, and its project file counts. Let actions/checkout keep its credentials."
    exit 2
  }
}
