import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import {
  fix,
  InvalidInputError,
  judge,
  plan,
  type CheckOutput,
  type ObjectInput,
  type PlanOutput,
} from '../../../src/package/api/index.ts';
import { runProbewright } from '../../cli/run-probewright.ts';
import { problemsOf } from './problems-of.ts';

const objectsIn = (path: string): ObjectInput[] =>
  parseAllDocuments(readFileSync(path, 'utf8'), { version: '1.1' })
    .map((document) => document.toJS() as ObjectInput | null)
    .filter((object) => object !== null);

const filesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => join(directory, name))
    .sort();

const policies = filesIn('examples/policies').flatMap(objectsIn);
const web = objectsIn('examples/quick-start/web.yaml');
const shop = objectsIn('examples/quick-start/policy.yaml');
const manifest = objectsIn('examples/manifests/static.yaml');

/** A violation without its place in a file. */
function withoutPlace<Placed extends object>(placed: Placed): Partial<Placed> {
  return Object.fromEntries(
    Object.entries(placed).filter(([name]) => !['file', 'line', 'column'].includes(name)),
  ) as Partial<Placed>;
}

const byCheck = (a: { readonly check?: string }, b: { readonly check?: string }): number =>
  (a.check ?? '') < (b.check ?? '') ? -1 : 1;

describe('judge', () => {
  // Manifests in which only the text is wrong (doubled keys) are no objects.
  it.each(filesIn('test/fixtures/checks').filter((path) => path.includes('/fail/')))(
    'says of %s what check says',
    async (path) => {
      const { stdout } = await runProbewright([
        'check',
        path,
        '--output',
        'json',
        '--min-level',
        'note',
        '--allow-empty',
      ]);
      const { violations, problems } = JSON.parse(stdout) as CheckOutput;
      if (problems.length > 0 || /parameters:/.test(readFileSync(path, 'utf8'))) return;
      const verdict = judge(objectsIn(path));
      // `check` sorts by place, and the verdict is in the order of the catalogue.
      const shown = (found: readonly { readonly check: string; readonly path: string }[]): string[] =>
        found.map(({ check, path: field }) => `${check} ${field}`).sort();
      expect(shown(verdict.violations)).toEqual(shown(violations));
    },
  );

  it('says what check says, with policies', async () => {
    const args = ['check', 'examples/quick-start', '--output', 'json', '--min-level', 'note'];
    const { stdout } = await runProbewright(args);
    const { violations, summary } = JSON.parse(stdout) as CheckOutput;
    const verdict = judge(web, { policies: shop });
    expect(verdict.violations).toEqual(violations.map(withoutPlace));
    expect(verdict.workloads).toBe(summary.workloads);
  });

  it('takes one object, and reads the items of a List', () => {
    const [deployment] = web.filter((object) => 'kind' in object && object.kind === 'Deployment');
    const one = judge(deployment ?? {});
    expect(judge({ apiVersion: 'v1', kind: 'List', items: [deployment] })).toEqual(one);
    expect(one.workloads).toBe(1);
  });

  it('finds no violation in an object without a Pod template', () =>
    expect(judge({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } })).toEqual({
      violations: [],
      warnings: [],
      workloads: 0,
    }));

  it.each([
    ['a template', { template: 'x' }],
    ['a list of templates', { template: [{ spec: {} }] }],
    ['a Pod spec', { template: { spec: 5 } }],
    ['a list of containers', { template: { spec: { containers: { name: 'a' } } } }],
    ['an init container', { template: { spec: { initContainers: [true] } } }],
    ['a probe', { template: { spec: { containers: [{ name: 'a', livenessProbe: 'x' }] } } }],
    ['a port', { template: { spec: { containers: [{ name: 'a', livenessProbe: { httpGet: { port: '8' } } }] } } }],
    ['a whole spec', 'x'],
  ])('says what check says of %s that the API server refuses', async (_, spec) => {
    const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, spec };
    const args = ['check', '-', '--output', 'json', '--min-level', 'note'];
    const { stdout, code } = await runProbewright(args, { stdin: JSON.stringify(object) });
    const { violations } = JSON.parse(stdout) as CheckOutput;
    const verdict = judge(object).violations;
    expect(verdict.toSorted(byCheck)).toEqual(violations.map(withoutPlace).toSorted(byCheck));
    expect([code, verdict[0]]).toMatchObject([1, { check: 'valid-probe', action: 'Deny' }]);
  });

  it('uses the namespace for objects that name none', () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      spec: { containers: [{ name: 'a', image: 'a' }] },
    };
    const policy = {
      apiVersion: 'probewright.dev/v1alpha1',
      kind: 'ProbePolicy',
      metadata: { name: 'strict', namespace: 'apps' },
      spec: { checks: { 'required-liveness': { action: 'Deny' } } },
    };
    const denied = (namespace?: string): string[] =>
      judge(pod, { policies: [policy], ...(namespace !== undefined && { namespace }) })
        .violations.filter(({ action }) => action === 'Deny')
        .map(({ check, namespace: of }) => `${of} ${check}`);
    expect(denied('apps')).toEqual(['apps required-liveness']);
    expect(denied()).toEqual([]);
  });

  it('knows custom kinds that are given', () => {
    const app = { apiVersion: 'example.com/v1', kind: 'App', spec: { pod: { spec: { containers: [] } } } };
    const kind = { group: 'example.com', kind: 'App', podTemplatePath: 'spec.pod' };
    expect([judge(app).workloads, judge(app, { workloadKinds: [kind] }).workloads]).toEqual([0, 1]);
  });
});

