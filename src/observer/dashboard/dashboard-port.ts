import { isIPv4, isIPv6 } from 'node:net';
import { quote } from '../../base/text/cut.ts';
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
  /** DNS names by which people open the page, beside those that `isSafeHost` knows. */
  readonly dashboardHosts: readonly string[] | undefined;
  readonly host: string;
  readonly mutation: MutationMode;
}

/** The port of the page, if one is set. `dropped` is called when a connection is closed to keep to the limit. */
export function dashboardPort(
  context: ObserverContext,
  { dashboardPort: port, dashboardHosts = [], host, enforcement, mutation }: DashboardSettings,
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
  const build = (): FastifyInstance => buildDashboardApp(page, { dropped, monotonic }, dashboardHosts);
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
const OPEN_OTHERWISE =
  'Open it at http://localhost by kubectl port-forward, or list the name in --dashboard-hosts ' +
  '(observer.dashboard.hosts).\n';
const NOT_YET = 'The policies have not been read yet. Ask again in a few seconds.\n';

/**
 * True if no foreign web page can have this `Host`. The owner of a public DNS name can let the name point to 127.0.0.1,
 * and so read a port-forward from a browser. IP addresses, `localhost`, and names that are no public ones are safe.
 *
 * @param host the header as sent, with or without a port
 * @param allowed names in lower case, without a port, that the cluster's owner vouches for
 */
export function isSafeHost(host: string, allowed: readonly string[]): boolean {
  const [, inBrackets, plain = ''] = /^(?:\[([\da-f:.]+)\]|([\w.-]+?)\.?)(?::\d+)?$/i.exec(host) ?? [];
  const name = plain.toLowerCase();
  return isIPv6(inBrackets ?? '') || isIPv4(name) || OF_CLUSTER.test(name) || allowed.includes(name);
}

/** One label, a name of RFC 6761 or of a cluster, or a last label with a hyphen, which only `xn--` domains have. */
const OF_CLUSTER = /^[\w-]+$|\.(?:localhost|svc|svc\.cluster\.local|(?!xn--)\w+-[\w-]+)$/;

/** The app of the page: `GET /` and `HEAD /`, and nothing else. `page` resolves with undefined while there is none. */
export function buildDashboardApp(
  page: () => Promise<string | undefined>,
  inputs: PortLimits,
  hosts: readonly string[],
): FastifyInstance {
  const app = plainApp(inputs);
  app.addHook('onRequest', ({ headers: { host = '' } }, reply, done) => {
    void reply.headers(HEADERS);
    if (isSafeHost(host, hosts)) done();
    else void reply.code(421).send(`The page does not answer to the Host ${quote(host)}. ${OPEN_OTHERWISE}`);
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
