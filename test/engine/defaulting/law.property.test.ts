import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHECKS, CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { checkedWorkload } from '../../../src/engine/checks/checked-workload.ts';
import { findingsOf } from '../../../src/engine/checks/run-checks.ts';
import type { Injection } from '../../../src/engine/defaulting/injection.ts';
import { builtInPolicy } from '../../../src/engine/policy/check-policy.ts';
import { isAimed } from '../../../src/engine/policy/container-policy.ts';
import { guaranteedStartSeconds, probeTiming } from '../../../src/engine/time/timing.ts';
import { handlerKindsOf, PROBE_KINDS } from '../../../src/engine/probe/probe.ts';
import { permittedDefaulting } from '../../../src/engine/verdict/permitted-defaulting.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { objectMember, type JsonObject } from '../../../src/base/json/json-value.ts';
import { validProbe } from '../../support/arbitraries.ts';
import { clusterPolicyDocument, pod, policyDocument, policySet, effectiveTemplate } from '../../support/worlds.ts';

const path = fc.constantFrom('/own', '/live', '/ready');
const seconds = fc.constantFrom(1, 30, 60, 400);
const count = fc.constantFrom(1, 3, 12, 60);
const integers = fc.record(
  { initialDelaySeconds: seconds, periodSeconds: fc.constantFrom(1, 5, 30), failureThreshold: count },
  { requiredKeys: [] },
);
const spec = fc
  .record(
    {
      kubernetesProbeEndpoints: fc.record(
        { startupProbe: path, livenessProbe: path, readinessProbe: path },
        { requiredKeys: [] },
      ),
      probes: fc.record({ startupProbe: integers }),
      slowStart: fc.record({ startupSeconds: seconds, fromInitialDelaySeconds: seconds }, { requiredKeys: [] }),
      containers: fc.constantFrom(['*'], ['app']),
      port: fc.constantFrom('http', 'grpc', 8125),
    },
    { requiredKeys: ['containers'] },
  )
  .filter(({ probes }) => probes === undefined || Object.keys(probes.startupProbe).length > 0);
const port = fc.record({
  containerPort: fc.constantFrom(8080, 8125, 7233, 6379, 3000),
  name: fc.option(fc.constantFrom('http', 'https', 'grpc', 'netbios', 'web'), { nil: undefined }),
});
const container = fc.record(
  {
    name: fc.constant('app'),
    image: fc.constantFrom('example.test/app:1', 'example.test/kube-rbac-proxy:v1', 'gcr.io/distroless/static'),
    args: fc.constantFrom(
      ['-listen', 'localhost:3000'],
      ['--bind-address=127.0.0.1:8080'],
      ['--addr=[::1]:8080'],
      ['x'],
    ),
    ports: fc.uniqueArray(port, { maxLength: 2, selector: ({ containerPort }) => containerPort }),
    ...Object.fromEntries(PROBE_KINDS.map((kind) => [kind, validProbe])),
  },
  { requiredKeys: ['name', 'image'] },
);
const worlds = fc.record({
  container: container.map((made) => JSON.parse(JSON.stringify(made)) as JsonObject),
  layers: fc.array(fc.tuple(spec, fc.boolean()), { minLength: 1, maxLength: 3 }),
});

interface Judged {
  readonly template: JsonObject;
  readonly injections: readonly Injection[];
}

function judged({ container: made, layers }: { container: JsonObject; layers: [object, boolean][] }): Judged {
  const documents = layers.map(([one, isOfCluster], index) =>
    (isOfCluster ? clusterPolicyDocument : policyDocument)(one, `p${index}`),
  );
  const template = pod([made], { metadata: { labels: { app: 'web' } } });
  const policy = policySet(...documents).policyFor('apps', new Map([['app', 'web']]));
  return { template, injections: permittedDefaulting(readPod(template, POD_KIND), policy).injections };
}

/** Few worlds have what is looked for, so all runs are needed also in `npm test`. */
const ALWAYS = 3000;

/** Calls `inspect` for each injection of many worlds, and expects that it concerned a fair number. */
function forInjections(inspect: (one: Injection, world: Judged) => boolean): void {
  let concerned = 0;
  fc.assert(
    fc.property(worlds, (world) => {
      const result = judged(world);
      for (const one of result.injections) concerned += Number(inspect(one, result));
    }),
    { numRuns: ALWAYS },
  );
  expect(concerned).toBeGreaterThan(3);
}

describe('an injected probe of any container and policies', () => {
  it('guarantees no shorter start than the law wants', () => {
    forInjections(({ kind, probe, container: { spec: own }, policy }) => {
      if (kind !== 'startupProbe') return false;
      const liveness = objectMember(own, 'livenessProbe');
      const readiness = objectMember(own, 'readinessProbe') ?? {};
      const given = policy.probes.startupProbe.integers;
      const guaranteed = guaranteedStartSeconds(probeTiming(probe));
      if (liveness) expect(guaranteed).toBeGreaterThanOrEqual(guaranteedStartSeconds(probeTiming(liveness)));
      expect(guaranteed).toBeGreaterThanOrEqual(probeTiming(readiness).initialDelaySeconds);
      expect(guaranteed).toBeGreaterThanOrEqual(policy.startupSeconds?.value ?? 0);
      const hasNumber = policy.startupSeconds !== undefined || given.failureThreshold !== undefined;
      if (!hasNumber && !liveness) expect(guaranteed).toBeGreaterThanOrEqual(300);
      return true;
    });
  });

  it('asks no path of the policy beside another path of the author, unless a layer is aimed', () => {
    forInjections(({ kind, probe, container: { spec: own }, policy, isLikeOwn, copiesLiveness }) => {
      const differs = PROBE_KINDS.some((each) => {
        const handler = policy.probes[each].handler?.value;
        const written = objectMember(objectMember(own, each) ?? {}, 'httpGet');
        return written !== undefined && handler?.kind === 'httpGet' && handler.fields['path'] !== written['path'];
      });
      if (!differs || isLikeOwn === true || handlerKindsOf(probe)[0] !== 'httpGet') return false;
      const giver = policy.probes[copiesLiveness === true ? 'livenessProbe' : kind].handler;
      expect(giver && isAimed(giver.layer)).toBe(true);
      return true;
    });
  });

  it('has no finding that says that it cannot work, unless an aimed layer names the port', () => {
    const cannotWork = new Set(CHECKS.filter((check) => check.cannotWork ?? check.hidesFailures).map(({ id }) => id));
    const rules = new Map([...builtInPolicy(CHECK_CATALOGUE)].filter(([id]) => cannotWork.has(id)));
    forInjections((one, { template, injections }) => {
      const object = effectiveTemplate(template, injections);
      const workload = checkedWorkload(readPod(object, POD_KIND), { object });
      const found = findingsOf(workload, () => rules).filter(({ finding }) => finding.probe === one.kind);
      const others = found.filter(({ check }) => !(one.isPortAimed === true && check.judgesByName === true));
      expect(others.map(({ check, finding }) => `${check.id}: ${finding.message}`)).toEqual([]);
      return true;
    });
  });
});
