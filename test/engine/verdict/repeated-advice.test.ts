import fc from 'fast-check';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NOTHING_LEFT_OUT, shownReport } from '../../../src/cli/check/report.ts';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { judgeObject } from '../../../src/engine/verdict/judge.ts';
import { withoutRepeats } from '../../../src/engine/verdict/repeated-advice.ts';
import { ACTIONS } from '../../../src/engine/policy/action.ts';
import { anyWorkload } from '../../support/arbitrary-workloads.ts';
import { checkTexts } from '../../support/check-texts.ts';
import { validate } from '../../support/decisions.ts';
import { exceptionDocument, withExceptionsInApps } from '../../support/exceptions.ts';
import { NOW } from '../../support/now.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import {
  clusterPolicyDocument,
  policySet,
  requestOf,
  reviewOf,
  subjectOf,
  VALIDATE_SETTINGS,
} from '../../support/worlds.ts';
import { runProbewright } from '../../cli/run-probewright.ts';
import { deploymentWith, httpProbe } from '../checks/workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Violation } from '../../../src/engine/checks/violation.ts';

const patient = { timeoutSeconds: 5, failureThreshold: 5 };

/** A delay of both probes: one startup probe replaces the two. */
const delayed = (liveness = 300, readiness = 60): JsonObject =>
  deploymentWith({
    livenessProbe: httpProbe({ ...patient, ...(liveness > 0 && { initialDelaySeconds: liveness }) }),
    readinessProbe: httpProbe(
      { timeoutSeconds: 5, ...(readiness > 0 && { initialDelaySeconds: readiness }) },
      '/ready',
    ),
  });

const policiesWith = (actions: Readonly<Record<string, JsonObject>>) =>
  policySet(clusterPolicyDocument({ checks: actions }));

function shown(object: JsonObject, ...policies: readonly JsonObject[]): string[] {
  const texts = policies.map((policy, at) => ({ file: `${at}.json`, text: JSON.stringify(policy) }));
  const { violations } = shownReport(checkTexts([{ file: 'web.json', text: JSON.stringify(object) }], texts), {
    ...NOTHING_LEFT_OUT,
    minLevel: 'note',
  });
  return violations.map(({ check, action }) => `${check} ${action}`);
}

