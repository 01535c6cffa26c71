import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { formatProblem } from '../../../src/engine/policy/reader.ts';
import { parseProbeException } from '../../../src/engine/policy/probe-exception.ts';
import { exceptionDocument, parsedException } from '../../support/exceptions.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

function problemsOf(document: unknown): string[] {
  const parsed = parseProbeException(CHECK_CATALOGUE, document);
  return 'problems' in parsed ? parsed.problems.map(formatProblem) : [];
}

const ofSpec = (spec: JsonObject): string[] => problemsOf(exceptionDocument(spec));

describe('parseProbeException', () => {
  it('reads every field', () => {
    const exception = parsedException(
      exceptionDocument(
        { containers: ['app'], ticket: 'PAY-1', expires: '2027-01-31T01:00:00+01:00' },
        { creationTimestamp: '2026-07-01T00:00:00Z' },
      ),
    );
    const { name, expires, created, reported, spec } = exception;
    expect({ name, expires, created, reported, spec }).toEqual({
      name: 'legacy',
      expires: Date.UTC(2027, 0, 31),
      created: Date.UTC(2026, 6, 1),
      reported: undefined,
      spec: {
        checks: ['named-port'],
        workloads: [{ kind: 'Deployment', name: 'web' }],
        containers: ['app'],
        owner: 'team-a',
        reason: 'The vendor image has one port.',
        ticket: 'PAY-1',
      },
    });
  });

  it.each([
    [{ checks: ['named-prot'] }, ['spec.checks[0]: unknown check "named-prot"; did you mean "named-port"?']],
    [{ checks: ['*'] }, ['spec.checks[0]: "*": an exception names each check; there is no wildcard']],
    [{ checks: [] }, ['spec.checks: must name at least one check; leave the field out for the default']],
    [{ checks: null }, ['spec.checks: must be given: a list of check ids']],
    [{ checks: ['toString'] }, ['spec.checks[0]: unknown check "toString"; docs/checks.md lists the checks']],
    [{ workloadSelector: {} }, ['spec: must have either workloads or workloadSelector, not both']],
    [{ workloads: null }, ['spec: must have either workloads or workloadSelector; {} selects every workload']],
    [{ workloads: [] }, ['spec.workloads: must name at least one workload']],
    [
      { workloads: [{ kind: 'deployment', name: 'web' }] },
      ['spec.workloads[0].kind: "deployment" is not a kind: write it as in manifests, such as Deployment'],
    ],
    [{ workloads: [{ kind: 'Deployment' }] }, ['spec.workloads[0].name: must be given']],
    [{ containers: ['App'] }, [expect.stringContaining('spec.containers[0]: "App" is not a container name')]],
    [{ owner: '' }, ['spec.owner: must not be empty']],
    [{ owner: 7 }, ['spec.owner: must be a string, not 7; put it in quotes']],
    [{ reason: 'broken' }, ['spec.reason: must have at least 10 characters, not 6']],
    [{ reason: 'x'.repeat(513) }, [expect.stringContaining('spec.reason: must have at most 512 characters, not 513')]],
    [
      { expires: '2027-01-31' },
      ['spec.expires: must be an instant with a time zone, such as 2027-01-31T00:00:00Z, not "2027-01-31"'],
    ],
    [
      { expires: '2027-02-29T00:00:00Z' },
      ['spec.expires: must be an instant with a time zone, such as 2027-01-31T00:00:00Z, not "2027-02-29T00:00:00Z"'],
    ],
    [{ expires: null }, ['spec.expires: must be given: an instant such as 2027-01-31T00:00:00Z']],
    [{ resaon: 'x' }, ['spec.resaon: unknown field; did you mean "reason"?']],
  ])('reports what is wrong with %j', (spec, problems) => expect(ofSpec(spec as JsonObject)).toEqual(problems));

  it('reports objects that are no exceptions', () => {
    expect(problemsOf({})).toContainEqual(expect.stringContaining('kind: must be ProbeException, not '));
    expect(problemsOf(exceptionDocument({}, { namespace: undefined }))).toEqual(['metadata.namespace: must be given']);
    expect(problemsOf({ ...exceptionDocument(), spec: undefined })).toEqual(['spec: must be given']);
  });

  it('never throws, whatever a document holds', () =>
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (spec, metadata) => {
        expect(Array.isArray(problemsOf({ ...exceptionDocument(), spec, metadata }))).toBe(true);
        expect(Array.isArray(problemsOf(spec))).toBe(true);
      }),
    ));
});
