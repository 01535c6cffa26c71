import type { Answer, NotRun } from './answer.ts';
import type { Endpoint } from './connection.ts';
import type { CommandEnd } from './exec-probe.ts';
import type { HttpProbe } from './http-probe.ts';

/** A running container, in the ways in which `try` can reach it. */
export interface Target {
  /** Follows "asked": `127.0.0.1`, `web by docker`, `Pod shop/web-1`. */
  readonly name: string;
  /** The address in URLs and events, as the kubelet would have the Pod's. */
  readonly host: string;
  /** When the container started, in milliseconds since the epoch, where the runtime tells. */
  readonly startedAt?: number;
  /** Where a port of the container is reached; a reason where there is no way. */
  endpoint(port: number): Promise<Endpoint | NotRun | Answer>;
  /** Asks over HTTP in the target's own way. Absent where the endpoint is asked. */
  http?(probe: HttpProbe, timeoutMilliseconds: number): Promise<Answer | NotRun>;
  /** Runs the command of an exec probe in the container. */
  exec(container: string, command: readonly string[], timeoutMilliseconds: number): Promise<CommandEnd | NotRun>;
  /** True when the port is open to the container itself only, as far as the target can see. */
  isLoopbackOnly(port: number): Promise<boolean>;
  /** The ports on which the container listens on all addresses. Absent where the target cannot tell. */
  listeningPorts?(): Promise<readonly number[]>;
  close(): Promise<void>;
}
