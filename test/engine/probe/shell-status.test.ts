import { describe, expect, it } from 'vitest';
import { readShellScript } from '../../../src/engine/probe/shell-script.ts';
import { alwaysTrue } from '../../../src/engine/probe/shell-status.ts';

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
    ['redis-cli ping || exit 1', 'ping redis-cli'],
    ['curl http://web/health', 'answer curl'],
    ['timeout 3 curl -sS "http://$HOST/health" > /dev/null 2>&1', 'answer curl'],
    ['curl -so /dev/null -w "%{http_code}" web', 'answer curl'],
    ['curl -X POST -d f=-f web', 'answer curl'],
    ['curl --fail-early web', 'answer curl'],
    ['exec curl $URL', 'answer curl'],
    ['curl web || exit 1', 'answer curl'],
    ['curl web || curl other', 'answer curl'],
    ['curl web || exit 1; echo ok', 'answer curl'],
    ['set -e; curl web; echo ok', 'answer curl'],
    ['curl web && echo ok', 'constant echo'],
    ['curl web || true', 'fallback true'],
    ['curl web; echo ok', 'constant echo'],
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
    ['curl -f web'],
    ['curl -fsS web'],
    ['curl -sSf web || exit 1'],
    ['curl -o /dev/null -sf web'],
    ['curl --fail web'],
    ['curl -s --fail-with-body web'],
    ['curl $OPTIONS web'],
    ['curl -K /etc/curlrc web'],
    ['curl --version'],
    ['curl'],
    ['curl telnet://web:6379'],
    ['curl -s web | grep UP'],
    ['curl -s web | jq -e .up'],
    ['test "$(curl -s -w "%{http_code}" -o /dev/null web)" = 200'],
    ['CODE=$(curl -s web); [ "$CODE" = 200 ]'],
    ['curl web && pg_isready'],
    ['curl web; pg_isready'],
    ['set -e; curl web; pg_isready'],
    ['if curl web; then exit 0; else exit 1; fi'],
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
