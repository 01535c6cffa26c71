import { expect, it } from 'vitest';
import { DEFAULT_TRUSTED_CONTROLLERS } from '../../src/webhook/review/trusted-controllers.ts';
import { createLogger } from '../../src/process/log.ts';
import { requestLog } from '../../src/webhook/request-log.ts';
import { expectHarmless, HOSTILE } from '../support/hostile-text.ts';

/** What a logger writes, and its lines as JSON. */
function logged(write: (log: ReturnType<typeof createLogger>) => void): {
  text: string;
  lines: Record<string, unknown>[];
} {
  let text = '';
  write(createLogger('info', { write: (line) => void (text += line) }));
  const lines = text.trimEnd().split('\n');
  return { text, lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

type Decided = Parameters<ReturnType<typeof requestLog>['decided']>;
const asked = (members: Partial<Decided[1]>): Decided[1] => ({
  ...{ uid: 'u', kind: { group: '', version: 'v1', kind: 'Pod' }, subResource: '', operation: 'CREATE', name: '' },
  ...{ namespace: 'apps', userName: 'jane', dryRun: true, object: undefined, oldObject: undefined },
  ...members,
});
const reply = {
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  response: { uid: 'u', allowed: true },
} as const;

const injecting = {
  injections: [{ container: { name: 'app' }, kind: 'readinessProbe', source: 'ProbePolicy/apps/web' }],
  ...{ notInjected: [], warnings: [] },
} as never;

it('a log line commands no terminal, is one line, and holds the very values', () => {
  const { text, lines } = logged((log) =>
    log.warn({ problem: HOSTILE, list: [HOSTILE], [HOSTILE]: 1, err: new Error(HOSTILE) }, HOSTILE),
  );
  expectHarmless(text);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({ problem: HOSTILE, list: [HOSTILE], [HOSTILE]: 1, msg: HOSTILE });
});

it('the line of a decision is what pino would write, and lists have at most 50 entries', () => {
  const names = Array.from({ length: 60 }, (_, index) => `p${index}`);
  const kind = { group: 'apps', version: 'v1', kind: 'Deployment' };
  const request = asked({ kind, object: { metadata: { generateName: 'web-' } } });
  const exception = { name: 'legacy', namespace: 'apps', reason: 'r', until: undefined };
  const decision = {
    ...({ reply, result: 'warn', policies: names } as const),
    violations: [
      { check: 'named-port', action: 'Warn', container: 'app', path: [], message: 'm' },
      { check: 'valid-probe', action: 'Audit', container: '', path: [], message: 'm', exception: exception as never },
    ] as const,
  };
  const { text } = logged((log) => {
    requestLog(log, DEFAULT_TRUSTED_CONTROLLERS, () => 0).decided('validate', request, decision, 1.23456);
    log.info(
      {
        ...{ webhook: 'validate', uid: 'u', operation: 'CREATE', kind: 'apps/v1/Deployment', namespace: 'apps' },
        ...{ name: 'web-*', user: 'jane', dryRun: true, result: 'warn', policies: names.slice(-50) },
        violations: ['named-port app Warn', 'valid-probe  Audit by legacy'],
        durationMs: 1.235,
      },
      'decision',
    );
  });
  const [own, pinos] = text.split('\n').map((line) => line.replace(/"time":"[^"]*"/, '"time":""'));
  expect(own).toBe(pinos);
});

it('the line of a decision says what the top rung would do, where that differs', () => {
  const found = { check: 'named-port', action: 'Audit', container: 'app', path: [], message: 'm' } as const;
  const atTop = { result: 'deny', violations: [{ ...found, action: 'Deny' }] } as const;
  const decisions = [
    { reply, result: 'allow', violations: [found], wouldBe: atTop },
    { reply, result: 'allow', violations: [found], wouldBe: { result: 'allow', violations: [] } },
    { reply, result: 'allow', violations: [found], wouldBe: { result: 'allow', violations: [found] } },
    { reply, result: 'allow', wouldBe: { result: 'mutate' }, defaulting: injecting },
    { reply, result: 'mutate', defaulting: injecting },
  ] as const;
  const { lines } = logged((log) => {
    const requests = requestLog(log, DEFAULT_TRUSTED_CONTROLLERS, () => 0);
    for (const decision of decisions) requests.decided('validate', asked({}), decision, 1);
  });
  const shown = lines.map(({ result, wouldBe, violations, wouldBeViolations, injected, wouldInject }) => {
    return { result, wouldBe, violations, wouldBeViolations, injected, wouldInject };
  });
  const audited = ['named-port app Audit'];
  const injected = ['app.readinessProbe <- ProbePolicy/apps/web'];
  expect(shown).toEqual([
    { result: 'allow', wouldBe: 'deny', violations: audited, wouldBeViolations: ['named-port app Deny'] },
    { result: 'allow', violations: audited, wouldBeViolations: [] },
    { result: 'allow', violations: audited },
    { result: 'allow', wouldBe: 'mutate', wouldInject: injected },
    { result: 'mutate', injected },
  ]);
});

it('names in the lines about requests are escaped as well, and cut between characters', () => {
  const name = `${'😀'.repeat(200)}${HOSTILE}`;
  const { text, lines } = logged((log) => {
    const kind = { group: HOSTILE, version: 'v1', kind: HOSTILE };
    const request = asked({
      ...{ uid: HOSTILE, kind, operation: HOSTILE, namespace: HOSTILE, name, userName: HOSTILE },
    });
    const violations = [
      { check: 'named-port', action: 'Deny', container: HOSTILE, path: [HOSTILE], message: HOSTILE },
    ] as const;
    requestLog(log, DEFAULT_TRUSTED_CONTROLLERS, () => 0).decided(
      'validate',
      request,
      { reply, result: 'deny', violations, policies: [HOSTILE] },
      1,
    );
    requestLog(log, DEFAULT_TRUSTED_CONTROLLERS, () => 0).refused(`/${HOSTILE}`, 400, HOSTILE);
    requestLog(log, DEFAULT_TRUSTED_CONTROLLERS, () => 0).failed(`/${HOSTILE}`, new Error(HOSTILE));
  });
  expectHarmless(text);
  expect(lines).toHaveLength(3);
  expect(lines[0]?.['name']).toBe(`${'😀'.repeat(125)}...`);
  expect(lines[0]?.['user']).toBe(HOSTILE.slice(0, 250) + (HOSTILE.length > 253 ? '...' : ''));
});

/** The accounts that the log names, of Pods with a controller reference that these users create at these times. */
function namedAccounts(creations: readonly (readonly [userName: string, time?: number])[]): Record<string, unknown>[] {
  const reference = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u', controller: true };
  let now = 0;
  const { lines } = logged((log) => {
    const trusted = { accounts: ['system:serviceaccount:ops:listed'], foreignServiceAccounts: true };
    const requests = requestLog(log, trusted, () => now);
    for (const [userName, time = 0] of creations) {
      now = time;
      const request = asked({ userName, dryRun: false, object: { metadata: { ownerReferences: [reference] } } });
      requests.decided('validate', request, { reply: {} as never, result: 'allow' }, 1);
    }
  });
  return lines.filter(({ msg }) => msg !== 'decision');
}

const DAY = 86_400_000;
const account = (namespace: string, name: string): readonly [string] => [`system:serviceaccount:${namespace}:${name}`];
const many = (count: number, one: (index: number) => readonly [string]): (readonly [string])[] =>
  Array.from({ length: count }, (_, index) => one(index));

it('an account that looks like a controller and is not trusted is named once a day', () => {
  const [operator] = account('argo', 'argo-rollouts');
  const others = [['jane'], ['system:kube-controller-manager'], account('ops', 'listed')] as const;
  const named = namedAccounts([...others, [operator], [operator, DAY - 1], [operator, DAY], [operator, DAY + 1]]);
  const line = {
    ...{ level: 'warn', user: operator, namespace: 'apps', kind: 'Pod', owner: 'apps/v1/ReplicaSet' },
    msg: 'the account looks like a controller, but its controller references do not count',
  };
  expect(named).toEqual([expect.objectContaining(line), expect.objectContaining(line)]);
});

it('a thousand invented accounts of a namespace are ten lines, and hide no account of another namespace', () => {
  const invented = many(1000, (index) => account('team', `a-${index}`));
  const named = namedAccounts([...invented, account('argo', 'argo-rollouts'), ...invented]);
  expect(named.map(({ user }) => user)).toEqual([...invented.slice(0, 10), account('argo', 'argo-rollouts')].flat());
});

it('invented namespaces fill the log to its bound, and hide an account until the next day at most', () => {
  const invented = many(1200, (index) => account(`n-${index}`, 'a'));
  const [operator] = account('argo', 'argo-rollouts');
  const named = namedAccounts([...invented, [operator], [operator, DAY]]);
  expect(named).toHaveLength(1001);
  expect(named.at(-1)).toMatchObject({ user: operator });
});

it('an account with a name that no account can have is not kept', () =>
  expect(namedAccounts([account('n', 'a'.repeat(254)), account('n'.repeat(64), 'a')])).toEqual([]));

it('a client that loses many connections has one line a minute', () => {
  let now = 0;
  const { lines } = logged((log) => {
    const requests = requestLog(log, DEFAULT_TRUSTED_CONTROLLERS, () => now);
    for (const time of [0, 10, 59_999, 60_000, 61_000]) {
      now = time;
      requests.limited('10.0.0.7');
    }
  });
  const line = { level: 'warn', address: '10.0.0.7', what: 'dropped', msg: 'client uses more than its share' };
  expect(lines).toEqual([expect.objectContaining(line), expect.objectContaining(line)]);
});
