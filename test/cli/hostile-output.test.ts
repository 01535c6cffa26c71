import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatPath } from '../../src/base/json/field-path.ts';
import { githubReport } from '../../src/cli/check/github.ts';
import { jsonReport } from '../../src/cli/check/json.ts';
import { junitReport } from '../../src/cli/check/junit.ts';
import { checkUrl } from '../../src/engine/checks/violation.ts';
import { sarifReport } from '../../src/cli/check/sarif.ts';
import { textReport } from '../../src/cli/check/text.ts';
import { expectHarmless, HOSTILE, HOSTILE_FILE_NAME } from '../support/hostile-text.ts';
import { NO_COVERAGE } from './no-coverage.ts';
import { runProbewright, type Ran } from './run-probewright.ts';
import { PLAIN } from '../../src/cli/output/screen.ts';
import { shownReport, type ShownReport } from '../../src/cli/check/report.ts';

const H = HOSTILE;
const metadata = { name: H, namespace: H, labels: { [H]: H } };

/** A workload with a hostile text wherever one can stand. */
const workload = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata,
  spec: {
    template: {
      metadata: {
        labels: { [H]: H },
        annotations: {
          [`probewright.dev/${H}`]: H,
          'probewright.dev/containers': H,
          'probewright.dev/skip': H,
          'probewright.dev/liveness-path': H,
          'probewright.dev/startup-seconds': H,
          'kubectl.kubernetes.io/default-container': H,
        },
      },
      spec: {
        containers: [
          {
            name: H,
            image: H,
            ports: [{ name: H, containerPort: 80, protocol: H }],
            [`livenessProbe${H}`]: {},
            livenessProbe: {
              [H]: H,
              httpGet: { path: H, port: H, host: H, scheme: H, httpHeaders: [{ name: H, value: H, [H]: H }], [H]: H },
            },
            readinessProbe: { exec: { command: [H, H] }, periodSeconds: H },
            startupProbe: { grpc: { port: H, service: H } },
          },
          {
            name: 'app',
            ports: [{ name: 'http', containerPort: 80 }],
            livenessProbe: { httpGet: { path: `/${H}`, port: 'htpp' } },
          },
          { name: `b${H}`, livenessProbe: { exec: { command: ['sh', '-c', `curl ${H}`] } } },
        ],
      },
    },
  },
};

const policy = {
  apiVersion: 'probewright.dev/v1alpha1',
  kind: 'ProbePolicy',
  metadata,
  spec: {
    [H]: H,
    containers: [H, H],
    selector: { matchLabels: { [H]: H } },
    probes: { livenessProbe: { [H]: H, httpGet: { path: H, port: H, host: H, httpHeaders: [{ name: H, value: H }] } } },
    checks: { [H]: { action: H }, 'exec-forbidden': { action: 'Deny', names: [H] } },
  },
};

const good = {
  apiVersion: 'probewright.dev/v1alpha1',
  kind: 'ClusterProbePolicy',
  metadata: { name: 'good' },
  spec: {
    kubernetesProbeEndpoints: { readinessProbe: '/r' },
    checks: { 'exec-forbidden': { action: 'Warn', names: ['curl'] }, 'required-startup': { action: 'Audit' } },
  },
};

/** Faults of the text itself, whose messages quote it; the raw characters are those that YAML takes. */
const FAULTY = [
  `kind: Pod\n${JSON.stringify(H)}: 1\n${JSON.stringify(H)}: 2\n`,
  'a: *\u202e##[error]x\n',
  'a: !!int "\u009b\u202e##[x]"\n',
  '\u202e##[a]: [\u009b\n',
  '- &\u2066 [ *\u2066 ]\n',
  `{"a": ${JSON.stringify(H)}`,
  '"\\ud83d ::error::x": &a [*a]\n',
  '%\u202e ::error::\n---\n? {a: ##[b]}\n',
].join('---\n');

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'probewright-hostile-'));
  await mkdir(join(directory, 'in', HOSTILE_FILE_NAME), { recursive: true });
  await writeFile(join(directory, 'in', HOSTILE_FILE_NAME, `${HOSTILE_FILE_NAME}.json`), JSON.stringify(workload));
  await writeFile(join(directory, 'in', '::error::x.yaml'), FAULTY);
  await writeFile(join(directory, 'in', 'latin.yaml'), Buffer.from('apiVersion: v1\nkind: Pod # \xfc', 'latin1'));
  await mkdir(join(directory, 'bad'));
  await writeFile(join(directory, 'bad', `${HOSTILE_FILE_NAME}.json`), JSON.stringify(policy));
  await writeFile(join(directory, 'bad', 'faulty.yaml'), FAULTY);
  await mkdir(join(directory, 'good'));
  await writeFile(join(directory, 'good', `${HOSTILE_FILE_NAME}.json`), JSON.stringify(good));
  await writeFile(join(directory, 'kinds.json'), JSON.stringify([{ [H]: H, group: H, kind: H, podTemplatePath: H }]));
});

