import { validProbe } from '../../engine/checks/valid-probe.ts';
import { judgeObject, type Workload } from '../../engine/verdict/judge.ts';
import { judgementOfUnseen } from '../../engine/verdict/unseen.ts';
import { withSafeAdvice } from '../../engine/verdict/safe-advice.ts';
import { podTemplatesOf, removedVersionOf, workloadKindOfManifest } from '../../engine/workload/kinds.ts';
import { malformedTemplate } from '../../engine/workload/malformed-template.ts';
import { readPods } from '../../engine/workload/read-pod.ts';
import { nameOf, namespaceOf, workloadIn, type Manifest } from '../input/manifest.ts';
import { shownNameOf } from '../../engine/workload/workload-of-pod.ts';
import { manifestsAsSent, type ParsedText } from '../input/manifests.ts';
import { IgnoreComments } from './ignore-comments.ts';
import { strayFields, violationsOfText } from './text-violations.ts';
import type { FieldPath } from '../../base/json/field-path.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { Violation } from '../../engine/checks/violation.ts';
import type { World } from '../input/world.ts';
import type { PlacedViolation } from './report.ts';

/** What is found in one text. */
export interface JudgedText {
  readonly workloads: number;
  /** All violations, also those that comments ignore. */
  readonly found: readonly PlacedViolation[];
  /** Those that no comment ignores. */
  readonly violations: readonly PlacedViolation[];
  /** Of the objects: annotations without effect, versions that Kubernetes has removed. */
  readonly warnings: readonly FileProblem[];
  /** Comments that cannot be read. */
  readonly badComments: readonly FileProblem[];
  /** Comments that ignore nothing. */
  readonly notes: readonly FileProblem[];
  /** The problems of the text that violations replace. */
  readonly replaced: readonly FileProblem[];
}

/** How a text is judged. */
export interface Judging {
  /** False = findings that a comment ignores are violations, too. Default true. */
  readonly honoursComments?: boolean;
  /** Is called before each object. */
  readonly onObject?: () => void;
}

/**
 * Gives each workload of a text the verdict that the webhook would give at CREATE. The world has what the other texts
 * tell, so an editor judges a changed text alone.
 */
export function judgeText(
  text: ParsedText,
  world: World,
  { honoursComments = true, onObject }: Judging = {},
): JudgedText {
  const sent = manifestsAsSent(text);
  const comments = honoursComments && sent.length > 0 ? new IgnoreComments(text) : undefined;
  const replaced: FileProblem[] = [];
  const judged = sent.flatMap((manifest) => {
    onObject?.();
    const found = judgeManifest(manifest, text, world, replaced);
    if (found === undefined) return [];
    const { violations } = found;
    return [{ ...found, shown: violations.filter((violation) => comments?.ignores(manifest, violation) !== true) }];
  });
  return {
    workloads: judged.length,
    found: judged.flatMap(({ violations }) => violations),
    violations: judged.flatMap(({ shown }) => shown),
    warnings: judged.flatMap(({ warnings }) => warnings),
    badComments: comments?.problems ?? [],
    notes: comments?.unused() ?? [],
    replaced,
  };
}

/**
 * The violations and warnings of a workload. Undefined for another object.
 *
 * @param replaced gets the problems of the text that violations replace
 */
