import { equalJson, isJsonObject, member, objectMember, stringMap } from '../../base/json/json-value.ts';
import { withContainers } from '../defaulting/effective.ts';
import { injectionAt, type Injection } from '../defaulting/injection.ts';
import { readProvenance } from '../defaulting/patch.ts';
import { INJECTED_ANNOTATION } from '../policy/annotations.ts';
import { defaultedProbe } from '../probe/api-defaults.ts';
import { PROBE_KINDS } from '../probe/probe.ts';
import { containersOf } from '../workload/containers.ts';
import { permittedDefaulting } from './permitted-defaulting.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { DefaultingOptions } from '../defaulting/default-probes.ts';
import type { WorkloadPolicy } from '../policy/policy-set.ts';

/**
 * The probes of a Pod that `/mutate` injected before. Anybody can write the annotation that names them. So each counts
 * only if the policies give exactly this probe to the Pod without the named probes.
 */
export function injectedBefore(
  pod: JsonObject,
  policy: WorkloadPolicy,
  options: DefaultingOptions,
): readonly Injection[] {
  const annotations = stringMap(objectMember(pod, 'metadata') ?? {}, 'annotations');
  const named = readProvenance(annotations.get(INJECTED_ANNOTATION));
  if (named.size === 0) return [];
  const bare = withContainers(pod, (container) => {
    const name = member(container, 'name');
    const kinds = typeof name === 'string' ? named.get(name) : undefined;
    return kinds === undefined
      ? container
      : Object.fromEntries(Object.entries(container).filter(([key]) => !kinds.has(key)));
  });
  const { injections } = permittedDefaulting(bare, policy, options);
  if (injections.length === 0) return [];
  return containersOf(objectMember(pod, 'spec') ?? {}).flatMap((container) =>
    PROBE_KINDS.flatMap((kind) => {
      const [probe, expected] = [member(container.spec, kind), injectionAt(injections, container, kind)];
      // The API server has filled in defaults since the injection.
      const isSame =
        expected !== undefined &&
        isJsonObject(probe) &&
        equalJson(defaultedProbe(probe), defaultedProbe(expected.probe));
      return isSame ? [expected] : [];
    }),
  );
}
