import { PAGE_SECURITY_POLICY, reportPage } from '../../explain/fleet-page/report-page.ts';
import { plainApp, type PortLimits } from '../../process/http-app.ts';
import { ListeningPort } from '../../process/listening-port.ts';
import { fleetReport, type FleetSources } from './fleet-report.ts';
import type { FastifyInstance } from 'fastify';
import type { LeaderElection } from '../../cluster/client/leader-election.ts';
import type { MutationMode } from '../../engine/policy/action.ts';
import type { ObserverContext } from '../observer-part.ts';

export interface DashboardSettings extends Pick<FleetSources, 'enforcement'> {
  /** Undefined = there is no page. */
  readonly dashboardPort: number | undefined;
  readonly host: string;
  readonly mutation: MutationMode;
}

/** The port of the page, if one is set. `dropped` is called when a connection is closed to keep to the limit. */
export function dashboardPort(
  context: ObserverContext,
  { dashboardPort: port, host, enforcement, mutation }: DashboardSettings,
  election: Pick<LeaderElection, 'isLeader' | 'leaderName'>,
  dropped: () => void,
): ListeningPort | undefined {
  if (port === undefined) return undefined;
  const { log, now, monotonic } = context;
  const page = cachedPage(async () => {
    const gap = election.isLeader ? undefined : followerText(election.leaderName);
    try {
      const report = await fleetReport({ ...context, enforcement, addsProbes: mutation === 'On', gap }, now());
      return report === undefined ? undefined : reportPage(report);
    } catch (error) {
      log.warn({ err: error }, 'the page cannot be made now');
      throw error;
    }
  }, monotonic);
  const build = (): FastifyInstance => buildDashboardApp(page, { dropped, monotonic });
  return new ListeningPort(build, { host, port, flag: '--dashboard-port' });
}

/** Only the leader lists the Pods. */
function followerText(leader: string): string {
  const owner = leader === '' ? 'No observer leads now. Ask again in a minute.' : `Open the page of the Pod ${leader}.`;
  return `This observer does not lead, so the page lacks the Pods without their probes (missed-pods). ${owner}`;
}

/** The page may not be framed: only a header can say so. */
const HEADERS = {
  'content-security-policy': `${PAGE_SECURITY_POLICY}; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // Shared caches must not keep the page, and a browser asks each time.
  'cache-control': 'private, no-cache',
};
const NOT_YET = 'The policies have not been read yet. Ask again in a few seconds.\n';

/** The app of the page: `GET /` and `HEAD /`, and nothing else. `page` resolves with undefined while there is none. */
export function buildDashboardApp(page: () => Promise<string | undefined>, inputs: PortLimits): FastifyInstance {
  const app = plainApp(inputs);
  app.addHook('onRequest', (_request, reply, done) => {
    void reply.headers(HEADERS);
    done();
  });
  app.get('/', async (_request, reply) => {
    const shown = await page();
    if (shown === undefined) return reply.code(503).header('retry-after', '5').send(NOT_YET);
    return reply.type('text/html; charset=utf-8').send(shown);
  });
  app.setNotFoundHandler((request, reply) => {
    const isPage = request.url.split('?')[0] === '/';
    if (isPage) void reply.code(405).header('allow', 'GET, HEAD').send('This page is read-only: use GET.\n');
    else void reply.code(404).send('The page is at /.\n');
  });
  app.setErrorHandler((_error, _request, reply) => {
    void reply
      .code(503)
      .header('retry-after', '30')
      .send('The page cannot be made now. The log of the observer has the reason.\n');
  });
  return app;
}

export const PAGE_LIFETIME = 30_000;

/**
 * A page that is rendered at most every 30 s. All who ask meanwhile get that page, or its failure.
 *
 * @param monotonic a clock that never goes back, in milliseconds
 */
export function cachedPage(
  render: () => Promise<string | undefined>,
  monotonic: () => number,
): () => Promise<string | undefined> {
  let page: Promise<string | undefined> | undefined;
  let begun = 0;
  return () => {
    const now = monotonic();
    if (page !== undefined && now - begun < PAGE_LIFETIME) return page;
    begun = now;
    page = render();
    return page;
  };
}