function judgeManifest(manifest: Manifest, text: ParsedText, world: World, replaced: FileProblem[]) {
  const { object, document, path } = manifest;
  const { snapshot, now } = world;
  const malformed = malformedIn(manifest, text, world);
  if (malformed !== undefined) return malformed;
  const subject = workloadIn(object, world);
  if (subject === undefined) return undefined;
  const { kind, namespace, name } = subject;
  const ofVersion = versionWarnings(object, world);
  const judged = (workload: Workload) => {
    const { violations, warnings } =
      judgementOfUnseen(workload.object, workload.pods) ?? judgeObject(workload, snapshot, true, now);
    return { warnings, violations: [...strayFields(workload, snapshot, now), ...violations] };
  };
  const verdict = judged(subject);
  const ofObject = verdict.violations.map((violation) => withBareScalar(violation, manifest));
  const judgeAgain = (edited: JsonObject): readonly Violation[] =>
    judged({ ...subject, object: edited, pods: readPods(podTemplatesOf(edited, kind), kind) }).violations;
  const violations = [
    ...violationsOfText(manifest, text, subject, snapshot, now, replaced),
    ...withSafeAdvice(object, ofObject, judgeAgain, kind),
  ];
  const place = document.placeOf(path);
  const names = { kind: kind.kind, namespace, name };
  return {
    violations: violations.map((violation) => placed(violation, manifest, text, names)),
    warnings: [...ofVersion, ...verdict.warnings].map((warning) => ({
      ...place,
      message: `warning: ${kind.kind} ${namespace}/${shownNameOf(object)}: ${warning}`,
    })),
  };
}

/** A violation with its place in the file that wrote the field, and with the workload. */
function placed(
  violation: Violation,
  { document, path }: Manifest,
  text: ParsedText,
  names: Pick<PlacedViolation, 'kind' | 'namespace' | 'name'>,
): PlacedViolation {
  const { chartValueOf } = document;
  return {
    ...violation,
    ...document.placeOf([...path, ...violation.path], { key: true }),
    ...(text.placeOf && { isRendered: true }),
    object: { document: document.index, path },
    ...(chartValueOf && {
      chartValueOf: (field: FieldPath, wanted?: unknown) => chartValueOf([...path, ...field], wanted),
    }),
    ...names,
  };
}

/** The verdict on an object whose containers cannot be found, because a value around them has another type. */
function malformedIn(
  manifest: Manifest,
  text: ParsedText,
  { kinds, namespace: own }: World,
): { readonly violations: readonly PlacedViolation[]; readonly warnings: readonly FileProblem[] } | undefined {
  const { object } = manifest;
  const kind = workloadKindOfManifest(object, kinds);
  const malformed = kind && malformedTemplate(object, kind);
  if (malformed === undefined) return undefined;
  const violation = { ...malformed, check: validProbe.id, container: '', reason: 'FieldValueInvalid' } as const;
  const names = { kind: kind?.kind ?? '', namespace: namespaceOf(object) ?? own, name: nameOf(object) };
  return { violations: [placed({ ...violation, action: 'Deny' }, manifest, text, names)], warnings: [] };
}

/** A cluster returns only objects in versions that it serves. */
function versionWarnings(object: JsonObject, { isFromCluster, kubernetesVersion = '1.999' }: World): string[] {
  const removed = isFromCluster ? undefined : removedVersionOf(object);
  if (removed === undefined) return [];
  const { apiVersion, removedIn, today } = removed;
  if (minorOf(kubernetesVersion) < minorOf(removedIn)) return [];
  return [`${apiVersion} was removed in Kubernetes ${removedIn}; write apiVersion: ${today}`];
}

const minorOf = (version: string): number => Number(version.split('.')[1]);

/** The decoder's word for a value that should be a string, and what YAML calls the value. */
const DECODED_AS = /^json: cannot unmarshal (bool|number)\b.* of type string$/;

/**
 * Names the word in the file where YAML reads a word without quotes as a boolean or a number, but the field is a
 * string: `image: y`. The API server only sees `true`. The edit writes the word back as a string.
 */
function withBareScalar(violation: Violation, { document, path }: Pick<Manifest, 'document' | 'path'>): Violation {
  const type = DECODED_AS.exec(violation.message)?.[1];
  if (type === undefined || violation.check !== validProbe.id) return violation;
  const word = document.plainScalar([...path, ...violation.path]);
  if (word === undefined || word.length > LONGEST_WORD) return violation;
  return {
    ...violation,
    remedy: `quote it: ${word} is a ${type === 'bool' ? 'boolean' : 'number'} in YAML 1.1`,
    edits: [{ path: violation.path, value: word }],
  };
}

/** Booleans are short. A longer number is no help in a message. */
const LONGEST_WORD = 40;
