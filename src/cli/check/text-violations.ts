import { misplacedProbes, unknownProbeFields } from '../../engine/checks/lib/unknown-fields.ts';
import { validProbe } from '../../engine/checks/valid-probe.ts';
import { isJsonObject, listMember, objectMember, stringMember } from '../../base/json/json-value.ts';
import { CONTAINER_LISTS } from '../../engine/probe/api-defaults.ts';
import { withExceptions } from '../../engine/verdict/exceptions-of-workload.ts';
import { namesOfSubject, type Subject } from '../../engine/verdict/judge.ts';
import type { Violation } from '../../engine/checks/violation.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { PathStep } from '../../base/json/field-path.ts';
import type { Manifest } from '../input/manifest.ts';
import type { ParsedText } from '../input/manifests.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { PlacedTemplate } from '../../engine/workload/kinds.ts';
import type { Pod } from '../../engine/workload/pod.ts';

/**
 * Violations that only a manifest shows: fields that the API server drops before it calls a webhook.
 *
 * @param now the instant of the verdict, in milliseconds since the epoch
 */
export function strayFields(subject: Subject, policies: Snapshot, now: number): Violation[] {
  return subject.pods.flatMap((placed) => {
    const fields = [
      ...unknownProbeFields(objectMember(placed.template, 'spec') ?? {}, [...placed.path, 'spec']),
      ...misplacedProbes(subject.object, subject.kind, placed),
    ];
    return asViolations(fields, placed, subject, policies, now);
  });
}

/**
 * Violations that only the text of a manifest shows: keys that are written twice.
 *
 * @param now the instant of the verdict, in milliseconds since the epoch
 * @param replaced gets the problems of the text about such keys, which the violations replace
 */
export function violationsOfText(
  manifest: Manifest,
  { problems }: Pick<ParsedText, 'problems'>,
  subject: Subject,
  policies: Snapshot,
  now: number,
  replaced: FileProblem[],
): Violation[] {
  return subject.pods.flatMap((placed) => {
    const fields = duplicateKeysIn(manifest, placed, problems).map(({ container, path, problem }) => {
      replaced.push(problem);
      return { container, path, message: WRITTEN_TWICE };
    });
    return asViolations(fields, placed, subject, policies, now);
  });
}

const WRITTEN_TWICE =
  'is written twice: kubectl refuses that, and for other clients the last one counts, objects being merged';

function asViolations(
  fields: readonly Pick<Violation, 'container' | 'path' | 'message' | 'remedy' | 'edits'>[],
  { labels: podLabels }: Pod,
  subject: Subject,
  policies: Snapshot,
  now: number,
): readonly Violation[] {
  if (fields.length === 0) return [];
  const { namespace } = subject;
  const policy = policies.policyFor(namespace, podLabels);
  const violations = fields.flatMap((field): Violation[] => {
    const action = policy.checkPolicy(field.container).get(validProbe.id)?.action ?? validProbe.action;
    return action === 'Off' ? [] : [{ ...field, check: validProbe.id, action, reason: 'FieldValueForbidden' }];
  });
  const workload = { namespace, names: namesOfSubject(subject), podLabels };
  return withExceptions(violations, workload, policies, policy, now);
}

/**
 * The duplicate keys of a file that are in containers of a Pod template. Only a manifest shows a duplicate key: the API
 * server keeps the last value. It merges objects, so two probes of one name can become a probe with two handlers.
 */
function duplicateKeysIn(manifest: Manifest, { template, path }: PlacedTemplate, problems: readonly FileProblem[]) {
  const { document } = manifest;
  const candidates = problems.filter(({ duplicateKey }) => duplicateKey !== undefined);
  if (candidates.length === 0) return [];
  const keys = new Set<unknown>(candidates.map(({ duplicateKey }) => duplicateKey));
  const byPlace = new Map(candidates.map((problem) => [placeOf(problem), problem]));
  const found: { problem: FileProblem; container: string; path: readonly PathStep[] }[] = [];
  const search = (value: unknown, at: readonly PathStep[], container: string): void => {
    const members = Array.isArray(value) ? value.entries() : Object.entries(isJsonObject(value) ? value : {});
    for (const [step, inner] of members as Iterable<[PathStep, unknown]>) {
      const below = [...at, step];
      const position = keys.has(step) ? document.position([...manifest.path, ...below], { key: true }) : undefined;
      const problem = position && byPlace.get(placeOf(position));
      if (problem?.duplicateKey === step) found.push({ problem, container, path: below });
      search(inner, below, container);
    }
  };
  const spec = objectMember(template, 'spec') ?? {};
  for (const list of CONTAINER_LISTS)
    for (const [index, entry] of listMember(spec, list).entries())
      search(entry, [...path, 'spec', list, index], isJsonObject(entry) ? (stringMember(entry, 'name') ?? '') : '');
  return found;
}

function placeOf({ line, column }: Pick<FileProblem, 'line' | 'column'>): string {
  return `${line}:${column}`;
}