describe('fix', () => {
  it('gives objects the probes that the command fix writes, and leaves the arguments alone', async () => {
    const args = ['fix', 'examples/manifests', '--policies', 'examples/policies', '--output', 'json'];
    const { stdout } = await runProbewright(args);
    const { items } = JSON.parse(stdout) as { items: readonly unknown[] };
    const before = structuredClone(manifest);
    const fixed = fix(manifest, { policies });
    expect(fixed.objects).toEqual(items);
    expect(fixed.probes).toBeGreaterThan(0);
    expect(fixed.remarks).toEqual([
      'objects[0]: Deployment apps/static: container "nginx", startupProbe: ClusterProbePolicy/nginx removes it (removed-by-policy)',
    ]);
    expect(manifest).toEqual(before);
  });

  it('has nothing to add to its own result', () => {
    const { objects } = fix(manifest, { policies });
    expect(fix(objects, { policies })).toMatchObject({ objects, probes: 0 });
  });

  it('applies the advice of checks if asked', () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web' },
      spec: {
        containers: [
          {
            name: 'app',
            image: 'web',
            ports: [{ name: 'http', containerPort: 8080 }],
            readinessProbe: { httpGet: { path: '/ready', port: 'htpp' } },
          },
        ],
      },
    };
    expect(fix(pod).advice).toBe(0);
    const { objects, advice } = fix(pod, { advice: true });
    expect(advice).toBeGreaterThan(0);
    expect(judge(objects).violations.filter(({ check }) => check === 'named-port')).toEqual([]);
  });
});

describe('plan', () => {
  it('says what the command plan says', async () => {
    const args = ['plan', 'examples/manifests', '--policies', 'examples/policies', '--output', 'json'];
    const { stdout } = await runProbewright(args);
    const planned = plan(manifest, { apply: policies });
    expect(planned).toEqual(JSON.parse(stdout) as PlanOutput);
    expect(planned.summary.changedProbes).toBe(1);
  });

  it('knows the policies that are removed', () => {
    const removed = plan(web, { policies: shop, remove: ['ProbePolicy/shop/defaults'] });
    const added = plan(web, { apply: shop });
    expect(removed.workloads.flatMap(({ probes }) => probes.map(({ change }) => change))).toEqual(
      added.workloads.flatMap(({ probes }) => probes.map(() => 'removed')),
    );
    expect(problemsOf(() => plan(web, { remove: ['ProbePolicy/shop/default'] }))).toEqual([
      { place: 'remove', message: 'there is no ProbePolicy/shop/default' },
    ]);
  });
});

describe('arguments that cannot be used', () => {
  const policy = {
    apiVersion: 'probewright.dev/v1alpha1',
    kind: 'ProbePolicy',
    metadata: { name: 'a', namespace: 'a' },
  };
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;

  it.each([
    ['no objects', () => judge('Pod' as never), 'objects[0]', 'must be a Kubernetes object, not string'],
    ['null', () => judge([null as never]), 'objects[0]', 'must be a Kubernetes object, not null'],
    ['a policy without a spec', () => judge([], { policies: [policy] }), 'policies[0]', /^spec: must be given/],
    [
      'policies in no list',
      () => judge([], { policies: policy as never }),
      'policies',
      'must be a list of objects, not object',
    ],
    ['no namespace', () => judge([], { namespace: '' }), 'options.namespace', /not an empty text$/],
    ['no options', () => judge([], 5 as never), 'options', 'must be an object, not number'],
    [
      'a new policy that is none',
      () => plan([], { apply: [{ kind: 'Policy' }] }),
      'apply[0]',
      /^kind: unknown kind "Policy"/,
    ],
    ['a misspelt option', () => judge([], { polices: [] } as never), 'options.polices', /mean "policies"\?$/],
    [
      'an option of another function',
      () => judge([], { advice: true } as never),
      'options.advice',
      /^is not an option/,
    ],
    ['no advice', () => fix([], { advice: 'yes' as never }), 'options.advice', 'must be true or false, not string'],
    ['one removal', () => plan([], { remove: 'a' as never }), 'options.remove', 'must be a list of names, not string'],
    ['a List with a text', () => judge({ kind: 'List', items: ['a'] }), 'objects[0]', 'is no Kubernetes object'],
    ['no date', () => judge([], { now: new Date('x') }), 'options.now', 'must be a valid Date'],
    ['a cycle', () => judge(circular), 'objects[0]', /^cannot be written as JSON/],
    ['a wrong custom kind', () => judge([], { workloadKinds: [{}] as never }), 'workloadKinds', /group/],
  ])('are named: %s', (_, run, place, message) => {
    const [problem] = problemsOf(run) as { place: string; message: string }[];
    expect(problem?.place).toBe(place);
    expect(problem?.message).toMatch(message);
  });

  it('give an error with all problems in its text', () => {
    expect(() => judge([1, 2] as never)).toThrow(InvalidInputError);
    expect(() => judge([], { policies: [policy] })).toThrow(/^policies\[0\]: spec: must be given/);
  });

  it('never lead to another error, whatever the object is', () =>
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const spec = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: value, spec: { template: value } };
        for (const object of [value, spec])
          for (const run of [judge, fix, plan]) problemsOf(() => run(object as never, { policies: [] }));
      }),
    ));
});
