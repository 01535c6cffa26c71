import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runProbewright, type Ran } from './run-probewright.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

let directory: string;

beforeEach(async () => {
  directory = await temporaryDirectory();
});

function check(stdin: string, ...args: string[]): Promise<Ran> {
  const files = args.includes('-') || stdin === '' ? args : ['-', ...args];
  return runProbewright(['check', ...files], { stdin, directory });
}

const manifest = (probes: string): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: apps
spec:
  template:
    metadata:
      labels: { app: web }
    spec:
      containers:
        - name: app
          image: example.test/app:1
          ports:
            - { name: http, containerPort: 8080 }
${probes}`;

const misspelt = manifest(`          readinessProbe:
            httpGet:
              path: /
              port: htpp
`);
const clean = manifest(`          readinessProbe:
            httpGet: { path: /, port: http }
`);

interface Json {
  readonly violations: readonly JsonObject[];
  readonly summary: JsonObject;
}

async function violations(text: string, ...args: string[]): Promise<readonly JsonObject[]> {
  return (JSON.parse((await check(text, '--output', 'json', '--min-level', 'note', ...args)).stdout) as Json)
    .violations;
}

describe('probewright check', () => {
  it('prints file, line and column of the offending field first, as compilers do, and exits 1', async () => {
    const { code, stdout } = await check(misspelt);
    expect(code).toBe(1);
    expect(stdout.split('\n')[0]).toBe(
      '<stdin>:19:15: error: Deployment apps/web: spec.template.spec.containers[0].readinessProbe.httpGet.port: ' +
        'container "app" declares no port named "htpp"; did you mean "http"? (named-port)',
    );
    expect(stdout).toContain('1 workload in 1 object: 1 error, 0 warnings\n');
  });

  it('exits 0 without findings, and with warnings only under --strict not', async () => {
    expect(await check(clean)).toEqual({
      code: 0,
      stdout:
        'Coverage of 1 container:\n  livenessProbe: 1 lacks one\n    1  no policy asks for probes (no-policy)\n' +
        '  readinessProbe: 1 has one\n\n1 workload in 1 object: 0 errors, 0 warnings\n',
      stderr: '',
    });
    expect((await check(misspelt, '--enforcement', 'Warn')).code).toBe(0);
    expect((await check(misspelt, '--enforcement', 'Warn', '--strict')).code).toBe(1);
  });

  it('finds nothing in the examples of this repository, not even a note, but for the one with a typo', async () => {
    const args = ['examples', '--policies', 'examples/policies', '--min-level', 'note'];
    // test/docs/library.test.ts judges the library.
    args.push('--exclude', 'typo.yaml', '--exclude', 'library');
    const { code, stdout, stderr } = await runProbewright(['check', ...args], { stdin: '', directory });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/: 0 errors, 0 warnings, 0 notes\n$/);
  });

  it('writes JSON with the path and the text apart', async () => {
    expect(JSON.parse((await check(misspelt, '--output', 'json')).stdout)).toEqual({
      violations: [
        {
          check: 'named-port',
          action: 'Deny',
          message: 'container "app" declares no port named "htpp"',
          remedy: 'did you mean "http"?',
          advice: [{ path: 'spec.template.spec.containers[0].readinessProbe.httpGet.port', value: 'http' }],
          path: 'spec.template.spec.containers[0].readinessProbe.httpGet.port',
          file: '<stdin>',
          line: 19,
          column: 15,
          kind: 'Deployment',
          namespace: 'apps',
          name: 'web',
          container: 'app',
          probe: 'readinessProbe',
          url: 'https://github.com/probewright/probewright/blob/main/docs/checks.md#named-port',
        },
      ],
      problems: [],
      summary: {
        objects: 1,
        workloads: 1,
        deny: 1,
        warn: 0,
        audit: 0,
        excepted: 0,
        coverage: {
          containers: 1,
          livenessProbe: { have: 0, get: 0, lack: 1, reasons: { 'no-policy': 1 } },
          readinessProbe: { have: 1, get: 0, lack: 0, reasons: {} },
          noMainContainer: [],
        },
        hidden: { otherChecks: 0, warn: 0, audit: 0, excepted: 0, notes: {} },
      },
    });
  });

  it.each(['sarif', 'junit', 'github'])('writes %s as on record', async (output) => {
    const { stdout } = await check(`${misspelt}---\n${clean}`, '--output', output);
    await expect(stdout).toMatchFileSnapshot(
      `../golden/check/report.${output === 'junit' ? 'xml' : output === 'sarif' ? 'sarif.json' : 'txt'}`,
    );
  });

  it.each([
    ['y', 'boolean'],
    ['no', 'boolean'],
    ['010', 'number'],
  ])('names the word %s that YAML reads as a %s, and gives the word back as a string', async (word, type) => {
    const manifest = `apiVersion: v1\nkind: Pod\nmetadata: { name: web }\nspec: { containers: [{ name: app, image: ${word} }] }\n`;
    const report = JSON.parse((await check(manifest, '--output', 'json')).stdout) as { violations: unknown[] };
    expect(report.violations).toMatchObject([
      {
        message: expect.stringMatching(/^json: cannot unmarshal .* of type string$/) as unknown,
        remedy: `quote it: ${word} is a ${type} in YAML 1.1`,
        advice: [{ path: 'spec.containers[0].image', value: word }],
      },
    ]);
  });

  it('finds a probe beside its container, and tells where it belongs', async () => {
    const { stdout } = await check(
      misspelt.replace('    spec:', '    spec:\n      livenessProbe: { tcpSocket: { port: 8080 } }'),
    );
    expect(stdout).toContain(
      'spec.template.spec.livenessProbe: unknown field, which the API server drops; move it into containers[0], ' +
        'and spec.template.spec.containers[0].livenessProbe.failureThreshold: 5 (valid-probe)',
    );
  });

  it('escapes what manifests can smuggle into reports', async () => {
    const hostile = misspelt.replace('name: web', 'name: "<&\\"\\u0001::error::x,%"');
    const junit = (await check(hostile, '--output', 'junit')).stdout;
    expect(junit).toContain('&lt;&amp;&quot;\\u0001::error::x');
    const github = (await check(misspelt, '--output', 'github')).stdout;
    expect(github.trimEnd().split('\n')).toHaveLength(1);
    expect(github).toMatch(/^::error file=<stdin>,line=19,col=15,title=named-port::spec\.template/);
  });

  it('reports an empty run to JUnit readers as one passed case', async () => {
    expect((await check(clean, '--output', 'junit')).stdout).toContain(
      '<testsuites name="probewright" tests="1" failures="0" errors="0">',
    );
  });

  it('takes policies from a directory and from among the manifests', async () => {
    const policy = (namespace: string): string =>
      `apiVersion: probewright.dev/v1alpha1\nkind: ProbePolicy\nmetadata: { name: p, namespace: ${namespace} }\nspec: { checks: { required-liveness: { action: Deny } } }\n`;
    expect((await violations(`${clean}---\n${policy('apps')}`)).map(({ check: id }) => id)).toEqual([
      'required-liveness',
    ]);
    await mkdir(join(directory, 'policies'));
    await writeFile(join(directory, 'policies/p.yaml'), policy('apps'));
    await writeFile(join(directory, 'web.yaml'), clean);
    expect(await violations('', directory, '--policies', join(directory, 'policies'))).toHaveLength(1);
    await writeFile(join(directory, 'policies/p.yaml'), policy('elsewhere'));
    expect(await violations('', directory, '--policies', join(directory, 'policies'))).toHaveLength(0);
  });

  it('judges by what policies will inject', async () => {
    const policy =
      'apiVersion: probewright.dev/v1alpha1\nkind: ProbePolicy\nmetadata: { name: p, namespace: apps }\n' +
      'spec: { kubernetesProbeEndpoints: { livenessProbe: /live }, checks: { required-liveness: { action: Deny } } }\n';
    expect((await violations(`${clean}---\n${policy}`)).map(({ check: id }) => id)).not.toContain('required-liveness');
  });

  it.each([
    [
      'a probe in wrong case',
      '          livenessprobe: { tcpSocket: { port: 8080 } }\n',
      'livenessprobe',
      'unknown field, which the API server drops; did you mean "livenessProbe"?',
      16,
      11,
    ],
    [
      'a misspelt field',
      '          livenessProbe: { periodSecond: 5, tcpSocket: { port: 8080 } }\n',
      'livenessProbe.periodSecond',
      'unknown field, which the API server drops; did you mean "periodSeconds"?',
      16,
      undefined,
    ],
    [
      'a handler in wrong case',
      '          livenessProbe: { httpget: { port: 8080 }, exec: { command: [x] } }\n',
      'livenessProbe.httpget',
      'unknown field, which the API server drops; did you mean "httpGet"?',
      16,
      undefined,
    ],
    [
      'two handlers, as Helm merges them',
      '          livenessProbe:\n            exec: { command: [x] }\n            httpGet: { path: /, port: 8080 }\n',
      'livenessProbe.httpGet',
      'Forbidden: may not specify more than 1 handler type',
      18,
      undefined,
    ],
    [
      'a port out of range',
      '          livenessProbe:\n            tcpSocket: { port: 70000 }\n',
      'livenessProbe.tcpSocket.port',
      'Invalid value: 70000: must be between 1 and 65535, inclusive',
      17,
      undefined,
    ],
  ])('finds %s where it stands', async (_, probes, path, message, line, column) => {
    const found = (await violations(manifest(probes))).filter(({ check: id }) => id === 'valid-probe');
    const [problem, remedy] = message.split('; ');
    expect(found[0]).toMatchObject({
      path: `spec.template.spec.containers[0].${path}`,
      message: problem,
      ...(remedy !== undefined && { remedy }),
      line,
      action: 'Deny',
      ...(column && { column }),
    });
  });

  it('finds a wrong type, which the API server answers before anything else', async () => {
    const found = await violations(
      manifest('          livenessProbe:\n            tcpSocket: { port: 8080 }\n            periodSeconds: "5"\n'),
    );
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({
      check: 'valid-probe',
      action: 'Deny',
      path: 'spec.template.spec.containers[0].livenessProbe.periodSeconds',
      line: 18,
    });
    expect(found[0]?.['message']).toContain('cannot unmarshal string');
  });

  it.each([
    [
      '"periodSeconds": 1.0',
      'periodSeconds',
      'number 1.0 into Go struct field Probe.spec.template.spec.containers.livenessProbe.periodSeconds of type int32',
    ],
    [
      '"periodSeconds": 1e1',
      'periodSeconds',
      'number 1e1 into Go struct field Probe.spec.template.spec.containers.livenessProbe.periodSeconds of type int32',
    ],
    [
      '"terminationGracePeriodSeconds": 9223372036854775808',
      'terminationGracePeriodSeconds',
      'number 9223372036854775808 into Go struct field Probe.spec.template.spec.containers.livenessProbe.terminationGracePeriodSeconds of type int64',
    ],
  ])('finds that %s in JSON is no integer to the API server', async (field, name, message) => {
    const json = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"template":{"spec":{"containers":[{"name":"app",
      "livenessProbe":{"exec":{"command":["x"]},"timeoutSeconds":5,${field}}}]}}}}`;
    const found = (await violations(json)).filter(({ check: id }) => id === 'valid-probe');
    expect(found).toEqual([
      expect.objectContaining({
        path: `spec.template.spec.containers[0].livenessProbe.${name}`,
        message: `json: cannot unmarshal ${message}`,
        container: 'app',
        line: 2,
      }),
    ]);
  });

  it('takes the largest integer for one, and 1.0 in YAML, which kubectl makes 1', async () => {
    const largest =
      '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"a","livenessProbe":{"tcpSocket":{"port":80},"terminationGracePeriodSeconds":9223372036854775807}}]}}';
    expect((await violations(largest)).filter(({ check: id }) => id === 'valid-probe')).toEqual([]);
    const yaml = manifest('          livenessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 10.0 }\n');
    expect((await violations(yaml)).filter(({ check: id }) => id === 'valid-probe')).toEqual([]);
  });

  it('finds a key that is written twice, where the second one stands', async () => {
    const twice = misspelt.replace('              path: /\n', '              path: /\n              path: /x\n');
    const { code, stderr, stdout } = await check(twice);
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout.split('\n')[0]).toBe(
      '<stdin>:19:15: error: Deployment apps/web: spec.template.spec.containers[0].readinessProbe.httpGet.path: ' +
        'is written twice: kubectl refuses that, and for other clients the last one counts, objects being merged (valid-probe)',
    );
    expect(stdout).toContain('(named-port)');
  });

  it('takes a key that is written twice elsewhere for unreadable input', async () => {
    const { code, stderr } = await check(`${clean}---\nkind: ConfigMap\ndata: { a: b, a: c }\n`);
    expect([code, stderr]).toEqual([2, '<stdin>:20:15: key "a" is already there in this mapping\n']);
  });

  it('tells of an anchored mistake once, and loses no other problem over it', async () => {
    const text =
      'kind: Pod\napiVersion: v1\nmetadata: { name: p }\nspec:\n  containers:\n' +
      '    - { name: a, livenessProbe: &l { tcpSocket: { port: 80 }, periodSeconds: 5, periodSeconds: 6 } }\n    - { name: b, livenessProbe: *l }\n';
    const { code, stderr } = await check(`${text}---\nkind: [ unclosed\n`);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^<stdin>:\d+:\d+: /);
  });

  it('tells of annotations that have no effect, as the webhook would', async () => {
    const annotated = clean.replace('labels: { app: web }', 'annotations: { probewright.dev/startup-second: "3" }');
    const { code, stderr } = await check(annotated, '--strict');
    expect([code, stderr]).toEqual([
      1,
      '<stdin>:1:1: warning: Deployment apps/web: annotation probewright.dev/startup-second is ignored: unknown annotation; did you mean "startup-seconds"?\n',
    ]);
  });

  it('tells of policies with an empty probe, which --strict fails', async () => {
    const policy =
      'apiVersion: probewright.dev/v1alpha1\nkind: ProbePolicy\nmetadata: { name: p, namespace: apps }\n' +
      'spec: { probes: { startupProbe: {} } }\n';
    const { code, stderr } = await check(policy);
    expect([code, stderr]).toEqual([
      0,
      '<stdin>:4:19: warning: spec.probes.startupProbe: {} says nothing about the probe; write { disabled: true } to never inject the probe, or leave the field out\n',
    ]);
    expect((await check(policy, '--strict')).code).toBe(1);
  });

  it('goes on when an input cannot be read, and exits 2', async () => {
    await writeFile(join(directory, 'good.yaml'), misspelt);
    const { code, stdout, stderr } = await check('', join(directory, 'gone.yaml'), join(directory, 'good.yaml'));
    expect(code).toBe(2);
    expect(stdout).toContain('(named-port)');
    expect(stderr).toMatch(/^DIR\/gone\.yaml:1:1: cannot be read: ENOENT/);
  });

  it('looks into Lists, custom kinds, and kinds of a file', async () => {
    const list = {
      apiVersion: 'v1',
      kind: 'List',
      items: [
        {
          apiVersion: 'argoproj.io/v1alpha1',
          kind: 'Rollout',
          metadata: { name: 'r' },
          spec: { template: { spec: { containers: [{ name: 'app', livenessProbe: {} }] } } },
        },
      ],
    };
    const found = await violations(JSON.stringify(list), '--namespace', 'teams');
    expect(found[0]).toMatchObject({
      kind: 'Rollout',
      namespace: 'teams',
      message: 'Required value: must specify a handler type',
    });

    await writeFile(
      join(directory, 'kinds.yaml'),
      '- { group: example.test, kind: Fleet, podTemplatePath: spec.groups.*.template }\n',
    );
    const fleet = {
      apiVersion: 'example.test/v1',
      kind: 'Fleet',
      metadata: { name: 'f' },
      spec: { groups: [{}, { template: { spec: { containers: [{ name: 'app', livenessProbe: {} }] } } }] },
    };
    const inFleet = await violations(JSON.stringify(fleet), '--workload-kinds', join(directory, 'kinds.yaml'));
    expect(inFleet[0]).toMatchObject({
      kind: 'Fleet',
      path: 'spec.groups[1].template.spec.containers[0].livenessProbe',
    });
  });

  it('lets a Knative Service leave out the ports of probes and the name of its container, and sees what is wrong in it', async () => {
    const service = (probe: string): string =>
      `apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: { name: s }\nspec: { template: { spec: { containers: [{ image: x, ${probe} }] } } }\n`;
    const fine = await violations(
      service('livenessProbe: { httpGet: { path: /live } }, readinessProbe: { tcpSocket: {} }'),
    );
    expect(fine.filter(({ action }) => action !== 'Audit')).toEqual([]);
    expect(
      (await violations(service('livenessProbe: { httpGet: { port: 70000 } }'))).map(({ check: id }) => id),
    ).toContain('valid-probe');
  });

  it('follows the action that policies set for what only a manifest shows', async () => {
    const policy =
      'apiVersion: probewright.dev/v1alpha1\nkind: ClusterProbePolicy\nmetadata: { name: p }\nspec: { checks: { valid-probe: { action: Off } } }\n';
    const text = manifest('          livenessprobe: { tcpSocket: { port: 8080 } }\n');
    expect(await violations(text)).toHaveLength(1);
    expect(await violations(`${text}---\n${policy}`)).toEqual([]);
  });

  it('merges several entries for one kind, and lets entries replace a ready-made kind', async () => {
    await writeFile(
      join(directory, 'kinds.yaml'),
      '- { group: example.test, kind: Pair, podTemplatePath: spec.a }\n- { group: example.test, kind: Pair, podTemplatePath: spec.b }\n',
    );
    const template = { spec: { containers: [{ name: 'app', livenessProbe: {} }] } };
    const pair = {
      apiVersion: 'example.test/v1',
      kind: 'Pair',
      metadata: { name: 'f' },
      spec: { a: template, b: template },
    };
    const found = await violations(JSON.stringify(pair), '--workload-kinds', join(directory, 'kinds.yaml'));
    expect(found.map(({ path }) => path)).toEqual([
      'spec.a.spec.containers[0].livenessProbe',
      'spec.b.spec.containers[0].livenessProbe',
    ]);
  });

  it('reports bad kinds and bad usage, and exits 2', async () => {
    await writeFile(join(directory, 'kinds.yaml'), '- { group: example.test, knd: Fleet, podTemplatePath: ".spec" }\n');
    const kinds = await check(clean, '--workload-kinds', join(directory, 'kinds.yaml'));
    expect(kinds.code).toBe(2);
    expect(kinds.stderr).toContain('DIR/kinds.yaml:1:26: [0].knd: unknown field; did you mean "kind"?');
    const usage = await check('', '--output', 'jsn', '--enforcement', 'deny');
    expect(usage).toMatchObject({ code: 2, stdout: '' });
    expect(usage.stderr).toContain(
      '--output: must be text, json, sarif, junit, github, not "jsn"; did you mean "json"?',
    );
    expect(usage.stderr).toContain('--enforcement: must be Deny, Warn, Audit, not "deny"; did you mean "Deny"?');
  });

  it('hides notes by default, and shows what --min-level, --only and --skip select, in the exit code too', async () => {
    const summaryOf = async (...args: string[]): Promise<unknown> => {
      const { code, stdout } = await check(misspelt, '--enforcement', 'Audit', '--strict', ...args);
      return [code, stdout.trimEnd().split('\n').at(-1)];
    };
    const looked = '1 workload in 1 object';
    expect(await summaryOf()).toEqual([0, '1 note is hidden: 1 named-port; --min-level note shows it']);
    expect(await summaryOf('--min-level', 'note')).toEqual([0, `${looked}: 0 errors, 0 warnings, 1 note`]);
    expect(await summaryOf('--skip', 'named-port')).toEqual([
      0,
      `${looked}: 0 errors, 0 warnings; 1 finding of other checks hidden`,
    ]);
    const [denied, other] = [
      await check(misspelt, '--only', 'grace-period,named-port'),
      await check(misspelt, '--only', 'grace-period', '--only', 'exec-cost'),
    ];
    expect([denied.code, other.code]).toEqual([1, 0]);
  });

  it('refuses checks that do not exist, and checks that are both selected and skipped', async () => {
    const { code, stderr } = await check(clean, '--only', 'namd-port,named-port,x', '--skip', '');
    expect([code, stderr.split('\n').slice(0, 2)]).toEqual([
      2,
      [
        'probewright check: --only: unknown check: "namd-port" (did you mean "named-port"?), "x"',
        'probewright check: --skip: must be a comma list of names, not ""',
      ],
    ]);
    expect((await check(clean, '--only', 'named-port,exec-cost', '--skip', 'named-port')).stderr).toContain(
      'probewright check: --only and --skip both name named-port\n',
    );
  });

  it('names a Pod without a main container at the place of the Pod, with the policy that wanted one', async () => {
    const two = clean.replace(
      '        - name: app\n',
      '        - { name: proxy, ports: [{ containerPort: 1 }] }\n        - name: app\n',
    );
    const policy =
      'apiVersion: probewright.dev/v1alpha1\nkind: ProbePolicy\nmetadata: { name: p, namespace: apps }\n' +
      'spec: { kubernetesProbeEndpoints: { livenessProbe: /live } }\n';
    const { stdout } = await check(`${policy}---\n${two}`, '--output', 'json');
    const { summary } = JSON.parse(stdout) as Json;
    const message =
      'cannot tell its main container: "proxy", "app" all declare TCP ports; ' +
      'name the containers in the policy or in the annotation probewright.dev/containers';
    expect(summary['coverage']).toEqual({
      containers: 2,
      livenessProbe: { have: 0, get: 0, lack: 2, reasons: { 'no-main-container': 2 } },
      readinessProbe: { have: 1, get: 0, lack: 1, reasons: { 'no-main-container': 1 } },
      noMainContainer: [
        {
          ...{ file: '<stdin>', line: 6, column: 1, kind: 'Deployment', namespace: 'apps', name: 'web' },
          ...{ policies: ['ProbePolicy/apps/p'], message },
        },
      ],
    });
    expect((await check(`${policy}---\n${two}`)).stdout).toContain(
      `No main container:\n  <stdin>:6:1: Deployment apps/web: ${message} (wanted by ProbePolicy/apps/p)\n`,
    );
  });
});
