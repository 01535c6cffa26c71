import { objectMember, stringMember, type JsonObject } from '../../src/base/json/json-value.ts';
import { scriptsOf, type RecordedCase, type Script } from './recordings.ts';
import type { Answer, ContainerTruth, Fault, PodTruth, ProbeType, StartTruth } from './truth.ts';

const PROBE_FIELDS = { startup: 'startupProbe', liveness: 'livenessProbe', readiness: 'readinessProbe' } as const;

/** The truth of a recorded Pod, so that the simulation does with the Pod what the real kubelet did. */
export function recordedTruth({ pod }: RecordedCase, createdAt: number, seconds: number): PodTruth {
  const metadata = objectMember(pod, 'metadata') ?? {};
  const spec = objectMember(pod, 'spec') ?? {};
  const all = [spec['initContainers'], spec['containers']].flatMap((list) => (list ?? []) as JsonObject[]);
  const containers = Object.fromEntries(
    all.map((one): [string, ContainerTruth] => {
      const name = stringMember(one, 'name') ?? '';
      const scripts = scriptsOf(pod, name);
      return [name, { starts: (scripts.length > 0 ? scripts : [{}]).map((run) => startTruth(run, one)) }];
    }),
  );
  const uid = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
  return { pod: { ...pod, metadata: { ...metadata, uid } }, createdAt, until: seconds, containers };
}

function startTruth(script: Script, container: JsonObject): StartTruth {
  const { listenAt = 0, exitAt, exitCode, termDelay, ignoreTerm = false, closeAt, reopenAt = Infinity } = script;
  const closed: Fault[] =
    closeAt === undefined ? [] : [{ from: closeAt, until: reopenAt, answer: { kind: 'refused' } }];
  const faults = (['startup', 'liveness', 'readiness'] as const).flatMap((type) => faultsOf(script, container, type));
  const hook = script.phases?.['exec:prestop']?.[0]?.[1];
  return {
    answersFrom: listenAt,
    faults: [
      ...closed,
      ...faults.filter(({ until }) => until > listenAt).map((one) => ({ ...one, from: Math.max(one.from, listenAt) })),
    ],
    ...(exitAt !== undefined && { endsAt: exitAt }),
    ...(exitCode !== undefined && { exitCode }),
    ...(script.termCode !== undefined && { stopCode: script.termCode }),
    stopSeconds: ignoreTerm ? 3600 : (termDelay ?? 0.01),
    whileStopping: { kind: ignoreTerm || termDelay !== undefined ? 'ok' : 'refused' },
    ...(hook !== undefined && { preStopSeconds: hook === 'hang' ? 3600 : Number(/slow:(\d+)/.exec(hook)?.[1] ?? 0) }),
  };
}

/** What the script answers to a probe, phase by phase. */
function faultsOf({ kind, phases = {} }: Script, container: JsonObject, type: ProbeType): Fault[] {
  const probe = objectMember(container, PROBE_FIELDS[type]);
  if (probe === undefined) return [];
  const letter = type.charAt(0);
  const path = stringMember(objectMember(probe, 'httpGet') ?? {}, 'path') ?? '';
  const key = 'exec' in probe ? `exec:${letter}` : 'grpc' in probe ? `grpc:${letter}` : path;
  const answers = kind === 'grpc-nohealth' ? [[0, 'nohealth'] as const] : (phases[key] ?? phases['*'] ?? []);
  const isTls = objectMember(probe, 'httpGet')?.['scheme'] === 'HTTPS';
  return answers.map(([from, answer], index) => ({
    from,
    until: answers[index + 1]?.[0] ?? Infinity,
    answer: isTls && kind === 'http' ? { kind: 'http-to-https' } : answerOf(answer, letter),
    probes: [type],
  }));
}

function answerOf(answer: string, letter: string): Answer {
  const known: Readonly<Record<string, Answer>> = {
    hang: { kind: 'hang' },
    bodyhang: { kind: 'body-hangs' },
    eof: { kind: 'closed' },
    reset: { kind: 'reset' },
    notfound: { kind: 'command-missing' },
    NOT_SERVING: { kind: 'not-serving' },
    nohealth: { kind: 'status', status: 404 },
    exit1: { kind: 'exit', code: 1, output: `out of ${letter}\n` },
  };
  if (answer.startsWith('redirect:http')) return { kind: 'redirected-away' };
  if (/^[45]\d\d$/.test(answer)) return { kind: 'status', status: Number(answer) };
  const slow = /^slow:(\d+):/.exec(answer)?.[1];
  return known[answer] ?? { kind: 'ok', ...(slow !== undefined && { seconds: Number(slow) }) };
}
