import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import jsonPatch from 'fast-json-patch';
import { parse } from 'yaml';
import { mutate, validate } from '../support/decisions.ts';
import { parseBody } from '../../src/webhook/review/body.ts';
import { decodeReview } from '../../src/webhook/review/review.ts';
import { runCommandLine } from '../../src/cli/commands.ts';
import { mergeLayers } from '../../src/engine/policy/container-policy.ts';
import { builtInPolicy, mergeChecks } from '../../src/engine/policy/check-policy.ts';
import { parseProbePolicy } from '../../src/engine/policy/read-policy.ts';
import type { ProbePolicy } from '../../src/engine/policy/probe-policy.ts';
import { Snapshot } from '../../src/engine/facts/snapshot.ts';
import { readPolicyDocuments } from '../../src/cli/input/world.ts';
import { KNOWN_KINDS } from '../../src/engine/workload/kinds.ts';
import { DEFAULT_TRUSTED_CONTROLLERS } from '../../src/webhook/review/trusted-controllers.ts';
import { NOW } from '../support/now.ts';
import type { Operation } from 'fast-json-patch';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import type { CommandIo } from '../../src/cli/io.ts';

/** What a hostile text can be given to. */
export const CALLS = ['review', 'policy', 'policy file', 'check', 'fix', 'explain'] as const;
export type CallName = (typeof CALLS)[number];

/** What came of a call; whatever is thrown is a crash. */
export interface Outcome {
  /** In one word. */
  readonly verdict: string;
  /** Replies to hold to the protocol. */
  readonly replies?: readonly Reply[];
  /** The slowest of several decisions, in milliseconds: each is a request of its own to a server. */
  readonly slowest?: number;
}

interface Reply {
  readonly webhook: 'mutate' | 'validate';
  readonly uid: string;
  readonly text: string;
}

const root = join(import.meta.dirname, '../..');
const examples = join(root, 'examples/policies');

/** Every check at work, with parameters that are lists of texts, and every sort of probe to add. */
const everything = policy({
  kind: 'ClusterProbePolicy',
  metadata: { name: 'everything' },
  spec: {
    containers: ['*'],
    kubernetesProbeEndpoints: { startupProbe: '/s', livenessProbe: '/l', readinessProbe: '/r' },
    slowStart: { fromInitialDelaySeconds: 1 },
    checks: {
      'required-liveness': { action: 'Warn', containers: 'all', sidecars: true },
      'required-any': { action: 'Audit' },
      'identical-probes': { action: 'Warn' },
      'probe-handler': { action: 'Warn', allowed: ['httpGet'] },
      'probe-bounds': { action: 'Deny', livenessProbe: { periodSeconds: { minimum: 5 } } },
      'exec-forbidden': { action: 'Deny', names: ['ls', 'a'.repeat(40), '(a+)+$'] },
      'dependency-liveness': { action: 'Warn', paths: ['/health', '(a+)+$'], additionalPaths: ['/db'] },
    },
  },
});

const sets: readonly Snapshot[] = [
  Snapshot.of(CHECK_CATALOGUE, []),
  Snapshot.of(CHECK_CATALOGUE, [everything]),
  Snapshot.of(
    CHECK_CATALOGUE,
    readPolicyDocuments(
      readdirSync(examples).map((file) => ({ file, text: readFileSync(join(examples, file), 'utf8') })),
    ).policies,
  ),
];

function policy(document: object): ProbePolicy {
  const parsed = parseProbePolicy(CHECK_CATALOGUE, { apiVersion: 'probewright.dev/v1alpha1', ...document });
  if (parsed.problems !== undefined) throw new Error(JSON.stringify(parsed.problems));
  return parsed.policy;
}

