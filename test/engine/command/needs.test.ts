import { describe, expect, it } from 'vitest';
import { missingOf } from '../../../src/engine/command/needs.ts';
import { ExecCommand } from '../../../src/engine/command/words.ts';

/** The missing programs of a command, each with the index of its word. */
const missing = (argv: readonly string[], ...programs: readonly string[]): readonly string[] =>
  missingOf(new ExecCommand(argv), (program) => programs.includes(program)).map(
    ({ program, at }) => `${program} ${at}`,
  );

describe('the programs that a command starts', () => {
  it.each([
    [['curl', 'x'], ['curl 0']],
    [['/usr/local/bin/curl', 'x'], ['curl 0']],
    [
      ['timeout', '5', 'curl', 'x'],
      ['timeout 0', 'curl 2'],
    ],
    [['env', 'A=b', 'sh', '-c', 'curl x'], ['sh 2']],
    [['tini', '--', 'sh', 'probe.sh'], ['sh 2']],
    [['/app/env', 'sh'], ['sh 1']],
    [['timeout', '5'], ['timeout 0']],
    [['busybox', 'curl', 'x'], []],
    [['/app/curl', 'x'], []],
    [['./curl', 'x'], []],
    [['/busybox/sh', '-c', 'curl x'], []],
    [['java', 'curl'], []],
    [['', 'curl'], ['curl 1']],
    [[], []],
  ])('%j lacks %j in an image without shell and tools', (argv, expected) =>
    expect(missing(argv, 'sh', 'curl', 'timeout')).toEqual(expected),
  );
});

describe('a program that a script needs', () => {
  it('is missing behind BusyBox and other programs, too', () => {
    expect(missing(['busybox', 'sh', '-c', 'bash a.sh'], 'bash')).toEqual(['bash 3']);
    expect(missing(['timeout', '5', '/bin/sh', '-ec', 'bash a.sh'], 'bash')).toEqual(['bash 4']);
  });

  it.each([
    'bash -c "echo x"',
    'exec bash x.sh',
    'timeout 5 bash x.sh',
    'cd /app && bash x.sh',
    'if test -f /tmp/a; then bash a.sh; else bash b.sh; fi',
    'bash a.sh || exit 1',
    'bash a.sh | grep -q x && bash b.sh',
    'sh -c "bash x.sh"',
    'set -e; bash a.sh; echo done',
    'for i in 1 2 3; do bash x.sh && exit 0; done; exit 1',
    'check() { bash x.sh; }; check',
  ])('is missing: %s', (script) => expect(missing(['sh', '-c', script], 'bash')).toEqual(['bash 2']));

  it.each([
    'bash a.sh || nc -z localhost 80',
    'bash a.sh; exit 0',
    'bash a.sh || true',
    '! bash a.sh',
    'if command -v bash; then bash a.sh; else sh a.sh; fi',
    'test -f /tmp/off || bash a.sh',
    'echo "bash"',
    '# bash a.sh\ntrue',
    '/opt/bash/bin/bash a.sh',
    'bash() { true; }; bash',
    'eval "$SCRIPT"; bash a.sh',
    'exit 1',
    'cat <<EOF\nbash\nEOF',
    'if; bash',
  ])('is none where the script may succeed without it, or nobody knows: %s', (script) =>
    expect(missing(['sh', '-c', script], 'bash')).toEqual([]),
  );
});
