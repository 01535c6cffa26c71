import { objectsAt, valueAt } from '../../base/json/field-path.ts';
import { equalJson, member, type JsonObject } from '../../base/json/json-value.ts';
import { PROBE_KINDS } from '../probe/probe.ts';
import { isPod, podTemplatesOf, type PlacedTemplate, type WorkloadKind } from './kinds.ts';
import { sizeProblem } from './size-limits.ts';

/** An object before its update, and what the update changes. */
export interface Update {
  readonly object: JsonObject;
  readonly templates: readonly PlacedTemplate[];
  /** Nobody checked the object before, so it excuses no violation. */
  readonly wasTooLarge: boolean;
  /** `rollout` stands for limits outside of the template that checks read. */
  readonly changes: 'nothing' | 'rollout' | 'template';
}

/** Compares an object with the object before. Of a Pod the probes count, of other kinds the whole templates. */
export function updateOf(
  oldObject: JsonObject,
  { object, kind, templates }: { object: JsonObject; kind: WorkloadKind; templates: readonly PlacedTemplate[] },
): Update {
  const before = podTemplatesOf(oldObject, kind);
  const keepsTemplate = isPod(kind) ? equalJson(probesOf(object), probesOf(oldObject)) : equalJson(templates, before);
  const keepsRollout = isPod(kind) || equalJson(rolloutOf(object), rolloutOf(oldObject));
  return {
    object: oldObject,
    templates: before,
    wasTooLarge: sizeProblem(before) !== undefined,
    changes: !keepsTemplate ? 'template' : keepsRollout ? 'nothing' : 'rollout',
  };
}

/** The time limits of a Deployment's rollout. */
function rolloutOf(object: JsonObject): unknown {
  return ['progressDeadlineSeconds', 'minReadySeconds'].map((field) => valueAt(object, ['spec', field]) ?? null);
}

/** A Pod's probes, container by container. Changes of labels, images and tolerations need no new check. */
function probesOf(pod: JsonObject): unknown {
  const containers = ['containers', 'initContainers'].flatMap((list) => objectsAt(pod, 'spec', list));
  return containers.map((container) => ['name', ...PROBE_KINDS].map((field) => member(container, field) ?? null));
}
