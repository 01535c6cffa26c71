import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { parseProbePolicy } from '../../src/engine/policy/read-policy.ts';
import type { PolicyKind } from '../../src/engine/policy/probe-policy.ts';
import { ApiServerVerdict } from '../crds/api-server-verdict.ts';
import { anySpec, oddSpecs, validSpec } from '../crds/policy-specs-arbitrary.ts';
import { OVERSIZED_SPECS, SPECS_AT_BOUNDS } from '../engine/policy/bounded-specs.ts';
import { FULL_CLUSTER_SPEC, FULL_SPEC, REFUSED_SPECS } from '../engine/policy/policy-specs.ts';
import { clusterPolicyDocument, policyDocument } from '../support/worlds.ts';
import { type ControlPlane, controlPlaneProblem, startControlPlane } from './control-plane.ts';
import { waitUntil } from './processes.ts';
import { applyCrds, conditionsOf, hasValidationRules } from './custom-resource-definitions.ts';
import { describeUnless, endedAfterAll } from '../support/started.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const group = '/apis/probewright.dev/v1alpha1';
const collections: Readonly<Record<PolicyKind, string>> = {
  ProbePolicy: `${group}/namespaces/default/probepolicies`,
  ClusterProbePolicy: `${group}/clusterprobepolicies`,
};
const documentOf: Readonly<Record<PolicyKind, (spec: unknown, name?: string) => JsonObject>> = {
  ProbePolicy: (spec, name) => policyDocument(spec, name, 'default'),
  ClusterProbePolicy: (spec, name) => clusterPolicyDocument(spec, name),
};

/** A policy's text with one of everything that null may mean. */
const nulls = (name: string, timeoutSeconds = 2): string => `
apiVersion: probewright.dev/v1alpha1
kind: ProbePolicy
metadata: { name: ${name}, namespace: default }
spec:
  port: null
  kubernetesProbeEndpoints: { readinessProbe: null }
  probes: { startupProbe: null, livenessProbe: { periodSeconds: null, timeoutSeconds: ${timeoutSeconds} } }
  slowStart: { startupSeconds: null }
`;
const keptNulls = (timeoutSeconds = 2): JsonObject => ({
  port: null,
  kubernetesProbeEndpoints: { readinessProbe: null },
  probes: { startupProbe: null, livenessProbe: { periodSeconds: null, timeoutSeconds } },
  slowStart: { startupSeconds: null },
});
/** What API servers store of a null in place of a probe, and what docs/policies.md and the parser say about it. */
const OUTCOMES_OF_NULL = [
  { startupProbe: null, documented: ': kept', warnings: [] },
  { startupProbe: {}, documented: 'stored as `{}`', warnings: ['spec.probes.startupProbe'] },
] as const;
const lostNulls = (timeoutSeconds = 2): JsonObject => ({
  kubernetesProbeEndpoints: {},
  probes: { livenessProbe: { timeoutSeconds } },
  slowStart: {},
});

