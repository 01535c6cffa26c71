import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { POLICY_FILE } from '../../scripts/native/policy-file.ts';
import { readWebhookScope } from '../../src/observer/missed/webhook-scope.ts';
import { isWithoutHelm, one, readManifests, render, renderText, type Manifest, type Rendering } from './helm.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import type { PolicyRule } from '../e2e/written-rbac.ts';

const NATIVE_API = 'admissionregistration.k8s.io/v1/MutatingAdmissionPolicy';
const PARAMS = ['observer.enabled=true', 'observer.nativeParams=true'];
const NATIVE_KINDS = ['MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding'];
const native = (rendering: Rendering = {}): Manifest[] =>
  render({ ...rendering, set: [...PARAMS, ...(rendering.set ?? [])], apiVersions: [NATIVE_API] });
const isNative = ({ kind }: Manifest): boolean => NATIVE_KINDS.includes(kind);

interface Policy extends Manifest {
  readonly spec: JsonObject & {
    readonly matchConstraints: { readonly objectSelector: JsonObject };
    readonly matchConditions: readonly { readonly name: string }[];
  };
}
interface Binding extends Manifest {
  readonly spec: { readonly paramRef: JsonObject; readonly matchResources: { readonly namespaceSelector: JsonObject } };
}
interface Configuration extends Manifest {
  readonly webhooks: readonly (JsonObject & { readonly name: string; readonly rules: readonly unknown[] })[];
}

describe.skipIf(isWithoutHelm('native.tools.test.ts'))('the native policy of the chart', () => {
  it('is what export prints, but for the selectors and the names of the release', () => {
    const printed = readManifests(readFileSync(POLICY_FILE, 'utf8'));
    const rendered = native({ set: ['mutation=Native'] }).filter(isNative);
    expect(rendered.map(({ kind, metadata }) => [kind, metadata.name])).toEqual(
      printed.map(({ kind, metadata }) => [kind, metadata.name]),
    );
    const [policy, ...bindings] = rendered as unknown as [Policy, ...Binding[]];
    const [written, ...others] = printed as unknown as [Policy, ...Binding[]];
    expect(policy.spec).toEqual(written.spec);
    expect(bindings.map(({ spec: { paramRef } }) => paramRef)).toEqual(
      others.map(({ spec: { paramRef } }) => paramRef),
    );
  });

  it('adds probes where the webhook adds them, whatever the values say', () => {
    const webhooks = {
      excludedNamespaces: ['backups'],
      namespaceSelector: { matchLabels: { team: 'a' }, matchExpressions: [{ key: 'tier', operator: 'Exists' }] },
      objectSelector: { matchLabels: { app: 'web' } },
      matchConditions: [{ name: 'mine', expression: 'true' }],
    };
    for (const mutation of ['On', 'Native']) {
      const manifests = native({ namespace: 'platform', overrides: { webhooks }, set: [`mutation=${mutation}`] });
      const { webhooks: all } = one<Configuration>(manifests, 'MutatingWebhookConfiguration');
      const webhook = all.find(({ name }) => name === 'mutate.probewright.dev');
      const { spec } = one<Policy>(manifests, 'MutatingAdmissionPolicy');
      expect(spec.matchConstraints.objectSelector).toEqual(webhook?.['objectSelector']);
      expect(spec.matchConditions.at(-1)).toEqual(webhooks.matchConditions[0]);
      const bindings = manifests.filter(({ kind }) => kind === NATIVE_KINDS[1]) as unknown as Binding[];
      expect(bindings).toHaveLength(2);
      for (const binding of bindings)
        expect(binding.spec.matchResources.namespaceSelector).toEqual(webhook?.['namespaceSelector']);
      expect(bindings[1]?.spec.paramRef['namespace']).toBe('platform');
    }
  });

  it('takes the place of the webhook, which keeps its caBundle and its scope, and reviews policies as before', () => {
    const { webhooks } = one<Configuration>(native({ set: ['mutation=Native'] }), 'MutatingWebhookConfiguration');
    const before = one<Configuration>(native(), 'MutatingWebhookConfiguration');
    expect(webhooks.map(({ name, rules }) => [name, rules.length])).toEqual([
      ['mutate.probewright.dev', 0],
      ['review-policies.probewright.dev', 1],
    ]);
    expect(webhooks[1]).toEqual(before.webhooks[1]);
    expect(readWebhookScope({ webhooks })).toEqual(readWebhookScope(before));
  });

  it.each([
    ['with mutation On before the webhook', ['mutation=On'], true],
    ['with mutation Native', ['mutation=Native'], true],
    ['not while nothing is to be injected', ['mutation=Off'], false],
    ['not while injection is only reported', ['mutation=Audit'], false],
    ['not without the observer', ['observer.enabled=false'], false],
    ['not without its parameters', ['observer.nativeParams=false'], false],
  ])('is installed %s', (_, set, isThere) => {
    expect(native({ set }).some(isNative)).toBe(isThere);
  });

  it('is not installed where the cluster has no API for it, and the notes say so', () => {
    expect(render({ set: PARAMS }).some(isNative)).toBe(false);
    const notes = readFileSync('charts/probewright/templates/NOTES.txt', 'utf8');
    expect(notes).toContain('the cluster has no MutatingAdmissionPolicy v1: nothing reads the parameters');
  });

  it('lets the processes judge workloads with the probes that Pods get', () => {
    const text = renderText({ set: [...PARAMS, 'mutation=Native'], apiVersions: [NATIVE_API] });
    expect(text.match(/--mutation=\w+/g)).toEqual(['--mutation=On', '--mutation=On']);
    expect(text).toContain('enforcement=Deny,mutation=Native');
  });

  it('has parameters that nobody but the observer may write', () => {
    const writers = (manifests: readonly Manifest[]): readonly string[] =>
      manifests
        .filter(({ kind }) => /^(Cluster)?Role$/.test(kind))
        .filter((role) => (role as unknown as { rules: readonly PolicyRule[] }).rules.some(mayWriteParams))
        .map(({ metadata }) => metadata.name);
    expect(writers(native({ set: ['mutation=Native'] }))).toEqual(['probewright-observer']);
    expect(writers(render({ set: ['observer.enabled=true'] }))).toEqual([]);
  });
});

function mayWriteParams({ resources, verbs }: PolicyRule): boolean {
  const isAbout = resources.some((resource) => ['*', 'namespaceprobes'].includes(resource));
  return isAbout && verbs.some((verb) => !['get', 'list', 'watch'].includes(verb));
}
