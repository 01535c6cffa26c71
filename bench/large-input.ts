import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LineCounter, parseAllDocuments } from 'yaml';
import { checkManifests } from '../src/cli/check/check-manifests.ts';
import { worldOf } from '../src/cli/input/world.ts';
import { KNOWN_KINDS } from '../src/engine/workload/kinds.ts';
import { judged, ratios, reading, type Findings } from './figures.ts';
import { timed } from './check.ts';
import { NOW } from '../test/support/now.ts';
import { memoryOf, type Sides } from './processes.ts';

/**
 * How `probewright check` reads much that it has no rule for, beside bare YAML parsing of all: what a fleet renders,
 * and a repository of OpenAPI files. A tenth of the fleet of issue 41 in files and documents, with its share of workloads.
 */
const FILES = 74;
const ROUNDS = 5;
const FLEET_GOAL = 0.55;
const OPENAPI_GOAL = 0.1;

interface BenchFile {
  readonly file: string;
  readonly text: string;
}

const WORDS = 'the desired state of this resource is observed by its controller and reported in the status'.split(' ');

/** Lines of text that differ. */
function prose(seed: number, lines: number, indent: string): string {
  const line = (index: number): string =>
    Array.from({ length: 10 }, (_, at) => WORDS[(seed * 7 + index * 13 + at * 5) % WORDS.length] ?? '').join(' ');
  return Array.from({ length: lines }, (_, index) => `${indent}${line(index)}\n`).join('');
}

function deployment(index: number): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-${index}
  labels: { app.kubernetes.io/name: web-${index}, helm.sh/chart: web-1.0.0 }
spec:
  replicas: 2
  selector:
    matchLabels: { app: web-${index} }
  template:
    metadata:
      labels: { app: web-${index} }
    spec:
      serviceAccountName: web
      securityContext: { runAsNonRoot: true }
      containers:
        - name: app
          image: registry.example.com/web:${index}
          ports:
            - { name: http, containerPort: 8080 }
          env:
${Array.from({ length: 50 }, (_, at) => `            - name: VARIABLE_${at}\n              value: "value ${at} of ${index}"\n`).join('')}          livenessProbe:
            httpGet: { path: /healthcheck/live, port: http }
          readinessProbe:
            httpGet: { path: /healthcheck/ready, port: http }
          resources:
            requests: { cpu: 100m, memory: 128Mi }
            limits: { memory: 256Mi }
          volumeMounts:
            - { name: tmp, mountPath: /tmp }
      volumes:
        - name: tmp
          emptyDir: {}
`;
}

function service(index: number): string {
  return `apiVersion: v1
kind: Service
metadata: { name: web-${index} }
spec:
  selector: { app: web-${index} }
  ports: [{ name: http, port: 80, targetPort: http }]
`;
}

function configMap(index: number): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: config-${index} }\ndata:\n  application.yaml: |\n${prose(index, 60, '    ')}`;
}

function role(index: number): string {
  const rules = Array.from(
    { length: 10 },
    (_, at) => `  - apiGroups: [apps]\n    resources: [kind${at}s]\n    verbs: [get, list, watch]\n`,
  );
  return `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: role-${index}\nrules:\n${rules.join('')}`;
}

