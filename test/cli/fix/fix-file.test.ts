import { describe, expect, it } from 'vitest';
import { SHOWN_BY_DEFAULT, type AdviceSelection } from '../../../src/cli/fix/advice.ts';
import { fixFile, type FixedFile } from '../../../src/cli/fix/fix-file.ts';
import { worldOf } from '../../../src/cli/input/world.ts';
import { flatGiven } from '../../support/flat-given.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { MAX_DEPTH } from '../../../src/yaml/reading/tokens.ts';
import { NOW } from '../../support/now.ts';

const policy = (spec: string): string =>
  `apiVersion: probewright.dev/v1alpha1\nkind: ClusterProbePolicy\nmetadata: { name: all }\nspec: ${spec}\n`;

const READINESS = policy('{ containers: ["*"], kubernetesProbeEndpoints: { readinessProbe: /r } }');

function fixed(
  text: string,
  { policies = READINESS, advice = undefined as AdviceSelection | undefined } = {},
): FixedFile {
  const settings = { namespace: 'default', kinds: KNOWN_KINDS, now: NOW };
  const read = (file: string, content: string) => ({ texts: [{ file, text: content }], problems: [] });
  const inputs = flatGiven(worldOf(read('web.yaml', text), read('policies.yaml', policies), settings));
  expect(inputs.policyProblems).toEqual([]);
  const [source] = inputs.texts;
  if (source === undefined) throw new Error('no text');
  return fixFile(source, inputs, advice);
}

const deployment = (name: string, ...lines: string[]): string =>
  `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, namespace: apps }
spec:
  template:
    spec:
      containers:
        - name: app # the application
          ports: [{ containerPort: 80 }]
${lines.map((line) => `          ${line}\n`).join('')}`;

const PROBE = ['readinessProbe:', '  httpGet:', '    path: /r', '    port: 80'];

/** The remarks without those about the probes for which the policy has no endpoint. */
const remarksOf = ({ remarks }: FixedFile): readonly string[] =>
  remarks.filter((one) => !one.includes('(no-endpoint)'));

describe('a file that is fixed', () => {
  it('gets the probes of policies and keeps its text, and the objects have the probes, too', () => {
    const file = fixed(deployment('web'));
    expect(file).toMatchObject({
      file: 'web.yaml',
      before: deployment('web'),
      after: deployment('web', ...PROBE),
      probes: 1,
      advice: 0,
      left: [],
      problems: [],
      source: { file: 'web.yaml' },
    });
    const [object] = file.objects as { spec: { template: { spec: { containers: unknown[] } } } }[];
    expect(file.objects).toHaveLength(1);
    expect(object?.spec.template.spec.containers).toEqual([
      { name: 'app', ports: [{ containerPort: 80 }], readinessProbe: { httpGet: { path: '/r', port: 80 } } },
    ]);
    expect(remarksOf(file)).toEqual([]);
  });

  it('keeps the probes that it has', () => {
    const own = deployment('web', 'readinessProbe: { httpGet: { path: /own, port: 80 } }');
    expect(fixed(own)).toMatchObject({ after: own, probes: 0 });
  });

  it('gets the probes of each object, and the objects that are no workloads stay', () => {
    const config = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: c }\n';
    const file = fixed([deployment('web'), config, deployment('api')].join('---\n'));
    expect(file.after).toBe([deployment('web', ...PROBE), config, deployment('api', ...PROBE)].join('---\n'));
    expect([file.probes, file.objects.length]).toEqual([2, 3]);
    expect(file.objects[1]).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } });
    expect(file.remarks.filter((remark) => remark.includes('ConfigMap'))).toEqual([]);
  });

  it('gets the probes of items of a List', () => {
    const list = (text: string): string =>
      `apiVersion: v1\nkind: List\nitems:\n  - ${text.replaceAll('\n', '\n    ').trimEnd()}\n`;
    expect(fixed(list(deployment('web'))).after).toBe(list(deployment('web', ...PROBE)));
  });

  it('gets no probe that an init container cannot have, and one for each other container', () => {
    const text = `apiVersion: v1
kind: Pod
metadata: { name: web, namespace: apps, labels: { app: web } }
spec:
  initContainers: [{ name: migrate }]
  containers: [{ name: a, ports: [{ containerPort: 80 }] }, { name: b, ports: [{ containerPort: 81 }] }]
`;
    const file = fixed(text);
    expect(file.probes).toBe(2);
    expect(file.objects[0]).toMatchObject({
      spec: {
        initContainers: [{ name: 'migrate' }],
        containers: [
          { readinessProbe: { httpGet: { path: '/r', port: 80 } } },
          { readinessProbe: { httpGet: { path: '/r', port: 81 } } },
        ],
      },
    });
    expect(
      JSON.stringify((file.objects[0] as { spec: { initContainers: unknown } }).spec.initContainers),
    ).not.toContain('Probe');
  });

  it('has a remark with the place for each probe that policies do not add', () => {
    const place = 'web.yaml:1:1: Deployment apps/web: container "app", ';
    expect(fixed(deployment('web')).remarks).toEqual([
      expect.stringMatching(new RegExp(`^${place}livenessProbe: .*\\(no-endpoint\\)$`)),
      expect.stringMatching(new RegExp(`^${place}startupProbe: .*\\(no-endpoint\\)$`)),
    ]);
  });

  it('names the namespace of the inputs for an object without one', () => {
    const text = deployment('web').replace(', namespace: apps', '');
    expect(fixed(text).remarks[0]).toMatch(/^web\.yaml:1:1: Deployment default\/web: /);
  });

  it('has a remark about an annotation without effect', () => {
    const text = deployment('web').replace(
      '    spec:\n',
      '    metadata: { annotations: { probewright.dev/skip: perhaps } }\n    spec:\n',
    );
    expect(remarksOf(fixed(text))).toEqual([
      expect.stringMatching(/^web\.yaml:1:1: Deployment apps\/web: .*probewright\.dev\/skip.*perhaps/),
    ]);
  });
});

