import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../../src/engine/checks/catalogue.ts';
import { isJsonObject, type JsonObject } from '../../../../src/base/json/json-value.ts';
import { workloadPart } from '../../../../src/cli/snapshot/items/snapshot-items.ts';
import { KNOWN_KINDS, workloadKindOfManifest } from '../../../../src/engine/workload/kinds.ts';
import { anyWorkload } from '../../../support/arbitrary-workloads.ts';
import { checkTexts } from '../../../support/check-texts.ts';
import { clusterPolicyDocument, policyDocument } from '../../../support/worlds.ts';
import { runs } from '../../../support/runs.ts';

/** Every check is on, and one policy gives probes whose command refers to the environment. */
const policies = [
  clusterPolicyDocument({
    checks: Object.fromEntries(
      Object.values(CHECK_CATALOGUE).map(({ id, action }) => [id, action === 'Off' ? { action: 'Audit' } : {}]),
    ),
  }),
  policyDocument({
    containers: ['*'],
    kubernetesProbeEndpoints: { livenessProbe: '/live' },
    probes: { readinessProbe: { exec: { command: ['test', '$(NAME)'] } } },
  }),
];
const policyTexts = policies.map((policy, index) => ({ file: `policy-${index}.json`, text: JSON.stringify(policy) }));

function violationsOf(object: JsonObject): unknown {
  const { violations, warnings } = checkTexts([{ file: 'web.json', text: JSON.stringify(object) }], policyTexts);
  return {
    violations: violations.map((violation) => ({
      ...violation,
      ...{ line: 0, column: 0, object: undefined },
      // The value of a variable does not leave, also where the reason of another finding tells the remedy.
      remedy: violation.remedy?.replace(/write (?:\w+: .*|the (?:path|value) itself) \(http-variable\)/, ''),
      ...(violation.check === 'http-variable' && { edits: undefined, remedy: '' }),
    })),
    warnings,
  };
}

function partOf(object: JsonObject): JsonObject {
  const kind = workloadKindOfManifest(object, KNOWN_KINDS);
  if (kind === undefined) throw new Error('unknown kind');
  return workloadPart(object, kind);
}

/** A word that occurs nowhere else. */
const secret = fc.stringMatching(/^[a-z]{12}$/).map((word) => `SECRET${word}`);

/** Adds values of the application, each with a secret, to a container. */
function withSecrets(container: JsonObject, word: string): JsonObject {
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
  return {
    ...container,
    image: `${String(container['image'])}@sha256:${word}`,
    env: [
      ...list(container['env']),
      { name: 'NAME', value: word },
      { name: 'OTHER', valueFrom: { secretKeyRef: { name: word, key: word } } },
    ],
    envFrom: [{ secretRef: { name: word } }],
    args: [...list(container['args']), `--token=${word}`, '--password', word, `--listen-address=${word}:8080`],
    command: [...list(container['command']), word],
    workingDir: `/${word}`,
    volumeMounts: [{ name: word, mountPath: `/${word}` }],
    lifecycle: {
      preStop: { exec: { command: [word] } },
      postStart: { httpGet: { path: `/${word}`, port: 80, host: word, httpHeaders: [{ name: 'A', value: word }] } },
    },
    securityContext: { seLinuxOptions: { user: word } },
  };
}

/** The object with every container changed. */
function withContainers(value: unknown, change: (container: JsonObject) => JsonObject): unknown {
  if (Array.isArray(value)) return value.map((element) => withContainers(element, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) =>
      /^(?:initC|c)ontainers$/.test(key) && Array.isArray(member)
        ? [key, member.map((container) => change(container as JsonObject))]
        : [key, withContainers(member, change)],
    ),
  );
}

describe('the part of a workload in a snapshot', () => {
  it('gets the verdict of the whole workload, with the same words, paths and advice', () =>
    fc.assert(
      fc.property(anyWorkload, (object) => {
        expect(violationsOf(partOf(object))).toEqual(violationsOf(object));
      }),
      { numRuns: runs(150) },
    ));

  it('is its own part', () =>
    fc.assert(
      fc.property(anyWorkload, (object) => {
        const part = partOf(object);
        expect(partOf(part)).toEqual(part);
      }),
    ));

  it('contains no value of environment, arguments, hooks, digest, volumes or annotations of others', () =>
    fc.assert(
      fc.property(anyWorkload, secret, (object, word) => {
        const metadata = { annotations: { 'example.test/note': word, 'sidecar.istio.io/status': word } };
        const secretive = {
          ...(withContainers(object, (container) => withSecrets(container, word)) as JsonObject),
          metadata: { name: 'web', namespace: 'apps', ...metadata, uid: word, resourceVersion: word },
          status: { message: word },
        };
        const part = partOf(secretive);
        expect(JSON.stringify(part)).not.toContain(word);
        expect(JSON.stringify(part)).not.toContain('SECRET');
      }),
    ));

  it('gets the verdict of the whole workload when the workload has secrets', () =>
    fc.assert(
      fc.property(anyWorkload, secret, (object, word) => {
        const secretive = withContainers(object, (container) => withSecrets(container, word)) as JsonObject;
        expect(violationsOf(partOf(secretive))).toEqual(violationsOf(secretive));
      }),
      { numRuns: runs(200) },
    ));
});
