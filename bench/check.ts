import { LineCounter, parseAllDocuments } from 'yaml';
import { checkManifests as checkAll } from '../src/cli/check/check-manifests.ts';
import { worldOf } from '../src/cli/input/world.ts';
import { KNOWN_KINDS } from '../src/engine/workload/kinds.ts';
import { judged, ratios, reading, type Findings } from './figures.ts';
import { NOW } from '../test/support/now.ts';

/**
 * How `probewright check` compares with bare YAML parsing with positions, on the same 1,000 manifests, run in turns.
 */
const MANIFESTS = 1000;
const ROUNDS = 7;
const GOAL = 2;

const manifest = (index: number): string => `# manifest ${index}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-${index}
  namespace: team-${index % 40}
  labels: { app: web-${index}, team: "${index % 40}" }
spec:
  replicas: 3
  selector:
    matchLabels: { app: web-${index} }
  template:
    metadata:
      labels: { app: web-${index} }
    spec:
      terminationGracePeriodSeconds: 30
      containers:
        - name: app
          image: registry.example.com/web:${index}
          ports:
            - { name: http, containerPort: 8080 }
            - { name: metrics, containerPort: 9394 }
          env:
            - { name: PORT, value: "8080" }
            - name: SECRET
              valueFrom: { secretKeyRef: { name: web, key: secret } }
          livenessProbe:
            httpGet: { path: /healthcheck/live, port: http }
            periodSeconds: 5
            failureThreshold: 3
          readinessProbe:
            httpGet: { path: /healthcheck/ready, port: ${index % 10 === 0 ? 'htpp' : 'http'} }
            periodSeconds: 5
          startupProbe:
            httpGet: { path: /healthcheck/live, port: http }
            periodSeconds: 2
            failureThreshold: 15
          resources:
            requests: { cpu: 100m, memory: 128Mi }
            limits: { memory: 256Mi }
        - name: nginx
          image: registry.example.com/nginx:1
          ports: [{ name: web, containerPort: 8443 }]
      volumes:
        - name: tmp
          emptyDir: {}
`;

const texts = Array.from({ length: MANIFESTS }, (_, index) => ({ file: `${index}.yaml`, text: manifest(index) }));

function parse(): number {
  let documents = 0;
  for (const { text } of texts) {
    const lineCounter = new LineCounter();
    for (const document of parseAllDocuments(text, { lineCounter })) documents += document.toJS() === null ? 0 : 1;
  }
  return documents;
}

function check(): number {
  const manifests = { texts, problems: [] };
  const none = { texts: [], problems: [] };
  const given = worldOf(manifests, none, { namespace: 'default', kinds: KNOWN_KINDS, now: NOW });
  return checkAll(given.manifests, given.world).violations.filter(({ action }) => action === 'Deny').length;
}

/** Milliseconds of processor time. */
export function timed(run: () => number): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** Goal 5: `check`, against parsing the same manifests. */
export function checkManifests(): Findings {
  parse();
  check();
  const rounds = Array.from({ length: ROUNDS }, () => ({ parse: timed(parse), check: timed(check) }));
  const parsing = rounds.map((round) => round.parse);
  const checking = rounds.map((round) => round.check);
  return {
    title: 'check',
    how: `${MANIFESTS} manifests, ${check()} of them denied, in processor time: \`check\` in one process, in turns with bare YAML parsing with positions by the same library.`,
    rows: [
      reading('parsing', parsing, ' ms'),
      reading('check', checking, ' ms'),
      judged('check / parsing', ratios(checking, parsing), { atMost: GOAL }),
    ],
  };
}
