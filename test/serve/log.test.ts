import { expect, it } from 'vitest';
import { createLogger } from '../../src/running/log.ts';
import { requestLog } from '../../src/serve/request-log.ts';
import { expectHarmless, HOSTILE } from '../hostile-text.ts';

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

it('a log line commands no terminal, is one line, and holds the very values', () => {
  const { text, lines } = logged((log) => {
    log.warn({ problem: HOSTILE, list: [HOSTILE], [HOSTILE]: 1, err: new Error(HOSTILE) }, HOSTILE);
  });
  expectHarmless(text);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({ problem: HOSTILE, list: [HOSTILE], [HOSTILE]: 1, msg: HOSTILE });
});

it('names in the lines about requests are escaped as well, and cut between characters', () => {
  const name = `${'😀'.repeat(200)}${HOSTILE}`;
  const { text, lines } = logged((log) => {
    const kind = { group: HOSTILE, version: 'v1', kind: HOSTILE };
    const request = {
      ...{ uid: HOSTILE, kind, operation: HOSTILE, namespace: HOSTILE, name, userName: HOSTILE },
      subResource: '',
    };
    const rest = { dryRun: false, object: undefined, oldObject: undefined, textLength: 0 };
    const reply = {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: 'u', allowed: true },
    } as const;
    const violations = [
      { check: 'named-port', action: 'Deny', container: HOSTILE, path: [HOSTILE], message: HOSTILE },
    ] as const;
    requestLog(log).decided(
      'validate',
      { ...request, ...rest },
      { reply, result: 'deny', violations, policies: [HOSTILE] },
      1,
    );
    requestLog(log).refused(`/${HOSTILE}`, 400, HOSTILE);
    requestLog(log).failed(`/${HOSTILE}`, new Error(HOSTILE));
  });
  expectHarmless(text);
  expect(lines).toHaveLength(3);
  expect(lines[0]?.['name']).toBe(`${'😀'.repeat(125)}...`);
  expect(lines[0]?.['user']).toBe(HOSTILE.slice(0, 250) + (HOSTILE.length > 253 ? '...' : ''));
});
