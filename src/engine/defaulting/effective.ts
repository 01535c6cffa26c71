import { isJsonObject, member, objectMember } from '../../base/json/json-value.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { Probe } from '../probe/probe.ts';
import type { Injection } from './injection.ts';

/**
 * A copy of a Pod template with the injected probes in its containers, as the Pods will be. The template itself is not
 * changed.
 */
export function effectiveTemplate(template: JsonObject, injections: readonly Injection[]): JsonObject {
  const spec = objectMember(template, 'spec');
  if (spec === undefined || injections.length === 0) return template;
  return {
    ...template,
    spec: { ...spec, ...withProbes(spec, 'containers', injections), ...withProbes(spec, 'initContainers', injections) },
  };
}

function withProbes(
  spec: JsonObject,
  list: 'containers' | 'initContainers',
  injections: readonly Injection[],
): JsonObject {
  const containers = member(spec, list);
  if (!Array.isArray(containers)) return {};
  const probes = new Map<number, Record<string, Probe>>();
  for (const { container, kind, probe } of injections) {
    if (container.list === list) probes.set(container.index, { ...probes.get(container.index), [kind]: probe });
  }
  if (probes.size === 0) return {};
  const elements: readonly unknown[] = containers;
  return {
    [list]: elements.map((element, index) => {
      const own = probes.get(index);
      return own === undefined || !isJsonObject(element) ? element : { ...element, ...own };
    }),
  };
}
