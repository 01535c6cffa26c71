import { describe, expect, it } from 'vitest';
import { findings, onlyFinding, paths, podWith } from './workload.ts';
import { cases } from '../../support/cases.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'exec-forbidden';
const running = (...command: unknown[]): JsonObject => podWith({ livenessProbe: { exec: { command } } });

describe('exec-forbidden', () => {
  it('names the element and the program', () =>
    expect(onlyFinding(ID, running('sh', '-c', 'ps aux | grep app'))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.exec.command[2]',
      message: 'container "app" runs "ps" in its livenessProbe, which a policy forbids',
      remedy: 'use an httpGet, tcpSocket or grpc handler, or another command',
    }));

  it.each(cases('exec-forbidden', 'finds a forbidden') as [string[]][])('finds a forbidden program in %j', (command) =>
    expect(findings(ID, running(...command))).toHaveLength(1),
  );

  it.each(cases('exec-forbidden', 'accepts') as [string[]][])('accepts %j', (command) =>
    expect(findings(ID, running(...command))).toEqual([]),
  );

  it('obeys names and probes', () => {
    expect(findings(ID, running('ls'), { names: ['curl'] })).toEqual([]);
    expect(findings(ID, running('/usr/bin/curl'), { names: ['curl'] })).toHaveLength(1);
    expect(findings(ID, running('ls'), { probes: ['readinessProbe'] })).toEqual([]);
    expect(paths(ID, running('ls'), { probes: ['livenessProbe'] })).toHaveLength(1);
  });

  it.each([['ls'], [7], [null]])('does not trip over the malformed command %j', (command) =>
    expect(findings(ID, podWith({ livenessProbe: { exec: { command } } }))).toEqual([]),
  );

  it('reports about a hundred words of a command, and three names of a word', () => {
    const words = Array.from({ length: 5000 }, () => 'ls');
    expect(findings(ID, running(...words))).toHaveLength(100);
    const names = Array.from({ length: 30 }, (_, index) => `n${index}`);
    const { message } = findings(ID, running('sh', '-c', names.join(' ')), { names })[0] ?? { message: '' };
    expect(message).toContain('runs "n0", "n1", "n2" and 7 more in its livenessProbe');
  });
});
