/**
 * The shapes of what commands print with `--output json`. The npm package has these types, so this file imports only
 * such shapes. New fields may appear in any release; fields disappear only in a release with another major version.
 */
import type { ExplainedField, ProbeName } from '../../explain/timeline/explained-field.ts';

export type * from '../../explain/timeline/explained-field.ts';

/** The consequence of a violation. */
export type ViolationAction = 'Deny' | 'Warn' | 'Audit' | 'Excepted';

/** A ProbeException that allows a violation, or allowed it until its end. */
export interface ListedException {
  readonly name: string;
  readonly owner: string;
  readonly reason: string;
  readonly ticket?: string;
  /** The end, as RFC 3339 in UTC. */
  readonly expires: string;
}

/** An edit of one field of the object. A null value removes the field. */
export interface AdvisedEdit {
  /** `spec.template.spec.containers[0].livenessProbe.timeoutSeconds` */
  readonly path: string;
  readonly value: unknown;
}

interface ObjectName {
  readonly kind: string;
  /** Empty for objects without a namespace. */
  readonly namespace: string;
  readonly name: string;
}

/** A violation of a check, in an object or a policy. */
export interface ListedViolation extends ObjectName {
  /** The id of the check, such as `named-port`. */
  readonly check: string;
  readonly action: ViolationAction;
  /** The problem, without the path and the remedy. */
  readonly message: string;
  /** The field and value to write instead. */
  readonly remedy?: string;
  /** The remedy as edits. Absent when no value is known to work. */
  readonly advice?: readonly AdvisedEdit[];
  /** The field of the object, such as `spec.template.spec.containers[0].livenessProbe`. */
  readonly path: string;
  /** Empty when the violation is about no single container. */
  readonly container: string;
  readonly probe?: ProbeName;
  /** Measured figures, which change from day to day. */
  readonly properties?: Readonly<Record<string, number>>;
  /** For a finding about a policy: how many workloads of the inputs get the probe. */
  readonly workloads?: number;
  /** The exception that allows the violation. Present if the action is `Excepted`. */
  readonly exception?: ListedException;
  /** The exception that allowed the violation until its end. */
  readonly endedException?: ListedException;
  /** The page of the check. */
  readonly url: string;
}

/** A place in a file. Lines and columns count from 1; both are 0 where no line is known. */
export interface FilePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** How many containers have a probe, get one from policies, and lack one. */
export interface ListedProbeCounts {
  readonly have: number;
  readonly get: number;
  readonly lack: number;
  /** How many containers lack the probe for each reason. */
  readonly reasons: Readonly<Partial<Record<string, number>>>;
}

/** Workloads of a cluster that the webhook never sees, by its namespaceSelector. */
export interface ExemptNamespace {
  readonly namespace: string;
  readonly workloads: number;
  /** The requirement that the namespace does not meet, as kubectl writes selectors. */
  readonly reason: string;
}

/** What a project file leaves out of the inputs, and sets for a command. */
export interface ProjectReport {
  readonly file: string;
  /** The globs of the file. */
  readonly exclude: readonly string[];
  /** The files and directories that the globs leave out. */
  readonly leftOut: readonly string[];
  /** The settings that no flag overrides: `--min-level error`. */
  readonly sets: readonly string[];
}

/** How many charts and kustomizations of the inputs are not checked. */
export interface LeftOutCounts {
  readonly charts: number;
  readonly kustomizations: number;
}

/** The output of `probewright check --output json`. */
export interface CheckOutput {
  readonly violations: readonly (ListedViolation & FilePlace)[];
  /** The inputs that could not be read. */
  readonly problems: readonly (FilePlace & { readonly message: string })[];
  /** The workloads of a cluster whose live Pods lack probes of policies, and what to do. Absent without any. */
  readonly lacking?: readonly (ObjectName & { readonly message: string })[];
  /** Workloads that are not judged. Absent without any. */
  readonly exempt?: readonly ExemptNamespace[];
  /** Absent without a project file. */
  readonly project?: ProjectReport;
  readonly summary: {
    readonly objects: number;
    readonly workloads: number;
    /** Absent when all charts and kustomizations are checked. */
    readonly leftOut?: LeftOutCounts;
    readonly deny: number;
    readonly warn: number;
    readonly audit: number;
    /** Violations that exceptions allow. */
    readonly excepted: number;
    readonly coverage: {
      /** Application containers and native sidecars. */
      readonly containers: number;
      readonly livenessProbe: ListedProbeCounts;
      readonly readinessProbe: ListedProbeCounts;
      readonly noMainContainer: readonly (FilePlace &
        ObjectName & { readonly policies: readonly string[]; readonly message: string })[];
    };
  };
}

