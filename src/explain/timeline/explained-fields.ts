import { equalJson, isJsonObject, member, without, type JsonObject } from '../../base/json/json-value.ts';
import { fieldOrigin, fieldSettings, type Origin } from '../../engine/defaulting/field-origin.ts';
import { injectedBy } from '../../engine/defaulting/injected-by.ts';
import { ANNOTATION_SOURCE } from '../../engine/policy/annotations.ts';
import { HANDLER_KINDS, ownProbe, PROBE_INTEGERS, type ProbeKind } from '../../engine/probe/probe.ts';
import { LIFE_ORDER } from './explained-probes.ts';
import { injectionAt, type Injection } from '../../engine/defaulting/injection.ts';
import { valueAt, type FieldPath } from '../../base/json/field-path.ts';
import { probeSettings, type ContainerPolicy, type Setting } from '../../engine/policy/container-policy.ts';
import type { Container } from '../../engine/workload/pod.ts';
import type { FieldExplanation, FieldSetter, FieldSetting, ProbeFields } from './explanation.ts';

/** Where fields are written, for people: `file:line`. Undefined where nobody knows. */
export interface FieldPlaces {
  /** @param path the path in the object */
  ofManifest(path: FieldPath): string | undefined;
  /** @param field the path in the policy */
  ofPolicy(source: string, field: FieldPath): string | undefined;
}

export const NO_PLACES: FieldPlaces = { ofManifest: () => undefined, ofPolicy: () => undefined };

export interface FieldsToExplain {
  readonly container: Container;
  /** The Pod template as the author wrote it, and its path in the object. */
  readonly template: JsonObject;
  readonly templatePath: FieldPath;
  readonly injections: readonly Injection[];
  /** What the annotation of a live Pod says about the container. */
  readonly injectedEarlier: ReadonlyMap<string, string> | undefined;
  /** The merged policy of the container; undefined when no policy speaks for the container. */
  readonly policy: ContainerPolicy | undefined;
  readonly places: FieldPlaces;
}

/** A handler has at most this many fields; a hostile one has more. */
const MOST_FIELDS = 16;

export function explainedFields(known: FieldsToExplain): ProbeFields[] {
  const { container, injections } = known;
  return LIFE_ORDER.flatMap((kind): ProbeFields[] => {
    const probe = ownProbe(container.spec, kind);
    if (!isJsonObject(probe)) return [];
    const injection = injectionAt(injections, container, kind);
    const fields = fieldsOf(probe).map(({ field, value }): FieldExplanation => {
      const { setBy, overrides } =
        injection === undefined ? ownField(known, kind, field, value) : injectedField(known, injection, field);
      return { field: field.join('.'), value, setBy, overrides };
    });
    return [{ kind, fields }];
  });
}

function fieldsOf(probe: JsonObject): { readonly field: FieldPath; readonly value: unknown }[] {
  const handlers = HANDLER_KINDS.flatMap((kind) => {
    const handler = member(probe, kind);
    if (!isJsonObject(handler)) return [];
    const names = Object.keys(handler).slice(0, MOST_FIELDS);
    return names.map((name) => ({ field: [kind, name], value: member(handler, name) }));
  });
  const integers = PROBE_INTEGERS.map((name) => ({ field: [name], value: member(probe, name) }));
  return [...handlers, ...integers].filter(({ value }) => value !== undefined && value !== null);
}

/** A field of the author's own probe. Policies change nothing in such a probe. */
function ownField(
  { container: { list, index }, template, templatePath, injectedEarlier, policy, places }: FieldsToExplain,
  kind: ProbeKind,
  field: FieldPath,
  value: unknown,
): Pick<FieldExplanation, 'setBy' | 'overrides'> {
  const path = ['spec', list, index, kind, ...field];
  const isWritten = path.reduce<unknown>(memberAt, template) !== undefined;
  const by = injectedBy(injectedEarlier, kind);
  // The annotation names the layer of the handler, and no layers of single fields.
  if (by !== undefined)
    return {
      setBy: by.layer === ANNOTATION_SOURCE ? { by: 'annotation' } : { by: 'policy', source: by.layer },
      overrides: [],
    };
  const setBy: FieldSetter = isWritten
    ? { by: 'manifest', ...placed(places.ofManifest([...templatePath, ...path])) }
    : { by: 'default' };
  const unused = policy === undefined ? [] : otherSettings(probeSettings(policy.layers, kind, field), value);
  return { setBy, overrides: unused.map((setting) => shown(setting, templatePath, places)) };
}

function injectedField(
  { templatePath, places }: FieldsToExplain,
  injection: Injection,
  field: FieldPath,
): Pick<FieldExplanation, 'setBy' | 'overrides'> {
  const show = (setting: Setting): FieldSetting => shown(setting, templatePath, places);
  // Without the API server's defaults: a null overrides a setting of the same value as the default, too.
  const value = valueAt(injection.probe, field);
  const overrides = otherSettings(fieldSettings(injection, field), value).map(show);
  return { setBy: setterOf(fieldOrigin(injection, field), show), overrides };
}

/** The settings with another value than a field has. Highest first. */
export function otherSettings(settings: readonly Setting[], value: unknown): Setting[] {
  return settings.filter((setting) => setting.value !== undefined && !equalJson(setting.value, value)).reverse();
}

function setterOf({ by, setting }: Origin, show: (setting: Setting) => FieldSetting): FieldSetter {
  const asked = setting && show(setting);
  if (by === 'default' || by === 'slow-start') return { by, ...(asked && { asked }) };
  if (by !== 'policy') return { by };
  return setting?.layer.source === ANNOTATION_SOURCE
    ? { by: 'annotation', ...placed(asked?.place) }
    : { by, ...(asked && without(asked, 'value')) };
}

function shown({ layer, value, path }: Setting, templatePath: FieldPath, places: FieldPlaces): FieldSetting {
  const isAnnotation = layer.source === ANNOTATION_SOURCE;
  const place = isAnnotation ? places.ofManifest([...templatePath, ...path]) : places.ofPolicy(layer.source, path);
  return { source: layer.source, field: path.join('.'), value, ...placed(place) };
}

function placed(place: string | undefined): { readonly place?: string } {
  return place === undefined ? {} : { place };
}

function memberAt(value: unknown, step: string | number): unknown {
  if (Array.isArray(value)) return (value as readonly unknown[])[Number(step)];
  return isJsonObject(value) ? member(value, String(step)) : undefined;
}
