import { describe, expect, it } from 'vitest';
import { findings, onlyFinding, podWith } from './workload.ts';
import { cases } from '../../support/cases.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'exec-always-true';
const running = (...command: string[]): JsonObject => podWith({ livenessProbe: { exec: { command } } });

describe('exec-always-true', () => {
  it('names the filter that ends the pipe', () => {
    expect(onlyFinding(ID, running('sh', '-c', "mysqladmin status | awk '{ print $4 }'"))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.exec.command[2]',
      message:
        'container "app" has a livenessProbe that hides failures: its pipe ends in "awk", which succeeds when the commands before it fail',
      remedy: 'compare the output at the end of the pipe, such as | grep -q UP',
    });
    expect(onlyFinding(ID, running('bash', '-c', 'a | head -1')).remedy).toBe(
      'write set -o pipefail; in front of the pipe, or compare the output at its end, such as | grep -q UP',
    );
  });

  it('names the last resort', () =>
    expect(onlyFinding(ID, running('sh', '-c', 'pg_isready || true'))).toMatchObject({
      message: 'container "app" has a livenessProbe that hides failures: "true" behind || always succeeds',
      remedy: 'remove || true',
    }));

  it('names the end that always succeeds', () =>
    expect(onlyFinding(ID, running('sh', '-c', 'pg_isready; exit 0'))).toMatchObject({
      message:
        'container "app" has a livenessProbe that hides failures: its last command is "exit 0", which always succeeds',
      remedy: 'let the script end with the status of the command that asks the application',
    }));

  it('writes the comparison for redis-cli ping', () => {
    expect(onlyFinding(ID, running('redis-cli', '-p', '6380', 'ping'))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.exec.command',
      message:
        'container "app" has a livenessProbe that hides failures: "redis-cli" succeeds when the server answers PING with an error',
      remedy: 'write command: [sh, "-c", "redis-cli -p 6380 ping | grep -q PONG"]',
    });
    expect(onlyFinding(ID, running('sh', '-c', 'redis-cli ping')).remedy).toBe(
      'compare the answer: write | grep -q PONG behind the command',
    );
  });

  it('names curl without -f', () =>
    expect(onlyFinding(ID, running('curl', '-s', 'http://web:8080/health'))).toMatchObject({
      message:
        'container "app" has a livenessProbe that hides failures: "curl" without -f succeeds when the server answers with an error, such as 500',
      remedy: 'write curl -f, which fails for an answer from 400 on, or compare the answer',
    }));

  it.each([[['true']], [['timeout', '1', 'valkey-cli', 'PING']], [['', 'redis-cli', 'ping']]])('finds %j', (command) =>
    expect(findings(ID, running(...command))).toHaveLength(1),
  );

  it.each(cases('exec-always-true', 'accepts') as [string[]][])('accepts %j', (command) =>
    expect(findings(ID, running(...command))).toEqual([]),
  );

  it('accepts what is not readable', () => {
    expect(findings(ID, running('sh', '-c', 'echo "open'))).toEqual([]);
    expect(findings(ID, running('sh', '-c', `true ${'#'.repeat(131_072)}`))).toEqual([]);
    expect(findings(ID, podWith({ livenessProbe: { exec: { command: ['sh', '-c', 7] } } }))).toEqual([]);
  });
});
