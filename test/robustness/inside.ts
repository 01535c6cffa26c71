/**
 * Loaded into the program before its own first line (`--import`): tells the heap, blocks the event loop when asked to, and notes every file,
 * environment variable and outgoing connection that the program asks for.
 */
import diagnostics from 'node:diagnostics_channel';
import dns from 'node:dns';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import { noteLostTime } from './lost-time.ts';
import type { AddressInfo, Server } from 'node:net';

let touched: string[] = [];

/** Replaces functions of a module by ones that note their first argument. */
function note(module: object, what: string, names: readonly string[]): void {
  const functions = module as Record<string, ((...args: unknown[]) => unknown) | undefined>;
  for (const name of names) {
    const original = functions[name];
    if (original === undefined) continue;
    functions[name] = function (this: unknown, ...args: unknown[]): unknown {
      touched.push(`${what} ${name} ${String(args[0])}`);
      return Reflect.apply(original, this, args);
    };
  }
}

const files = [
  'open',
  'openSync',
  'readFile',
  'readFileSync',
  'stat',
  'statSync',
  'lstat',
  'readdir',
  'readdirSync',
  'realpath',
];
const writes = [
  'writeFile',
  'writeFileSync',
  'appendFile',
  'mkdir',
  'rename',
  'rm',
  'unlink',
  'createReadStream',
  'createWriteStream',
  'existsSync',
  'access',
];
note(fs, 'file', [...files, ...writes]);
note(fs.promises, 'file', [...files, ...writes]);
note(dns, 'network', ['lookup', 'resolve', 'resolve4', 'resolve6']);
note(dns.promises, 'network', ['lookup', 'resolve']);
diagnostics.subscribe('net.client.socket', () => {
  touched.push('network connect');
});

const env = process.env;
process.env = new Proxy(env, {
  get: (target, name) => {
    touched.push(`environment ${String(name)}`);
    return Reflect.get(target, name) as unknown;
  },
  ownKeys: (target) => {
    touched.push('environment *');
    return Reflect.ownKeys(target);
  },
});

// Servers are told apart by their kind: a process whose standard output is full cannot print its ports.
const ports = { port: 0, healthPort: 0 };
for (const [module, key] of [
  [https, 'port'],
  [http, 'healthPort'],
] as const) {
  const { listen } = module.Server.prototype as { listen: (...args: unknown[]) => Server };
  module.Server.prototype.listen = function (this: Server, ...args: unknown[]): never {
    this.once('listening', () => (ports[key] = (this.address() as AddressInfo).port));
    return Reflect.apply(listen, this, args) as never;
  };
}
syncBuiltinESMExports();

/** Notes the most processor time, in milliseconds, that the program's thread has used between two timers: about a turn of the event loop. */
let longestTurn = 0;
let watch: NodeJS.Timeout | undefined;
let takeLostTime = (): unknown => [];

function watchTurns(): void {
  if (watch !== undefined) return;
  takeLostTime = noteLostTime();
  let last = process.threadCpuUsage();
  watch = setInterval(() => {
    const { user, system } = process.threadCpuUsage(last);
    last = process.threadCpuUsage();
    longestTurn = Math.max(longestTurn, (user + system) / 1000);
  }, 1).unref();
}

process.on('message', (message: { tell?: 'vitals' | 'ports' | 'longest turn'; stall?: number }) => {
  if (message.tell === 'longest turn') {
    watchTurns();
    process.send?.({ longestTurn, lost: takeLostTime() });
    longestTurn = 0;
  }
  if (message.stall !== undefined) {
    const end = performance.now() + message.stall;
    while (performance.now() < end);
  }
  if (message.tell === 'vitals') {
    globalThis.gc?.();
    const { heapUsed, rss } = process.memoryUsage();
    process.send?.({ heapUsed, rss, touched });
    touched = [];
  }
  if (message.tell === 'ports') {
    // Unreferenced: a program that cannot start is to end, and not to be kept by us.
    const waiting = setInterval(() => {
      if (ports.port === 0 || ports.healthPort === 0) return;
      clearInterval(waiting);
      process.send?.(ports);
    }, 20).unref();
  }
});
// Tests that die leave nobody behind.
process.on('disconnect', () => process.exit(1));
// The tests' channel is no reason for the program to go on.
process.channel?.unref();