/** A probe that the Pods of a workload get, lose or get differently. */
export interface PlannedProbe {
  readonly container: string;
  readonly probe: ProbeName;
  readonly change: 'added' | 'removed' | 'changed';
  /** The whole probe. Null = the container has no such probe. */
  readonly before: unknown;
  readonly after: unknown;
}

/** A violation that appears, disappears or leads to another action. */
export interface PlannedViolation {
  readonly check: string;
  readonly container: string;
  readonly probe: ProbeName | null;
  readonly change: 'new' | 'gone' | 'changed';
  /** The actions. Null = there is no such violation. */
  readonly before: ViolationAction | null;
  readonly after: ViolationAction | null;
  readonly message: string;
}

/** What is injected after the change, where it is known what injects. */
export interface PlannedInjection {
  readonly tier: InjectionTierName;
  /** The probes that the webhook injects or would inject. */
  readonly webhook: number;
  /** The probes that the native policy injects. Absent where there is none. */
  readonly native?: number;
  /** The workloads that get fewer probes from the native policy, by construct of `export`. */
  readonly fewer: readonly { readonly construct: string; readonly workloads: readonly ObjectName[] }[];
}

/** The output of `probewright plan --output json`. */
export interface PlanOutput extends PlannedEffects {
  /** Workloads that are not judged. Absent without any. */
  readonly exempt?: readonly ExemptNamespace[];
  /** Absent where it is not known what injects. */
  readonly injection?: PlannedInjection;
}

/** What a change of policies does. */
export interface PlannedEffects {
  /** The workloads with an effect. */
  readonly workloads: readonly (ObjectName & {
    readonly probes: readonly PlannedProbe[];
    readonly violations: readonly PlannedViolation[];
  })[];
  readonly summary: {
    /** The workloads that were looked at. */
    readonly workloads: number;
    readonly changedProbes: number;
    readonly newlyDenied: number;
    readonly noLongerDenied: number;
    /** Those of `newlyDenied` that would be denied even at an update that adds no violation. */
    readonly newlyDeniedAtUpdate: number;
    readonly newlyWarned: number;
    readonly noLongerWarned: number;
    readonly unchanged: number;
  };
}

/** A time that follows from a probe. */
export interface ExplainedFigure {
  /** Such as `time-to-start`. */
  readonly id: string;
  readonly title: string;
  /** The run of the container for which the figure holds. */
  readonly run: 'first start' | 'restart after a liveness kill' | 'any run';
  readonly probe: ProbeName;
  readonly earliestSeconds: number;
  readonly latestSeconds: number;
  readonly formula: { readonly earliest: string; readonly latest: string };
  /** The values of the letters in the formulas. */
  readonly inputs: Readonly<Record<string, number>>;
  /** With a preStop hook: the hook begins at the times of the figure, and SIGTERM follows at most this much later. */
  readonly preStopSeconds?: number;
}

/** A container, with its probes after defaulting. */
export interface ExplainedContainer {
  readonly name: string;
  readonly role: 'application' | 'sidecar' | 'init' | 'mesh';
  /** Such as `spec.template.spec.containers[0]`. */
  readonly path: string;
  readonly headline: string;
  readonly probes: readonly {
    readonly kind: ProbeName;
    /** Such as `httpGet /healthz on port http`. */
    readonly handler?: string;
    /** The source of the probe: the manifest or a policy. */
    readonly from?: string;
    readonly fields: readonly ExplainedField[];
  }[];
  readonly figures: readonly ExplainedFigure[];
  /** The findings by which probes cannot work. No figure depends on such a probe. Absent without any. */
  readonly cannotWork?: readonly { readonly probe: ProbeName; readonly check: string; readonly message: string }[];
  /** Reasons why the figures do not hold for this container. */
  readonly caveats: readonly string[];
}

