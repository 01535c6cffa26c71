import { fleetReport } from './dashboard/fleet-report.ts';
import { PageCache } from './dashboard/page-cache.ts';
import { reportPage } from '../explain/fleet-page/report-page.ts';
import { ListeningPort } from '../process/listening-port.ts';
import { VERSION } from '../base/version.ts';
import { buildDashboardApp } from './dashboard-app.ts';
import type { ElectionPart } from '../process/election-part.ts';
import type { ExtraResults } from './reports/extra-results.ts';
import type { ObserverClocks, ObserverInputs } from './observer-inputs.ts';

/**
 * The port of the page. Undefined when no port is given.
 *
 * @param dropped called when a connection is closed to keep to the limit
 */
export function dashboardPort(
  { config, connection, store, kinds, isExempt }: ObserverInputs,
  { log, now, monotonic }: ObserverClocks,
  extraResults: ExtraResults,
  election: Pick<ElectionPart, 'isLeader' | 'leaderName'>,
  dropped: () => void,
): ListeningPort | undefined {
  const { dashboardPort: port, host, enforcement, mutation } = config;
  if (port === undefined) return undefined;
  const sources = {
    client: connection.client,
    kinds,
    isExempt,
    snapshot: () => store.current,
    extraResults,
    enforcement,
    addsProbes: mutation === 'On',
    version: VERSION,
    gap: () => (election.isLeader ? undefined : followerText(election.leaderName)),
  };
  const cache = new PageCache(async () => {
    try {
      const report = await fleetReport(sources, now());
      return report === undefined ? undefined : reportPage(report);
    } catch (error) {
      log.warn({ err: error }, 'the page cannot be made now');
      throw error;
    }
  }, monotonic);
  return new ListeningPort(() => buildDashboardApp(() => cache.get(), { dropped, monotonic }), {
    host,
    port,
    flag: '--dashboard-port',
  });
}

/** Only the leader lists the Pods. */
function followerText(leader: string): string {
  const owner = leader === '' ? 'No observer leads now. Ask again in a minute.' : `Open the page of the Pod ${leader}.`;
  return `This observer does not lead, so the page lacks the Pods without their probes (missed-pods). ${owner}`;
}
