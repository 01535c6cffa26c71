import { beforeEach, describe, expect, it } from 'vitest';
import { runProbewright, type Ran } from '../run-probewright.ts';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

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

describe('probewright check', () => {
  it('finds nothing in the examples of this repository, not even a note, but for the one with a typo', async () => {
    const args = ['examples', '--policies', 'examples/policies', '--min-level', 'note'];
    // test/docs/library.test.ts judges the library.
    args.push('--exclude', 'typo.yaml', '--exclude', 'library');
    const { code, stdout, stderr } = await runProbewright(['check', ...args], { stdin: '', directory });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/: 0 errors, 0 warnings, 0 notes\n$/);
  });

  it.each([
    ['sarif', 'sarif.json'],
    ['junit', 'xml'],
    ['github', 'txt'],
    ['gitlab', 'gitlab.json'],
    ['markdown', 'md'],
  ])('writes %s as on record', async (output, ending) => {
    const { stdout } = await check(`${misspelt}---\n${clean}`, '--output', output);
    await expect(stdout).toMatchFileSnapshot(`../../golden/check/report.${ending}`);
  });
});

describe('the exit code of check', () => {
  const warning = manifest(`          livenessProbe:
            exec: { command: [/x] }
            timeoutSeconds: 5
            periodSeconds: 2
            failureThreshold: 9
          readinessProbe:
            httpGet: { path: /, port: http }
`);
  const withoutEffect = clean.replace('labels: { app: web }', 'annotations: { probewright.dev/skip: everything }');

  it.each([
    ['nothing is found', clean, [], 0],
    ['one violation is denied', misspelt, [], 1],
    ['there is a warning', warning, [], 0],
    ['there is a warning, with --strict', warning, ['--strict'], 1],
    ['an annotation has no effect', withoutEffect, [], 0],
    ['an annotation has no effect, with --strict', withoutEffect, ['--strict'], 1],
    ['a warning is hidden, with --strict', warning, ['--strict', '--min-level', 'error'], 0],
    ['a denial is audited only', misspelt, ['--enforcement', 'Audit'], 0],
    ['a comment ignores the violation', `# probewright: ignore named-port - a webhook adds it\n${misspelt}`, [], 0],
    ['nothing is ignored', `# probewright: ignore named-port - ours\n${misspelt}`, ['--no-ignore'], 1],
    ['the input is no YAML', 'a: [', [], 2],
    ['no input has an object', '# nothing\n', [], 2],
    ['no input has an object, with --allow-empty', '# nothing\n', ['--allow-empty'], 0],
  ])('when %s', async (_, text, flags, code) => {
    expect((await check(text, ...flags)).code).toBe(code);
  });

  it('is 1 for a manifest below a directory that cannot be read, and 2 for a policy', async () => {
    await writeFile(join(directory, 'bad.yaml'), 'apiVersion: apps/v1\nkind: Deployment\nmetadata: [\n');
    expect((await check(clean, '-', directory)).code).toBe(1);
    const policies = join(directory, 'bad.yaml');
    expect((await check(clean, '--policies', policies)).code).toBe(2);
  });

  it('is 2 for a baseline that cannot be read, after the problems of the inputs', async () => {
    const { code, stdout, stderr } = await check('a: [', '--baseline', join(directory, 'gone.json'));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^DIR\/gone\.json: cannot be read: .*\n<stdin>:/);
  });
});

describe('inputs without an object', () => {
  it('are told once for each input, with the flag that accepts them', async () => {
    await writeFile(join(directory, 'empty.yaml'), '# nothing\n');
    const { stderr } = await check('# nothing\n', '-', join(directory, 'empty.yaml'));
    const told = 'has no Kubernetes object, so nothing is checked; --allow-empty accepts that';
    expect(stderr).toBe(`<stdin>:1:1: ${told}\nDIR/empty.yaml:1:1: ${told}\n`);
  });

  it('are not told beside an input that cannot be read, nor beside an object that is no workload', async () => {
    const { stderr } = await check('# nothing\n', '-', join(directory, 'gone.yaml'));
    expect(stderr).not.toContain('--allow-empty');
    const service = 'apiVersion: v1\nkind: Service\nmetadata: { name: web }\n';
    expect(await check(service)).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('the progress of check', () => {
  it('is gone from a terminal when the report is printed', async () => {
    let clock = 0;
    const { stderr } = await runProbewright(['check', '-'], {
      stdin: Array(30).fill(clean).join('---\n'),
      columns: 80,
      monotonic: () => (clock += 1000),
    });
    expect(stderr).toContain('checking');
    expect(stderr.endsWith('\r\u001b[K')).toBe(true);
  });
});
