import { validProbe } from '../../engine/checks/valid-probe.ts';
import {
  describeManifest,
  manifestsAsSent,
  manifestsIn,
  policyOfPod,
  workloadIn,
  type Manifest,
} from '../input/manifest.ts';
import { laxer, type Enforcement } from '../../engine/policy/action.ts';
import { judgeObject, type Workload } from '../../engine/verdict/judge.ts';
import { withSafeAdvice } from '../../engine/verdict/safe-advice.ts';
import { podTemplatesOf, removedVersionOf } from '../../engine/workload/kinds.ts';
import { readPods } from '../../engine/workload/read-pod.ts';
import { policyFindings } from './policy-findings.ts';
import { unusedExceptions } from './unused-exceptions.ts';
import { exemptNotes } from '../input/exempt-workloads.ts';
import { IgnoreComments } from './ignore-comments.ts';
import { countByAction, type CheckReport } from './report.ts';
import { mayGiveProbes } from '../input/unasked-selectors.ts';
import { strayFields, violationsOfText } from './text-violations.ts';
import type { FieldPath } from '../../base/json/field-path.ts';
import { type JsonObject } from '../../base/json/json-value.ts';
import { coverageOf, type ProbeCover } from '../../engine/verdict/coverage.ts';
import type { Violation } from '../../engine/checks/violation.ts';
import type { Inputs } from '../input/inputs.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { CheckOutput, ListedProbeCounts } from '../output/json-outputs.ts';

/**
 * Gives every workload of the inputs the verdict that the webhook would give at CREATE.
 *
 * @param enforcement the strictest action of a violation
 * @param progress is called before each object
 * @param honoursComments false = findings that a comment ignores are reported, too
 */
export function checkInputs(
  inputs: Inputs,
  enforcement: Enforcement,
  progress: (done: number, total: number) => void = () => undefined,
  honoursComments = true,
): CheckReport {
  const sent = inputs.texts.flatMap((text) => {
    const comments = honoursComments ? new IgnoreComments(text) : undefined;
    return manifestsAsSent(text).map((manifest) => ({ manifest, comments }));
  });
  const replaced = new Set<FileProblem>();
  const checked = sent.flatMap(({ manifest, comments }, index) => {
    progress(index, sent.length);
    const found = checkManifest(manifest, inputs, replaced);
    const shown = found?.violations.filter((violation) => comments?.ignores(manifest, violation) !== true);
    return found === undefined ? [] : [{ ...found, shown: shown ?? [] }];
  });
  const found = checked.flatMap((each) => each.violations);
  const ofWorkloads = checked.flatMap(({ shown }) => shown);
  const ofComments = [...new Set(sent.flatMap(({ comments }) => comments ?? []))];
  const violations = [...policyFindings(inputs, ofWorkloads), ...ofWorkloads].map((violation) => ({
    ...violation,
    action: laxer(violation.action, enforcement),
  }));
  return {
    isFromCluster: inputs.isFromCluster,
    violations,
    summary: {
      objects: sent.length,
      workloads: checked.length,
      ...countByAction(violations),
      coverage: coverageOfInputs(inputs),
    },
    ignored: found.length - ofWorkloads.length,
    exempt: inputs.exempt,
    notes: [
      ...ofComments.flatMap((comments) => comments.unused()),
      ...unusedExceptions(inputs, found),
      ...exemptNotes(inputs),
    ],
    warnings: [
      ...inputs.policyWarnings,
      ...checked.flatMap(({ warnings }) => warnings),
      ...ofComments.flatMap(({ problems }) => problems),
    ],
    problems: inputs.problems.filter((problem) => !replaced.has(problem)),
  };
}

/** What a command that checks nothing tells about a cluster: what is exempt, and exceptions that allow nothing. */
export function clusterNotes(inputs: Inputs): readonly FileProblem[] {
  if (!inputs.isFromCluster || inputs.policies.facts.exceptions.lists.size === 0) return exemptNotes(inputs);
  return checkInputs(inputs, 'Deny').notes ?? [];
}

