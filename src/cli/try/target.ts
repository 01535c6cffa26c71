import type { Connect, GoError } from './connection.ts';
import type { CommandEnd } from './exec-probe.ts';
import type { HttpProbe, Send } from './http-probe.ts';

/** A running container, in the ways in which `try` can reach it. A question that it cannot ask rejects with NotRun. */
export interface Target {
  /** Follows "asked": `127.0.0.1`, `web by docker`, `Pod shop/web-1`. */
  readonly name: string;
  /** The address in URLs and events, as the kubelet would have the Pod's. */
  readonly host: string;
  /** The container's present run. Absent where nobody tells. */
  runOf?(container: string): Promise<ContainerRun>;
  readonly connect: Connect;
  /** Looks whether a port can be asked, outside of a probe's time. An error is the refusal of the port. */
  prove?(port: number): Promise<GoError | undefined>;
  /** Sends a request of HTTP in the target's own way. Absent, and undefined, where a connection is opened. */
  proxied?(probe: HttpProbe): Send | undefined;
  /** Runs the command of an exec probe in the container. */
  exec(container: string, command: readonly string[], timeoutMilliseconds: number): Promise<CommandEnd>;
  /** True when the port is open to the container itself only, as far as the target can see. */
  isLoopbackOnly(port: number): Promise<boolean>;
  /** The ports on which the container listens on all addresses. Absent where the target cannot tell. */
  listeningPorts?(): Promise<readonly number[]>;
}

/** A run of a container, as far as its runtime tells. */
export interface ContainerRun {
  /** In milliseconds since the epoch. */
  readonly startedAt?: number;
  /** The readiness probe of the container has passed already. */
  readonly isReady?: true;
}
