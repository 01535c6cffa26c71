import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runProbewright } from './run-probewright.ts';

const POLICY = {
  apiVersion: 'probewright.dev/v1alpha1',
  kind: 'ProbePolicy',
  metadata: { name: 'defaults', namespace: 'shop' },
  spec: { kubernetesProbeEndpoints: { readinessProbe: '/readyz' } },
};

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

const withConfig = (config: unknown): string => `${LIST}functionConfig: ${JSON.stringify(config)}\n`;
const ofOwnKind = (spec: unknown): unknown => ({
  apiVersion: 'probewright.dev/v1alpha1',
  kind: 'ProbewrightFunction',
  metadata: { name: 'probes' },
  spec,
});
const run = (stdin: string): ReturnType<typeof runProbewright> => runProbewright(['krm-function'], { stdin });

const NAMED_PORT = {
  message: 'container "app" declares no port named "htpp"; did you mean "http"? (named-port)',
  severity: 'error',
  resourceRef: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' },
  field: { path: 'spec.template.spec.containers[0].livenessProbe.httpGet.port' },
  file: { path: 'web.yaml', index: 1 },
  tags: { check: 'named-port', url: 'https://github.com/probewright/probewright/blob/main/docs/checks.md#named-port' },
};

describe('krm-function', () => {
  it('checks, adds the findings as results, and fails if one is denied', async () => {
    const { code, stdout, stderr } = await run(withConfig(ofOwnKind({ mode: 'check' })));
    const { results, ...rest } = parse(stdout) as { results: unknown };
    expect(results).toEqual([NAMED_PORT]);
    expect(rest).toEqual(parse(withConfig(ofOwnKind({ mode: 'check' }))));
    expect(stdout.startsWith(LIST)).toBe(true);
    expect(code).toBe(1);
    expect(stderr).toBe(`error: Deployment shop/web: ${NAMED_PORT.message}\n`);
  });

  it('checks without a functionConfig', async () => {
    expect(await run(LIST)).toMatchObject({ code: 1 });
  });

  it('fixes, and keeps every other byte of the list', async () => {
    const config = withConfig(ofOwnKind({ mode: 'fix', policies: [POLICY] }));
    const { code, stdout, stderr } = await run(config);
    expect([code, stderr]).toEqual([0, '']);
    const probe = [
      '              readinessProbe:',
      '                httpGet:',
      '                  path: /readyz',
      '                  port: http',
    ];
    const [objects] = stdout.split('results:\n');
    expect(objects).toBe(config.replace(/(port: htpp \} \}\n)/, `$1${probe.join('\n')}\n`));
  });

  it('takes policies among the items, and a ConfigMap as kpt makes it', async () => {
    const data = { mode: 'fix', advice: 'true', policies: JSON.stringify(POLICY) };
    const { code, stdout } = await run(withConfig({ apiVersion: 'v1', kind: 'ConfigMap', data }));
    expect(code).toBe(0);
    expect(stdout).toContain('livenessProbe: { httpGet: { path: /live, port: http }');
    expect(stdout).toContain('path: /readyz');
    const item = `${LIST.trimEnd()}\n  - ${JSON.stringify(POLICY)}\nfunctionConfig: ${JSON.stringify(ofOwnKind({ mode: 'fix' }))}\n`;
    expect((await run(item)).stdout).toContain('path: /readyz');
  });

  it('says as results why containers got no probe', async () => {
    const policy = { ...POLICY, spec: { probes: { readinessProbe: { httpGet: { path: '/r', port: 'admin' } } } } };
    const { stdout } = await run(withConfig(ofOwnKind({ mode: 'fix', policies: [policy] })));
    const { results } = parse(stdout) as { results: { message: string; severity: string }[] };
    const ofReadiness = results.find(({ message }) => message.includes('readinessProbe'));
    expect(ofReadiness?.severity).toBe('info');
    expect(ofReadiness?.message).toMatch(/^Deployment shop\/web: container "app", readinessProbe: /);
  });

  it('keeps the results of functions before', async () => {
    const { stdout } = await run(`${LIST}results:\n  - { message: earlier, severity: info }\n`);
    expect((parse(stdout) as { results: unknown }).results).toEqual([
      { message: 'earlier', severity: 'info' },
      NAMED_PORT,
    ]);
  });

  it('fails for warnings only if it is strict', async () => {
    const slow = LIST.replace('port: htpp }', 'port: http }, periodSeconds: 1, timeoutSeconds: 5');
    const codes = await Promise.all(
      [false, true].map(
        async (strict) => (await run(slow + `functionConfig: ${JSON.stringify(ofOwnKind({ strict }))}\n`)).code,
      ),
    );
    expect(codes).toEqual([0, 1]);
  });

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

  it.each([
    ['no ResourceList', 'kind: Pod\n', 'standard input must be a ResourceList of config.kubernetes.io, not "Pod"'],
    ['nothing', '', 'standard input must be one ResourceList, not 0 documents'],
    ['two documents', `${LIST}---\n${LIST}`, 'standard input must be one ResourceList, not 2 documents'],
    ['no YAML', 'kind: [', /^line \d+: /],
    ['an unknown mode', withConfig(ofOwnKind({ mode: 'fixed' })), /^functionConfig\.spec\.mode: .*"fix"/],
    [
      'an unknown field',
      withConfig(ofOwnKind({ policy: [] })),
      /^functionConfig\.spec\.policy: unknown field; did you mean "policies"/,
    ],
    [
      'another kind',
      withConfig({ apiVersion: 'v1', kind: 'Secret' }),
      /must be a probewright\.dev\/v1alpha1 ProbewrightFunction or a v1 ConfigMap, not "v1" "Secret"/,
    ],
    [
      'a flag that is no text in a ConfigMap',
      withConfig({ apiVersion: 'v1', kind: 'ConfigMap', data: { strict: 'yes' } }),
      /functionConfig\.data\.strict/,
    ],
    [
      'no instant',
      withConfig(ofOwnKind({ now: 'today' })),
      'functionConfig.spec.now: must be an instant such as 2027-01-31T00:00:00Z',
    ],
  ])('prints no list for %s, and says why', async (_, stdin, problem) => {
    const { code, stdout, stderr } = await run(stdin);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^probewright krm-function: .*\n$/);
    expect(stderr.slice('probewright krm-function: '.length, -1)).toMatch(problem);
  });

  it('prints no list for a policy that cannot be read', async () => {
    const { code, stdout, stderr } = await run(
      withConfig(ofOwnKind({ policies: [{ ...POLICY, spec: { ports: 1 } }] })),
    );
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^functionConfig\.spec\.policies\[0\]:1:\d+: spec\.ports: unknown field/);
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
