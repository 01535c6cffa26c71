import { equalJson } from '../../base/json/equal-json.ts';
import { isJsonObject, member, objectMember, stringMap } from '../../base/json/json-value.ts';
import { defaultedPodSpec } from '../probe/api-defaults.ts';
import { effectiveTemplate } from '../defaulting/effective.ts';
import { readProvenance } from '../defaulting/provenance.ts';
import { INJECTED_ANNOTATION } from '../policy/annotations.ts';
import { containersOf } from '../workload/containers.ts';
import { permittedDefaulting } from './permitted-defaulting.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { DefaultingOptions } from '../defaulting/default-probes.ts';
import type { Injection } from '../defaulting/injection.ts';
import type { WorkloadPolicy } from '../policy/policy-set.ts';

/**
 * The probes of a Pod that `/mutate` injected before. The Pod's annotation names these probes, but anybody can write an
 * annotation. So each named probe counts only if the policies give exactly this probe to the Pod without the named
 * probes.
 */
export function injectedBefore(
  pod: JsonObject,
  policy: WorkloadPolicy,
  options: DefaultingOptions,
): readonly Injection[] {
  const annotations = stringMap(objectMember(pod, 'metadata') ?? {}, 'annotations');
  const named = readProvenance(annotations.get(INJECTED_ANNOTATION));
  const spec = objectMember(pod, 'spec');
  if (named.size === 0 || spec === undefined) return [];
  const bare = { ...pod, spec: { ...spec, ...without(spec, 'containers'), ...without(spec, 'initContainers') } };
  const { injections } = permittedDefaulting(bare, policy, options);
  if (injections.length === 0) return [];
  const is = probesOf(pod);
  const wouldBe = probesOf(effectiveTemplate(bare, injections));
  return injections.filter(({ container: { list, index }, kind }) => {
    const place = `${list} ${index}`;
    const [probe, expected] = [is.get(place)?.[kind], wouldBe.get(place)?.[kind]];
    return probe !== undefined && equalJson(probe, expected);
  });

  /** The containers of a list without the probes that the annotation names. */
  function without(from: JsonObject, list: 'containers' | 'initContainers'): JsonObject {
    const containers = member(from, list);
    if (!Array.isArray(containers)) return {};
    const bared = (containers as unknown[]).map((container) => {
      const name = isJsonObject(container) ? member(container, 'name') : undefined;
      const kinds = typeof name === 'string' ? named.get(name) : undefined;
      if (kinds === undefined || !isJsonObject(container)) return container;
      return Object.fromEntries(Object.entries(container).filter(([key]) => !kinds.has(key)));
    });
    return { [list]: bared };
  }
}

/** The containers by place, after API defaulting: the API server has filled in defaults since the injection. */
function probesOf(pod: JsonObject): ReadonlyMap<string, JsonObject> {
  const containers = containersOf(defaultedPodSpec(objectMember(pod, 'spec') ?? {}));
  return new Map(containers.map(({ list, index, spec }) => [`${list} ${index}`, spec]));
}
