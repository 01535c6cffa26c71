import { readFileSync } from 'node:fs';

/** What a baseline server is started with: `<port> <certificate file> <key file>`. */
export interface Serving {
  readonly port: number;
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Reads the command line of a baseline server. */
export function serving(): Serving {
  const [port = '', cert = '', key = ''] = process.argv.slice(2);
  return { port: Number(port), cert: readFileSync(cert), key: readFileSync(key) };
}
