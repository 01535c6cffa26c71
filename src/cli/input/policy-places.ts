import { isJsonObject, member } from '../../base/json/json-value.ts';
import type { FieldPath } from '../../base/json/field-path.ts';
import type { YamlDocument } from '../../yaml/reading/documents.ts';

/** A place in a file. Lines and columns count from 1. */
export interface PlaceInFile {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Where the policies of the inputs are written, by the policy's source: `ProbePolicy/apps/web`. */
export class PolicyPlaces {
  readonly #places = new Map<string, { readonly document: YamlDocument; readonly path: FieldPath }>();

  add(source: string, document: YamlDocument, path: FieldPath): void {
    this.#places.set(source, { document, path });
  }

  /**
   * The place of a field in a policy, or of the nearest field around it. Undefined for a policy that is not among the
   * inputs.
   *
   * @param field the path in the policy's object; [] is the policy itself
   */
  find(source: string, field: FieldPath = []): PlaceInFile | undefined {
    const place = this.#places.get(source);
    if (place === undefined) return undefined;
    const { document, path } = place;
    const policy = path.reduce(memberAt, document.value);
    return { file: document.file, ...document.position([...path, ...asWritten(policy, field)], { key: true }) };
  }
}

/** A probe may be written in `kubernetesProbeEndpoints` alone, which is the short form of its HTTP path. */
function asWritten(policy: unknown, field: FieldPath): FieldPath {
  const [spec, probes, kind, handler, part] = field;
  if (spec === undefined || probes !== 'probes' || kind === undefined) return field;
  const isPath = handler === 'httpGet' && (part === undefined || part === 'path');
  const longForm = isPath ? field : [spec, probes, kind];
  const shortForm = [spec, 'kubernetesProbeEndpoints', kind];
  const isShort = longForm.reduce(memberAt, policy) === undefined && shortForm.reduce(memberAt, policy) !== undefined;
  return isShort ? shortForm : field;
}

function memberAt(value: unknown, step: string | number): unknown {
  if (Array.isArray(value)) return (value as readonly unknown[])[Number(step)];
  return isJsonObject(value) ? member(value, String(step)) : undefined;
}
