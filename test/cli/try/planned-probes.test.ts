import { describe, expect, it } from 'vitest';
import { plannedProbes, portOf, probeField, type ProbeToTry } from '../../../src/cli/try/planned-probes.ts';
import { clusterPolicyDocument } from '../../support/worlds.ts';
import { inputsFrom, planned, plannedOne } from './planned.ts';
import { podOf } from './run-try.ts';

const probe = (path: string) => ({ httpGet: { path, port: 80 } });
const named = (probes: readonly ProbeToTry[]): string[] =>
  probes.map(({ container, probe: kind }) => `${container.name} ${kind}`);

const TWO = JSON.stringify({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        initContainers: [
          { name: 'setup', image: 'a' },
          { name: 'proxy', image: 'a', restartPolicy: 'Always', startupProbe: probe('/p') },
        ],
        containers: [
          {
            name: 'app',
            image: 'a',
            readinessProbe: probe('/r'),
            livenessProbe: probe('/l'),
            startupProbe: probe('/s'),
          },
          { name: 'other', image: 'a', livenessProbe: { tcpSocket: { port: 81 } } },
        ],
      },
    },
  },
});

describe('the probes of manifests', () => {
  it('are those of application and sidecar containers, startup before liveness before readiness', () => {
    const all = named(plannedProbes(inputsFrom(TWO), [], []));
    expect(all.toSorted()).toEqual([
      'app livenessProbe',
      'app readinessProbe',
      'app startupProbe',
      'other livenessProbe',
      'proxy startupProbe',
    ]);
    expect(all.filter((one) => one.startsWith('app'))).toEqual([
      'app startupProbe',
      'app livenessProbe',
      'app readinessProbe',
    ]);
  });

  it('are selected by container and by probe', () => {
    const inputs = inputsFrom(TWO);
    expect(named(plannedProbes(inputs, ['other'], []))).toEqual(['other livenessProbe']);
    expect(named(plannedProbes(inputs, ['app', 'other'], ['liveness']))).toEqual([
      'app livenessProbe',
      'other livenessProbe',
    ]);
    expect(named(plannedProbes(inputs, ['other'], ['startup', 'readiness']))).toEqual([]);
  });

  it('have the workload, the place and the times of their probe', () => {
    const [first] = plannedProbes(inputsFrom(TWO), ['app'], ['liveness']);
    expect(first).toMatchObject({
      ...{ file: 'web.yaml', line: 1, column: TWO.indexOf('"livenessProbe"') + 1 },
      ...{ kind: 'Deployment', namespace: 'shop', name: 'web', policyPaths: [] },
      timing: { periodSeconds: 10, timeoutSeconds: 1, failureThreshold: 3, initialDelaySeconds: 0 },
    });
    expect(first).not.toHaveProperty('injectedBy');
  });

  it('are none of an object that is no workload, and of a probe without a handler', () => {
    expect(plannedProbes(inputsFrom('{ apiVersion: v1, kind: Service, metadata: { name: web } }'), [], [])).toEqual([]);
    expect(planned({ livenessProbe: { periodSeconds: 5 } })).toEqual([]);
  });
});

describe('a policy', () => {
  const policies = JSON.stringify(
    clusterPolicyDocument(
      {
        containers: ['*'],
        kubernetesProbeEndpoints: { livenessProbe: '/live', readinessProbe: '/ready' },
        port: 'http',
      },
      'house',
    ),
  );
  const pod = podOf({ ports: [{ name: 'http', containerPort: 80 }] });
  const given = plannedProbes(inputsFrom(pod, policies), [], []);

  it('gives probes to a container without probes, at the place of the container', () => {
    expect(given.map(({ probe: kind, injectedBy }) => [kind, injectedBy])).toEqual([
      ['startupProbe', 'safety'],
      ['livenessProbe', 'ClusterProbePolicy/house'],
      ['readinessProbe', 'ClusterProbePolicy/house'],
    ]);
    expect(given[1]?.handler).toMatchObject({ kind: 'httpGet', path: '/live' });
    expect(new Set(given.map(({ column }) => column))).toEqual(new Set([pod.indexOf('{"name":"app"') + 1]));
  });

  it('names the paths of its probes, each once', () => {
    expect(given[0]?.policyPaths).toEqual(['/live', '/ready']);
  });
});

describe('the port of a probe', () => {
  const ports = [{ name: 'http', containerPort: 8080 }];
  const port = (handler: object) => portOf(plannedOne({ ports, livenessProbe: handler }));

  it.each([
    [{ httpGet: { port: 81 } }, 81],
    [{ tcpSocket: { port: 'http' } }, 8080],
    [{ grpc: { port: 90 } }, 90],
    [{ httpGet: { port: 'admin' } }, { text: 'strconv.Atoi: parsing "admin": invalid syntax' }],
    [{ exec: { command: ['true'] } }, { text: 'strconv.Atoi: parsing "": invalid syntax' }],
  ])('is a number, or why there is none: %j', (handler, expected) => {
    expect(port(handler)).toEqual(expected);
  });
});

it('a field of a probe has its path in the object', () => {
  const [, , readiness] = plannedProbes(inputsFrom(TWO), ['app'], []);
  if (readiness === undefined) throw new Error('no readiness probe');
  expect(probeField(readiness, 'httpGet', 'path')).toBe('spec.template.spec.containers[0].readinessProbe.httpGet.path');
  expect(probeField(readiness)).toBe('spec.template.spec.containers[0].readinessProbe');
});