afterAll(async () => {
  await rm(directory, { recursive: true });
});

const at = (name: string): string => join(directory, name);

async function probewright(...args: string[]): Promise<Ran> {
  const ran = await runProbewright(args, { stdin: JSON.stringify(workload) });
  expectHarmless(ran.stderr);
  return ran;
}

describe('what a tenant writes commands no terminal and no CI host', () => {
  describe.each(['good', 'bad'])('with %s policies', (policies) => {
    it.each(['text', 'json', 'sarif', 'junit', 'gitlab', 'markdown'])('by check --output %s', async (output) => {
      for (const input of [at('in'), '-']) {
        const { stdout } = await probewright('check', input, '--policies', at(policies), '--output', output);
        expectHarmless(stdout);
        expect(stdout).toContain('named-port');
      }
    });

    it('by check --output github, whose lines are all its own', async () => {
      const { stdout } = await probewright('check', at('in'), '--policies', at(policies), '--output', 'github');
      const lines = stdout.trimEnd().split('\n');
      expect(lines.length).toBeGreaterThan(5);
      for (const line of lines) {
        expect(line).toMatch(
          /^::(error|warning|notice) file=[^:,]*,line=\d+,col=\d+,title=([a-z-]+::[A-Z]\w+ |probewright::)/,
        );
        expectHarmless(line.replace(/^::/, ''));
        expect(line).not.toMatch(/%(?!25|3A|2C)/);
      }
    });

    it('by the messages of fix', async () => {
      const { stderr } = await probewright('fix', at('in'), '--policies', at(policies));
      expect(stderr.split('\n').length).toBeGreaterThan(5);
      const { stdout } = await probewright('fix', at('in'), '--policies', at(policies), '--output', 'json');
      expectHarmless(stdout);
    });

    it.each(['text', 'json', 'markdown'])('by plan --output %s', async (output) => {
      const { code, stdout } = await probewright('plan', at('in'), '--policies', at(policies), '--output', output);
      expectHarmless(stdout);
      expect({ code, isEmpty: stdout === '' }).toEqual({ code: 2, isEmpty: policies === 'bad' });
    });

    it('by explain', async () => {
      const { stdout } = await probewright('explain', at('in'), '--policies', at(policies));
      expect(stdout).toContain('livenessProbe');
      expectHarmless(stdout);
    });

    it('by the pictures of explain', async () => {
      const { stdout } = await probewright(
        ...[
          'explain',
          at('in'),
          '--policies',
          at(policies),
          '--output',
          'svg',
          '--output-dir',
          at(`pictures-${policies}`),
        ],
      );
      expectHarmless(stdout);
      const pictures = await readdir(at(`pictures-${policies}`));
      expect(pictures.length).toBeGreaterThan(0);
      for (const picture of pictures) {
        const svg = await readFile(join(at(`pictures-${policies}`), picture), 'utf8');
        expectHarmless(svg);
        // The first style sheet is our own, and holds nothing of the input.
        const rest = svg.replace(/<style>@media [\w():;,.{}#-]*<\/style>/, '');
        expect(rest).not.toMatch(/<(?!\/?(?:svg|title|desc|defs|pattern|rect|path|text|tspan|g|line)\b)|href|script>/);
      }
    });
  });

  it('by policies and kinds that cannot be read', async () => {
    for (const args of [
      ['serve', '--policies', at('bad'), '--port', '0', '--health-port', '0'],
      ['check', '-', '--workload-kinds', at('kinds.json')],
      ['explain', '-', '--workload-kinds', at('kinds.json')],
    ]) {
      const { code, stderr } = await probewright(...args);
      expect(code).toBe(2);
      expect(stderr.split('\n').length).toBeGreaterThan(2);
    }
  });

  it.each(['check', 'fix', 'explain', 'plan', 'serve', ''])('by the command line of %s', async (command) => {
    const args = [`--${H}`, H, '--output', H, '--policies', `${H}/x`, '--enforcement', H, '--namespace', H];
    const { code, stderr } = await probewright(...(command === '' ? [H] : [command, ...args]));
    expect(code).toBe(2);
    expect(stderr).toContain('\\u001b');
  });

  it('by names of files that are not there', async () => {
    for (const command of ['check', 'explain', 'fix']) {
      const { code, stderr } = await probewright(command, '::error::gone', `${H}.yaml`, '--policies', at('good'));
      expect(code).toBe(2);
      expect(stderr).toContain('\\u003a:error::gone:1:1: cannot be read');
    }
  });
});

describe('the formats of check', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constant(H),
    fc.constantFrom('::error::', '##[x]', ']]>', '%0A'),
  );
  const violation = fc.record({
    ...{
      check: fc.constantFrom('named-port', 'valid-probe'),
      action: fc.constantFrom('Deny' as const, 'Warn' as const),
    },
    ...{ container: text, path: fc.tuple(text), message: text, file: text, kind: text, namespace: text, name: text },
    ...{ line: fc.nat(), column: fc.nat() },
  });
  const problem = fc.record({ file: text, line: fc.nat(), column: fc.nat(), message: text });
  const reports = fc
    .tuple(fc.array(violation, { minLength: 1, maxLength: 4 }), fc.array(problem, { maxLength: 2 }))
    .map(([violations, problems]): ShownReport =>
      shownReport(
        {
          violations,
          summary: { objects: 1, workloads: 1, coverage: NO_COVERAGE },
          warnings: [],
          problems,
        },
        { minLevel: 'note', only: [], skip: [] },
      ),
    );

  /** Emoji may hold a joiner. */
  const harmless = (output: string): void =>
    expectHarmless(output.replace(/(\p{Extended_Pictographic})[\ufe0f\u200d]/gu, '$1'));

  it('hold one line for each violation and input error, whatever it says', () =>
    fc.assert(
      fc.property(reports, (report) => {
        const { length } = report.violations;
        const plain = textReport(report, { columns: undefined, paint: PLAIN });
        harmless(plain);
        const [findings = ''] = plain.split('\n\nFindings by check:\n');
        expect(findings.split('\n')).toHaveLength(length);
        const terminal = textReport(report, { columns: 30, paint: PLAIN });
        harmless(terminal);
        expect(terminal.match(/^ +(?:\d+:\d+ {2})?(?:error|warning) /gm)).toHaveLength(length);
        const github = githubReport(report);
        expect(github.split('\n')).toHaveLength(length + report.problems.length + 1);
        harmless(github.replaceAll(/^::(error|warning)/gm, ''));
        const junit = junitReport(report);
        harmless(junit);
        expect(junit.match(/<testcase /g)).toHaveLength(length + report.problems.length);
        expect(junit).toMatch(/^[\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u);
      }),
    ));

  it('hold the very values as JSON, and visible ones as SARIF', () =>
    fc.assert(
      fc.property(reports, (report) => {
        const json = jsonReport(report);
        harmless(json);
        const printed = report.violations.map((found) => ({
          ...found,
          path: formatPath(found.path),
          url: checkUrl(found.check),
        }));
        expect(JSON.parse(json)).toMatchObject({ violations: printed, problems: report.problems });
        const sarif = sarifReport(report);
        harmless(sarif);
        const { runs } = JSON.parse(sarif) as {
          runs: [{ results: { message: { text: string }; locations: [Place] }[] }];
        };
        for (const { message, locations } of runs[0].results) {
          harmless(message.text);
          const { uri } = locations[0].physicalLocation.artifactLocation;
          expect(uri).toMatch(/^(?:file:\/\/(?=\/))?(?!\/\/)[\w.!~*'()%/-]*$/);
          expect(() => decodeURIComponent(uri)).not.toThrow();
        }
      }),
    ));
});

interface Place {
  readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } };
}
