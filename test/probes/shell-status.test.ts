import { describe, expect, it } from 'vitest';
import { readShellScript } from '../../src/probes/shell-script.ts';
import { alwaysTrue } from '../../src/probes/shell-status.ts';

const NO_OPTIONS = { isErrexit: false, isPipefail: false };

function reasonOf(script: string, options = NO_OPTIONS): string | undefined {
  const list = readShellScript(script);
  const found = list && alwaysTrue(list, options);
  return found && `${found.reason} ${found.program}`;
}

describe('a script that always succeeds', () => {
  it.each([
    ['a | awk "{ print }"', 'filter awk'],
    ['a | grep b | head -1', 'filter head'],
    ['curl -s web | jq .status', 'filter jq'],
    ['a |\n  cat', 'filter cat'],
    ['a | tee /proc/1/fd/1', 'filter tee'],
    ['(a; b) | tail -1', 'filter tail'],
    ['if a; then b; fi | wc -l', 'filter wc'],
    ['a || true', 'fallback true'],
    ['a || :', 'fallback :'],
    ['a || exit 0', 'fallback exit 0'],
    ['a && b || echo failed', 'fallback echo'],
    ['a || { echo failed; }', 'fallback echo'],
    ['a\nexit 0', 'constant exit 0'],
    ['a; exit 0; b', 'constant exit 0'],
    ['a; true # done', 'constant true'],
    ['if a; then b; fi; echo done', 'constant echo'],
    ['X=1 redis-cli -h web ping > /dev/null', 'ping redis-cli'],
    ['timeout 3 redis-cli ping', 'ping redis-cli'],
    ['a; exec redis-cli ping', 'ping redis-cli'],
    ['ps aux | grep nginx', 'itself grep'],
    ['ps -ef | grep java | grep -q App', 'itself grep'],
    ['set -o pipefail; ps aux | grep nginx', 'itself grep'],
    ['psql <<EOF\nselect 1; exit 1\nEOF\ntrue', 'constant true'],
  ])('is %j: %s', (script, reason) => {
    expect(reasonOf(script)).toBe(reason);
  });

  it.each([
    ['a'],
    ['a | grep b'],
    ['a || exit 1'],
    ['a || false'],
    ['a && true'],
    ['true && a'],
    ['a || true && b'],
    ['! a || ! true'],
    ['a & true | b'],
    ['true &'],
    ['a || exit 1; exit 0'],
    ['if a; then exit 1; fi; exit 0'],
    ['case $(a) in x) ;; *) exit 1 ;; esac; exit 0'],
    ['{ a || exit 3; }; true'],
    ['set -e; a; true'],
    ['set -eu\na\ntrue'],
    ['set -o errexit; a; true'],
    ['set -o pipefail; a | head'],
    ['set -euo pipefail; a | head'],
    ['. /lib.sh; a | head'],
    ['trap "exit 1" ERR; a; true'],
    ['f() { exit 1; }; f; true'],
    ['function f { exit 1; }; f; true'],
    ['exec a; true'],
    ['a | awk "{ exit 1 }"'],
    ['a | sed -n "/b/q1"'],
    ['a | jq -e .up'],
    ['a | cat /tmp/x'],
    ['a | sort -c'],
    ['cat /tmp/x'],
    ['x=$(a)'],
    ['test "$(a | head -1)" = b'],
    ['[ `a | head` ] '],
    ['a "|" cat'],
    ["a '|| true'"],
    ['a \\| cat'],
    ['a # || true'],
    ['$TRUE'],
    ['redis-cli -e ping'],
    ['redis-cli ping | grep PONG'],
    ["ps aux | grep '[n]ginx'"],
    ['ps aux | grep nginx | grep -v grep'],
    ['ps aux | grep -v grep | grep nginx'],
    ['ps -C nginx | grep nginx'],
    ['ps aux | grep "$NAME"'],
    ['ps aux | awk "/nginx/ { exit 1 }"'],
    ['pgrep nginx'],
    ['a || true)'],
    ['(a || true'],
    ['a || "true'],
    [''],
  ])('is not %j', (script) => {
    expect(reasonOf(script)).toBeUndefined();
  });

  it('obeys the options of the shell', () => {
    expect(reasonOf('a | head', { isErrexit: false, isPipefail: true })).toBeUndefined();
    expect(reasonOf('echo a | head', { isErrexit: false, isPipefail: true })).toBe('filter head');
    expect(reasonOf('a; true', { isErrexit: true, isPipefail: false })).toBeUndefined();
    expect(reasonOf('a | head', { isErrexit: true, isPipefail: false })).toBe('filter head');
  });
});