/** Why Pods of a workload are not Ready. */
export interface ListedFailure {
  /** The cause, such as `http-404`, or `shared-dependency` for workloads that fail together. */
  readonly cause: string;
  /** The container and the probe that fails. Absent for `shared-dependency`, and where a whole Pod waits. */
  readonly container?: string;
  readonly probe?: ProbeName;
  readonly message: string;
  readonly remedy: string;
  /** The HTTP status that the probe got last. */
  readonly status?: number;
  /** The timeout that ran out. */
  readonly timeoutSeconds?: number;
  /** The time to start that was learned when the Pod was created. */
  readonly learnedSeconds?: number;
  /** The exit code of the last run, for a container that ends again and again. */
  readonly exitCode?: number;
  /** The word of the kubelet, the scheduler or a controller, such as `ImagePullBackOff` or `Unschedulable`. */
  readonly reason?: string;
  /** What it says about the reason. */
  readonly words?: string;
  /** How often the kubelet has told the failure in the last hour, at least. */
  readonly times?: number;
  readonly restarts?: number;
  /** The Pods that fail for this cause. */
  readonly pods?: number;
  /** Since when Pods are not Ready, or for `shared-dependency` the first failure: RFC 3339 in UTC. */
  readonly since?: string;
  /** For `shared-dependency`: the workloads that fail together, as a text. */
  readonly together?: string;
}

/** The output of `probewright explain --output json`. */
export interface ExplainOutput {
  readonly workloads: readonly (ObjectName & {
    /** `file:line:column`, or `cluster:NAMESPACE/TYPE/NAME`. */
    readonly place: string;
    readonly containers: readonly ExplainedContainer[];
    /** Why containers get no further probes, and what is wrong with annotations. */
    readonly notInjected: readonly string[];
    /** The exceptions for the workload, a sentence each. Absent without any. */
    readonly exceptions?: readonly string[];
    /** What injects the probes of policies. Absent when it is not known. */
    readonly injection?: ListedInjection;
    /** The live Pods that lack these probes, and what to do: one sentence. Absent without any. */
    readonly lacking?: string;
    /** Why Pods are not Ready. Present for workloads of a cluster, if Pods and events could be read. */
    readonly failures?: readonly ListedFailure[];
  })[];
}

/** What injects probes into new Pods. With `both`, the webhook adds what the native policy leaves out. */
export type InjectionTierName = 'webhook' | 'native' | 'both' | 'none';

/** What is injected into the Pods of a workload, and what the native policy leaves out. */
export interface ListedInjection {
  readonly tier: InjectionTierName;
  readonly injected: readonly Readonly<Record<'container' | 'probe', string>>[];
  /** What only the webhook would inject, with the ids of the constructs of `export` that say why. */
  readonly leftOut: readonly (Readonly<Record<'container' | 'probe', string>> & {
    readonly constructs: readonly string[];
  })[];
}

/** The result of a probe that was run, or not run. */
export type TryResult = 'passes' | 'warns' | 'fails' | 'not run';

/** A probe with its result. */
export interface TriedProbe extends FilePlace, ObjectName {
  readonly container: string;
  readonly probe: ProbeName;
  /** Such as `httpGet /healthz on port http`. */
  readonly handler: string;
  readonly result: TryResult;
  /** The message of the kubelet's event; empty for a plain success. */
  readonly event: string;
  /** The HTTP status, or the exit code of a command. */
  readonly code: number | null;
  readonly milliseconds: { readonly median: number; readonly longest: number } | null;
  readonly timeoutSeconds: number;
  /** What the result does not show: where the path was redirected to, and what was sent as it is written. */
  readonly notes: readonly string[];
  /** Why the probe fails or warns, such as `http-404`. */
  readonly cause: string | null;
  /** What to write; for a probe that is not run, why. */
  readonly remedy: string;
  /** The remedy as edits of the object. Empty when no value is known to work. */
  readonly edits: readonly AdvisedEdit[];
}

/** The output of `probewright try --output json`. */
export interface TryOutput {
  readonly probes: readonly TriedProbe[];
  readonly summary: {
    readonly passes: number;
    readonly fails: number;
    readonly warns: number;
    readonly notRun: number;
  };
  /** With `--wait`: how long each container took until all of its probes passed. */
  readonly starts?: readonly {
    readonly container: string;
    /** Null for a container that was up already: no probe was seen failing. */
    readonly seconds: number | null;
    /** The probe that guarantees the time to start: the startup probe, else the liveness probe. */
    readonly guaranteedBy?: ProbeName;
    /** What the startup probe, or else the liveness probe, guarantees. */
    readonly guaranteedSeconds?: number | undefined;
    /** The failureThreshold of that probe that fits. */
    readonly failureThreshold?: number | undefined;
  }[];
}
