import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FieldPlace, formatPath } from '../../../src/base/json/field-path.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import { checkedWorkload } from '../../../src/engine/checks/checked-workload.ts';
import { validProbe } from '../../../src/engine/checks/valid-probe.ts';
import { defaultedPodSpec } from '../../../src/engine/probe/api-defaults.ts';
import { apiCauses } from '../../../src/engine/probe/api-rules.ts';
import { decodeProblem } from '../../../src/engine/probe/api-schema.ts';
import { isJsonObject, type JsonObject } from '../../../src/base/json/json-value.ts';
import { parseYamlDocuments } from '../../../src/yaml/reading/documents.ts';
import { BUILT_IN_KINDS, podTemplatesOf, workloadKindOfManifest } from '../../../src/engine/workload/kinds.ts';
import type { Finding } from '../../../src/engine/checks/check.ts';

/*
 * What a real API server (1.36) answered, case by case: test/fixtures/probe-cases.json.
 */

interface Cause {
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

interface ProbeCase {
  readonly id: string;
  readonly title: string;
  readonly stage: 'accept' | 'accept-with-warning' | 'validation' | 'decode';
  readonly object?: JsonObject;
  readonly raw?: string;
  readonly defaulted?: Record<string, Record<string, unknown>>;
  readonly answer: { readonly message?: string; readonly causes?: readonly Cause[] };
}

const { cases } = JSON.parse(readFileSync('test/fixtures/probe-cases.json', 'utf8')) as { cases: ProbeCase[] };

/** A number's text is gone once JSON is parsed. */
const NUMBER_TEXT = 'parsed JSON cannot tell this number from an integer that fits';
/** What we know not to agree on, and why. Everything else must agree. */
const LIMITS: Readonly<Record<string, string>> = {
  'live-initialDelaySeconds-float-one': NUMBER_TEXT,
  'live-successThreshold-float-one': NUMBER_TEXT,
  'live-timeoutSeconds-exp': NUMBER_TEXT,
  'live-periodSeconds-exp': NUMBER_TEXT,
  'live-successThreshold-exp': NUMBER_TEXT,
  'live-failureThreshold-exp': NUMBER_TEXT,
  'http-port-float': NUMBER_TEXT,
  'tcp-port-float': NUMBER_TEXT,
  'live-tgps-over': NUMBER_TEXT,
  'dup-probe':
    'the API server merges an object that is written twice; JSON.parse keeps the last, and strict clients refuse it',
};

describe('the answers of a real API server', () => {
  const known = cases.filter(({ id }) => Object.hasOwn(LIMITS, id));
  const others = cases.filter(({ id }) => !Object.hasOwn(LIMITS, id));

  it.each(others.map((entry) => [`${entry.id}: ${entry.title}`, entry] as const))('%s', (_title, entry) => {
    const object = objectOf(entry);
    if (object === undefined) expect(entry.stage).toBe('decode');
    else expectSameAnswer(entry, object);
  });

  it.each(known.map((entry) => [`${entry.id}: ${LIMITS[entry.id] ?? ''}`, entry] as const))(
    'does not agree on %s',
    (_title, entry) => {
      const object = objectOf(entry);
      expect(object).toBeDefined();
      expect(() => object && expectSameAnswer(entry, object)).toThrow();
    },
  );
});

/** The object that was sent; undefined for a body that is no JSON or YAML. */
function objectOf({ object, raw = '' }: ProbeCase): JsonObject | undefined {
  if (object !== undefined) return object;
  const value: unknown = raw.startsWith('{') ? parsedJson(raw) : parseYamlDocuments('case', raw).documents[0]?.value;
  return isJsonObject(value) ? value : undefined;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function expectSameAnswer(entry: ProbeCase, object: JsonObject): void {
  if (entry.defaulted !== undefined) expectSameDefaults(entry.defaulted, object);
  const findings = 'kind' in object ? findingsOf(object) : ephemeralFindingsOf(object);
  if (entry.stage === 'decode') {
    expect(findings).toHaveLength(1);
    expect(findings[0]).not.toHaveProperty('reason');
    expect(`Pod in version "v1" cannot be handled as a Pod: ${findings[0]?.message}`).toBe(entry.answer.message);
  } else {
    const causes = findings.map(({ path, reason, message }) => ({ field: formatPath(path), reason, message }));
    expect(causes).toEqual(entry.stage === 'validation' ? entry.answer.causes : []);
  }
}

/** What valid-probe says about an object, container after container. */
function findingsOf(object: JsonObject): Finding[] {
  const kind = workloadKindOfManifest(object, BUILT_IN_KINDS);
  const template = kind && podTemplatesOf(object, kind)[0];
  if (kind === undefined || template === undefined) throw new Error('not a workload');
  const workload = checkedWorkload(readPod(template.template, kind, template.path), { object });
  return workload.pod.containers.flatMap((container) => validProbe.run(container, {}, workload));
}

/** The cases without a kind were patches of a Pod's `ephemeralcontainers`. */
function ephemeralFindingsOf(patch: JsonObject): Finding[] {
  const podSpec = defaultedPodSpec(patch['spec'] as JsonObject);
  const spec = new FieldPlace([], 'spec');
  const undecodable = decodeProblem(podSpec, spec);
  return undecodable ? [undecodable] : apiCauses(podSpec, spec, 'pod-update');
}

/** The server drops unknown fields, nulls and zeros, so its probes are to be part of ours. */
function expectSameDefaults(defaulted: Record<string, Record<string, unknown>>, object: JsonObject): void {
  const kind = workloadKindOfManifest(object, BUILT_IN_KINDS);
  const template = kind && podTemplatesOf(object, kind)[0]?.template;
  const podSpec = defaultedPodSpec(template?.['spec'] as JsonObject);
  for (const [list, containers] of Object.entries(defaulted)) {
    for (const [name, probes] of Object.entries(containers)) {
      const ours = (podSpec[list] as JsonObject[]).find((container) => container['name'] === name);
      expect(asGo(ours)).toMatchObject(probes as JsonObject);
    }
  }
}

/** What Go makes of a null in a list of strings, and of a header without a value: the empty string. */
function asGo(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, member: unknown) => {
    if (key === 'httpHeaders') return (member as JsonObject[]).map((header) => ({ name: '', value: '', ...header }));
    return member === null && /^\d+$/.test(key) ? '' : member;
  });
}
