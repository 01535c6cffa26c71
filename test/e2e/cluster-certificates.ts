import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { waitUntil } from './processes.ts';
import { type Load, type LoadResult, loadFigure, startLoad, loadNamespace, prepareLoad } from './load.ts';
import { type Release, certificates } from './release.ts';
import { readable, report } from './scenario-figure.ts';
import { type RotationRecord, watchRotation, wholeRotations } from './rotation-record.ts';
import type { Cluster } from './cluster.ts';
import type { Replica } from './replica.ts';

/** A CA for half a minute, so that its whole life is seen; and a Lease that is given up soon. */
const hasty = [
  ...['--ca-lifetime', '36s', '--leaf-lifetime', '7s', '--ca-overlap', '2500ms', '--certificate-check', '500ms'],
  ...['--lease-duration', '6s', '--lease-renew', '1500ms', '--drain-seconds', '0'],
];
/** A whole rotation takes two thirds of a CA's life, two overlaps and the life of a leaf. */
const rotationMilliseconds = 60_000;
/** Until the Service has noticed that a replica is gone, calls to it fail, whoever is to blame for its end. */
const noticeMilliseconds = 1_500;
/** How long calls go on after the rotation. */
const quietMilliseconds = 3_000;

/** The CA's life, under load. */
export function certificateScenarios(cluster: () => Cluster, release: () => Release): void {
  describe('with certificates that last for seconds', () => {
    beforeAll(async () => {
      await release().endAll();
      await cluster().delete(release().secretPath);
      await release().restart({ args: hasty });
      await prepareLoad(cluster());
    });

    afterAll(() => release().endAll());

    it('no call fails while the CA is staged, promoted and retired', { timeout: 180_000 }, async () => {
      const replicas = [...release().replicas];
      const { load, rotation } = startBoth();
      const isSeen = (record: RotationRecord): boolean =>
        wholeRotations(record) > 0 && replicas.every(({ name }) => (record.issuers.get(name)?.size ?? 0) > 1);
      await waitUntil('a whole rotation', () => isSeen(rotation.record), rotationMilliseconds);
      const result = await load.stop();
      const record = await rotation.stop();
      const leaves = replicas.map((replica) => record.leaves.get(replica.name)?.size ?? 0);
      report(
        'CA staged, promoted and retired under load',
        `${loadFigure(result)}; ${wholeRotations(record)} whole rotations, ${leaves.join(' and ')} leaves served`,
      );
      expect(wholeRotations(record), stepsInWords(record)).toBeGreaterThan(0);
      expect(record.untrusted).toEqual([]);
      for (const replica of replicas) {
        expect(record.issuers.get(replica.name)?.size, `CAs that signed for ${replica.name}`).toBeGreaterThan(1);
      }
      expect(result.failures).toEqual([]);
      expect(result.unpatched).toEqual([]);
      expect(result.keptPace).toBeGreaterThan(0.9);
    });

    it('rotation goes on under another leader when the leader is killed', { timeout: 180_000 }, async () => {
      const { load, rotation } = startBoth();
      const [old = ''] = await fingerprints('ca.crt');
      const annotation = `probewright.dev/rotate=${new Date().toISOString()}`;
      const secret = ['secret', `${release().name}-ca`, `--namespace=${release().namespace}`];
      await cluster().kubectl(['annotate', ...secret, '--overwrite', annotation]);
      const staged = await waitUntil('the next CA is staged', async () => (await fingerprints('next.crt'))[0]);
      const leader = await release().leader();
      const killed = Date.now();
      await release().end(leader, 'SIGKILL');
      const successor = await release().leader();
      const took = Date.now() - killed;
      // As a kubelet would.
      await release().start(1, { args: hasty });
      const wasPromoted = async (): Promise<boolean> =>
        [...(await fingerprints('ca.crt')), ...(await fingerprints('previous.crt'))].includes(staged);
      await waitUntil('the staged CA signs', wasPromoted, rotationMilliseconds);
      const isRetired = async (): Promise<boolean> => !(await fingerprints('previous.crt')).includes(old);
      await waitUntil('the old CA is retired', isRetired, rotationMilliseconds);
      const rotations = await rotationCounts(successor);
      await sleep(quietMilliseconds);
      const result = await load.stop();
      const record = await rotation.stop();
      report(
        'leader killed under load',
        `${loadFigure(result)}, all within ${readable(lastFailure(result, killed))} of the kill; another leads after ${readable(took)}, and did ${rotations}`,
      );
      expect(record.untrusted).toEqual([]);
      expect(result.unpatched).toEqual([]);
      expect(result.failures.filter(({ at }) => at < killed || at > killed + noticeMilliseconds)).toEqual([]);
      expect(result.failures.filter(({ message }) => /x509|tls:/i.test(message))).toEqual([]);
      expect(result.keptPace).toBeGreaterThan(0.9);
    });

    /** Both end with the test, however it goes. */
    function startBoth(): { load: Load; rotation: ReturnType<typeof watchRotation> } {
      const load = startLoad(cluster(), { namespace: loadNamespace });
      const rotation = watchRotation(release());
      onTestFinished(async () => {
        await load.stop();
        await rotation.stop();
      });
      return { load, rotation };
    }

    async function fingerprints(key: string): Promise<string[]> {
      return certificates((await release().caSecret())?.data[key] ?? '').map((one) => one.fingerprint256);
    }
  });
}

function stepsInWords({ steps }: RotationRecord): string {
  return steps.map(({ step, ca }) => `${step} ${ca.slice(0, 8)}`).join(', ');
}

/** The last call that failed, in milliseconds after the moment; 0 when none did. */
function lastFailure({ failures }: LoadResult, moment: number): number {
  return Math.max(0, ...failures.map(({ at }) => at - moment));
}

/** The steps that the replica itself wrote, as its metrics tell. */
async function rotationCounts(replica: Replica): Promise<string> {
  const counts = [...(await replica.metric('probewright_cert_rotations_total'))].filter(([, count]) => count > 0);
  return counts.map(([labels, count]) => `${labels} ${count}`).join(' ') || 'nothing';
}
