import { describe, expect, it } from 'vitest';
import {
  applyingTo,
  handlerPath,
  isAimed,
  layersWithProbes,
  mergeLayers,
  oncePerLayers,
  probeSettings,
  slowStartSettings,
  type Given,
} from '../../../src/engine/policy/container-policy.ts';
import { readAnnotations } from '../../../src/engine/policy/annotations.ts';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import { clusterPolicyDocument, parsedPolicy, pod, policyDocument } from '../../support/worlds.ts';
import type { PolicyLayer } from '../../../src/engine/policy/probe-policy.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

/** Specs of layers, or of the liveness probes of layers. */
interface Case {
  readonly layers?: readonly JsonObject[];
  readonly liveness?: readonly (JsonObject | null)[];
}

const shown = (given: Given<unknown> | undefined) =>
  given && { value: given.value, source: given.layer.source, isAimed: isAimed(given.layer) };

describe('a container', () =>
  describeCases('test/fixtures/layers.yaml', ['livenessProbe', 'port', 'startupSeconds'], (given) => {
    const { layers, liveness: probesOfLayers = [] } = given as Case;
    const specs = layers ?? probesOfLayers.map((livenessProbe) => ({ probes: { livenessProbe } }));
    const policies = specs.map((spec, index) => parsedPolicy(policyDocument(spec, `layer-${index}`)));
    const { probes, port, startupSeconds } = mergeLayers(policies);
    const { handler, ...liveness } = probes.livenessProbe;
    return { livenessProbe: { handler: shown(handler), ...liveness }, port: shown(port), startupSeconds };
  }));

const ofCluster = (spec: JsonObject) => parsedPolicy(clusterPolicyDocument(spec));
const live = { kubernetesProbeEndpoints: { livenessProbe: '/live' } };

describe('a layer is aimed at a container', () =>
  it.each<[string, JsonObject, boolean]>([
    ['that it names', { containers: ['app'], ...live }, true],
    ['by its image', { images: ['redis'], ...live }, true],
    ['of the workloads that it selects', { workloadSelector: { matchLabels: { app: 'web' } }, ...live }, true],
    ['that is any one', { containers: ['*'], ...live }, false],
    ['that is the main one', live, false],
  ])('%s: %#', (_, spec, aimed) => expect(isAimed(parsedPolicy(policyDocument(spec)))).toBe(aimed)));

describe('a layer applies to', () => {
  const { containers } = readPod(
    pod(
      [
        { name: 'app', image: 'shop/web:1' },
        { name: 'cache', image: 'redis:7' },
      ],
      {
        spec: {
          initContainers: [
            { name: 'init', image: 'redis:7' },
            { name: 'sidecar', image: 'redis:7', restartPolicy: 'Always' },
          ],
        },
      },
    ),
    POD_KIND,
  );
  it.each<[string, JsonObject, readonly string[]]>([
    ['the main container', live, ['app']],
    ['every application container', { containers: ['*'], ...live }, ['app', 'cache']],
    [
      'the containers that it names',
      { containers: ['cache', 'sidecar', 'init'], ...live },
      ['cache', 'sidecar', 'init'],
    ],
    ['application containers and sidecars with its images', { images: ['redis'], ...live }, ['cache', 'sidecar']],
    ['no container without its images', { images: ['*/redis'], ...live }, []],
    [
      'containers with its names and its images',
      { containers: ['app', 'sidecar'], images: ['redis'], ...live },
      ['sidecar'],
    ],
  ])('%s', (_, spec, names) => {
    const layer = ofCluster(spec);
    const layersOf = applyingTo([layer]);
    const applying = containers.filter((container) => layersOf(container, container.name === 'app').length > 0);
    expect(applying.map(({ name }) => name).sort()).toEqual([...names].sort());
  });
});

describe('the layers that ask for probes', () =>
  it('give a port, a probe or a rule for slow starters; a layer that only sets checks is none', () => {
    const asking = [{ port: 80 }, live, { slowStart: { startupSeconds: 60 } }].map(ofCluster);
    const others = [{}, { checks: { 'named-port': { action: 'Off' } } }].map(ofCluster);
    expect(layersWithProbes([...others, ...asking])).toEqual(asking);
  }));