describeUnless(controlPlaneProblem(), 'the CustomResourceDefinitions on a real API server', () => {
  const keep = endedAfterAll();
  let cluster: ControlPlane;

  beforeAll(async () => {
    cluster = await keep(startControlPlane());
    await applyCrds(cluster);
  });

  /** The stored spec of a ProbePolicy. */
  async function specOf(name: string): Promise<unknown> {
    return (await cluster.read<{ spec?: unknown }>(`${collections.ProbePolicy}/${name}`)).spec;
  }

  /**
   * Whether "" passes for a string. The validator of older API servers finds null by comparing reflect.Values, which takes in "" where the
   * Go that built them lets zero values share their memory, as with the 1.20.2 that Debian's source and Go 1.19 give.
   */
  async function acceptsEmptyTexts(): Promise<boolean> {
    const document = documentOf.ProbePolicy({ workloadSelector: { matchLabels: { app: '' } } });
    const { status, body } = await cluster.request('POST', `${collections.ProbePolicy}?dryRun=All`, document);
    if (status !== 201) expect(body).toContain('must be of type string: \\"null\\"');
    return status === 201;
  }

  it('are established, and structural', async () => {
    for (const name of ['probepolicies.probewright.dev', 'clusterprobepolicies.probewright.dev']) {
      const conditions = await conditionsOf(cluster, name);
      expect(conditions).toMatchObject({ Established: 'True', NamesAccepted: 'True' });
      expect(conditions['NonStructuralSchema'] ?? 'False').toBe('False');
    }
  });

  it('teach through kubectl explain', async () => {
    // The server publishes the schema some time after the definition is established.
    const explain = async (field: string): Promise<string> => {
      const { code, stdout } = await cluster.kubectl(['explain', field], { allowFailure: true });
      return code === 0 ? stdout.replaceAll(/\s+/g, ' ') : '';
    };
    for (const field of ['probepolicy.spec.slowStart', 'clusterprobepolicy.spec.slowStart'])
      await waitUntil(`${field} is published`, async () => (await explain(field)) !== '', 60_000);
    expect(await explain('probepolicy.spec.slowStart')).toMatch(
      /start slowly.*startupSeconds.*Seconds that a container is guaranteed/,
    );
    expect(await explain('pp.spec.containers')).toContain('["*"] is every application container');
    expect(await explain('cpp.spec.priority')).toContain('Default 0; may be negative');
    expect(await explain('cpp.spec.checks.startup-budget')).toMatch(/floor .*minimumSeconds <integer> .*Default 10/);
    expect(await explain('pp.spec.checks.named-port.action')).toContain('Deny refuses the workload');
    expect(await explain('pp.spec.workloadSelector.matchExpressions')).toMatch(
      /operator <string>.* NotIn: it has none of them/,
    );
  });

  it('answer to their short names and their category', async () => {
    const { stdout } = await cluster.kubectl([
      'api-resources',
      '--api-group=probewright.dev',
      '--no-headers',
      '-o',
      'wide',
    ]);
    expect(stdout).toMatch(/^probepolicies +pp +probewright.dev\/v1alpha1 +true +ProbePolicy .* probewright$/m);
    expect(stdout).toMatch(
      /^clusterprobepolicies +cpp +probewright.dev\/v1alpha1 +false +ClusterProbePolicy .* probewright$/m,
    );
    await cluster.kubectl(['get', 'probewright', '--all-namespaces']);
  });

  it('show what became of a policy, which the status subresource alone changes', async () => {
    const place = `${collections.ProbePolicy}/shown`;
    const created = await cluster.request('POST', collections.ProbePolicy, {
      ...documentOf.ProbePolicy({ containers: ['app'], port: 8080 }, 'shown'),
      status: { observedGeneration: 7 },
    });
    expect(created.status).toBe(201);
    const object = JSON.parse(created.body) as JsonObject;
    expect(object['status']).toBeUndefined();

    const ready = {
      type: 'Ready',
      reason: 'Invalid',
      message: 'spec.port: no',
      lastTransitionTime: '2026-01-02T03:04:05Z',
    };
    const status = {
      observedGeneration: 1,
      conditions: [{ ...ready, status: 'False', observedGeneration: 1 }],
      adviceCount: 25,
      advice: [{ check: 'timeout-over-period', field: 'spec.probes.livenessProbe.timeoutSeconds', message: 'long' }],
    };
    const written = await cluster.request('PUT', `${place}/status`, { ...object, spec: { port: 1 }, status });
    expect(written.status, written.body).toBe(200);
    const stored = await cluster.read<JsonObject>(place);
    expect(stored['status']).toEqual(status);
    expect(stored['spec']).toEqual({ containers: ['app'], port: 8080 });
    expect(stored['metadata']).toMatchObject({ generation: 1 });

    const get = async (...flags: string[]): Promise<string[][]> =>
      (await cluster.kubectl(['get', 'probepolicies', 'shown', ...flags])).stdout
        .trim()
        .split('\n')
        .map((line) => line.trim().split(/ {2,}/));
    const age = expect.stringMatching(/^\d+s$/) as unknown;
    expect(await get()).toEqual([
      ['NAME', 'CONTAINERS', 'READY', 'REASON', 'ADVICE', 'AGE'],
      ['shown', '["app"]', 'False', 'Invalid', '25', age],
    ]);
    expect(await get('-o', 'wide')).toEqual([
      ['NAME', 'CONTAINERS', 'READY', 'REASON', 'ADVICE', 'AGE', 'PORT', 'MESSAGE'],
      ['shown', '["app"]', 'False', 'Invalid', '25', age, '8080', 'spec.port: no'],
    ]);
    const bad = { ...stored, status: { conditions: [{ ...ready, status: 'Yes' }] } };
    expect((await cluster.request('PUT', `${place}/status`, bad)).status).toBe(422);
  });

  it('take an unquoted Off, which is false to kubectl, and give it back as false', async () => {
    const input = `
apiVersion: probewright.dev/v1alpha1
kind: ProbePolicy
metadata: { name: relaxed, namespace: default }
spec: { checks: { named-port: { action: Off }, probe-host: { action: "Off" } } }
`;
    await cluster.kubectl(['apply', '-f', '-'], { input });
    expect(await specOf('relaxed')).toEqual({
      checks: { 'named-port': { action: false }, 'probe-host': { action: 'Off' } },
    });
    const onInstead = await cluster.kubectl(['apply', '-f', '-'], {
      input: input.replace('Off', 'On'),
      allowFailure: true,
    });
    expect(onInstead.code).toBe(1);
    expect(onInstead.stderr).toContain('Unsupported value: true: supported values: "Off", "Audit", "Warn", "Deny"');
  });

  it('keep null through create, replace, edit-like updates, JSON patch and server-side apply', async () => {
    await cluster.kubectl(['create', '-f', '-'], { input: nulls('created') });
    expect(await specOf('created')).toEqual(keptNulls());
    await cluster.kubectl(['replace', '-f', '-'], { input: nulls('created', 3) });
    expect(await specOf('created')).toEqual(keptNulls(3));
    await cluster.kubectl(['label', 'pp', 'created', 'a=b']);
    await cluster.kubectl(['patch', 'pp', 'created', '--type=merge', '-p', '{"status":{"observedGeneration":1}}']);
    expect(await specOf('created')).toEqual(keptNulls(3));

    const serverSide = ['apply', '--server-side', '-f', '-'];
    await cluster.kubectl(serverSide, { input: nulls('applied') });
    expect(await specOf('applied')).toEqual(keptNulls());
    await cluster.kubectl(serverSide, { input: nulls('applied', 3) });
    expect(await specOf('applied')).toEqual(keptNulls(3));
  });

  it('keep or empty a probe that server-side apply sets to null, as docs/policies.md says, with a warning if empty', async () => {
    const serverSide = ['apply', '--server-side', '-f', '-'];
    const before = policyDocument({ probes: { startupProbe: { periodSeconds: 3 } } }, 'turned', 'default');
    await cluster.kubectl(serverSide, { input: JSON.stringify(before) });
    await cluster.kubectl(serverSide, { input: nulls('turned') });
    const stored = (await specOf('turned')) as JsonObject;
    const probes = stored['probes'] as JsonObject;
    const outcome = OUTCOMES_OF_NULL.find(({ startupProbe }) =>
      isDeepStrictEqual(startupProbe, probes['startupProbe']),
    );
    expect(outcome, JSON.stringify(stored)).toBeDefined();
    const { startupProbe, documented, warnings } = outcome as (typeof OUTCOMES_OF_NULL)[number];
    const kept = keptNulls();
    expect(stored).toEqual({ ...kept, probes: { ...(kept['probes'] as JsonObject), startupProbe } });
    const parsed = parseProbePolicy(CHECK_CATALOGUE, policyDocument(stored, 'turned', 'default'));
    expect('policy' in parsed ? parsed.warnings.map(({ path }) => path.join('.')) : parsed).toEqual(warnings);
    const page = readFileSync(new URL('../../docs/policies.md', import.meta.url), 'utf8');
    const row = page.split('\n').find((line) => line.includes('of a null in place of a probe'));
    expect(row).toContain(documented);

    const disabled = policyDocument({ probes: { startupProbe: { disabled: true } } }, 'turned', 'default');
    await cluster.kubectl(serverSide, { input: JSON.stringify(disabled) });
    expect((await specOf('turned')) as JsonObject).toMatchObject({ probes: { startupProbe: { disabled: true } } });
  });

  it('lose every null to client-side apply, unless it finds the null that it wrote down itself', async () => {
    const clientSide = ['apply', '-f', '-'];
    await cluster.kubectl(clientSide, { input: nulls('client-side') });
    expect(await specOf('client-side')).toEqual(lostNulls());
    await cluster.kubectl(clientSide, { input: nulls('client-side', 3) });
    expect(await specOf('client-side')).toEqual(lostNulls(3));

    await cluster.kubectl(['create', '-f', '-'], { input: nulls('unsaved') });
    await cluster.kubectl(clientSide, { input: nulls('unsaved') });
    expect(await specOf('unsaved')).toEqual(lostNulls());

    await cluster.kubectl(['create', '--save-config', '-f', '-'], { input: nulls('saved') });
    await cluster.kubectl(clientSide, { input: nulls('saved', 3) });
    expect(await specOf('saved')).toEqual(keptNulls(3));
    const merge = '{"spec":{"probes":{"startupProbe":null,"readinessProbe":null}}}';
    await cluster.kubectl(['patch', 'pp', 'saved', '--type=merge', '-p', merge]);
    const { startupProbe, ...probes } = keptNulls(3)['probes'] as JsonObject;
    expect(startupProbe).toBeNull();
    expect(await specOf('saved')).toEqual({ ...keptNulls(3), probes });
  });

  it('drop a null that means nothing, but refuse it in server-side apply', async () => {
    const empty = { containers: null, probes: null, checks: { 'named-port': null } };
    const input = JSON.stringify(policyDocument(empty, 'empty', 'default'));
    const { status, body } = await cluster.request('POST', collections.ProbePolicy, input);
    expect(status).toBe(201);
    expect(JSON.parse(body)).toMatchObject({ spec: { checks: {} } });
    expect(await specOf('empty')).toEqual({ checks: {} });
    const applied = await cluster.kubectl(['apply', '--server-side', '-f', '-'], {
      input: input.replaceAll('empty', 'empty-applied'),
      allowFailure: true,
    });
    expect(applied.code).toBe(1);
  });

  it('take 80.0 for a whole number, as the parser does', async () => {
    const body = JSON.stringify(policyDocument({ port: 80 }, 'float', 'default')).replace(':80}', ':80.0}');
    expect(body).toContain('80.0');
    expect((await cluster.request('POST', collections.ProbePolicy, body)).status).toBe(201);
    expect(await specOf('float')).toEqual({ port: 80 });
  });

  it.each<PolicyKind>(['ProbePolicy', 'ClusterProbePolicy'])(
    'accept a %s at each bound of the one table, and refuse it one beyond, as the parser does',
    async (kind) => {
      const statusOf = async (spec: object): Promise<readonly [number, string]> => {
        const { status, body } = await cluster.request(
          'POST',
          `${collections[kind]}?dryRun=All`,
          documentOf[kind](spec),
        );
        return [status, `${JSON.stringify(spec).slice(0, 200)}\n${body.slice(0, 500)}`];
      };
      for (const spec of SPECS_AT_BOUNDS) {
        const [status, described] = await statusOf(spec);
        expect(status, described).toBe(201);
        expect('policy' in parseProbePolicy(CHECK_CATALOGUE, documentOf[kind](spec)), described).toBe(true);
      }
      for (const [spec] of OVERSIZED_SPECS) {
        const [status, described] = await statusOf(spec);
        expect(status, described).toBe(422);
        expect('policy' in parseProbePolicy(CHECK_CATALOGUE, documentOf[kind](spec)), described).toBe(false);
      }
    },
  );

  it.each<PolicyKind>(['ProbePolicy', 'ClusterProbePolicy'])(
    'accept and refuse the same %s as the parser, and drop what the unit tests expect them to drop',
    async (kind) => {
      const model = new ApiServerVerdict(kind);
      const rules = hasValidationRules(cluster);
      const takesEmptyTexts = await acceptsEmptyTexts();
      const excepted = new Set<string>();
      const specs = corpus(kind).filter((spec) => takesEmptyTexts || !hasEmptyText(spec));
      const counts = { accepted: 0, refused: 0 };
      await inParallel(specs, 16, async (spec) => {
        const document = documentOf[kind](spec);
        const pruned = model.pruned(document);
        const parserAccepts = 'policy' in parseProbePolicy(CHECK_CATALOGUE, pruned);
        const answer = await cluster.request('POST', `${collections[kind]}?dryRun=All`, document);
        const accepted = answer.status === 201;
        const described = `${JSON.stringify(document)}\n${answer.body}`;
        expect([201, 400, 422], described).toContain(answer.status);
        counts[accepted ? 'accepted' : 'refused']++;
        if (accepted) expect((JSON.parse(answer.body) as JsonObject)['spec'], described).toEqual(pruned['spec']);
        if (!rules && accepted && !parserAccepts) {
          // Only a CEL rule stands between the two, and this server has none.
          const broken = model.ruleProblems(pruned);
          expect(broken, described).not.toEqual([]);
          for (const rule of broken) excepted.add(rule);
        } else expect(accepted, described).toBe(parserAccepts);
      });
      expect(counts.accepted).toBeGreaterThan(100);
      expect(counts.refused).toBeGreaterThan(100);
      const known = new Set(model.rules.map(({ path, message }) => `${path}: ${message}`));
      expect([...excepted].filter((rule) => !known.has(rule))).toEqual([]);
      expect(excepted.size > 0).toBe(!rules);
    },
  );
});

/** Some hundreds of specs: those of the parser's tests, random ones, and a spread of odd values in every part of the schema. */
function corpus(kind: PolicyKind): unknown[] {
  const odd = oddSpecs(kind);
  const size = (spec: unknown): number => JSON.stringify(spec).length;
  return [
    kind === 'ProbePolicy' ? FULL_SPEC : FULL_CLUSTER_SPEC,
    ...REFUSED_SPECS.map(([spec]) => spec),
    ...fc.sample(validSpec(kind), { numRuns: 150, seed: 1 }),
    ...fc.sample(anySpec(kind), { numRuns: 300, seed: 2 }),
    // A prime step wanders over the values as well as over the places.
    ...odd.filter((_, index) => index % 53 === 0),
    ...odd.slice(-120),
  ].filter((spec) => size(spec) < 200_000);
}

function hasEmptyText(value: unknown): boolean {
  return /[:[,]""/.test(JSON.stringify(value));
}

async function inParallel<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}
