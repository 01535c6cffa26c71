import fastify from 'fastify';
import { Addresses } from './addresses.ts';
import { limitConnections } from './connection-limit.ts';
import type { Server } from 'node:https';
import type { FastifyHttpsOptions, FastifyInstance } from 'fastify';

/** What every app has. */
const EVERY_APP = {
  logger: false,
  /**
   * No route has a JSON schema. Fastify would load its schema compilers all the same: a third of the program's source.
   * The bundle lacks them (scripts/bundle.ts).
   */
  schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
  /** Kept-alive connections get answers until the end of the drain; a 503 would be a failed call. */
  return503OnClosing: false,
} as const;

function noCompiler(): never {
  throw new Error('no route has a schema: there is nothing that compiles one');
}

/** The options of a TLS app that are not the same for every app. */
export type TlsAppOptions = Omit<FastifyHttpsOptions<Server>, keyof typeof EVERY_APP>;

/** An app with TLS. It does not listen. The caller sets its limits. */
export function tlsApp(options: TlsAppOptions): FastifyInstance<Server> {
  return fastify({ ...EVERY_APP, ...options });
}

/** The kubelet, a few scrapers and a few people need one connection each. */
const PLAIN_CONNECTIONS = 100;
/** Requests of the plain ports have no body. */
const PLAIN_BODY_BYTES = 1024;
/** The longest pause on a connection, and the longest time in which a request may arrive. */
const PLAIN_TIMEOUT_MILLISECONDS = 30_000;

/** What a plain HTTP port needs for its limits. */
export interface PlainAppInputs {
  /** Called when a connection is closed to keep to the limit. */
  readonly dropped: () => void;
  /** A monotonic clock, in milliseconds. */
  readonly monotonic: () => number;
}

/** A plain HTTP app, for the health port and the page. It does not listen. Every client may ask, so it has limits. */
export function plainApp({ dropped, monotonic }: PlainAppInputs): FastifyInstance {
  const app = fastify({
    ...EVERY_APP,
    bodyLimit: PLAIN_BODY_BYTES,
    connectionTimeout: PLAIN_TIMEOUT_MILLISECONDS,
    requestTimeout: PLAIN_TIMEOUT_MILLISECONDS,
    forceCloseConnections: true,
  });
  limitConnections(app.server, { most: PLAIN_CONNECTIONS, addresses: new Addresses(monotonic), dropped, monotonic });
  return app;
}
