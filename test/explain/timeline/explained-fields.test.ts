import { describe, expect, it } from 'vitest';
import { NO_PLACES, explainedFields, otherSettings } from '../../../src/explain/timeline/explained-fields.ts';
import { clusterPolicyDocument, policyDocument, policySet } from '../../support/worlds.ts';
import { TOLD_PLACES, decidedContainer, probeOf } from './decided-container.ts';
import type { ExplainedField } from '../../../src/explain/timeline/explained-field.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { ProbeKind } from '../../../src/engine/probe/probe.ts';
import type { Setting } from '../../../src/engine/policy/container-policy.ts';

/** The fields of a probe, by their names. */
function fieldsOf(
  kind: ProbeKind,
  container: JsonObject,
  options: Parameters<typeof decidedContainer>[1] = {},
): Record<string, Omit<ExplainedField, 'field'>> {
  const decided = decidedContainer(container, { places: TOLD_PLACES, ...options });
  const injection = decided.injections.find((each) => each.kind === kind);
  return Object.fromEntries(
    explainedFields(decided, probeOf(decided, kind), injection).map(({ field, ...rest }) => [field, rest]),
  );
}

const OWN = { livenessProbe: { httpGet: { path: '/live', port: 'http' }, periodSeconds: 7 } };
const base = (probes: JsonObject, others: JsonObject = {}): JsonObject =>
  clusterPolicyDocument({ probes, ...others }, 'base');
const team = (probes: JsonObject, others: JsonObject = {}): JsonObject => policyDocument({ probes, ...others }, 'team');

describe("a field of the author's own probe", () => {
  it('is set by the manifest where it is written, and else by default', () =>
    expect(fieldsOf('livenessProbe', OWN)).toEqual({
      'httpGet.path': {
        ...{ value: '/live', overrides: [] },
        setBy: { by: 'manifest', place: 'manifest:spec.template.spec.containers[0].livenessProbe.httpGet.path' },
      },
      'httpGet.port': {
        ...{ value: 'http', overrides: [] },
        setBy: { by: 'manifest', place: 'manifest:spec.template.spec.containers[0].livenessProbe.httpGet.port' },
      },
      'httpGet.scheme': { value: 'HTTP', setBy: { by: 'default' }, overrides: [] },
      timeoutSeconds: { value: 1, setBy: { by: 'default' }, overrides: [] },
      periodSeconds: {
        ...{ value: 7, overrides: [] },
        setBy: { by: 'manifest', place: 'manifest:spec.template.spec.containers[0].livenessProbe.periodSeconds' },
      },
      successThreshold: { value: 1, setBy: { by: 'default' }, overrides: [] },
      failureThreshold: { value: 3, setBy: { by: 'default' }, overrides: [] },
    }));

  it('has no place where nobody knows the place', () =>
    expect(fieldsOf('livenessProbe', OWN, { places: NO_PLACES })['periodSeconds']?.setBy).toEqual({ by: 'manifest' }));

  it('names the other values of policies, the highest layer first, and no equal ones', () => {
    const policies = policySet(
      base({ livenessProbe: { periodSeconds: 10, timeoutSeconds: 1, failureThreshold: 5 } }),
      team({ livenessProbe: { periodSeconds: 20, failureThreshold: null } }),
    );
    const fields = fieldsOf('livenessProbe', OWN, { policies });
    expect(fields['periodSeconds']?.overrides).toEqual([
      {
        ...{ source: 'ProbePolicy/apps/team', field: 'spec.probes.livenessProbe.periodSeconds', value: 20 },
        place: 'ProbePolicy/apps/team:spec.probes.livenessProbe.periodSeconds',
      },
      {
        ...{ source: 'ClusterProbePolicy/base', field: 'spec.probes.livenessProbe.periodSeconds', value: 10 },
        place: 'ClusterProbePolicy/base:spec.probes.livenessProbe.periodSeconds',
      },
    ]);
    expect(fields['timeoutSeconds']?.overrides).toEqual([]);
    expect(fields['failureThreshold']?.overrides.map(({ value }) => value)).toEqual([5]);
    expect(fields['successThreshold']?.overrides).toEqual([]);
  });

  it('names the value of an annotation with the place in the template', () => {
    const annotations = { 'probewright.dev/liveness-endpoint': '/health' };
    const policies = policySet(base({}));
    const { overrides } = fieldsOf('livenessProbe', OWN, { annotations, policies })['httpGet.path'] ?? {};
    expect(overrides).toEqual([
      {
        ...{ source: 'annotation', field: 'metadata.annotations.probewright.dev/liveness-endpoint', value: '/health' },
        place: 'manifest:spec.template.metadata.annotations["probewright.dev/liveness-endpoint"]',
      },
    ]);
  });

  it('is at most one of sixteen of a handler, as a hostile handler has more', () => {
    const command = (length: number): JsonObject =>
      Object.fromEntries(Array.from({ length }, (_, index) => [`field-${index}`, index]));
    const names = (length: number): string[] =>
      Object.keys(fieldsOf('livenessProbe', { livenessProbe: { exec: command(length) } })).filter((name) =>
        name.startsWith('exec.'),
      );
    expect([15, 16, 17].map((length) => names(length).length)).toEqual([15, 16, 16]);
  });

  it('is not shown where it is null', () =>
    expect(
      Object.keys(fieldsOf('livenessProbe', { livenessProbe: { exec: { command: null }, periodSeconds: null } })),
    ).not.toContain('exec.command'));
});

