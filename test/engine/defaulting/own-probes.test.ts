import fc from 'fast-check';
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import cases from '../../fixtures/engine/own-probes.json' with { type: 'json' };
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { Snapshot } from '../../../src/engine/facts/snapshot.ts';
import { member, objectMember, type JsonObject } from '../../../src/base/json/json-value.ts';
import { findPort, portsOf } from '../../../src/engine/workload/ports.ts';
import { guaranteedStartSeconds, probeTiming } from '../../../src/engine/time/timing.ts';
import { INT32_MAX } from '../../../src/engine/probe/go-values.ts';
import { handlerKindsOf } from '../../../src/engine/probe/probe.ts';
import { permittedDefaulting } from '../../../src/engine/verdict/permitted-defaulting.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { describeDefaulting } from '../../support/defaulting-cases.ts';
import { validPod } from '../../support/arbitraries.ts';
import { factsOf } from '../checks/workload.ts';
import { clusterDocument, namespaceDocument } from '../../robustness/random-worlds.ts';
import {
  appContainer,
  clusterPolicyDocument,
  containerNamed,
  mutation,
  parsedPolicy,
  pod,
  policyDocument,
  policySet,
} from '../../support/worlds.ts';

/** The policy of the README: endpoints for every application container. */
const README = clusterPolicyDocument({
  containers: ['*'],
  kubernetesProbeEndpoints: { startupProbe: '/livez', livenessProbe: '/livez', readinessProbe: '/readyz' },
});
interface Case {
  readonly container: JsonObject;
  readonly policies?: readonly JsonObject[];
  readonly services?: readonly JsonObject[];
  readonly annotations?: JsonObject;
}

/** One golden file each: the whole reply of `/mutate`. */
const CASES = cases as Readonly<Record<string, Case>>;

function reply({ container, policies = [README], services = [], annotations = {} }: Case): {
  readonly result: ReturnType<typeof mutation>;
  readonly snapshot: Snapshot;
} {
  const snapshot = Snapshot.of(CHECK_CATALOGUE, policies.map(parsedPolicy), factsOf(services));
  return { result: mutation(pod([container], { metadata: { annotations } }), snapshot), snapshot };
}

describe('a probe beside those of the author', () => describeDefaulting('own-probes'));

