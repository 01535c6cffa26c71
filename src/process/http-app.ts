import fastify from 'fastify';
import { limitConnections } from './connection-limit.ts';
import type { Server } from 'node:https';
import type { FastifyHttpsOptions, FastifyInstance } from 'fastify';

/** What every app has. */
const EVERY_APP = {
  logger: false,
  /** No route has a schema. Fastify would load compilers all the same, which the bundle lacks (scripts/bundle.ts). */
  schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
  /** Kept-alive connections get answers until the end of the drain; a 503 would be a failed call. */
  return503OnClosing: false,
} as const;

function noCompiler(): never {
  throw new Error('no route has a schema: there is nothing that compiles one');
}

export interface AppInputs {
  /** Called with the remote address when a connection is closed to keep to the limit. */
  readonly dropped: (address: string) => void;
  readonly monotonic: () => number;
}

/** 500 idle connections cost 30 to 100 MiB. The chart's limit is 384 MiB, an idle server uses 95 MiB. */
const TLS_CONNECTIONS = 500;

export type TlsAppOptions = Omit<FastifyHttpsOptions<Server>, keyof typeof EVERY_APP>;

/** An app with TLS. It does not listen. */
export function tlsApp(options: TlsAppOptions, inputs: AppInputs): FastifyInstance<Server> {
  const app = fastify({ ...EVERY_APP, ...options });
  limitConnections(app.server, { most: TLS_CONNECTIONS, ...inputs });
  return app;
}

/** The kubelet, a few scrapers and a few people need one connection each. */
const PLAIN_CONNECTIONS = 100;
const PLAIN_BODY_BYTES = 1024;
/** The longest pause on a connection, and the longest time in which a request may arrive. */
const PLAIN_TIMEOUT_MILLISECONDS = 30_000;

/** A plain HTTP app, for the health port and the page. It does not listen. Every client may ask, so it has limits. */
export function plainApp(inputs: AppInputs): FastifyInstance {
  const app = fastify({
    ...EVERY_APP,
    bodyLimit: PLAIN_BODY_BYTES,
    connectionTimeout: PLAIN_TIMEOUT_MILLISECONDS,
    requestTimeout: PLAIN_TIMEOUT_MILLISECONDS,
    forceCloseConnections: true,
  });
  limitConnections(app.server, { most: PLAIN_CONNECTIONS, ...inputs });
  return app;
}
