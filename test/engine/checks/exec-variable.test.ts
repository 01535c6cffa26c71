import { describe, expect, it } from 'vitest';
import { findings, onlyFinding, podWith } from './workload.ts';
import { cases } from '../../support/cases.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'exec-variable';
const LITERAL = { name: 'DB_USER', value: 'app' };
const SECRET = { name: 'DB_USER', valueFrom: { secretKeyRef: { name: 'db', key: 'user' } } };
const PATH = ['spec', 'containers', 0, 'readinessProbe', 'exec', 'command'];
const running = (command: readonly string[], ...env: readonly unknown[]): JsonObject =>
  podWith({ env, readinessProbe: { exec: { command } } });

describe('exec-variable', () => {
  it('tells what the kubelet writes for a variable with a reference', () =>
    expect(onlyFinding(ID, running(['pg_isready', '-U', '$(DB_USER)'], SECRET))).toEqual({
      probe: 'readinessProbe',
      path: 'spec.containers[0].readinessProbe.exec.command[2]',
      message:
        'container "app" reads "DB_USER" from a reference, so the kubelet puts an empty text in place of "$(DB_USER)"',
      remedy: 'write command: [sh, -c, "..."] with $DB_USER in the script',
    }));

  it('tells that the kubelet leaves a variable that env does not have', () =>
    expect(onlyFinding(ID, running(['pg_isready', '-U', '$(DB_USER)'])).message).toBe(
      'container "app" has no "DB_USER" with a literal value in env, so the kubelet leaves "$(DB_USER)" as text',
    ));

  it('edits a script so that the shell replaces the variable', () => {
    const found = onlyFinding(ID, running(['sh', '-c', 'pg_isready -U "$(DB_USER)"'], SECRET));
    expect(found.remedy).toBe('write $DB_USER, which the shell replaces');
    expect(found.edits).toEqual([{ path: PATH, value: ['sh', '-c', 'pg_isready -U "${DB_USER}"'] }]);
  });

  it.each(cases('exec-variable', 'has no edit') as [string, string, JsonObject][])(
    'has no edit for %s',
    (_, script, variable) => expect(onlyFinding(ID, running(['sh', '-c', script], variable)).edits).toBeUndefined(),
  );

  it.each(cases('exec-variable', 'accepts with env') as [string[], JsonObject[]][])(
    'accepts %j with env %j',
    (command, env) => expect(findings(ID, running(command, ...env))).toEqual([]),
  );

  it('reads the last entry of a name', () =>
    expect(findings(ID, running(['echo', '$(DB_USER)'], LITERAL, SECRET))).toHaveLength(1));

  it.each([['env'], [7], [{}], [[7]], [[null]], [[{ name: 7 }]], [[{ name: 'DB_USER', value: 7 }]]])(
    'does not fail on the malformed env %j',
    (env) => {
      const found = findings(ID, podWith({ env, readinessProbe: { exec: { command: ['echo', '$(OTHER)'] } } }));
      expect(found).toHaveLength(1);
    },
  );

  it('reads a long text of open references', () =>
    expect(findings(ID, running(['echo', '$('.repeat(65_000)]))).toEqual([]));
});