/** Gives a text to what the server or a command would give it to. */
export const calls: Readonly<Record<CallName, (text: string) => Outcome | Promise<Outcome>>> = {
  review,
  policy: (text) => {
    const document = json(text);
    return document === NOT_JSON ? { verdict: 'not JSON' } : policyDocument(document);
  },
  'policy file': (text) => {
    const { policies, facts, problems } = readPolicyDocuments([{ file: 'hostile.yaml', text }]);
    const set = Snapshot.of(CHECK_CATALOGUE, policies, facts);
    for (const labels of [new Map<string, string>(), new Map([['app', 'web']])]) useLayers(set, labels);
    return { verdict: problems.length > 0 ? 'problems' : 'read' };
  },
  check: (text) => command(['check', '--output', 'sarif', '--policies', examples, '-'], text),
  fix: (text) => command(['fix', '--policies', examples, '-'], text),
  explain: (text) => command(['explain', '--policies', examples, '-'], text),
};

/** What the YAML library alone takes for a text, whatever it thinks of it: nobody can be faster than what all is built on. */
export function bareYaml(text: string): void {
  try {
    parse(text, { schema: 'failsafe', uniqueKeys: false, maxAliasCount: 1, logLevel: 'silent' });
  } catch {
    // Its time is all that counts.
  }
}

const NOT_JSON = Symbol('not JSON');

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return NOT_JSON;
  }
}

/** As src/webhook/http/review-endpoint.ts does it. */
function review(text: string): Outcome {
  let slowest = 0;
  const replies: Reply[] = [];
  for (const policies of sets) {
    for (const webhook of ['mutate', 'validate'] as const) {
      const began = performance.now();
      const read = parseBody(text);
      if (read.problem !== undefined) return { verdict: 'not JSON' };
      const decoded = decodeReview(read.value, read.unread);
      if (decoded.problem !== undefined) return { verdict: 'refused' };
      const { request } = decoded;
      const { reply } =
        webhook === 'mutate'
          ? mutate(request, policies, 'On', NOW)
          : validate(
              request,
              policies,
              { enforcement: 'Deny', mutation: 'On', kinds: KNOWN_KINDS, controllers: DEFAULT_TRUSTED_CONTROLLERS },
              NOW,
            );
      replies.push({ webhook, uid: request.uid, text: JSON.stringify(reply) });
      slowest = Math.max(slowest, performance.now() - began);
      mustApply(request.object, reply.response.patch);
    }
  }
  return { verdict: 'answered', replies, slowest };
}

/** The API server's answer to a patch that does not apply is a 500, whatever the failurePolicy. */
function mustApply(object: JsonObject | undefined, patch: string | undefined): void {
  if (patch === undefined) return;
  jsonPatch.applyPatch(object, JSON.parse(Buffer.from(patch, 'base64').toString()) as Operation[], true);
}

function policyDocument(document: unknown): Outcome {
  const parsed = parseProbePolicy(CHECK_CATALOGUE, document);
  if (parsed.problems !== undefined) {
    if (parsed.problems.length === 0) throw new Error('refused without a reason');
    return { verdict: 'refused' };
  }
  useLayers(Snapshot.of(CHECK_CATALOGUE, [parsed.policy]), new Map([['app', 'web']]));
  return { verdict: 'accepted' };
}

function useLayers(set: Snapshot, labels: ReadonlyMap<string, string>): void {
  for (const namespace of ['apps', '__proto__', '']) {
    const { layers } = set.policyFor(namespace, labels);
    mergeLayers(layers);
    mergeChecks(builtInPolicy(CHECK_CATALOGUE), layers);
  }
}

async function command(args: readonly string[], stdin: string): Promise<Outcome> {
  let written = 0;
  const io: CommandIo = {
    env: {},
    stdout: { write: (text) => (written += text.length) },
    stderr: { write: (text) => (written += text.length) },
    stdoutColumns: undefined,
    stderrColumns: undefined,
    readStdin: () => Promise.resolve(stdin),
    now: () => 0,
    monotonic: () => 0,
    untilSignal: () => Promise.resolve('SIGINT'),
  };
  const code = await runCommandLine(args, io);
  if (![0, 1, 2].includes(code)) throw new Error(`exit code ${code}`);
  if (code === 2 && written === 0) throw new Error('exit code 2 without a word');
  return { verdict: `exit code ${code}` };
}