describe('learned start times', () => {
  const learnedOf = (...learned: (JsonObject | null | undefined)[]): unknown =>
    mergeLayers(
      learned.map((one, index) =>
        parsedPolicy(policyDocument({ slowStart: one === undefined ? {} : { learned: one } }, `layer-${index}`)),
      ),
    ).learned?.value;
  const DEFAULTS = learnedOf({}) as JsonObject;

  it('are asked for by a layer, whose numbers win one by one over lower layers', () => {
    expect(learnedOf(undefined)).toBeUndefined();
    expect(learnedOf({ margin: 2, minimumStarts: 5 }, undefined, { margin: 3 })).toEqual({
      ...DEFAULTS,
      ...{ margin: 3, minimumStarts: 5 },
    });
  });

  it('begin with the defaults again above a layer that removes them', () => {
    expect(learnedOf({ margin: 2 }, null)).toBeUndefined();
    expect(learnedOf({ margin: 2 }, null, { minimumStarts: 7 })).toEqual({ ...DEFAULTS, minimumStarts: 7 });
    expect(learnedOf({ margin: 2 }, null, { minimumStarts: 7 }, { margin: 4 })).toEqual({
      ...DEFAULTS,
      ...{ minimumStarts: 7, margin: 4 },
    });
  });
});

describe('what layers say about slow starts', () => {
  const saidBy = (...layers: PolicyLayer[]): unknown[] =>
    slowStartSettings(layers, 'startupSeconds').map(({ value, path }) => [path.join('.'), value]);

  it('is found with its path, in a policy and in an annotation', () => {
    const { layer } = readAnnotations(new Map([['probewright.dev/startup-seconds', '90']]));
    expect(saidBy(ofCluster({ slowStart: { startupSeconds: 60 } }), ofCluster({}), layer)).toEqual([
      ['spec.slowStart.startupSeconds', 60],
      ['metadata.annotations.probewright.dev/startup-seconds', 90],
    ]);
  });

  it('is removed with null, and by a layer that removes the startup probe', () => {
    const removed = ['spec.slowStart.startupSeconds', undefined];
    expect(saidBy(ofCluster({ slowStart: { startupSeconds: null } }))).toEqual([removed]);
    expect(saidBy(ofCluster({ probes: { startupProbe: null }, slowStart: { startupSeconds: 60 } }))).toEqual([removed]);
    expect(saidBy(ofCluster({ probes: { startupProbe: {} }, slowStart: { startupSeconds: 60 } }))).toEqual([
      ['spec.slowStart.startupSeconds', 60],
    ]);
  });
});

describe('what is computed for layers', () =>
  it('is computed once for each list of the same layers', () => {
    const [one, two] = [{}, {}];
    const merge = oncePerLayers((layers: readonly object[]) => ({ layers }));
    const merged = merge([one, two]);
    expect(merged.layers).toEqual([one, two]);
    expect(merge([one, two])).toBe(merged);
    for (const others of [[two, one], [one], [one, two, one], [one, one], []]) {
      expect(merge(others).layers).toBe(others);
      expect(merge([...others])).toBe(merge(others));
    }
    expect(merge([one, two])).toBe(merged);
  }));

describe('what layers say about a field of a probe', () => {
  const layers = [
    { probes: { livenessProbe: { httpGet: { path: '/a', port: 80 }, periodSeconds: 5 } } },
    { kubernetesProbeEndpoints: { livenessProbe: '/b' } },
    { probes: { livenessProbe: { tcpSocket: { port: 81 } } } },
    { probes: { livenessProbe: null } },
    { port: 80 },
  ].map((spec, index) => parsedPolicy(policyDocument(spec, `layer-${index}`)));
  const said = (field: string[]): unknown[] =>
    probeSettings(layers, 'livenessProbe', field).map(({ value, path, layer }) => [
      layer.source.split('/').at(-1),
      path.join('.'),
      value,
    ]);
  const probe = 'spec.probes.livenessProbe';

  it('is found with its path, for integers', () =>
    expect(said(['periodSeconds'])).toEqual([
      ['layer-0', `${probe}.periodSeconds`, 5],
      ['layer-3', probe, undefined],
    ]));

  it('is found with its path, for fields of handlers, where another handler has no such field', () =>
    expect(said(['httpGet', 'path'])).toEqual([
      ['layer-0', `${probe}.httpGet.path`, '/a'],
      ['layer-1', 'spec.kubernetesProbeEndpoints.livenessProbe', '/b'],
      ['layer-2', `${probe}.tcpSocket`, { tcpSocket: { port: 81 } }],
      ['layer-3', probe, undefined],
    ]));

  it('is no value where the handler lacks the field', () =>
    expect(said(['httpGet', 'scheme']).slice(0, 1)).toEqual([['layer-0', `${probe}.httpGet.scheme`, undefined]]));

  it('stands in the short form where a policy is short', () => {
    expect(handlerPath('livenessProbe').join('.')).toBe(probe);
    expect(handlerPath('livenessProbe', { short: 'handler' }).join('.')).toBe(
      'spec.kubernetesProbeEndpoints.livenessProbe',
    );
    expect(handlerPath('livenessProbe', { short: 'path' }, ['path']).join('.')).toBe(
      'spec.kubernetesProbeEndpoints.livenessProbe',
    );
    expect(handlerPath('livenessProbe', { short: 'path' }, ['port']).join('.')).toBe(probe);
  });
});