describe('a document that cannot be edited in place', () => {
  const text = `apiVersion: v1
kind: Pod
metadata: { name: web, namespace: apps, labels: { app: web } }
spec:
  containers:
    - &app { name: a, ports: [{ containerPort: 80 }] }
    - *app
`;

  it('is printed again, and a remark names the document, counted from 1', () => {
    const file = fixed(`${deployment('web')}---\n${text}`);
    expect(remarksOf(file)).toEqual([
      'web.yaml: document 2 cannot be edited in place (aliases, or an unusual form), so the document is printed again',
    ]);
    expect(file.after.startsWith(deployment('web', ...PROBE))).toBe(true);
    expect([file.probes, file.problems]).toEqual([3, []]);
    expect(file.after.match(/readinessProbe:/g)).toHaveLength(3);
  });
});

describe('a file that cannot be edited', () => {
  const pod =
    '{apiVersion: v1, kind: Pod, metadata: {namespace: apps, labels: {a: b}}, spec: {containers: [{name: app}]}}';
  // As deep as can be read: with a probe, the text could not be read any more.
  const levels = Math.floor(MAX_DEPTH / 2) - 3;
  const deep = `${'{kind: List, items: ['.repeat(levels)}${pod}${']}'.repeat(levels)}\n`;
  const policies = policy('{ containers: ["*"], probes: { readinessProbe: { exec: { command: [ask] } } } }');

  it('stays as it is, with a problem that names the document, and no probe is counted', () => {
    const file = fixed(`${deployment('web')}---\n${deep}`, { policies });
    expect(file).toMatchObject({ after: `${deployment('web')}---\n${deep}`, probes: 0 });
    expect(file.problems).toEqual([
      {
        file: 'web.yaml',
        line: 1,
        column: 1,
        message: expect.stringMatching(/^no probes are written into this file: document 2: /) as string,
      },
    ]);
  });
});

describe('a file with advice', () => {
  const advice = SHOWN_BY_DEFAULT;
  const wrong = (port: string): string => deployment('web', `livenessProbe: { httpGet: { path: /l, port: ${port} } }`);
  const text = wrong('htpp').replace('containerPort: 80', 'name: http, containerPort: 80');

  it('gets the probes of policies and the advice, which are counted apart', () => {
    const file = fixed(text, { advice: { ...advice, only: ['named-port'] } });
    expect(file).toMatchObject({ probes: 1, advice: 1, left: [], problems: [], before: text });
    const [object] = file.objects;
    const { containers } = (object as { spec: { template: { spec: { containers: unknown[] } } } }).spec.template.spec;
    expect(containers).toMatchObject([
      { livenessProbe: { httpGet: { port: 'http' } }, readinessProbe: { httpGet: { path: '/r' } } },
    ]);
    expect(file.after).toContain('path: /r');
    expect(file.after).toContain('port: http }');
  });

  it('is not changed by advice unless it is asked for', () => {
    expect(fixed(text)).toMatchObject({ probes: 1, advice: 0, left: [] });
    expect(fixed(text).after).toContain('port: htpp');
  });

  it('has what is left, and the remarks of both', () => {
    const command = deployment('web', "livenessProbe: { exec: { command: [''] }, timeoutSeconds: 5 }");
    const file = fixed(command, { advice: { ...advice, only: ['exec-command'] } });
    expect(file.left.map(({ check }) => check)).toEqual(['exec-command']);
    const anchored = deployment('web', 'x: &x { httpGet: { path: /l, port: htpp } }', 'livenessProbe: *x').replace(
      'containerPort: 80',
      'name: http, containerPort: 80',
    );
    const refused = fixed(anchored, { advice: { ...advice, only: ['named-port'] } });
    expect(refused.remarks.map((remark) => /no-endpoint|is not applied/.exec(remark)?.[0])).toEqual([
      'no-endpoint',
      'is not applied',
    ]);
  });
});
