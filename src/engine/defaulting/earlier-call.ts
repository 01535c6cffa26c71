import { equalJson, objectMember, stringMap, type JsonObject } from '../../base/json/json-value.ts';
import { INJECTED_ANNOTATION } from '../policy/annotations.ts';
import { defaultedProbe } from '../probe/api-defaults.ts';
import { PROBE_KINDS } from '../probe/probe.ts';
import { containersOf } from '../workload/containers.ts';
import { withContainers } from './effective.ts';
import { injectionAt, type Injection } from './injection.ts';
import { readProvenance } from './patch.ts';

/**
 * The probes of a Pod that an earlier call for the same Pod injected. Anybody can write the annotation that names them.
 * So each counts only if policies give exactly this probe to the Pod without the named probes. A probe that does not
 * count is the author's, and is evidence about the others.
 *
 * @param give the probes that policies give to a Pod
 */
export function injectedEarlier(
  pod: JsonObject,
  give: (bare: JsonObject) => readonly Injection[],
): readonly Injection[] {
  const annotations = stringMap(objectMember(pod, 'metadata') ?? {}, 'annotations');
  const named = readProvenance(annotations.get(INJECTED_ANNOTATION));
  let counted = containersOf(objectMember(pod, 'spec') ?? {}).flatMap((container) =>
    PROBE_KINDS.flatMap((kind) => {
      const probe = objectMember(container.spec, kind);
      const isNamed = named.get(container.name)?.has(kind) === true;
      return isNamed && probe !== undefined ? [{ container, kind, probe }] : [];
    }),
  );
  while (counted.length > 0) {
    const bare = withContainers(pod, (container, list, index) => {
      const own = counted.filter(({ container: at }) => at.list === list && at.index === index);
      return Object.fromEntries(Object.entries(container).filter(([key]) => !own.some(({ kind }) => kind === key)));
    });
    const given = give(bare);
    const confirmed = counted.flatMap((one) => {
      const expected = injectionAt(given, one.container, one.kind);
      // The API server fills in defaults after an injection.
      const isSame = expected && equalJson(defaultedProbe(one.probe), defaultedProbe(expected.probe));
      return isSame === true ? [{ ...one, expected }] : [];
    });
    if (confirmed.length === counted.length) return confirmed.map(({ expected }) => expected);
    counted = confirmed;
  }
  return [];
}
