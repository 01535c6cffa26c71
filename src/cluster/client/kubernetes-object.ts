import { textAt } from '../../base/json/field-path.ts';

/** The part that every Kubernetes object has. All other fields have to be checked when they are read. */
export interface KubernetesObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMetadata;
}

export interface ObjectMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  /** RFC 3339. */
  readonly creationTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string;
}

/** True for a value that can be an object of the API: one with a name. */
export function isKubernetesObject(value: unknown): value is KubernetesObject {
  return textAt(value, 'metadata', 'name') !== undefined;
}
