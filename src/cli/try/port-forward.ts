import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { openChannels, podPath, type PodChannels, type PodName } from './pod-channel.ts';
import type { ClusterAccess } from '../../cluster/client/cluster-access.ts';

const [DATA, ERRORS] = [0, 1];
/** Each channel begins with the port, in two bytes (kubelet/pkg/cri/streaming/portforward/websocket.go). */
const PORT_BYTES = 2;
/** A Pod that does not refuse for so long is connected: the runtime dials when the channel opens. */
const ACCEPTED_MILLISECONDS = 700;

/** Why a port cannot be forwarded to, in the runtime's words. */
export class ForwardRefused extends Error {}

/** Forwards ports of a Pod to ports of loopback, each when it is first asked for. */
export class PortForwards {
  readonly #access: ClusterAccess;
  readonly #pod: PodName;
  readonly #servers = new Map<number, Promise<Server>>();
  readonly #open = new Set<PodChannels | Socket>();

  constructor(access: ClusterAccess, pod: PodName) {
    this.#access = access;
    this.#pod = pod;
  }

  /**
   * Tries whether anything listens on the port inside the Pod.
   *
   * @throws ForwardRefused when nothing does; ApiError without the right to forward
   */
  async prove(port: number): Promise<void> {
    let refusal = '';
    const ended = Promise.withResolvers<undefined>();
    const channels = await this.#channels(port, {
      data: () => {
        ended.resolve(undefined);
      },
      refused: (text) => {
        refusal = text;
        ended.resolve(undefined);
      },
      closed: () => {
        ended.resolve(undefined);
      },
    });
    const timer = setTimeout(() => {
      ended.resolve(undefined);
    }, ACCEPTED_MILLISECONDS);
    await ended.promise;
    clearTimeout(timer);
    channels.close();
    if (refusal !== '') throw new ForwardRefused(refusal);
  }

  /** A port of loopback that leads to the port of the Pod. */
  async local(port: number): Promise<number> {
    let server = this.#servers.get(port);
    if (server === undefined) this.#servers.set(port, (server = this.#listen(port)));
    return ((await server).address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const one of this.#open) if ('destroy' in one) one.destroy();
    for (const one of this.#open) if (!('destroy' in one)) one.close();
    for (const server of this.#servers.values()) (await server).close();
  }

  #listen(port: number): Promise<Server> {
    const server = createServer((socket) => void this.#connect(port, socket));
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', () => {
        resolve(server);
      });
    });
  }

  async #connect(port: number, socket: Socket): Promise<void> {
    this.#open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.pause();
    try {
      const channels = await this.#channels(port, {
        data: (bytes) => socket.write(bytes),
        refused: () => socket.destroy(),
        closed: () => socket.end(),
      });
      this.#open.add(channels);
      socket.on('data', (bytes: Buffer) => {
        channels.send(DATA, bytes);
      });
      socket.on('close', () => {
        this.#open.delete(socket);
        this.#open.delete(channels);
        channels.close();
      });
      socket.resume();
    } catch {
      socket.destroy();
    }
  }

  #channels(
    port: number,
    on: { data(bytes: Buffer): unknown; refused(text: string): unknown; closed(): unknown },
  ): Promise<PodChannels> {
    const seen = [0, 0];
    return openChannels(this.#access, podPath(this.#pod, 'portforward', [['ports', String(port)]]), {
      message: (channel, bytes) => {
        const skipped = Math.min(bytes.length, Math.max(0, PORT_BYTES - (seen[channel] ?? 0)));
        seen[channel] = (seen[channel] ?? 0) + bytes.length;
        const rest = bytes.subarray(skipped);
        if (rest.length === 0) return;
        if (channel === DATA) on.data(rest);
        if (channel === ERRORS) on.refused(rest.toString());
      },
      closed: () => {
        on.closed();
      },
    });
  }
}
