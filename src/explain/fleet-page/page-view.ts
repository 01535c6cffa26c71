import type { Markup } from '../../base/text/xml.ts';

/** The values of pages/report/page.eta. Texts are escaped by the template; Markup is inserted unchanged. */
export interface PageView {
  readonly securityPolicy: string;
  readonly title: string;
  readonly subject: string;
  /** RFC 3339, and as people read it. */
  readonly instant: string;
  readonly shownInstant: string;
  readonly version: string;
  readonly style: Markup;
  readonly script: Markup;
  /** The links at the top of the page. */
  readonly parts: readonly { readonly id: string; readonly title: string }[];
  readonly tiles: readonly { readonly number: number; readonly label: string; readonly tone: string }[];
  readonly problems: readonly string[];
  readonly containers: string;
  readonly coverage: readonly CoverageView[];
  /** The heads of the columns of verdicts, worst first. */
  readonly levels: readonly string[];
  readonly namespaces: readonly NamespaceView[];
  /** The heads of the columns of findings. */
  readonly findingLevels: readonly string[];
  readonly checks: readonly CheckView[];
  /** True when an observer found something in live Pods. */
  readonly hasLive: boolean;
  readonly legend: Markup;
  readonly groups: readonly GroupView[];
  /** Workloads with and without a row. */
  readonly workloads: number;
  readonly withoutRow: string | undefined;
  readonly policies: readonly PolicyView[];
  readonly exceptions: readonly ExceptionView[];
  /** Scenes that rows refer to, and hatchings. */
  readonly drawings: Markup;
}

/** A number in a cell. The tone is empty for 0, so that the eye finds the others. */
export interface CountView {
  readonly number: number;
  readonly tone: string;
}

export interface CoverageView {
  readonly probe: string;
  readonly own: number;
  readonly given: number;
  readonly missing: number;
  readonly bar: Markup;
}

export interface NamespaceView {
  /** The id of the namespace's group of rows. */
  readonly id: string;
  readonly namespace: string;
  readonly workloads: number;
  readonly counts: readonly CountView[];
  readonly live: number;
  readonly shortest: string;
  readonly policies: readonly string[];
}

export interface CheckView {
  readonly check: string;
  readonly url: string;
  readonly summary: string;
  readonly counts: readonly CountView[];
  readonly workloads: number;
}

export interface GroupView {
  readonly id: string;
  readonly namespace: string;
  readonly count: string;
  /** The rows, made by pages/report/workload.eta. */
  readonly rows: readonly Markup[];
}

export interface PolicyView {
  readonly source: string;
  readonly workloads: number;
  readonly advice: readonly { readonly check: string; readonly message: string }[];
}

export interface ExceptionView {
  readonly name: string;
  readonly checks: string;
  readonly workloads: string;
  readonly owner: string;
  readonly reason: string;
  readonly instant: string;
  readonly day: string;
  readonly state: string;
  readonly tone: string;
}

/** The values of pages/report/workload.eta. */
export interface RowView {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** The place of the verdict in an order from worst to best. */
  readonly level: number;
  readonly tone: string;
  readonly verdict: string;
  /** `2 errors, 1 warning` */
  readonly found: string;
  /** Seconds that the containers have at least to start; empty without a limit. */
  readonly guaranteed: string;
  readonly start: string;
  readonly strip: Markup;
  readonly findings: readonly FindingView[];
  /** Checks with findings that are not shown, separated by spaces: the choice of a check finds the row. */
  readonly otherChecks: string;
  readonly live: readonly { readonly name: string; readonly message: string; readonly command?: string | undefined }[];
  readonly containers: readonly ContainerView[];
  readonly notInjected: readonly string[];
  readonly place: string;
  readonly policies: readonly string[];
}

export interface FindingView {
  readonly action: string;
  readonly tone: string;
  readonly check: string;
  readonly path: string;
  readonly message: string;
  readonly remedy: string | undefined;
}

export interface ContainerView {
  readonly name: string;
  readonly role: string;
  readonly headline: string;
  /** `Learned starts: 12, 8 to 31 s.` */
  readonly learned: string | undefined;
  readonly caveats: readonly string[];
  readonly probes: readonly {
    readonly kind: string;
    readonly handler: string;
    readonly times: string;
    /** The policy that gave the probe. Undefined for a probe of the manifest. */
    readonly from: string | undefined;
  }[];
  readonly scenes: readonly SceneView[];
}

export interface SceneView {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}