describe('two violations with the same advice', () => {
  it('are both shown where they are causes of the API server', () => {
    const object = deploymentWith({
      ports: [{ name: 'http', containerPort: 8080 }],
      livenessProbe: { httpGet: { path: '/', port: 'HTTP' } },
    });
    expect(shown(object).filter((one) => one.startsWith('valid-probe'))).toEqual([
      'valid-probe Deny',
      'valid-probe Deny',
    ]);
  });

  it('are one, and the first of the catalogue stays', () => {
    expect(shown(delayed())).toEqual(['delayed-liveness Warn']);
    // The advice is the same where readiness waits longer.
    expect(shown(delayed(300, 320))).toEqual(['delayed-liveness Warn']);
    // Below 300 s, readiness that asks first makes the delay of liveness a note.
    expect(shown(delayed(120))).toEqual(['delayed-readiness Warn']);
    const gate = deploymentWith({
      startupProbe: httpProbe({ timeoutSeconds: 5, failureThreshold: 30 }),
      livenessProbe: httpProbe({ timeoutSeconds: 5, failureThreshold: 1 }),
      readinessProbe: httpProbe({ timeoutSeconds: 5 }, '/ready'),
    });
    expect(shown(gate).filter((text) => text.endsWith('Warn'))).toEqual(['single-failure Warn']);
  });

  it.each([
    ['Warn', 'Deny', ['delayed-readiness Deny']],
    ['Deny', 'Warn', ['delayed-liveness Deny']],
    ['Audit', 'Warn', ['delayed-readiness Warn']],
    ['Off', 'Audit', ['delayed-readiness Audit']],
  ])('are the stricter one: %s for liveness and %s for readiness', (liveness, readiness, expected) => {
    const policy = clusterPolicyDocument({
      checks: { 'delayed-liveness': { action: liveness }, 'delayed-readiness': { action: readiness } },
    });
    expect(shown(delayed(), policy)).toEqual(expected);
  });

  it('stay two where a policy has asked for one of them, as a requirement is never silent', () => {
    const policy = clusterPolicyDocument({ checks: { 'required-startup': { action: 'Warn', whenLiveness: true } } });
    expect(shown(delayed(), policy)).toEqual(['required-startup Warn', 'delayed-liveness Warn']);
  });

  it('stay two in two probes that one check finds, because the words are about one of them', () => {
    const misspelt = deploymentWith({
      livenessProbe: { ...httpProbe(patient), httpGet: { path: '/a', port: 'htpp' } },
      readinessProbe: { ...httpProbe(patient), httpGet: { path: '/a', port: 'htpp' } },
    });
    expect(shown(misspelt).filter((text) => text.startsWith('named-port'))).toHaveLength(2);
  });

  it('are both seen by an exception: where the stricter is allowed, the other one is shown', () => {
    const exception = exceptionDocument({ checks: ['delayed-liveness'] });
    const policies = withExceptionsInApps(policiesWith({ 'delayed-readiness': { action: 'Deny' } }), [exception]);
    const decision = validate(requestOf(reviewOf(delayed())), policies, VALIDATE_SETTINGS, NOW);
    expect(decision.violations?.map(({ check, action }) => `${check} ${action}`)).toEqual([
      'delayed-liveness Excepted',
      'delayed-readiness Deny',
    ]);
  });

  it('are both compared with the old object: what was there before denies no update, and what is new does', () => {
    const policies = policiesWith({ 'delayed-liveness': { action: 'Deny' }, 'delayed-readiness': { action: 'Deny' } });
    const update = (oldObject: JsonObject, object: JsonObject): unknown =>
      validate(requestOf(reviewOf(object, { operation: 'UPDATE', oldObject })), policies, VALIDATE_SETTINGS, NOW)
        .result;
    expect(update(delayed(), delayed(0))).toBe('warn');
    expect(update(delayed(0), delayed())).toBe('deny');
    expect(update(delayed(300, 0), delayed())).toBe('deny');
  });

  it('are both seen by a comment, by --only and by a baseline', async () => {
    const directory = await temporaryDirectory();
    const [file, known] = [join(directory, 'web.yaml'), join(directory, 'known.json')];
    const check = async (...args: string[]): Promise<string[]> => {
      const { stdout } = await runProbewright(['check', file, '--output', 'json', ...args], { directory });
      return (JSON.parse(stdout) as { violations: Violation[] }).violations.map((violation) => violation.check);
    };
    const comment = '# probewright: ignore delayed-liveness - starts slowly\n';
    await writeFile(file, comment + JSON.stringify(delayed()));
    expect(await check()).toEqual(['delayed-readiness']);
    await writeFile(file, JSON.stringify(delayed()));
    expect(await check()).toEqual(['delayed-liveness']);
    expect(await check('--only', 'delayed-readiness')).toEqual(['delayed-readiness']);
    expect(await check('--write-baseline', known)).toEqual([]);
    expect(await check('--baseline', known)).toEqual([]);
    await writeFile(file, JSON.stringify(delayed(29)));
    expect(await check('--baseline', known)).toEqual([]);
  });
});

it('no violation is left out without a shown one that is as strict and has all of its edits, and no verdict changes', () => {
  const actions = fc.dictionary(
    fc.constantFrom(...Object.keys(CHECK_CATALOGUE)),
    fc.record({ action: fc.constantFrom(...ACTIONS) }),
  );
  const editsOf = ({ edits = [] }: Violation): string[] => edits.map((edit) => JSON.stringify(edit));
  fc.assert(
    fc.property(anyWorkload, actions, (object, checks) => {
      const { violations } = judgeObject(subjectOf(object), policiesWith(checks), true, NOW);
      const left = withoutRepeats(violations);
      for (const gone of violations.filter((violation) => !left.includes(violation))) {
        const standing = left.filter(
          ({ action, container }) =>
            container === gone.container && ACTIONS.indexOf(action as 'Warn') >= ACTIONS.indexOf(gone.action as 'Warn'),
        );
        expect(
          standing.some((other) => {
            const edits = editsOf(other);
            return gone.edits === undefined
              ? other.remedy === gone.remedy
              : editsOf(gone).every((edit) => edits.includes(edit));
          }),
        ).toBe(true);
      }
      expect(left.some(({ action }) => action === 'Deny')).toBe(violations.some(({ action }) => action === 'Deny'));
    }),
  );
});
