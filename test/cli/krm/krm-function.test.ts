import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runProbewright } from '../run-probewright.ts';
import { describeCommands } from '../command-cases.ts';

describeCommands('test/cli/krm/krm-function.test.ts');

const LIST = `apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
  - apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: web # the shop
      namespace: shop
      annotations: { internal.config.kubernetes.io/path: web.yaml, internal.config.kubernetes.io/index: '1' }
    spec:
      template:
        spec:
          containers:
            - name: app
              image: web
              ports: [{ name: http, containerPort: 8080 }]
              livenessProbe: { httpGet: { path: /live, port: htpp } }
`;

const run = (stdin: string): ReturnType<typeof runProbewright> => runProbewright(['krm-function'], { stdin });

describe('krm-function', () => {
  it('gives the verdict of check', async () => {
    const { stdout } = await runProbewright(['check', '-', '--output', 'json'], { stdin: LIST });
    const { violations } = JSON.parse(stdout) as { violations: { check: string; path: string }[] };
    const { results } = parse((await run(LIST)).stdout) as {
      results: { tags: { check: string }; field: { path: string } }[];
    };
    expect(results.map(({ tags, field }) => [tags.check, field.path])).toEqual(
      violations.map(({ check, path }) => [check, path]),
    );
  });

  it('says that fix lacks the labels of a namespace that a policy selects by, unless they are there', async () => {
    const spec = {
      namespaceSelector: { matchLabels: { tier: 'prod' } },
      kubernetesProbeEndpoints: { readinessProbe: '/readyz' },
    };
    const policy = {
      apiVersion: 'probewright.dev/v1alpha1',
      kind: 'ClusterProbePolicy',
      metadata: { name: 'team' },
      spec,
    };
    const { items, ...list } = parse(LIST) as { items: object[] };
    const fixed = async (more: readonly object[]): Promise<{ results?: object[] }> => {
      const functionConfig = {
        apiVersion: 'probewright.dev/v1alpha1',
        kind: 'ProbewrightFunction',
        spec: { mode: 'fix', policies: [policy] },
      };
      return parse(
        (await run(JSON.stringify({ ...list, functionConfig, items: [...items, ...more] }))).stdout,
      ) as object;
    };
    const message =
      'ClusterProbePolicy/team: no input has the labels of the namespace shop, so the namespaceSelector does not ' +
      'select it; add a file with the output of: kubectl get namespace shop -o yaml';
    expect((await fixed([])).results).toEqual([{ message, severity: 'info' }]);
    const shop = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', labels: { tier: 'prod' } } };
    const known = JSON.stringify(await fixed([shop]));
    expect(known).toContain('"readinessProbe":{"httpGet":{"path":"/readyz","port":"http"}}');
    expect(known).not.toContain('no input has the labels');
  });

  /** The list with this functionConfig of our own, and with other items. */
  const withConfig = (spec: object, text = LIST): string =>
    `${text}functionConfig: ${JSON.stringify({ apiVersion: 'probewright.dev/v1alpha1', kind: 'ProbewrightFunction', spec })}\n`;
  const WARNED = LIST.replace('port: htpp', 'port: http').replace(
    'livenessProbe: {',
    'livenessProbe: { failureThreshold: 1,',
  );
  const resultsOf = (stdout: string): readonly Record<string, unknown>[] =>
    (parse(stdout) as { results?: readonly Record<string, unknown>[] }).results ?? [];

  it('keeps the text of the list, and adds each finding with its object, field, file and check', async () => {
    const { code, stdout, stderr } = await run(LIST);
    expect(code).toBe(1);
    expect(stdout.startsWith(LIST)).toBe(true);
    expect(resultsOf(stdout)).toEqual([
      {
        message: 'container "app" declares no port named "htpp"; did you mean "http"? (named-port)',
        severity: 'error',
        resourceRef: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' },
        field: { path: 'spec.template.spec.containers[0].livenessProbe.httpGet.port' },
        file: { path: 'web.yaml', index: 1 },
        tags: { check: 'named-port', url: expect.stringMatching(/checks\.md#named-port$/) as string },
      },
    ]);
    expect(stderr).toBe(
      'error: Deployment shop/web: container "app" declares no port named "htpp"; did you mean "http"? (named-port)\n',
    );
  });

  it('prints a list without findings as it is', async () => {
    const fine = LIST.replace('port: htpp', 'port: http');
    expect(await run(fine)).toEqual({ code: 0, stdout: fine, stderr: '' });
  });

  it('names the object as it is, and not the namespace that stands in for a missing one', async () => {
    const bare = LIST.replace('      namespace: shop\n', '').replace(/ {6}annotations.*\n/, '');
    const { stdout, stderr } = await run(bare);
    const [result] = resultsOf(stdout);
    expect(result?.['resourceRef']).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' });
    expect(result).not.toHaveProperty('file');
    expect(stderr).toMatch(/^error: Deployment web: /);
  });

  it.each([
    ['config.kubernetes.io/path: old.yaml, internal.config.kubernetes.io/path: new.yaml', { path: 'new.yaml' }],
    ["config.kubernetes.io/path: old.yaml, config.kubernetes.io/index: '0'", { path: 'old.yaml', index: 0 }],
    ['config.kubernetes.io/path: old.yaml, config.kubernetes.io/index: first', { path: 'old.yaml' }],
    ['internal.config.kubernetes.io/path: 3, config.kubernetes.io/path: old.yaml', { path: 'old.yaml' }],
    ["config.kubernetes.io/index: '0'", undefined],
  ])('takes the file from the annotations of orchestrators: { %s }', async (annotations, file) => {
    const text = LIST.replace(/annotations: \{.*\}/, `annotations: { ${annotations} }`);
    expect(resultsOf((await run(text)).stdout)[0]?.['file']).toEqual(file);
  });

  it('keeps the results of functions before, and edits a list that is JSON', async () => {
    const earlier = { message: 'earlier', severity: 'info' };
    const json = JSON.stringify({ ...(parse(LIST) as object), results: [earlier] });
    const { code, stdout } = await run(json);
    expect(code).toBe(1);
    expect(resultsOf(stdout).map(({ message }) => String(message).slice(0, 9))).toEqual(['earlier', 'container']);
    const odd = JSON.stringify({ ...(parse(LIST) as object), results: 'none' });
    expect(resultsOf((await run(odd)).stdout)).toHaveLength(1);
  });

  it('prints a list that cannot be edited as JSON, with everything it had', async () => {
    const aliased = LIST.replace('metadata:', 'metadata: &m').replace('items:', 'results: &r []\nother: *r\nitems:');
    const { stdout } = await run(aliased);
    const list = parse(stdout) as Record<string, unknown>;
    expect([list['kind'], (list['items'] as unknown[]).length, resultsOf(stdout).length]).toEqual([
      'ResourceList',
      1,
      1,
    ]);
  });

  it('names a policy of the config as the object of what its probes do wrong', async () => {
    const policy = (kind: string, metadata: object): object => ({
      ...{ apiVersion: 'probewright.dev/v1alpha1', kind, metadata },
      spec: { kubernetesProbeEndpoints: { readinessProbe: '/ready', livenessProbe: '/ready' } },
    });
    const bare = LIST.replace(/ {14}livenessProbe.*\n/, '');
    const references = async (of: object): Promise<readonly unknown[]> =>
      resultsOf((await run(withConfig({ policies: [of] }, bare))).stdout).map(({ resourceRef, file }) => [
        resourceRef,
        file,
      ]);
    const apiVersion = 'probewright.dev/v1alpha1';
    expect(await references(policy('ClusterProbePolicy', { name: 'house' }))).toContainEqual([
      { apiVersion, kind: 'ClusterProbePolicy', name: 'house' },
      undefined,
    ]);
    expect(await references(policy('ProbePolicy', { name: 'team', namespace: 'shop' }))).toContainEqual([
      { apiVersion, kind: 'ProbePolicy', namespace: 'shop', name: 'team' },
      undefined,
    ]);
  });

  it('fails for a warning only if it is strict', async () => {
    const { code, stdout, stderr } = await run(WARNED);
    expect(resultsOf(stdout).map(({ severity }) => severity)).toContain('warning');
    expect([code, stderr]).toEqual([0, '']);
    const strict = await run(withConfig({ strict: true }, WARNED));
    expect(strict.code).toBe(1);
    expect(strict.stderr).toMatch(/^warning: Deployment shop\/web: /);
  });

  it('fixes what policies ask for without a failure, and what checks advise only if that is wished', async () => {
    const fixed = await run(withConfig({ mode: 'fix' }));
    expect(fixed.code).toBe(0);
    expect(fixed.stdout).toContain('port: htpp');
    const advised = await run(withConfig({ mode: 'fix', advice: true }));
    expect(advised.code).toBe(0);
    expect(advised.stdout).not.toContain('port: htpp');
  });

  it('judges as at the instant of the config, in its namespace, and by its policies', async () => {
    const exception = (expires: string): object => ({
      apiVersion: 'probewright.dev/v1alpha1',
      kind: 'ProbeException',
      metadata: { name: 'e', namespace: 'team' },
      spec: {
        checks: ['named-port'],
        workloads: [{ kind: 'Deployment', name: 'web' }],
        owner: 'team',
        reason: 'The port moves in spring.',
        expires,
      },
    });
    const bare = LIST.replace('      namespace: shop\n', '');
    const policies = [exception('2026-01-01T00:00:00Z')];
    const code = async (spec: object): Promise<number> =>
      (await run(withConfig({ namespace: 'team', policies, ...spec }, bare))).code;
    expect(await code({ now: '2025-12-31T00:00:00Z' })).toBe(0);
    expect(await code({ now: '2026-01-02T00:00:00Z' })).toBe(1);
    expect(await code({ now: '2025-12-31T00:00:00Z', namespace: 'other' })).toBe(1);
  });

  it.each([
    ['kind: Pod\n', 'standard input must be a ResourceList of config.kubernetes.io, not "Pod"'],
    ['kind: ResourceList\n', 'standard input must be a ResourceList of config.kubernetes.io, not "ResourceList"'],
    ['', 'standard input must be one ResourceList, not 0 documents'],
    ['---\n---\n', 'standard input must be one ResourceList, not 0 documents'],
    ['- a\n', 'standard input must be one ResourceList, not 1 documents'],
    [`${LIST}---\n${LIST}`, 'standard input must be one ResourceList, not 2 documents'],
    [`${LIST}functionConfig: 3\n`, 'functionConfig: must be '],
    ['a: 1\nkind: [', 'line 2: '],
  ])('prints no list for input that cannot be read, and says why: %j', async (stdin, problem) => {
    const { code, stdout, stderr } = await run(stdin);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.startsWith(`probewright krm-function: ${problem}`)).toBe(true);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('prints no list where a policy cannot be read, and names the policy', async () => {
    const policy = {
      apiVersion: 'probewright.dev/v1alpha1',
      kind: 'ProbePolicy',
      metadata: { name: 'p', namespace: 'shop' },
      spec: { prot: 1 },
    };
    const { code, stdout, stderr } = await run(withConfig({ policies: [policy] }));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^functionConfig\.spec\.policies\[0\]:1:\d+: .*prot/);
  });

  it('has an answer to every list', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue({ maxDepth: 5 }), { maxLength: 3 }),
        fc.jsonValue(),
        async (items, config) => {
          const list = { apiVersion: 'config.kubernetes.io/v1', kind: 'ResourceList', items, functionConfig: config };
          const { code } = await run(JSON.stringify(list));
          expect([0, 1, 2]).toContain(code);
        },
      ),
      { examples: [[[{ apiVersion: 'v1', kind: 'Pod' }], null]] },
    );
  });
});
