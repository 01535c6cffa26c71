import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CATALOGUE_FILE, catalogueText, EXAMPLES_FILE, examplesText } from '../../../scripts/checks/catalogue-file.ts';
import { CHECK_CATALOGUE, CHECKS } from '../../../src/engine/checks/catalogue.ts';
import { HANDLER_KINDS, PROBE_INTEGERS, PROBE_KINDS } from '../../../src/engine/probe/probe.ts';
import { appContainer } from '../../support/worlds.ts';
import { deploymentWith, findings } from './workload.ts';
import { runs } from '../../support/runs.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const PARAMETERS: Readonly<Record<string, JsonObject>> = {
  'required-liveness': { containers: 'all', sidecars: true },
  'required-startup': { containers: 'all', sidecars: true },
  'probe-handler': { allowed: ['grpc'] },
  'probe-bounds': {
    livenessProbe: Object.fromEntries(PROBE_INTEGERS.map((field) => [field, { minimum: 100, maximum: 200 }])),
  },
};

function everyFinding(manifest: JsonObject): { id: string; path: string; message: string }[] {
  return CHECKS.flatMap(({ id }) =>
    findings(id, manifest, PARAMETERS[id]).map(({ path, message }) => ({ id, path, message })),
  );
}

/** Anything, and often enough a key that a probe knows. */
const junk = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(
    null,
    0,
    -1,
    1,
    2 ** 31,
    1.5,
    '',
    ' ',
    'http',
    '1',
    'a\nb\u0000',
    '/app-health/x/livez',
    [],
    {},
    [null],
    [[]],
  ),
) as fc.Arbitrary<unknown>;

const record = (keys: readonly string[], value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 5 }) },
    { weight: 1, arbitrary: junk },
  );

const header = record(['name', 'value'], junk);
const handler = record(
  ['path', 'port', 'host', 'scheme', 'service', 'command', 'httpHeaders'],
  fc.oneof(junk, fc.array(junk), fc.array(header)),
);
const probe = fc
  .tuple(record(HANDLER_KINDS, handler), record(PROBE_INTEGERS, fc.oneof(junk, fc.integer({ min: 0, max: 200 }))))
  .map(([a, b]) => (typeof a === 'object' && typeof b === 'object' ? { ...a, ...b } : a));
const ports = fc.array(record(['name', 'containerPort', 'protocol'], junk));
const member = fc.oneof({ weight: 4, arbitrary: probe }, junk, ports);
const container = fc
  .tuple(
    record([...PROBE_KINDS, 'ports', 'restartPolicy', 'restartPolicyRules'], member),
    fc.constantFrom('app', 'a\nb\u0085'),
  )
  .map(([spec, name]) => (typeof spec === 'object' ? { ...spec, name } : spec));

describe('the list of checks', () => {
  it('is the generated one: npm run generate:checks', () =>
    expect(readFileSync(CATALOGUE_FILE, 'utf8')).toBe(catalogueText()));

  it('has the examples of the docs: npm run generate:checks', () =>
    expect(readFileSync(EXAMPLES_FILE, 'utf8')).toBe(examplesText()));

  it('knows each check by its id, which is the name of its file', () => {
    const imported = [...catalogueText().matchAll(/'\.\/([a-z-]+)\.ts';/g)].map(([, file]) => file);
    expect([...CHECKS.map(({ id }) => id), 'check']).toEqual(imported);
    expect(Object.keys(CHECK_CATALOGUE)).toEqual(CHECKS.map(({ id }) => id));
  });

  it.each(CHECKS)('$id tells the default of each number and switch in its text', ({ parameters }) => {
    for (const parameter of Object.values(parameters))
      if (parameter.type === 'integer' || parameter.type === 'boolean')
        expect(parameter.text).toMatch(new RegExp(`[Dd]efault ${String(parameter.default)}\\b`));
  });

  const badNumbers = { initialDelaySeconds: 300, failureThreshold: 1, periodSeconds: 1, timeoutSeconds: 9 };
  const everyProbe = (probe: JsonObject): JsonObject => ({
    livenessProbe: probe,
    readinessProbe: probe,
    startupProbe: probe,
  });

  it.each([
    ['in a template', { path: '/app-health/app/livez', port: 15020 }],
    ['another host', { path: '/app-health/app/livez', port: 15020, host: '169.254.169.254' }],
    ['another port', { path: '/app-health/app/livez', port: 8080 }],
    ['the name of a port', { path: '/app-health/app/livez', port: 'nope' }],
    ['another container', { path: '/app-health/other/livez', port: 15020 }],
    ['another endpoint', { path: '/app-health/app/admin', port: 15020 }],
    ['a longer path', { path: '/app-health/app/livez/../../admin', port: 15020 }],
  ])('looks at probes that only look like those of Istio: %s', (_, httpGet) => {
    const found = everyFinding(deploymentWith(everyProbe({ httpGet, ...badNumbers })));
    expect(found.map(({ id }) => id)).toContain('timeout-over-period');
  });

  it('never throws, whatever stands in a container, and says one line without control characters', () =>
    fc.assert(
      fc.property(fc.array(container, { maxLength: 3 }), junk, (containers, number) => {
        const spec = { progressDeadlineSeconds: number, replicas: number, minReadySeconds: number };
        const podSpec = { containers, initContainers: containers, terminationGracePeriodSeconds: number };
        for (const { id, message, path } of everyFinding(deploymentWith({}, spec, podSpec))) {
          if (id === 'valid-probe') continue;
          expect(message, path).not.toMatch(/\p{Cc}|[\u2028\u2029]|NaN|undefined|Infinity/u);
        }
      }),
      { numRuns: runs(1000) },
    ));

  it('finds nothing at all in a container that does everything well', () => {
    const good = appContainer({
      startupProbe: { httpGet: { path: '/livez', port: 'http' }, periodSeconds: 5, failureThreshold: 61 },
      livenessProbe: { httpGet: { path: '/livez', port: 'http' }, failureThreshold: 5 },
      readinessProbe: { httpGet: { path: '/readyz', port: 'http' } },
    });
    const on = CHECKS.filter(({ id }) => CHECK_CATALOGUE[id]?.action !== 'Off');
    expect(on.flatMap(({ id }) => findings(id, deploymentWith(good)))).toEqual([]);
  });
});
