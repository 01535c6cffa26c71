import { spawn, execFile, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:https';
import { WebSocketServer, type WebSocket } from 'ws';
import { makeServingPair } from '../support/certificate.ts';
import { randomInt } from 'node:crypto';
import { promisify } from 'node:util';
import type { AddressInfo } from 'node:net';

/** The part of a kubelet that port-forward and exec need, over WebSocket channels. */
export interface TryKubelet {
  readonly port: number;
  /** The requests that the API server passed on. */
  readonly asked: readonly string[];
  readonly stop: () => Promise<void>;
}

/** Connects standard input and output to a port of loopback in the Pod; the error goes to standard error. */
const CONNECT = (port: string): string => `
const socket = require('node:net').connect(${port}, '127.0.0.1');
process.stdin.pipe(socket).pipe(process.stdout);
socket.on('error', (error) => { process.stderr.write(error.message); process.exit(1); });
`;

/** Starts the kubelet of a Pod in a network namespace. Commands of exec run on this machine. */
export async function startTryKubelet(network: PodNetwork): Promise<TryKubelet> {
  const { certPem: cert, keyPem: key } = await makeServingPair({ dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] });
  const server = createServer({ cert, key });
  const asked: string[] = [];
  const sockets = new WebSocketServer({ server, handleProtocols: (protocols) => [...protocols][0] ?? false });
  sockets.on('connection', (socket, request) => {
    const url = new URL(request.url ?? '/', 'https://kubelet');
    asked.push(url.pathname);
    if (url.pathname.startsWith('/portForward/'))
      forward(socket, network, url.searchParams.get('port') ?? url.searchParams.get('ports') ?? '');
    else execute(socket, url.searchParams.getAll('command'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    stop: async () => {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const channel = (number: number, bytes: Buffer): Buffer => Buffer.concat([Buffer.from([number]), bytes]);

/** Each channel begins with the port in two bytes (kubelet/pkg/cri/streaming/portforward/websocket.go). */
function forward(socket: WebSocket, network: PodNetwork, port: string): void {
  const number = Buffer.alloc(2);
  number.writeUInt16LE(Number(port));
  socket.send(channel(0, number));
  socket.send(channel(1, number));
  const child = network.start(CONNECT(port));
  child.stdout?.on('data', (bytes: Buffer) => socket.send(channel(0, bytes)));
  child.stderr?.on('data', (bytes: Buffer) =>
    socket.send(channel(1, Buffer.from(`error forwarding port ${port} to pod: ${String(bytes)}`))),
  );
  child.stdin?.on('error', () => undefined);
  child.on('close', () => socket.close());
  socket.on('message', (data) => child.stdin?.write((data as Buffer).subarray(1)));
  socket.on('close', () => child.kill());
}

/** A Status ends the command (kubelet/pkg/cri/streaming/remotecommand/exec.go). */
function execute(socket: WebSocket, command: readonly string[]): void {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const end = (status: object): void => {
    socket.send(channel(3, Buffer.from(JSON.stringify({ kind: 'Status', ...status }))));
    socket.close();
  };
  child.stdout.on('data', (bytes: Buffer) => socket.send(channel(1, bytes)));
  child.stderr.on('data', (bytes: Buffer) => socket.send(channel(2, bytes)));
  child.on('error', () => {
    const message = `OCI runtime exec failed: exec failed: unable to start container process: exec: "${program}": executable file not found in $PATH: unknown`;
    end({ status: 'Failure', reason: 'InternalError', message, code: 500 });
  });
  child.on('close', (code) => {
    if (code === 0) end({ status: 'Success' });
    else if (code !== null && code > 0)
      end({
        status: 'Failure',
        reason: 'NonZeroExitCode',
        details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
      });
  });
  socket.on('close', () => child.kill('SIGKILL'));
}

const run = promisify(execFile);

/** A network namespace that plays the network of a Pod: an address that this machine reaches, and a loopback of its own. */
export interface PodNetwork {
  readonly address: string;
  /** Starts a program of Node in the namespace. */
  readonly start: (script: string) => ChildProcess;
  readonly remove: () => Promise<void>;
}

/** Makes a network namespace, or says in one sentence why none can be made here. */
export async function makePodNetwork(): Promise<PodNetwork | string> {
  const number = randomInt(1, 250);
  const name = `probewright-${process.pid}-${number}`;
  const [host, inner] = [`pw${number}h`, `pw${number}c`];
  const ip = (...args: readonly string[]): Promise<unknown> => run('ip', [...args]);
  try {
    await ip('netns', 'add', name);
    await ip('link', 'add', host, 'type', 'veth', 'peer', 'name', inner, 'netns', name);
    await ip('addr', 'add', `10.199.${number}.1/30`, 'dev', host);
    await ip('link', 'set', host, 'up');
    await ip('-n', name, 'addr', 'add', `10.199.${number}.2/30`, 'dev', inner);
    await ip('-n', name, 'link', 'set', inner, 'up');
    await ip('-n', name, 'link', 'set', 'lo', 'up');
  } catch (error) {
    await ip('netns', 'delete', name).catch(() => undefined);
    return `no network namespace can be made: ${String(error).split('\n')[0] ?? ''}`;
  }
  return {
    address: `10.199.${number}.2`,
    start: (script) => spawn('ip', ['netns', 'exec', name, process.execPath, '-e', script], { stdio: 'pipe' }),
    remove: async () => {
      await ip('netns', 'delete', name).catch(() => undefined);
    },
  };
}
