import { describe, expect, it } from 'vitest';
import { findings, onlyFinding, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'exec-shell';
const LITERAL = { env: [{ name: 'DB_USER', value: 'app' }] };
const running = (command: readonly unknown[], container: JsonObject = {}): JsonObject =>
  podWith({ livenessProbe: { exec: { command } }, ...container });
const PATH = ['spec', 'containers', 0, 'livenessProbe', 'exec', 'command'];

describe('exec-shell', () => {
  it('names the element and writes the whole command', () => {
    expect(onlyFinding(ID, running(['redis-cli', 'ping', '|', 'grep', 'PONG']))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.exec.command[2]',
      message: 'container "app" has "|" as an argument of "redis-cli": the kubelet runs a command without a shell',
      remedy: 'write command: [sh, "-c", "redis-cli ping | grep PONG"]',
    });
  });

  it.each<[readonly string[], readonly string[]]>([
    [['pg_isready -U app'], ['pg_isready', '-U', 'app']],
    [['/app/check '], ['/app/check']],
    [
      ['/bin/sh -c', 'test -f /x'],
      ['/bin/sh', '-c', 'test -f /x'],
    ],
    [
      ['sh', 'pg_isready -U app'],
      ['sh', '-c', 'pg_isready -U app'],
    ],
    [
      ['bash', '-e', 'pg_isready', '-U', 'app'],
      ['bash', '-e', '-c', 'pg_isready -U app'],
    ],
    [
      ['env', 'A=b', 'sh', 'pg_isready'],
      ['env', 'A=b', 'sh', '-c', 'pg_isready'],
    ],
    [
      ['timeout', '5', 'sh', 'pg_isready'],
      ['timeout', '5', 'sh', '-c', 'pg_isready'],
    ],
    [
      ['sh', '-c', 'pg_isready', '-U', 'app'],
      ['sh', '-c', 'pg_isready -U app'],
    ],
    [
      ['sh', '-c', 'A=1', 'mysql -e x'],
      ['sh', '-c', 'A=1 mysql -e x'],
    ],
    [
      ['sh', '-c', 'curl', '-f', 'http://web'],
      ['sh', '-c', 'curl -f http://web'],
    ],
    [
      ['sh', '-c', '/check.sh', 'liveness'],
      ['sh', '-c', '/check.sh liveness'],
    ],
  ])('edits %j to %j', (command, meant) => {
    expect(onlyFinding(ID, running(command)).edits).toEqual([{ path: PATH, value: meant }]);
  });

  it('edits a variable with a literal value to a reference that the kubelet replaces', () => {
    const found = onlyFinding(ID, running(['pg_isready', '-U', '${DB_USER}'], LITERAL));
    expect(found.edits).toEqual([{ path: PATH, value: ['pg_isready', '-U', '$(DB_USER)'] }]);
    expect(found.remedy).toBe('write command: [pg_isready, "-U", "$(DB_USER)"]');
  });

  it.each<[readonly string[], string]>([
    [['redis-cli ping | grep PONG'], 'write command: [sh, "-c", "redis-cli ping | grep PONG"]'],
    [['a', '&&', 'b'], 'write command: [sh, "-c", "a && b"]'],
    [['a b', '||', 'exit 1'], 'write command: [sh, "-c", "a b || exit 1"]'],
    [['curl', '-f', 'http://web/a b', '2>&1'], `write command: [sh, "-c", "curl -f 'http://web/a b' 2>&1"]`],
    [['pg_isready', '-U', '$DB_USER'], 'write command: [sh, "-c", "pg_isready -U \\"$DB_USER\\""]'],
    [
      ['sh', '-c', 'MYSQL_PWD="$PASSWORD"', 'mysql -h 127.0.0.1 -e "SELECT 1"'],
      'write command: [sh, "-c", "MYSQL_PWD=\\"$PASSWORD\\" mysql -h 127.0.0.1 -e \\"SELECT 1\\""]',
    ],
    [['sh', '/probe.sh', '&&'], 'write command: [sh, "-c", "sh /probe.sh &&"]'],
  ])('has no edit for %j, because the image may have no shell', (command, remedy) => {
    const found = onlyFinding(ID, running(command));
    expect(found.edits).toBeUndefined();
    expect(found.remedy).toBe(remedy);
  });

  it.each([
    [['/bin/sh', '-c', 'redis-cli ping | grep PONG']],
    [['sh', '-c', 'exec pg_isready -U postgres']],
    [['bash', '-o', 'pipefail', '-c', 'a | b']],
    [['cat', '/tmp/healthy']],
    [['cat', '/tmp/my file']],
    [['bash', '/scripts/check.sh']],
    [['sh', 'check.sh', 'liveness']],
    [['sh', '-x', './check']],
    [['sh', '-s']],
    [['sh']],
    [['sh', '-c', 'test "$1" = a', 'probe', 'a']],
    [['sh', '-c', 'curl "http://$0/"', 'localhost:80']],
    [['sh', '-c', 'curl "http://${1:-localhost}/"', 'probe', 'web']],
    [['sh', '-c', 'test $# -eq 2', 'sh', 'a', 'b']],
    [['sh', '-c', 'exec "$@"', 'sh', 'pg_isready', '-U', 'app']],
    [['sh', '-c', 'for word; do test -n "$word"; done', 'sh', 'a']],
    [['sh', '-c', '. /opt/env.sh; check', 'sh', 'a']],
    [['sh', '-c', 'shift; true', 'sh', 'a']],
    [['sh', '-c', 'curl -f "$URL"', 'liveness']],
    [['bash', '-c', 'test -f /x', 'check.sh']],
    [['sh', '-c', 'pg_isready', '--']],
    [['sh', '-c', 'pg_isready', 'sh']],
    [['sh', '$(SCRIPT)']],
    [['sh', '-c', '"/opt/check.sh"']],
    [['sh', '-c', '"$CHECK now"']],
    [['mysqladmin', 'ping', '-p$MYSQL_ROOT_PASSWORD']],
    [['psql', '-c', '|']],
    [['grep', '-E', '||', '/tmp/x']],
    [['mongosh', '--eval', '$db']],
    [['expr', '1', '>', '2']],
    [['find', '/tmp', '-exec', 'true', ';']],
    [['pwsh', '-Command', 'Get-Process', '|', 'Out-Null']],
    [['C:\\Program Files\\App\\check.exe']],
    [['/opt/my app/check', 'live']],
    [['']],
    [[' ']],
  ])('accepts %j', (command) => {
    expect(findings(ID, running(command))).toEqual([]);
  });

  it.each([['redis-cli ping'], [7], [null], [{}], [[]], [[7, '|']], [[{}, 'a b']], [['a', ['|']]]])(
    'does not fail on the malformed command %j',
    (command) => {
      expect(findings(ID, podWith({ livenessProbe: { exec: { command } } }))).toEqual([]);
    },
  );

  it('cuts a long remedy, and does not read a command with a cut word', () => {
    const long = ['a', '|', 'b'.repeat(4096)];
    expect(onlyFinding(ID, running(long)).remedy?.length).toBe(300);
    expect(findings(ID, running(['a', '|', 'b'.repeat(4097)]))).toEqual([]);
  });
});
