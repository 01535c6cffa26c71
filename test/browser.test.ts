import { readdirSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { lintTable } from './support/lint-table.ts';

const files = lintTable.pureRooms
  .flatMap((room) =>
    readdirSync(`src/${room}`, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `src/${room}/${file}`),
  )
  .sort();

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
metadata: { name: web, labels: { app: web } }
spec:
  containers:
    - name: app
      image: web
      ports: [{ name: http, containerPort: 8080 }]
      livenessProbe: { httpGet: { path: /live, port: htpp } }
`;

const POLICY = `apiVersion: probewright.dev/v1alpha1
kind: ProbePolicy
metadata: { name: apps, namespace: apps }
spec: { kubernetesProbeEndpoints: { readinessProbe: /ready } }
`;

describe('the pure rooms', () => {
  it('load in a browser, every file of them', async () => {
    const bundle = await browserBundle(files.map((file) => `import './${file}';`).join('\n'));
    expect(() => runInContext(bundle, browserWorld()) as unknown).not.toThrow();
  });

  it('read a policy and a Pod, give the Pod its probes and judge it in a browser', async () => {
    const bundle = await browserBundle(`
      import { parseYamlDocuments } from './src/yaml/reading/documents.ts';
      import { CHECK_CATALOGUE } from './src/engine/checks/catalogue.ts';
      import { parseProbePolicy } from './src/engine/policy/read-policy.ts';
      import { Snapshot } from './src/engine/facts/snapshot.ts';
      import { POD_KIND } from './src/engine/workload/kinds.ts';
      import { judgeObject } from './src/engine/verdict/judge.ts';
      import { readPod } from './src/engine/workload/read-pod.ts';
      import { permittedDefaulting } from './src/engine/verdict/permitted-defaulting.ts';
      import { formatViolation } from './src/engine/checks/violation.ts';

      export function decide(policyText, podText) {
        const read = (text) => parseYamlDocuments('file.yaml', text).documents[0].value;
        const { policy } = parseProbePolicy(CHECK_CATALOGUE, read(policyText));
        const snapshot = Snapshot.of(CHECK_CATALOGUE, [policy]);
        const object = read(podText);
        const { injections } = permittedDefaulting(readPod(object, POD_KIND), snapshot.policyFor('apps', new Map()));
        const subject = { object, kind: POD_KIND, pods: [readPod(object, POD_KIND)], namespace: 'apps' };
        const { violations } = judgeObject(subject, snapshot, true);
        return JSON.stringify({ given: injections.map(({ kind }) => kind), denied: violations.filter(({ action }) => action === 'Deny').map(formatViolation) });
      }
    `);
    expect(bundle).not.toContain('Buffer.');
    const world = browserWorld();
    runInContext(bundle, world);
    const texts = [POLICY, MANIFEST].map((text) => JSON.stringify(text)).join(', ');
    const result = JSON.parse(String(runInContext(`probewright.decide(${texts})`, world))) as unknown;
    expect(result).toEqual({
      given: ['readinessProbe'],
      denied: [
        'spec.containers[0].livenessProbe.httpGet.port: container "app" declares no port named "htpp"; ' +
          'did you mean "http"? (named-port)',
      ],
    });
  });
});
