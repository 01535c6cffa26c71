import { isJsonObject, listMember, member, objectMember, type JsonObject } from '../../base/json/json-value.ts';
import type { Injection } from './injection.ts';

const LISTS = ['containers', 'initContainers'] as const;

/** A copy of a Pod template with the injected probes in its containers, as the Pods will be. */
export function effectiveTemplate(template: JsonObject, injections: readonly Injection[]): JsonObject {
  if (injections.length === 0) return template;
  return withContainers(template, (element, list, index) => {
    const own = injections.filter(({ container }) => container.list === list && container.index === index);
    return own.length === 0 ? element : own.reduce((all, { kind, probe }) => ({ ...all, [kind]: probe }), element);
  });
}

/** A copy of a Pod template in which each container is what a function makes of it. */
export function withContainers(
  template: JsonObject,
  change: (container: JsonObject, list: (typeof LISTS)[number], index: number) => JsonObject,
): JsonObject {
  const spec = objectMember(template, 'spec');
  if (spec === undefined) return template;
  const lists: Partial<Record<(typeof LISTS)[number], unknown[]>> = {};
  for (const list of LISTS)
    if (Array.isArray(member(spec, list)))
      lists[list] = listMember(spec, list).map((element, index) =>
        isJsonObject(element) ? change(element, list, index) : element,
      );
  return { ...template, spec: { ...spec, ...lists } };
}
