import { describe, expect, it } from 'vitest';
import { type AuditEvent } from './audit-log.ts';
import { type Cluster } from './cluster.ts';
import { report } from './scenario-figure.ts';
import { grants, usedGrant } from './written-rbac.ts';

/**
 * Looks back on what all scenarios made Probewright ask for. Comes last: a right that no scenario needs is one too many,
 * and one that is missing was refused.
 */
export function leastPrivilegeScenarios(cluster: () => Cluster): void {
  describe('over all these scenarios', () => {
    it('the API server refused nothing that Probewright asked for', async () => {
      const events = (await ownEvents()).filter((event) => !isWhileStarting(event));
      const refused = events.filter(({ responseStatus }) => responseStatus?.code === 403).map(inWords);
      report('requests by Probewright', `${events.length}, refused ${refused.length}`);
      expect([...new Set(refused)]).toEqual([]);
      expect(events.length).toBeGreaterThan(0);
    });

    it('Probewright used every right that it is granted, and no other', async () => {
      const events = await ownEvents();
      const [granted, used, others] = [new Set<string>(), new Set<string>(), new Set<string>()];
      for (const release of cluster().releases) {
        // Names differ between releases, rights do not.
        const general = (right: string): string =>
          right.replaceAll(new RegExp(`"(00-)?${release.name}`, 'g'), '"$1<release>');
        for (const right of grants(release.rules)) granted.add(general(right));
        for (const event of events.filter(({ user }) => user.username === release.serviceAccount)) {
          const right = usedGrant(release.rules, event);
          if (right !== undefined) used.add(general(right));
          else if (event.objectRef?.resource !== undefined) others.add(inWords(event));
        }
      }
      report('rights', `${granted.size} granted, ${used.size} used`);
      expect([...others]).toEqual([]);
      expect([...used].toSorted()).toEqual([...granted].toSorted());
    });

    async function ownEvents(): Promise<AuditEvent[]> {
      return (await cluster().auditEvents()).filter(({ objectRef, requestURI }) => objectRef ?? requestURI);
    }

    /** An API server that has not read its roles yet refuses everybody. */
    function isWhileStarting({ stageTimestamp }: AuditEvent): boolean {
      const at = Date.parse(stageTimestamp);
      return cluster().apiServer.starts.some(({ from, ready }) => from <= at && at <= ready);
    }
  });
}

function inWords(event: AuditEvent): string {
  const { objectRef, verb, requestURI, user } = event;
  const resource = [objectRef?.resource, objectRef?.subresource].filter((part) => part !== undefined).join('/');
  return `${user.username}: ${verb} ${resource === '' ? requestURI : resource} ${objectRef?.name ?? ''}`.trim();
}
