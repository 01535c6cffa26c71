import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runProbewright, type Ran } from '../run-probewright.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

let directory: string;

beforeEach(async () => {
  directory = await temporaryDirectory();
  await mkdir(join(directory, 'in'));
  const spec = '{ containers: ["*"], kubernetesProbeEndpoints: { readinessProbe: /r } }';
  const head = 'apiVersion: probewright.dev/v1alpha1\nkind: ClusterProbePolicy\nmetadata: { name: all }\n';
  await writeFile(join(directory, 'policy.yaml'), `${head}spec: ${spec}\n`);
});

/** Runs fix with a policy for readiness probes, without the lines about the other probes. */
async function fix(args: readonly string[], stdin?: string): Promise<Ran> {
  const given = ['fix', '--policies', join(directory, 'policy.yaml'), ...args];
  const ran = await runProbewright(given, { directory, ...(stdin !== undefined && { stdin }) });
  return { ...ran, stderr: ran.stderr.replace(/^.*\(no-endpoint\)\n/gm, '') };
}

/** The stream of files with these texts, by their order. */
async function streamOf(texts: readonly string[], ofDirectory: boolean): Promise<string> {
  const names = texts.map((_text, index) => join(directory, 'in', `${index}.yaml`));
  for (const [index, text] of texts.entries()) await writeFile(names[index] ?? '', text);
  return (await fix(ofDirectory ? [join(directory, 'in')] : names)).stdout;
}

const A = 'kind: ConfigMap\na: 1\n';
const B = 'kind: ConfigMap\nb: 2\n';

describe('files that are named', () => {
  it.each([
    ['plain documents', [A, B], `${A}---\n${B}`],
    ['a text without a line break at its end', [A.trimEnd(), B], `${A}---\n${B}`],
    ['a separator first', [A, `---\n${B}`], `${A}---\n${B}`],
    ['a separator below comments and empty lines', [A, `# c\n\n  # d\n---\n${B}`], `${A}# c\n\n  # d\n---\n${B}`],
    ['comments first', [A, `# c\n\n${B}`], `${A}---\n# c\n\n${B}`],
    ['a separator at the end', [A, `${B}---\n`], `${A}---\n${B}---\n`],
    ['directives', [A, `%YAML 1.1\n---\n${B}`], `${A}...\n%YAML 1.1\n---\n${B}`],
    ['an empty file first', ['', B], B],
    ['an empty file last', [A, ''], `${A}---\n`],
  ])('are one stream with separators between them: %s', async (_name, texts, stream) => {
    expect(await streamOf(texts, false)).toBe(stream);
  });
});

describe('files of a directory', () => {
  const source = (index: number): string => `# Source: DIR/in/${index}.yaml\n`;

  it.each([
    ['plain documents', [A, B], `${source(0)}${A}---\n${source(1)}${B}`],
    ['separators first', [`---\n${A}`, `--- \r\n${B}`], `---\n${source(0)}${A}--- \r\n${source(1)}${B}`],
    ['a byte order mark', [A, `\uFEFF${B}`], `${source(0)}${A}---\n${source(1)}${B}`],
    ['a byte order mark before a separator', [A, `\uFEFF---\n${B}`], `${source(0)}${A}---\n${source(1)}${B}`],
    ['directives', [A, `%YAML 1.1\n---\n${B}`], `${source(0)}${A}...\n${source(1)}%YAML 1.1\n---\n${B}`],
    ['no line break at the end', [A.trimEnd(), B], `${source(0)}${A}---\n${source(1)}${B}`],
  ])('have a comment with their names below the separator: %s', async (_name, texts, stream) => {
    expect(await streamOf(texts, true)).toBe(stream);
  });
});

const pod = (probe = ''): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: { name: web, labels: { a: b } }\nspec:\n  containers:\n    - name: app\n      ports: [{ containerPort: 80 }]\n${probe}`;
const PROBE = '      readinessProbe: { tcpSocket: { port: 80 } }\n';
const ADDED = '      readinessProbe:\n        httpGet:\n          path: /r\n          port: 80\n';

describe('standard input', () => {
  it('is printed whole, also where a tool rendered it', async () => {
    const text = `# Source: chart/web.yaml\n${pod()}`;
    expect(await fix(['-'], text)).toEqual({ code: 0, stdout: text + ADDED, stderr: '' });
  });

  it('may be one of several files', async () => {
    await writeFile(join(directory, 'in/a.yaml'), A);
    expect((await fix([join(directory, 'in/a.yaml'), '-'], B)).stdout).toBe(`${A}---\n${B}`);
  });

  it('has edits by hand in place of a diff where a tool rendered it', async () => {
    const { code, stdout, stderr } = await fix(['-', '--diff'], `# Source: chart/web.yaml\n${pod()}`);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      'chart/web.yaml: Pod default/web: spec.containers[0].readinessProbe: write {"httpGet":{"path":"/r","port":80}} in the template\n' +
        '1 edit is left to be made by hand: 1 in chart/web.yaml\n',
    );
  });

  it.each([
    ['--write', ['--write']],
    ['--output-dir', ['--output-dir', 'out']],
  ])('has no file to write with %s', async (flag, args) => {
    expect(await fix(['-', ...args], pod())).toEqual({
      code: 2,
      stdout: '',
      stderr: `probewright fix: ${flag}: standard input (-) has no file to write; name files\n`,
    });
  });
});

describe('a run that adds no probe', () => {
  it('says why: the manifests have the probe', async () => {
    const none = (containers: string): string =>
      `probewright fix: the policies add no readinessProbe to ${containers}: the manifests have one\n`;
    expect(await fix(['-'], pod(PROBE))).toMatchObject({ code: 0, stdout: pod(PROBE), stderr: none('1 container') });
    expect((await fix(['-'], `${pod(PROBE)}---\n${pod(PROBE)}`)).stderr).toBe(none('2 containers'));
  });

  it('says why: there is no container', async () => {
    const none = 'probewright fix: the inputs have no container, so no probe is added\n';
    expect(await fix(['-'], A)).toEqual({ code: 0, stdout: A, stderr: none });
  });

  it('says nothing of the kind when a probe is added, or an input cannot be read', async () => {
    expect((await fix(['-'], pod())).stderr).toBe('');
    const { code, stderr } = await fix([join(directory, 'missing.yaml')]);
    expect(code).toBe(2);
    expect(stderr).not.toContain('no container');
  });
});

describe('JSON', () => {
  it('is one list of the objects of all files', async () => {
    await writeFile(join(directory, 'in/a.yaml'), `apiVersion: v1\n${A}`);
    const { code, stdout } = await fix(['--output', 'json', join(directory, 'in'), '-'], pod());
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      apiVersion: 'v1',
      kind: 'List',
      items: [
        { apiVersion: 'v1', kind: 'ConfigMap', a: 1 },
        expect.objectContaining({
          spec: {
            containers: [
              { name: 'app', ports: [{ containerPort: 80 }], readinessProbe: { httpGet: { path: '/r', port: 80 } } },
            ],
          },
        }),
      ],
    });
    expect(stdout.startsWith('{\n  "apiVersion": "v1",\n')).toBe(true);
  });
});
