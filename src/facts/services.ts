/** What is kept of a Service. */
export interface ServiceDigest {
  readonly name: string;
}

/** The Services of each namespace. The value is immutable. */
export interface Services {
  /** The Services of a namespace. Undefined = it is unknown which Services there are. */
  ofNamespace(namespace: string): readonly ServiceDigest[] | undefined;
  /** Returns these Services with others: a Service of the same namespace and name is replaced. */
  with(others: Services): Services;
}

export const UNKNOWN_SERVICES: Services = { ofNamespace: () => undefined, with: (others) => others };
