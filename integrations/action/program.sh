# Installs the package outside of the checkout, and sets `program`. npm and npx read .npmrc and node_modules of the
# working directory. There, a pull request could run code of its own.
directory=$RUNNER_TEMP/probewright-program
program=$directory/node_modules/.bin/probewright
if [ ! -x "$program" ]; then
  mkdir -p "$directory"
  options=(--prefix "$directory" --no-save --no-package-lock --ignore-scripts --no-audit --no-fund --loglevel=error)
  (cd "$directory" && env -u GH_TOKEN npm install "${options[@]}" "$PACKAGE") >&2
fi
