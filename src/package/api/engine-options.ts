/** A Kubernetes object as JSON values. */
export type ObjectInput = object;

/** One object or several. A List counts as its items. */
export type KubernetesObjects = ObjectInput | readonly ObjectInput[];

/** A custom kind with a Pod template. */
export interface CustomKind {
  /** The API group, such as `argoproj.io`. */
  readonly group: string;
  readonly kind: string;
  /** The place of the Pod template, such as `spec.template`. `*` is every element of a list. */
  readonly podTemplatePath: string;
  /** True if the Pods are meant to end. Default false. */
  readonly runsToCompletion?: boolean;
}

/** The inputs of a decision beside the objects. */
export interface EngineOptions {
  /** Policies and facts: ProbeExceptions, Services, StartupProfiles, and Namespaces for their labels. Default none. */
  readonly policies?: readonly ObjectInput[];
  /** The namespace of objects that name no namespace. Default `default`. */
  readonly namespace?: string;
  /** Custom kinds, in addition to the known kinds. */
  readonly workloadKinds?: readonly CustomKind[];
  /** The instant of the verdict, for the expiry of exceptions. Default the present. */
  readonly now?: Date;
}

/** A problem of an argument: where, and what to write instead. */
export interface InputProblem {
  /** The argument, such as `policies[0]`. */
  readonly place: string;
  /** The field and the problem, such as `spec.port: 70000 is not a port number`. */
  readonly message: string;
}

/** An argument cannot be used. Nothing has been decided. */
export class InvalidInputError extends Error {
  override readonly name = 'InvalidInputError';
  /** A fixed text for programs. */
  readonly code = 'PROBEWRIGHT_INVALID_INPUT';
  readonly problems: readonly InputProblem[];

  constructor(problems: readonly InputProblem[]) {
    super(problems.map(({ place, message }) => `${place}: ${message}`).join('\n'));
    this.problems = problems;
  }
}