function definition(index: number): string {
  const properties = Array.from(
    { length: 35 },
    (_, at) => `                field${at}:
                  description: |-
${prose(index + at, 2, '                    ')}                  type: object
                  properties:
                    name: { type: string, minLength: 1 }
                    mode:
                      type: string
                      default: auto
                      enum: [auto, manual]
                  required: [name]
`,
  );
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: kinds${index}.example.test
spec:
  group: example.test
  versions:
    - name: v1
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
${properties.join('')}`;
}

/** One rendered chart of the fleet: eight documents, three of which matter. */
const fleet = Array.from({ length: FILES }, (_, index): BenchFile => {
  const documents = [deployment, service, configMap, role, definition, configMap, role, deployment];
  return { file: `${index}.yaml`, text: documents.map((make, at) => `---\n${make(index * 8 + at)}`).join('') };
});

const openApi = Array.from({ length: 20 }, (_, index): BenchFile => {
  const paths = Array.from(
    { length: 150 },
    (_, at) => `  /things/${index}/${at}:
    get:
      summary: ${prose(at, 1, '').trim()}
      parameters:
        - name: id
          in: query
          schema: { type: string }
      responses:
        "200":
          description: done
          content:
            application/json:
              schema: { $ref: "#/components/schemas/Thing" }
`,
  );
  const text = `openapi: 3.0.3\ninfo:\n  title: things ${index}\n  version: 1.0.0\npaths:\n${paths.join('')}`;
  return { file: `api-${index}.yaml`, text };
});

function parse(texts: readonly BenchFile[]): number {
  let documents = 0;
  for (const { text } of texts) documents += parseAllDocuments(text, { lineCounter: new LineCounter() }).length;
  return documents;
}

function check(texts: readonly BenchFile[]): number {
  const found = texts.map((text) => ({ ...text, isFound: true }));
  const none = { texts: [], problems: [] };
  const settings = { namespace: 'default', kinds: KNOWN_KINDS, now: NOW, skipsOtherKinds: true };
  const { manifests, world } = worldOf({ texts: found, problems: [] }, none, settings);
  return checkManifests(manifests, world).summary.workloads;
}

/** 25 MB of workloads, as many charts render them. */
const WORKLOADS = 5_700;
const IN_A_FILE = 50;
const MEMORY_GOAL_MB = 300;

/** The most memory in MB that `check` of many workloads has, as a process of its own. */
async function memoryOfCheck(program: string): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-workloads-'));
  for (let first = 0; first < WORKLOADS; first += IN_A_FILE) {
    const documents = Array.from({ length: IN_A_FILE }, (_, at) => deployment(first + at));
    await writeFile(join(directory, `${first}.yaml`), documents.join('---\n'));
  }
  const child = spawn(process.execPath, [program, 'check', directory, '--no-project-file'], { stdio: 'ignore' });
  let most = 0;
  const look = setInterval(() => {
    try {
      // A process that is ending has no such line any more.
      most = Math.max(most, memoryOf(child.pid ?? 0, 'VmHWM') || 0);
    } catch {
      // It has ended.
    }
  }, LOOK_MILLISECONDS);
  await once(child, 'exit');
  clearInterval(look);
  await rm(directory, { recursive: true });
  return most / 1e6;
}

const LOOK_MILLISECONDS = 20;

/** Much input of which little matters, against parsing all of it. */
export async function checkLargeInputs({ program }: Pick<Sides, 'program'>): Promise<Findings> {
  const rows = [
    { name: 'a rendered fleet', texts: fleet, goal: FLEET_GOAL },
    { name: 'OpenAPI files', texts: openApi, goal: OPENAPI_GOAL },
  ].flatMap(({ name, texts, goal }) => {
    parse(texts);
    check(texts);
    const rounds = Array.from({ length: ROUNDS }, () => ({
      parse: timed(() => parse(texts)),
      check: timed(() => check(texts)),
    }));
    const parsing = rounds.map((round) => round.parse);
    const checking = rounds.map((round) => round.check);
    return [
      reading(`parsing ${name}`, parsing, ' ms'),
      reading(`check of ${name}`, checking, ' ms'),
      judged(`check / parsing, ${name}`, ratios(checking, parsing), { atMost: goal }),
    ];
  });
  const megabytes = (texts: readonly BenchFile[]): string =>
    (texts.reduce((sum, { text }) => sum + text.length, 0) / 1e6).toFixed(1);
  return {
    title: 'check of large inputs',
    how: `${fleet.length} rendered charts (${megabytes(fleet)} MB, ${check(fleet)} workloads among ${parse(fleet)} documents) and ${openApi.length} OpenAPI files (${megabytes(openApi)} MB), in processor time, in turns with bare YAML parsing with positions by the same library. Memory: of the production bundle, the most that the process had.`,
    rows: [
      ...rows,
      judged('memory of check, 25 MB of workloads', [await memoryOfCheck(program)], { atMost: MEMORY_GOAL_MB }, ' MB'),
    ],
  };
}
