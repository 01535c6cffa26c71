import { describe, expect, it } from 'vitest';
import { cases } from '../../support/cases.ts';
import { findings, onlyFinding, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'exec-shell';
const LITERAL = { env: [{ name: 'DB_USER', value: 'app' }] };
const running = (command: readonly unknown[], container: JsonObject = {}): JsonObject =>
  podWith({ livenessProbe: { exec: { command } }, ...container });
const PATH = ['spec', 'containers', 0, 'livenessProbe', 'exec', 'command'];

describe('exec-shell', () => {
  it('names the element and writes the whole command', () =>
    expect(onlyFinding(ID, running(['redis-cli', 'ping', '|', 'grep', 'PONG']))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.exec.command[2]',
      message: 'container "app" has "|" as an argument of "redis-cli": the kubelet runs a command without a shell',
      remedy: 'write command: [sh, "-c", "redis-cli ping | grep PONG"]',
    }));

  it.each(cases('exec-shell', 'edits') as [string[], string[]][])('edits %j to %j', (command, meant) =>
    expect(onlyFinding(ID, running(command)).edits).toEqual([{ path: PATH, value: meant }]),
  );

  it('edits a variable with a literal value to a reference that the kubelet replaces', () => {
    const found = onlyFinding(ID, running(['pg_isready', '-U', '${DB_USER}'], LITERAL));
    expect(found.edits).toEqual([{ path: PATH, value: ['pg_isready', '-U', '$(DB_USER)'] }]);
    expect(found.remedy).toBe('write command: [pg_isready, "-U", "$(DB_USER)"]');
  });

  it.each(cases('exec-shell', 'has no edit') as [readonly string[], string][])(
    'has no edit for %j, because the image may have no shell',
    (command, remedy) => {
      const found = onlyFinding(ID, running(command));
      expect(found.edits).toBeUndefined();
      expect(found.remedy).toBe(remedy);
    },
  );

  it.each(cases('exec-shell', 'accepted') as [string[]][])('accepts %j', (command) =>
    expect(findings(ID, running(command))).toEqual([]),
  );

  it.each([['redis-cli ping'], [7], [null], [{}], [[]], [[7, '|']], [[{}, 'a b']], [['a', ['|']]]])(
    'does not fail on the malformed command %j',
    (command) => expect(findings(ID, podWith({ livenessProbe: { exec: { command } } }))).toEqual([]),
  );

  it('cuts a long remedy, and does not read a command with a cut word', () => {
    const long = ['a', '|', 'b'.repeat(4096)];
    expect(onlyFinding(ID, running(long)).remedy?.length).toBe(300);
    expect(findings(ID, running(['a', '|', 'b'.repeat(4097)]))).toEqual([]);
  });
});
