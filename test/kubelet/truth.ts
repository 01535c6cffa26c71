import type { JsonObject } from '../../src/base/json/json-value.ts';

/**
 * What one probe gets back from the application. Each answer is what a real endpoint does; `probe-outcome.ts` says what the kubelet makes of it.
 */
export type Answer =
  | { readonly kind: 'ok'; readonly seconds?: number }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'refused' | 'hang' | 'http-to-https' | 'https-to-http' | 'command-missing' | 'not-serving' }
  /** The connection ends without an answer, or the answer has no end. */
  | { readonly kind: 'closed' | 'reset' | 'body-hangs' }
  /** A redirect to another host, which the kubelet does not follow. */
  | { readonly kind: 'redirected-away' }
  /** The container has ended, and the kubelet does not know. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'exit'; readonly code: number; readonly output: string };

/** An answer that holds for a while, in seconds after the start of the container. */
export interface Fault {
  readonly from: number;
  readonly until: number;
  readonly answer: Answer;
  /** Absent: every probe gets the answer. */
  readonly probes?: readonly ProbeType[];
}

export type ProbeType = 'startup' | 'liveness' | 'readiness';

/** What one start of a container does. All times are seconds after the true start of this start. */
export interface StartTruth {
  /** From this second on, every probe but the readiness probe gets `ok`. Absent: at once. `Infinity`: never. */
  readonly answersFrom?: number;
  /** From this second on, the readiness probe gets `ok` too. Never earlier than `answersFrom`, which is the default. */
  readonly readyFrom?: number;
  /** What probes get before. Default: the connection is refused. */
  readonly before?: Answer;
  readonly faults?: readonly Fault[];
  /** The container ends by itself at this second. */
  readonly endsAt?: number;
  readonly exitCode?: number;
  /** `lastState.terminated.reason`. Default: by the exit code, `Error` or `Completed`. */
  readonly reason?: 'Error' | 'OOMKilled' | 'Completed';
  /** How long the container needs to stop after SIGTERM. Default 0.3. Beyond the grace period it is killed. */
  readonly stopSeconds?: number;
  /** The exit code after SIGTERM. Default 143. */
  readonly stopCode?: number;
  /** What probes get from SIGTERM on. Default: the connection is refused. */
  readonly whileStopping?: Answer;
  /** How long the preStop hook of the container takes, if it has one that is no `sleep`. Default 0.05. */
  readonly preStopSeconds?: number;
}

/** What one container of the Pod does. */
export interface ContainerTruth {
  /** One entry for each start; the last one repeats. */
  readonly starts: readonly StartTruth[];
  /** How long it takes to pull the image. Default 0.2. */
  readonly pullSeconds?: number;
  /** For a plain init container: how long it runs. Default 0.5. */
  readonly runsSeconds?: number;
}

/** Everything that happens to one Pod. Seconds are counted from the creation of the Pod, on a true clock. */
export interface PodTruth {
  /** The Pod as it was created: metadata with name, namespace and uid, and the spec. */
  readonly pod: JsonObject;
  /** The true time of the creation, in milliseconds since the epoch. */
  readonly createdAt: number;
  /** By container name. A container without an entry answers at once and for ever. */
  readonly containers?: Readonly<Record<string, ContainerTruth>>;
  readonly node?: string;
  readonly scheduledAfter?: number;
  /** The node's clock is ahead of the true clock by so many seconds. The API server's clock is true. */
  readonly nodeClockAhead?: number;
  /** How long the kubelet needs for one write of a status: changes meanwhile go into the next write. Default 0.05. */
  readonly writeSeconds?: number;
  /** Readiness gates that become true, and when. A gate without an entry never does. */
  readonly gates?: Readonly<Record<string, number>>;
  /**
   * The kubelet stops at this second, and begins to sync again 5 s later. Since Kubernetes 1.35 it keeps what the status
   * says of containers older than 10 s (`keepsReady`), and opens the startup gates of all containers
   * (kubernetes/kubernetes#142305).
   */
  readonly kubeletRestarts?: readonly { readonly at: number; readonly keepsReady: boolean }[];
  /**
   * A container that follows a liveness kill inherits the open startup gate, until the startup probe's next tick
   * (kubernetes/kubernetes#141155: 1.35 to 1.37). Default true.
   */
  readonly inheritsStarted?: boolean;
  /** Events are written up to so many seconds late. Default 0. */
  readonly eventLagSeconds?: number;
  /** All containers of the Pod are restarted in place (KEP-5532). */
  readonly restartsAllAt?: readonly number[];
  /** When the story ends. */
  readonly until: number;
}

/** What really happened to one start of a container: what tests compare learned values with. */
export interface TrueStart {
  readonly container: string;
  readonly containerID: string;
  readonly restart: boolean;
  /** True times in milliseconds. */
  readonly startedAt: number;
  /** Seconds that the application needed until it answered; undefined when it had not answered when it ended. */
  readonly needed: number | undefined;
  passedAt: number | undefined;
  readyAt: number | undefined;
  endedAt: number | undefined;
  /** Who ended it; undefined while it runs. */
  endedBy: ProbeType | 'itself' | 'restart of all' | undefined;
}
