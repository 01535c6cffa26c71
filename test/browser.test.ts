import { readdirSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

/** The rooms that ARCHITECTURE.md calls pure. */
const PURE_ROOMS = [
  'text',
  'json',
  'command-line',
  'probes',
  'workload',
  'policy',
  'yaml',
  'facts',
  'checks',
  'defaulting',
  'verdict',
  'timeline',
  'drawing',
  'admission',
];

const files = PURE_ROOMS.flatMap((room) =>
  readdirSync(`src/${room}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `src/${room}/${file}`),
).sort();

/** One program of these modules for a browser, as text. It fails where a module of Node is imported. */
async function browserBundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: '.', loader: 'ts' },
    bundle: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'probewright',
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

/** What a browser gives a program, and nothing of Node: no `process`, no `Buffer`. */
function browserWorld(): object {
  return createContext({ TextEncoder, TextDecoder, atob, btoa });
}

const MANIFEST = `apiVersion: v1
kind: Pod
metadata: { name: web }
spec:
  containers:
    - name: app
      image: web
      ports: [{ name: http, containerPort: 8080 }]
      livenessProbe: { httpGet: { path: /live, port: htpp } }
`;

describe('the pure rooms', () => {
  it('load in a browser, every file of them', async () => {
    const bundle = await browserBundle(files.map((file) => `import './${file}';`).join('\n'));
    expect(() => runInContext(bundle, browserWorld()) as unknown).not.toThrow();
  });

  it('read YAML, judge it and give what is missing in a browser', async () => {
    const bundle = await browserBundle(`
      import { parseYamlDocuments } from './src/yaml/reading/documents.ts';
      import { parseProbePolicy } from './src/policy/probe-policy.ts';
      import { PolicySet } from './src/policy/policy-set.ts';
      import { judge } from './src/verdict/judge.ts';
      export { parseYamlDocuments, parseProbePolicy, PolicySet, judge };
    `);
    expect(bundle).not.toContain('Buffer.');
    const world = browserWorld();
    runInContext(bundle, world);
    const result: unknown = runInContext(
      `probewright.parseYamlDocuments('pod.yaml', ${JSON.stringify(MANIFEST)}).documents[0].value.spec.containers[0].name`,
      world,
    );
    expect(result).toBe('app');
  });
});
