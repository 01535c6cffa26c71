import { equalJson, member, objectMember, without, type JsonObject } from '../../base/json/json-value.ts';
import { fieldOrigin, fieldSettings, type Origin } from '../../engine/defaulting/field-origin.ts';
import { injectedBy } from '../../engine/defaulting/injected-by.ts';
import { ANNOTATION_SOURCE } from '../../engine/policy/annotations.ts';
import { handlerKindsOf, PROBE_INTEGERS } from '../../engine/probe/probe.ts';
import type { Injection } from '../../engine/defaulting/injection.ts';
import { valueAt, type FieldPath } from '../../base/json/field-path.ts';
import { probeSettings, type ContainerPolicy, type Setting } from '../../engine/policy/container-policy.ts';
import type { ProbedContainer, ProbeObject } from '../../engine/workload/pod.ts';
import type { ExplainedField, ExplainedSetting, FieldSetter } from './explained-field.ts';

/** Where fields are written, for people: `file:line`. Undefined where nobody knows. */
export interface FieldPlaces {
  /** @param path the path in the object */
  ofManifest(path: FieldPath): string | undefined;
  /** @param field the path in the policy */
  ofPolicy(source: string, field: FieldPath): string | undefined;
}

export const NO_PLACES: FieldPlaces = { ofManifest: () => undefined, ofPolicy: () => undefined };

/** A container, and what decided on its probes. */
export interface Decided {
  readonly container: ProbedContainer;
  /** The path of the Pod template in the object. */
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

export function explainedFields(decided: Decided, probe: ProbeObject, injection?: Injection): ExplainedField[] {
  return fieldsOf(probe.whole).map(({ field, value }) => ({
    ...{ field: field.join('.'), value },
    ...(injection === undefined ? ownField(decided, probe, field, value) : injectedField(decided, injection, field)),
  }));
}

function fieldsOf(probe: JsonObject): { readonly field: FieldPath; readonly value: unknown }[] {
  const handlers = handlerKindsOf(probe).flatMap((kind) => {
    const fields = Object.entries(objectMember(probe, kind) ?? {}).slice(0, MOST_FIELDS);
    return fields.map(([name, value]) => ({ field: [kind, name], value }));
  });
  const integers = PROBE_INTEGERS.map((name) => ({ field: [name], value: member(probe, name) }));
  return [...handlers, ...integers].filter(({ value }) => value !== undefined && value !== null);
}

/** A field of the author's own probe. Policies change nothing in such a probe. */
function ownField(
  { templatePath, injectedEarlier, policy, places }: Decided,
  { kind, place, written }: ProbeObject,
  field: FieldPath,
  value: unknown,
): Pick<ExplainedField, 'setBy' | 'overrides'> {
  const by = injectedBy(injectedEarlier, kind);
  // The annotation names the layer of the handler, and no layers of single fields.
  if (by !== undefined)
    return {
      setBy: by.layer === ANNOTATION_SOURCE ? { by: 'annotation' } : { by: 'policy', source: by.layer },
      overrides: [],
    };
  const isWritten = valueAt(written, field) !== undefined;
  const setBy: FieldSetter = isWritten
    ? { by: 'manifest', ...placed(places.ofManifest(place.path(...field))) }
    : { by: 'default' };
  const unused = policy === undefined ? [] : otherSettings(probeSettings(policy.layers, kind, field), value);
  return { setBy, overrides: unused.map((setting) => shown(setting, templatePath, places)) };
}

function injectedField(
  { templatePath, places }: Decided,
  injection: Injection,
  field: FieldPath,
): Pick<ExplainedField, 'setBy' | 'overrides'> {
  const show = (setting: Setting): ExplainedSetting => shown(setting, templatePath, places);
  // Without the API server's defaults: a null overrides a setting of the same value as the default, too.
  const value = valueAt(injection.probe, field);
  const overrides = otherSettings(fieldSettings(injection, field), value).map(show);
  return { setBy: setterOf(fieldOrigin(injection, field), show), overrides };
}

/** The settings with another value than a field has. Highest first. */
export function otherSettings(settings: readonly Setting[], value: unknown): Setting[] {
  return settings.filter((setting) => setting.value !== undefined && !equalJson(setting.value, value)).reverse();
}

function setterOf({ by, setting }: Origin, show: (setting: Setting) => ExplainedSetting): FieldSetter {
  const asked = setting && show(setting);
  if (by === 'default' || by === 'slow-start') return { by, ...(asked && { asked }) };
  if (by !== 'policy') return { by };
  return setting?.layer.source === ANNOTATION_SOURCE
    ? { by: 'annotation', ...placed(asked?.place) }
    : { by, ...(asked && without(asked, 'value')) };
}

function shown({ layer, value, path }: Setting, templatePath: FieldPath, places: FieldPlaces): ExplainedSetting {
  const isAnnotation = layer.source === ANNOTATION_SOURCE;
  const place = isAnnotation ? places.ofManifest([...templatePath, ...path]) : places.ofPolicy(layer.source, path);
  return { source: layer.source, field: path.join('.'), value, ...placed(place) };
}

function placed(place: string | undefined): { readonly place?: string } {
  return place === undefined ? {} : { place };
}
