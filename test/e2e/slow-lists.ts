import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ControlPlane, kubeconfigText } from './control-plane.ts';
import { freePorts } from './processes.ts';

/** A way to the API server on which lists may be slow. */
export interface SlowLists {
  /** A kubeconfig of the administrator, as text. */
  readonly kubeconfig: string;
  /** From now on, each list takes so many milliseconds longer. */
  delay(milliseconds: number): void;
  stop(): void;
}

/** Starts a proxy on loopback before the API server. Watches and single objects are as fast as ever. */
export async function slowLists({ server, access }: ControlPlane): Promise<SlowLists> {
  let pause = 0;
  const forward = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url = '', headers } = incoming;
    if (method === 'GET' && /[?&]limit=/.test(url) && !/[?&]watch=/.test(url)) await sleep(pause);
    const onward = request(new URL(url, server), { method, headers, ca: access.caPem }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    incoming.pipe(onward);
  };
  const proxy = createServer((incoming, response) => void forward(incoming, response));
  proxy.requestTimeout = 0;
  const [port] = await freePorts(1);
  proxy.listen(port, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    kubeconfig: kubeconfigText({ server: `http://127.0.0.1:${port}`, token: access.token }),
    delay: (milliseconds) => {
      pause = milliseconds;
    },
    stop: () => {
      proxy.close();
      proxy.closeAllConnections();
    },
  };
}
