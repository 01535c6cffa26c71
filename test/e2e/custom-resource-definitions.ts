import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { crdFiles } from '../../scripts/crds/crd.ts';
import { isJsonObject, type JsonObject } from '../../src/base/json/json-value.ts';
import type { ControlPlane } from './control-plane.ts';
import { waitUntil } from './processes.ts';

const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** A kind that is no built-in one, as Argo Rollouts has it. */
export const ROLLOUT_DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'rollouts.argoproj.io' },
  spec: {
    group: 'argoproj.io',
    scope: 'Namespaced',
    names: { plural: 'rollouts', singular: 'rollout', kind: 'Rollout' },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

/** Whether the server has CEL rules for custom resources: they are on by default since 1.25. */
export function hasValidationRules(controlPlane: ControlPlane): boolean {
  return controlPlane.minor >= 25;
}

/**
 * Applies the chart's CustomResourceDefinitions and waits until the server serves both. A server that does not know CEL rules gets the
 * definitions without them, as `kubectl apply --validate=false` would have it.
 */
export async function applyCrds(controlPlane: ControlPlane): Promise<void> {
  const definitions = [...crdFiles().keys()].map((file) => parse(readFileSync(file, 'utf8')) as JsonObject);
  for (const definition of definitions) {
    await controlPlane.apply(hasValidationRules(controlPlane) ? definition : (withoutRules(definition) as JsonObject));
  }
  for (const definition of definitions) {
    const { name } = definition['metadata'] as { name: string };
    await waitUntil(
      `${name} is Established`,
      async () => (await conditionsOf(controlPlane, name))['Established'] === 'True',
    );
  }
  // Established is said a moment before the server serves the kind.
  for (const plural of ['probepolicies', 'clusterprobepolicies']) {
    const list = `/apis/probewright.dev/v1alpha1/${plural}`;
    await waitUntil(`${plural} are served`, async () => (await controlPlane.request('GET', list)).status === 200);
  }
}

/** The conditions of a CustomResourceDefinition: type to status. */
export async function conditionsOf(
  controlPlane: ControlPlane,
  name: string,
): Promise<Readonly<Record<string, string>>> {
  type Definition = { status?: { conditions?: { type: string; status: string }[] } };
  const { status } = await controlPlane.read<Definition>(`${path}/${name}`);
  return Object.fromEntries((status?.conditions ?? []).map(({ type, status: state }) => [type, state]));
}

function withoutRules(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRules);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([key]) => key !== 'x-kubernetes-validations');
  return Object.fromEntries(members.map(([key, member]) => [key, withoutRules(member)]));
}
