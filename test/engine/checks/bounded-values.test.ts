import { describe, expect, it } from 'vitest';
import { judgeObject } from '../../../src/engine/verdict/judge.ts';
import { NOW } from '../../support/now.ts';
import {
  mutation,
  pod,
  policySet,
  appContainer,
  clusterPolicyDocument,
  containerNamed,
  subjectOf,
} from '../../support/worlds.ts';
import { findings, onlyFinding, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Violation } from '../../../src/engine/checks/violation.ts';

function ofCheck(id: string, object: JsonObject): Violation {
  const { violations } = judgeObject(subjectOf(object), policySet(), false, NOW);
  const found = violations.find(({ check }) => check === id);
  if (found === undefined) throw new Error(`no violation of ${id}`);
  return found;
}

const slow = { initialDelaySeconds: 300, periodSeconds: 10, failureThreshold: 3 };

describe('a value that is longer than checks read', () => {
  it.each([
    ['a path', { httpGet: { path: `/${'p'.repeat(5000)}`, port: 'http' } }],
    ['a header', { httpGet: { port: 'http', httpHeaders: [{ name: 'A', value: 'v'.repeat(5000) }] } }],
    ['a script', { exec: { command: ['sh', '-c', `curl -f localhost || ${'true;'.repeat(1000)}`] } }],
    ['a list of words', { exec: { command: ['check', ...Array<string>(1001).fill('a')] } }],
  ])('stays out of edits: %s of a liveness probe is named, and not copied', (_, handler) => {
    const { remedy, edits } = ofCheck('delayed-liveness', podWith({ livenessProbe: { ...handler, ...slow } }));
    expect(edits).toBeUndefined();
    const copied =
      'exec' in handler ? 'a command that only asks' : 'the handler of the livenessProbe and periodSeconds: ';
    expect(remedy).toContain(`write a startupProbe with ${copied}`);
    expect(remedy?.length).toBeLessThan(300);
  });

  it('keeps edits of other fields', () => {
    const livenessProbe = { exec: { command: ['sh', '-c', 'x'.repeat(5000)] }, periodSeconds: 1 };
    expect(ofCheck('exec-cost', podWith({ livenessProbe })).edits).toHaveLength(1);
  });

  it('equals no other value, because the rest may differ', () => {
    const long = 'p'.repeat(5000);
    const probe = (path: string): JsonObject => ({ httpGet: { path, port: 'http' } });
    const both = (path: string): JsonObject => podWith({ livenessProbe: probe(path), readinessProbe: probe(path) });
    for (const id of ['shared-endpoint', 'identical-probes']) {
      expect(findings(id, both('/live')), id).toHaveLength(1);
      expect(findings(id, both(`/${long}`)), id).toEqual([]);
    }
  });

  it('is judged by the API server in whole: a header name of any length is valid, and its last character counts', () => {
    const withName = (name: string): JsonObject =>
      podWith({ livenessProbe: { httpGet: { port: 'http', httpHeaders: [{ name, value: 'a' }] } } });
    expect(findings('valid-probe', withName('n'.repeat(5000)))).toEqual([]);
    expect(onlyFinding('valid-probe', withName(`${'n'.repeat(5000)} `)).reason).toBe('FieldValueInvalid');
  });

  it('says nothing of variables when the list of variables is cut', () => {
    const livenessProbe = { exec: { command: ['check', '$(PORT)'] } };
    const env = Array.from({ length: 1000 }, (_, index) => ({ name: `A${index}`, value: 'a' }));
    expect(findings('exec-variable', podWith({ livenessProbe, env }))).toHaveLength(1);
    const more = [...env, { name: 'PORT', value: '80' }];
    expect(findings('exec-variable', podWith({ livenessProbe, env: more }))).toEqual([]);
  });

  const running = (...command: string[]): JsonObject => podWith({ livenessProbe: { exec: { command } } });
  const asking = (httpGet: JsonObject): JsonObject =>
    podWith({ livenessProbe: { httpGet: { path: '/live', port: 'http', ...httpGet } } });
  const flags = Array.from({ length: 999 }, (_, index) => `--listen${index}=127.0.0.1:9090`);
  const started = (...args: string[]): JsonObject =>
    podWith({ args, livenessProbe: { httpGet: { path: '/livez', port: 'http' } } });

  it.each<[string, number, JsonObject]>([
    ['header-value', 100, asking({ httpHeaders: Array.from({ length: 5000 }, () => ({ name: 'X', value: '\n' })) })],
    ['exec-variable', 1, podWith({ env: [], readinessProbe: { exec: { command: ['echo', '$('.repeat(65_000)] } } })],
    ['path-url', 1, asking({ path: `http://${'a'.repeat(1_000_000)}` })],
    ['path-url', 0, asking({ path: `a${'.'.repeat(1_000_000)}` })],
    // A floor denies a command that is not read in whole.
    ['exec-always-true', 1, running('sh', '-c', `true ${'#'.repeat(131_072)}`)],
    ['exec-shell', 1, running('a', '|', 'b'.repeat(4096))],
    ['exec-shell', 1, running('a', '|', 'b'.repeat(4097))],
    ['exec-forbidden', 100, running(...Array<string>(5000).fill('ls'))],
    // A flag that stands behind the first thousand arguments may replace an earlier one.
    ['listen-address', 1, started(...flags, '--addr=127.0.0.1:8080')],
    ['listen-address', 0, started('--addr=127.0.0.1:8080', ...flags, '--verbose')],
    ['exec-image', 0, podWith({ ...running('/bin/sh'), image: `distroless/${'a'.repeat(1_000_000)}` })],
    ['cluster-probe', 0, asking({ path: `${'x'.repeat(100_000)}/_cluster/health` })],
    ['cluster-probe', 2, running('sh', '-c', '/_cluster/health?'.repeat(100_000))],
    ...['rabbitmqctl ', 'redis-cli etcdctl nodetool ', 'x'].map(
      (part) => ['cluster-probe', 1, running('sh', '-c', part.repeat(100_000))] as [string, number, JsonObject],
    ),
  ])('is read in part, and told in few words: %s finds %i', (id, count, manifest) => {
    const found = findings(id, manifest);
    expect(found).toHaveLength(count);
    for (const { message, remedy = '' } of found) expect(Math.max(message.length, remedy.length)).toBeLessThan(301);
  });

  it('is copied in whole by an injected startup probe, except for a command that is too long to be read', () => {
    const policies = policySet(clusterPolicyDocument({ slowStart: { startupSeconds: 120 } }));
    const startupBeside = (livenessProbe: JsonObject): unknown => {
      const { after } = mutation(pod([appContainer({ livenessProbe })]), policies);
      return containerNamed(after, 'app')['startupProbe'];
    };
    const httpGet = { path: '/live', port: 'http', httpHeaders: [{ name: 'X-A', value: 'b'.repeat(5000) }] };
    expect(startupBeside({ httpGet })).toMatchObject({ httpGet });
    for (const command of [
      ['check', 'b'.repeat(5000)],
      ['check', ...Array<string>(1200).fill('a')],
    ])
      expect(startupBeside({ exec: { command } })).toBeUndefined();
    expect(startupBeside({ exec: { command: ['check', 'b'.repeat(4000)] } })).toBeDefined();
  });
});
