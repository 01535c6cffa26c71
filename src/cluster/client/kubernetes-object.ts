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
  const metadata = isRecord(value) ? value['metadata'] : undefined;
  return isRecord(metadata) && typeof metadata['name'] === 'string';
}

/** True for a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
