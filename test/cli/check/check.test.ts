import { beforeEach, describe, expect, it } from 'vitest';
import { runProbewright, type Ran } from '../run-probewright.ts';
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
