# The place of the program, outside of the checkout. npx would read .npmrc and node_modules of the checkout.
directory=$RUNNER_TEMP/probewright-program
# shellcheck disable=SC2034 # for the script that reads this file
program=$directory/node_modules/.bin/probewright