/** The violations and warnings of a workload. Undefined for another object. */
function checkManifest(manifest: Manifest, inputs: Inputs, replaced: Set<FileProblem>) {
  const { object, document, path } = manifest;
  const { policies, now } = inputs;
  const subject = workloadIn(object, inputs);
  if (subject === undefined) return undefined;
  const { kind, namespace, name } = subject;
  const judged = (workload: Workload) => {
    const { violations, warnings } = judgeObject(workload, policies, true, now);
    return { warnings, violations: [...strayFields(workload, policies, now), ...violations] };
  };
  const verdict = judged(subject);
  const ofObject = verdict.violations.map((violation) => withBareScalar(violation, manifest));
  const judgeAgain = (edited: JsonObject): readonly Violation[] =>
    judged({ ...subject, object: edited, pods: readPods(podTemplatesOf(edited, kind), kind) }).violations;
  const violations = [
    ...violationsOfText(manifest, subject, policies, inputs, replaced),
    ...withSafeAdvice(object, ofObject, judgeAgain),
  ];
  const place = { file: document.file, ...document.position(path) };
  const { chartValueOf } = document;
  return {
    violations: violations.map((violation) => ({
      ...violation,
      file: document.file,
      ...document.position([...path, ...violation.path], { key: true }),
      object: { document: document.index, path },
      ...(chartValueOf && { chartValueOf: (field: FieldPath) => chartValueOf([...path, ...field]) }),
      kind: kind.kind,
      namespace,
      name,
    })),
    warnings: [...versionWarnings(object, inputs), ...verdict.warnings].map((warning) => ({
      ...place,
      message: `warning: ${describeManifest(object, namespace)}: ${warning}`,
    })),
  };
}

/** A cluster returns only objects in versions that it serves. */
function versionWarnings(object: JsonObject, { isFromCluster, kubernetesVersion = '1.999' }: Inputs): string[] {
  const removed = isFromCluster ? undefined : removedVersionOf(object);
  if (removed === undefined) return [];
  const { apiVersion, removedIn, today } = removed;
  if (minorOf(kubernetesVersion) < minorOf(removedIn)) return [];
  return [`${apiVersion} was removed in Kubernetes ${removedIn}; write apiVersion: ${today}`];
}

function minorOf(version: string): number {
  return Number(version.split('.')[1]);
}

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

export type Coverage = CheckOutput['summary']['coverage'];

/** How many containers of the inputs have each probe, get it, or lack it. */
export function coverageOfInputs(inputs: Inputs): Coverage {
  const templates = manifestsIn(inputs).flatMap((each) => templatesOf(each, inputs));
  const containers = templates.flatMap((template) => template.containers);
  return {
    containers: containers.length,
    livenessProbe: countsOf(containers.map(({ livenessProbe }) => livenessProbe)),
    readinessProbe: countsOf(containers.map(({ readinessProbe }) => readinessProbe)),
    noMainContainer: templates.flatMap(({ noMainContainer }) => noMainContainer ?? []),
  };
}

function templatesOf({ object, document, path }: Manifest, inputs: Inputs) {
  const workload = workloadIn(object, inputs);
  if (workload === undefined) return [];
  const { kind, namespace, name } = workload;
  return workload.pods.map((pod) => {
    const { containers: covers, noMainContainer } = coverageOf(pod, policyOfPod(workload, pod, inputs.policies));
    const known = (cover: ProbeCover): ProbeCover =>
      cover === 'no-policy' && mayGiveProbes(pod, namespace, inputs) ? 'namespace-unknown' : cover;
    const containers = covers.map(({ livenessProbe, readinessProbe }) => ({
      livenessProbe: known(livenessProbe),
      readinessProbe: known(readinessProbe),
    }));
    if (noMainContainer === undefined) return { containers };
    const place = { file: document.file, ...document.position(path), kind: kind.kind, namespace, name };
    const { policies, detail: message } = noMainContainer;
    return { containers, noMainContainer: { ...place, policies, message } };
  });
}

function countsOf(covers: readonly ProbeCover[]): ListedProbeCounts {
  const counts = [...Map.groupBy(covers, (cover) => cover)].map(([cover, { length }]) => [cover, length] as const);
  const sorted: Partial<Record<ProbeCover, number>> = Object.fromEntries(counts.sort(([, a], [, b]) => b - a));
  const { have = 0, get = 0, ...reasons } = sorted;
  return { have, get, lack: covers.length - have - get, reasons };
}
