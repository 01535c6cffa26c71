import type { MeasuredStart } from './measured-start.ts';

/** What was seen of the closed startup gate of a container, in seconds since the epoch: when the kubelet wrote it. */
export interface ClosedGate {
  /** The first status that said `started: false`. */
  readonly since: number;
  readonly seenAt: number;
}

/** Containers of one node whose startup gates opened together. Instants of our clock are in milliseconds. */
interface Opening {
  /** When the node wrote again, in seconds, before the first gate opened. */
  readonly awakeSince: number;
  readonly firstAt: number;
  lastAt: number;
  readonly pods: Set<string>;
  /** A probe has surely opened one of the gates. */
  isByProbe: boolean;
  /** Starts that wait for the decision. */
  held: { readonly start: MeasuredStart; readonly since: number }[];
}

interface NodeRecord {
  /** The kubelet's last write, and the first write after its last silence, in seconds since the epoch. */
  lastWrite: number;
  awakeSince: number;
  readonly closed: Map<string, number>;
  opening: Opening | undefined;
  /** An instant between the last restart and the gates that it opened, in milliseconds since the epoch. */
  restartedAt: number;
}

/** Gates that a restart opens, open in one go: 24 of them within 0.4 s. */
const TOGETHER_MILLISECONDS = 1000;
/** A kubelet that ends, starts and syncs its first Pod writes nothing for so many seconds, or longer. */
const SILENT_SECONDS = 2;
/** From the start of a kubelet to the first status of a Pod: 1.4 s and more. */
const SYNC_MILLISECONDS = 1000;
/** Another closed gate on the node is waited for so long. */
const DECIDED_MILLISECONDS = 5000;
/** Twice the nodes of the largest clusters. The node that wrote nothing for the longest time is forgotten first. */
const MOST_NODES = 10_000;

/**
 * Recognises restarts of the kubelet from the statuses of Pods. A kubelet that restarts opens the startup gates of all
 * containers on its node that are starting: they become `started: true` without a probe (kubernetes/kubernetes#142305).
 * A start that lasted while the kubelet restarted gives no sample. The rule: gates of two or more Pods that open within
 * a second are a restart, unless something proves that the kubelet ran on. The proofs:
 *
 * - The node wrote statuses without a pause between the closed gate and the open one.
 * - A container without a readiness probe was started before it was ready. The first status after a restart has both.
 * - Another gate on the node, closed before, stays closed.
 *
 * One gate that opens alone cannot be told from a success of its probe, and counts as one.
 */
export class KubeletRestarts {
  readonly #nodes = new Map<string, NodeRecord>();
  readonly #measured: (start: MeasuredStart) => void;

  constructor(measured: (start: MeasuredStart) => void) {
    this.#measured = measured;
  }

  /** The kubelet of a node has written a status, at a second since the epoch. Also for older writes. */
  wrote(node: string, second: number): void {
    const known = this.#nodes.get(node);
    if (known === undefined) {
      const closed = new Map<string, number>();
      const record = { lastWrite: second, awakeSince: second, closed, opening: undefined, restartedAt: -Infinity };
      this.#nodes.set(node, record);
      const [oldest = node] = this.#nodes.keys();
      if (this.#nodes.size > MOST_NODES) this.#nodes.delete(oldest);
    } else if (second > known.lastWrite) {
      if (second - known.lastWrite >= SILENT_SECONDS) known.awakeSince = second;
      known.lastWrite = second;
      // In the order of the last writes.
      this.#nodes.delete(node);
      this.#nodes.set(node, known);
    }
  }

  /** The Pod has a closed gate since a second since the epoch; undefined: it has none, or is gone. */
  closed(node: string, pod: string, since: number | undefined): void {
    if (since === undefined) this.#nodes.get(node)?.closed.delete(pod);
    else this.#nodes.get(node)?.closed.set(pod, since);
  }

  /** A gate has opened. To be called before the start is reported, and before `closed` for the same event. */
  opened(node: string, pod: string, gate: ClosedGate, isReadyWithoutProbe: boolean | undefined, at: number): void {
    const known = this.#nodes.get(node);
    if (known === undefined) return;
    if (known.opening !== undefined && at - known.opening.lastAt > TOGETHER_MILLISECONDS) this.#decide(known);
    const isByProbe = isReadyWithoutProbe === false || known.awakeSince <= gate.seenAt;
    if (known.opening === undefined) {
      if (![...known.closed.keys()].some((other) => other !== pod)) return;
      const { awakeSince } = known;
      known.opening = { awakeSince, firstAt: at, lastAt: at, pods: new Set(), isByProbe, held: [] };
    }
    known.opening.lastAt = at;
    known.opening.pods.add(pod);
    known.opening.isByProbe ||= isByProbe;
  }

  /** True when the kubelet restarted after an instant, in milliseconds since the epoch. */
  isInterrupted(node: string, since: number): boolean {
    return (this.#nodes.get(node)?.restartedAt ?? -Infinity) > since;
  }

  /** Passes a start on, now or when it is decided that no restart interrupted the start. */
  report(node: string, start: MeasuredStart, since: number): void {
    const opening = this.#nodes.get(node)?.opening;
    if (opening !== undefined && !opening.isByProbe) opening.held.push({ start, since });
    else if (!this.isInterrupted(node, since)) this.#measured(start);
  }

  /** Decides about gates that have opened a while ago. To be called now and then. */
  decideDue(now: number): void {
    for (const node of this.#nodes.values())
      if (node.opening !== undefined && now - node.opening.lastAt >= DECIDED_MILLISECONDS) this.#decide(node);
  }

  #decide(node: NodeRecord): void {
    const { opening } = node;
    if (opening === undefined) return;
    node.opening = undefined;
    const { awakeSince, firstAt, pods, isByProbe, held } = opening;
    const isOneClosed = [...node.closed.values()].some((since) => since < awakeSince);
    if (pods.size > 1 && !isByProbe && !isOneClosed) node.restartedAt = firstAt - SYNC_MILLISECONDS;
    for (const { start, since } of held) if (node.restartedAt <= since) this.#measured(start);
  }
}
