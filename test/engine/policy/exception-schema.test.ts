import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { exceptionSpec } from '../../../src/engine/policy/probe-exception.ts';
import { parseProbeException } from '../../../src/engine/policy/read-exception.ts';
import { formatProblem } from '../../../src/engine/policy/reader.ts';
import { ApiServerVerdict } from '../../crds/api-server-verdict.ts';
import { exceptionDocument, parsedException } from '../../support/exceptions.ts';
import { clusterPolicyDocument, parsedPolicy } from '../../support/worlds.ts';
import { clusterSpecProblems } from './spec-problems.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

/** What is wrong with an exception whose spec differs in these members. */
function problemsOf(changes: JsonObject): string[] {
  const parsed = parseProbeException(CHECK_CATALOGUE, exceptionDocument(changes));
  return parsed.problems !== undefined ? parsed.problems.map(formatProblem) : [];
}

describe('the spec of a ProbeException', () => {
  it.each([
    ['owner', 1, 128],
    ['reason', 10, 512],
    ['ticket', 1, 128],
  ])('has a text as %s of %d to %d characters', (name, shortest, longest) => {
    for (const length of [shortest, longest])
      expect(exceptionSpec(parsedException(exceptionDocument({ [name]: 'x'.repeat(length) })))).toHaveProperty(
        name,
        'x'.repeat(length),
      );
    const tooLong = 'x'.repeat(longest + 1);
    expect(problemsOf({ [name]: tooLong })).toEqual([
      `spec.${name}: must have at most ${longest} characters, not ${longest + 1}: "${tooLong.slice(0, 56)}...`,
    ]);
    for (const blank of ['', ' '.repeat(shortest), '\t\n'.repeat(shortest)])
      expect(problemsOf({ [name]: blank })).toEqual([`spec.${name}: must not be empty`]);
  });

  it('has a reason of more than one word, and may have no ticket', () => {
    expect(problemsOf({ reason: 'x'.repeat(9) })).toEqual(['spec.reason: must have at least 10 characters, not 9']);
    for (const ticket of [undefined, null]) expect(problemsOf({ ticket })).toEqual([]);
  });

  it.each(['checks', 'owner', 'reason', 'expires'])('must have %s', (name) => {
    for (const value of [undefined, null]) {
      const [problem, ...more] = problemsOf({ [name]: value });
      expect(problem?.startsWith(`spec.${name}: must be given`)).toBe(true);
      expect(more).toEqual([]);
    }
  });

  it.each<[unknown, string]>([
    [[], ': must name at least one workload'],
    [[{}], '[0].kind: must be given|[0].name: must be given'],
    [
      [{ kind: 'Deployment', name: 'Web' }],
      '[0].name: "Web" is not an object name: lower-case letters, digits, "-" and "."',
    ],
    [
      [{ kind: 'apps/Deployment', name: 'web' }],
      '[0].kind: "apps/Deployment" is not a kind: write it as in manifests, such as Deployment',
    ],
    [[{ kind: '', name: 'web' }], '[0].kind: "" is not a kind: write it as in manifests, such as Deployment'],
    [[{ kind: 'Job', name: 'web', namespace: 'x' }], '[0].namespace: unknown field; known here: kind, name'],
    [['web'], '[0]: must be an object, not "web"'],
  ])('cannot have the workloads %j', (workloads, problems) =>
    expect(problemsOf({ workloads }).join('|')).toBe(
      problems
        .split('|')
        .map((problem) => `spec.workloads${problem}`)
        .join('|'),
    ),
  );

  it('names a workload with a kind of at most 63, and a name of at most 253 characters', () => {
    const of = (kind: number, name: number): string[] =>
      problemsOf({ workloads: [{ kind: 'K'.repeat(kind), name: 'n'.repeat(name) }] });
    expect(of(1, 1)).toEqual([]);
    expect(of(63, 253)).toEqual([]);
    expect(of(64, 1)).toEqual([expect.stringContaining('kind: must have at most 63 characters, not 64')]);
    expect(of(1, 254)).toEqual([expect.stringContaining('is not an object name')]);
  });

  it('selects workloads by names or by labels, never by both or by none', () => {
    expect(problemsOf({ workloads: undefined, workloadSelector: {} })).toEqual([]);
    expect(problemsOf({ workloadSelector: null })).toEqual([]);
    expect(problemsOf({ workloadSelector: { matchLabels: { app: 'web' } } })).toEqual([
      'spec: must have either workloads or workloadSelector, not both',
    ]);
    expect(problemsOf({ workloads: undefined })).toEqual([
      'spec: must have either workloads or workloadSelector; {} selects every workload',
    ]);
  });

  it('names containers that can exist', () => {
    expect(problemsOf({ containers: ['app', '1-a'] })).toEqual([]);
    expect(problemsOf({ containers: [] })).toHaveLength(1);
    expect(problemsOf({ containers: ['*'] })).toEqual([
      'spec.containers[0]: "*" is not a container name: lower-case letters, digits and "-", such as "app"',
    ]);
  });

  it('ends at an instant with a time zone', () => {
    for (const expires of ['2027-01-31T00:00:00Z', '2027-01-31T00:00:00.5+01:00'])
      expect(problemsOf({ expires })).toEqual([]);
    for (const expires of ['', 'tomorrow', '2027-01-31T00:00:00', '2027-02-30T00:00:00Z'])
      expect(problemsOf({ expires })).toEqual([
        `spec.expires: must be an instant with a time zone, such as 2027-01-31T00:00:00Z, not "${expires}"`,
      ]);
  });
});

describe('the rules of a ClusterProbePolicy about exceptions', () => {
  const server = new ApiServerVerdict('ClusterProbePolicy');

  it('allow 1 to 3650 days', () => {
    for (const maximumDays of [1, 3650, null])
      expect(parsedPolicy(clusterPolicyDocument({ exceptions: { maximumDays } })).exceptions).toEqual({ maximumDays });
    expect(clusterSpecProblems({ exceptions: { maximumDays: 0 } })).toEqual([
      'spec.exceptions.maximumDays: must be at least 1, not 0',
    ]);
    expect(clusterSpecProblems({ exceptions: { maximumDays: 3651 } })).toEqual([
      'spec.exceptions.maximumDays: must be at most 3650, not 3651',
    ]);
  });

  it('may be Allow or Ignore', () => {
    for (const action of ['Allow', 'Ignore']) expect(clusterSpecProblems({ exceptions: { action } })).toEqual([]);
    expect(clusterSpecProblems({ exceptions: { action: 'Deny' } })).toEqual([
      'spec.exceptions.action: must be Allow or Ignore, not "Deny"',
    ]);
  });

  it('may allow no check at all, also for the API server, which an exception cannot', () => {
    const rules = clusterPolicyDocument({ exceptions: { checks: [] } });
    expect(server.problems(server.pruned(rules))).toEqual([]);
    const exceptions = new ApiServerVerdict('ProbeException');
    const of = (checks: readonly string[]): string[] =>
      exceptions.problems(exceptions.pruned(exceptionDocument({ checks })));
    expect(of(['named-port'])).toEqual([]);
    expect(of([])).toEqual(['/spec/checks: must NOT have fewer than 1 items']);
  });
});
