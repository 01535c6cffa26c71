import { readFileSync } from 'node:fs';
import { startEditor } from '../test/cli/lsp/editor.ts';
import { judged, type Findings, type Row } from './figures.ts';
import { memoryOf, type Sides } from './processes.ts';

const DOCUMENTS = 143;
const LINES = 3_000;
const ROUNDS = 4;
const KEYS = 50;
const TICK = 10;

/** Goal of the editor: what a key costs in a file of many documents, and in one long document. */
export async function editor({ program }: Pick<Sides, 'program'>): Promise<Findings> {
  const many = Array.from({ length: DOCUMENTS }, (_, index) => deployment(index, 3)).join('---\n');
  const linesOfContainer = linesOf(deployment(0, 2)) - linesOf(deployment(0, 1));
  const long = deployment(0, Math.ceil(LINES / linesOfContainer));
  const ofMany = await keysIn(program, many);
  const ofLong = await keysIn(program, long);
  const key = (what: string, { times }: Keys, atMost: number): Row => judged(what, times, { atMost }, ' ms');
  return {
    title: 'Editor',
    how: `The production bundle as a language server, with a file of ${DOCUMENTS} documents (${linesOf(many)} lines), then of one document (${linesOf(long)} lines). Processor time of the server, ${ROUNDS} rounds of ${KEYS} keys, each answered before the next; the most memory that it had.`,
    rows: [
      key(`a key in one of ${DOCUMENTS} documents`, ofMany, 20),
      judged('memory of the server for editors', [ofMany.mebibytes], { atMost: 200 }, ' MiB'),
      key('a key in one long document', ofLong, 150),
    ],
  };
}

interface Keys {
  /** Milliseconds of processor time of a key, for each round. */
  readonly times: readonly number[];
  readonly mebibytes: number;
}

async function keysIn(program: string, start: string): Promise<Keys> {
  const { pid, open, change, shown, quit } = await startEditor({}, [], process.env, program);
  let text = start;
  await open('a.yaml', text);
  await shown('a.yaml');
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = processorTime(pid);
    for (let key = 1; key <= KEYS; key++) {
      const end = text.indexOf('\n', Math.floor((text.length * key) / (KEYS + 1)));
      text = `${text.slice(0, end)}x${text.slice(end)}`;
      await change('a.yaml', text);
      await shown('a.yaml');
    }
    times.push((processorTime(pid) - before) / KEYS);
  }
  const mebibytes = memoryOf(pid, 'VmHWM') / 1024 ** 2;
  await quit();
  return { times, mebibytes };
}

/** Milliseconds of a process and its threads, as proc(5) counts them in ticks. */
function processorTime(pid: number): number {
  const [, behindName = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = behindName.split(' ').slice(11, 13).map(Number);
  return ((user ?? NaN) + (system ?? NaN)) * TICK;
}

const linesOf = (text: string): number => text.split('\n').length - 1;

function deployment(index: number, containers: number): string {
  const container = (at: number): string => `        - name: c${at}
          image: registry.example.com/web:${at}
          command: [sh, -c, 'exec java -jar /app.jar --port=8080']
          ports:
            - name: http
              containerPort: ${8000 + (at % 1000)}
          env:
            - name: LEVEL
              value: info
          livenessProbe:
            httpGet:
              path: /live
              port: http
            timeoutSeconds: 5
          readinessProbe:
            httpGet:
              path: /ready
              port: http
`;
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-${index}
spec:
  selector:
    matchLabels:
      app: web-${index}
  template:
    metadata:
      labels:
        app: web-${index}
    spec:
      containers:
${Array.from({ length: containers }, (_, at) => container(at)).join('')}`;
}
