import { isJsonObject, member, objectMember, type JsonObject } from '../../base/json/json-value.ts';
import type { Injection } from './injection.ts';

const LISTS = ['containers', 'initContainers'] as const;

/** A copy of a Pod template with the injected probes in its containers, as the Pods will be. */
export function effectiveTemplate(template: JsonObject, injections: readonly Injection[]): JsonObject {
  if (injections.length === 0) return template;
  return withContainers(template, (element, list, index) => {
    const own = injections.filter(({ container }) => container.list === list && container.index === index);
    return own.length === 0
      ? element
      : { ...element, ...Object.fromEntries(own.map(({ kind, probe }) => [kind, probe])) };
  });
}

/** A copy of a Pod template in which each container is what a function makes of it. */
export function withContainers(
  template: JsonObject,
  change: (container: JsonObject, list: (typeof LISTS)[number], index: number) => JsonObject,
): JsonObject {
  const spec = objectMember(template, 'spec');
  if (spec === undefined) return template;
  const lists = LISTS.flatMap((list) => {
    const containers = member(spec, list);
    if (!Array.isArray(containers)) return [];
    const changed = (containers as readonly unknown[]).map((element, index) =>
      isJsonObject(element) ? change(element, list, index) : element,
    );
    return [[list, changed]];
  });
  return { ...template, spec: { ...spec, ...(Object.fromEntries(lists) as JsonObject) } };
}