describe('a field of a probe that a live Pod got earlier', () => {
  const injected = (source: string): unknown => {
    const fields = fieldsOf('livenessProbe', OWN, {
      injectedEarlier: { livenessProbe: source },
      policies: policySet(base({ livenessProbe: { periodSeconds: 10 } })),
    });
    const setters = new Set(Object.values(fields).map(({ setBy, overrides }) => JSON.stringify([setBy, overrides])));
    return [...setters].map((each) => JSON.parse(each) as unknown);
  };

  it('is set by the layer of the handler, as the annotation names no layers of single fields', () => {
    expect(injected('ProbePolicy/apps/team')).toEqual([[{ by: 'policy', source: 'ProbePolicy/apps/team' }, []]]);
    expect(injected('annotation')).toEqual([[{ by: 'annotation' }, []]]);
  });

  it("is the author's own where the annotation is about another probe", () => {
    const fields = fieldsOf('livenessProbe', OWN, { injectedEarlier: { readinessProbe: 'annotation' } });
    expect(fields['periodSeconds']?.setBy.by).toBe('manifest');
  });
});

describe('a field of an injected probe', () => {
  const readiness = (...layers: JsonObject[]): JsonObject =>
    Object.assign({ httpGet: { path: '/ready', port: 'http' } }, ...layers) as JsonObject;

  it('is set by the highest layer with a value, and names the values below', () => {
    const policies = policySet(
      base({ readinessProbe: readiness({ periodSeconds: 20, timeoutSeconds: 3 }) }),
      team({ readinessProbe: { periodSeconds: 5, timeoutSeconds: null } }),
    );
    const fields = fieldsOf('readinessProbe', {}, { policies });
    expect(fields['periodSeconds']).toEqual({
      value: 5,
      setBy: {
        ...{ by: 'policy', source: 'ProbePolicy/apps/team', field: 'spec.probes.readinessProbe.periodSeconds' },
        place: 'ProbePolicy/apps/team:spec.probes.readinessProbe.periodSeconds',
      },
      overrides: [
        {
          ...{ source: 'ClusterProbePolicy/base', field: 'spec.probes.readinessProbe.periodSeconds', value: 20 },
          place: 'ClusterProbePolicy/base:spec.probes.readinessProbe.periodSeconds',
        },
      ],
    });
    expect(fields['httpGet.path']?.setBy).toMatchObject({ by: 'policy', source: 'ClusterProbePolicy/base' });
    expect(fields['failureThreshold']).toEqual({ value: 3, setBy: { by: 'default' }, overrides: [] });
  });

  it('is a default by the null of a policy, which overrides also the value of the default', () => {
    const policies = policySet(
      base({ readinessProbe: readiness({ timeoutSeconds: 1 }) }),
      team({ readinessProbe: { timeoutSeconds: null } }),
    );
    const { setBy, overrides, value } = fieldsOf('readinessProbe', {}, { policies })['timeoutSeconds'] ?? {};
    expect(value).toBe(1);
    expect(setBy).toMatchObject({ by: 'default', asked: { source: 'ProbePolicy/apps/team', value: undefined } });
    expect(overrides?.map((setting) => [setting.source, setting.value])).toEqual([['ClusterProbePolicy/base', 1]]);
  });

  it('is set by an annotation, with its place in the template and no name of a policy', () => {
    const annotations = { 'probewright.dev/readiness-endpoint': '/ping' };
    const fields = fieldsOf('readinessProbe', {}, { annotations, policies: policySet(base({})) });
    expect(fields['httpGet.path']).toEqual({
      ...{ value: '/ping', overrides: [] },
      setBy: {
        by: 'annotation',
        place: 'manifest:spec.template.metadata.annotations["probewright.dev/readiness-endpoint"]',
      },
    });
    expect(fields['httpGet.port']?.setBy).toEqual({ by: 'ports' });
  });

  it('of a slow start names what asked for the seconds, or the probe that it was copied from', () => {
    const policies = policySet(base({}, { slowStart: { startupSeconds: 240 } }));
    const fields = fieldsOf('startupProbe', OWN, { policies });
    expect(fields['httpGet.path']?.setBy).toEqual({ by: 'livenessProbe' });
    expect(fields['failureThreshold']?.setBy).toMatchObject({
      by: 'slow-start',
      asked: { source: 'ClusterProbePolicy/base', field: 'spec.slowStart.startupSeconds', value: 240 },
    });
  });
});

it('other settings are those with another value, the highest first', () => {
  const setting = (value: unknown): Setting => ({ value, path: [], layer: {} }) as unknown as Setting;
  const [one, none, two, list] = [1, undefined, 2, [2]].map(setting);
  const all = [one, none, two, list] as Setting[];
  expect(otherSettings(all, 2)).toEqual([list, one]);
  expect(otherSettings(all, [2])).toEqual([two, one]);
  expect(otherSettings(all, undefined)).toEqual([list, two, one]);
});

it('nobody knows a place without places', () => {
  expect([NO_PLACES.ofManifest([]), NO_PLACES.ofPolicy('ClusterProbePolicy/base', [])]).toEqual([undefined, undefined]);
});