describe('a container with evidence', () => {
  it.each(Object.keys(CASES))('%s gets the reply on record, and no patch a second time', async (name) => {
    const { result, snapshot } = reply(CASES[name] as Case);
    const { allowed, patch, warnings, auditAnnotations } = result;
    const text = `${JSON.stringify({ allowed, patch, warnings, auditAnnotations }, null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(`../../golden/own-probes/${name}.json`);
    expect(mutation(result.after, snapshot).patch).toBeUndefined();
    expect(JSON.stringify(auditAnnotations)).not.toContain('secret');
  });

  it('has a golden file, and no golden file is without a case', () =>
    expect(readdirSync('test/golden/own-probes').sort()).toEqual(
      Object.keys(CASES)
        .map((name) => `${name}.json`)
        .sort(),
    ));
});

/** Kind of handler, port and scheme as the kubelet takes them. */
function asked(container: JsonObject, probe: JsonObject): unknown {
  const [kind = 'exec'] = handlerKindsOf(probe);
  const handler = objectMember(probe, kind) ?? {};
  const wanted = member(handler, 'port') as number | string;
  const found = findPort(portsOf(container), wanted);
  return [kind, found?.number ?? wanted, member(handler, 'scheme') ?? 'HTTP', handler['command']];
}

const named = (document: JsonObject, name: string): JsonObject => ({
  ...document,
  metadata: { name, ...('namespace' in (document['metadata'] as JsonObject) && { namespace: 'apps' }) },
});
const worlds = fc.record({
  pod: validPod,
  documents: fc.array(fc.oneof(clusterDocument, namespaceDocument), { minLength: 1, maxLength: 3 }),
});

describe('the annotation about injected probes', () => {
  const metadata = (kind: string): JsonObject => ({
    annotations: { 'probewright.dev/injected': JSON.stringify({ app: { [kind]: 'ClusterProbePolicy/cluster' } }) },
  });
  const given = (container: JsonObject, kind: string, policies = [README]): JsonObject => {
    const { after } = mutation(pod([container], { metadata: metadata(kind) }), policySet(...policies));
    return containerNamed(after, 'app');
  };

  it('counts for what an earlier call injected, but in Pods that the API server asks about alone', () => {
    const cluster = clusterPolicyDocument({
      containers: ['*'],
      kubernetesProbeEndpoints: { livenessProbe: '/livez' },
      probes: { livenessProbe: { initialDelaySeconds: 60 }, startupProbe: { httpGet: { path: '/begun' } } },
    });
    const livenessProbe = { httpGet: { path: '/livez', port: 'http' }, initialDelaySeconds: 60 };
    const container = appContainer({ livenessProbe });
    expect(given(container, 'livenessProbe', [cluster])['startupProbe']).toEqual({
      httpGet: { path: '/begun', port: 'http' },
      periodSeconds: 5,
      failureThreshold: 61,
    });
    const template = pod([container], { metadata: metadata('livenessProbe') });
    const { injections } = permittedDefaulting(
      readPod(template, POD_KIND),
      policySet(cluster).policyFor('apps', new Map()),
    );
    expect(injections.map(({ probe }) => probe)).toMatchObject([{ httpGet: { path: '/livez' } }]);
  });
});

/** Few worlds have what is looked for, so all runs are needed also in `npm test`. */
const ALWAYS = 500;

describe('every container', () => {
  it('with a liveness probe of its own gets a startup probe of the same kind, port and scheme', () => {
    let seen = 0;
    fc.assert(
      fc.property(worlds, ({ pod: object, documents }) => {
        const policies = [README, ...documents.map((document, index) => named(document, `p${index}`))];
        const before = (object['metadata'] as JsonObject)['annotations'] ?? {};
        // This annotation says that a probe is not the author's.
        fc.pre(!Object.hasOwn(before, 'probewright.dev/injected'));
        const { defaulting } = mutation(object, policySet(...policies));
        for (const { container, kind, probe } of defaulting?.injections ?? []) {
          const liveness = container.spec['livenessProbe'] as JsonObject | null | undefined;
          if (kind !== 'startupProbe' || liveness === undefined || liveness === null) continue;
          seen += 1;
          expect(asked(container.spec, probe)).toEqual(asked(container.spec, liveness));
        }
      }),
      { numRuns: ALWAYS },
    );
    expect(seen).toBeGreaterThan(0);
  });

  it('gets a startup probe with a period in which its liveness probe cannot kill', () => {
    let seen = 0;
    fc.assert(
      fc.property(worlds, ({ pod: object, documents }) => {
        const policies = [README, ...documents.map((document, index) => named(document, `p${index}`))];
        const { defaulting } = mutation(object, policySet(...policies));
        const injections = defaulting?.injections ?? [];
        for (const { container, kind, probe } of injections) {
          if (kind !== 'startupProbe') continue;
          const liveness =
            injections.find((other) => other.container === container && other.kind === 'livenessProbe')?.probe ??
            container.spec['livenessProbe'];
          if (liveness === undefined || liveness === null) continue;
          const limit = guaranteedStartSeconds(probeTiming(liveness as JsonObject));
          if (limit < 1) continue;
          // A policy may ask for more time than the most failures of an int32 give at that period: then the time stays.
          if (guaranteedStartSeconds(probeTiming(probe)) > limit * (INT32_MAX - 1)) continue;
          seen += 1;
          expect(probeTiming(probe).periodSeconds).toBeLessThanOrEqual(limit);
        }
      }),
      { numRuns: ALWAYS },
    );
    expect(seen).toBeGreaterThan(0);
  });
});

it('keeps the guaranteed time to start where it lowers the period', () => {
  const spec = { kubernetesProbeEndpoints: { startupProbe: '/s' } };
  const startup = (probes: JsonObject): JsonObject | undefined => {
    const { result } = reply({ ...(CASES['quick-liveness'] as Case), policies: [policyDocument({ ...spec, probes })] });
    return result.defaulting?.injections.find(({ kind }) => kind === 'startupProbe')?.probe;
  };
  const lowered = startup({ startupProbe: { periodSeconds: 20, failureThreshold: 7 } });
  expect(lowered).toMatchObject({ periodSeconds: 2, failureThreshold: 61 });
  expect(guaranteedStartSeconds(probeTiming(lowered ?? {}))).toBe(120);
  const short = startup({ startupProbe: { periodSeconds: 1, failureThreshold: 7 } });
  expect(short).toMatchObject({ periodSeconds: 1, failureThreshold: 7 });
});

describe('a port by name and by number', () => {
  const injected = (author: JsonObject, policy: JsonObject): unknown => {
    const snapshot = policySet(policyDocument({ kubernetesProbeEndpoints: { livenessProbe: '/livez' }, ...policy }));
    const container = appContainer(author);
    const object = pod([container], { metadata: { annotations: {} } });
    const [one] = permittedDefaulting(
      readPod(object, POD_KIND),
      snapshot.policyFor('apps', readPod(object, POD_KIND).labels),
    ).injections;
    return one?.probe['httpGet'];
  };
  const https = { readinessProbe: { httpGet: { path: '/r', port: 8080, scheme: 'HTTPS' } } };

  it('is the same, so the scheme is the author’s', () => {
    expect(injected(https, { containers: ['app'], port: 8080 })).toEqual({
      ...{ path: '/livez', port: 'http', scheme: 'HTTPS' },
    });
  });

  it('is another where the numbers differ, so the scheme is the default', () => {
    const ports = [
      { name: 'http', containerPort: 8080 },
      { name: 'admin', containerPort: 9090 },
    ];
    expect(injected({ ...https, ports }, { containers: ['app'], port: 'admin' })).toEqual({
      ...{ path: '/livez', port: 'admin' },
    });
  });
});
