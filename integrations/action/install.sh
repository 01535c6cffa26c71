#!/usr/bin/env bash
# A step of action.yml: installs the package outside of the checkout. The package of this version of the action must have
# the pinned integrity before anything of it runs.
set -euo pipefail
# shellcheck source=program.sh
. "$(dirname "${BASH_SOURCE[0]}")/program.sh"
# npm reads .npmrc and node_modules of the working directory. There, a pull request could run code of its own.
mkdir -p "$directory"
cd "$directory"

if [ -z "$PACKAGE" ]; then
  if [[ $INTEGRITY != sha512-* ]]; then
    echo "::error title=Probewright::probewright@$VERSION is not released, so this commit of the action has no package to install. Use the commit of a release, or set the input package."
    exit 2
  fi
  file=$(npm pack "probewright@$VERSION" --ignore-scripts --loglevel=error)
  # The package has no dependencies, so this hash covers all code that runs.
  hash='console.log("sha512-" + crypto.createHash("sha512").update(fs.readFileSync(process.argv[1])).digest("base64"))'
  found=$(node -e "$hash" "$file")
  if [ "$found" != "$INTEGRITY" ]; then
    echo "::error title=Probewright::the package probewright@$VERSION has the integrity $found, and the action pins $INTEGRITY. Nothing of the package was run."
    exit 2
  fi
  PACKAGE=file:$directory/$file
fi
options=(--prefix "$directory" --no-save --no-package-lock --ignore-scripts --no-audit --no-fund --loglevel=error)
npm install "${options[@]}" "$PACKAGE" >&2
