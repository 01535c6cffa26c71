import { setTimeout as sleep } from 'node:timers/promises';
import { type CaSecret, type Release, certificates } from './release.ts';
import type { X509Certificate } from 'node:crypto';

/** Another CA waits in the Secret; it signs; one that signed before is gone. */
export interface RotationStep {
  readonly step: 'staged' | 'promoted' | 'retired';
  readonly ca: string;
  /** Which CA one that is promoted takes over from. */
  readonly replaced?: string | undefined;
}

/** What was seen of the CA's rotations from outside. Certificates are told apart by their fingerprints. */
export interface RotationRecord {
  /** In the order of events. */
  readonly steps: readonly RotationStep[];
  /** The leaves that each replica served, by its name. */
  readonly leaves: ReadonlyMap<string, ReadonlySet<string>>;
  /** The CAs that signed them. */
  readonly issuers: ReadonlyMap<string, ReadonlySet<string>>;
  /** Moments at which a replica served what the configurations did not trust, or what had expired. */
  readonly untrusted: readonly string[];
}

/** Looks at Secret, configurations and served leaves several times a second until it is stopped. `record` grows meanwhile. */
export function watchRotation(release: Release): { record: RotationRecord; stop: () => Promise<RotationRecord> } {
  const record = {
    steps: [] as RotationStep[],
    leaves: new Map<string, Set<string>>(),
    issuers: new Map<string, Set<string>>(),
    untrusted: [] as string[],
  };
  const stopping = new AbortController();
  const watching = (async () => {
    let before = fingerprints(await release.caSecret());
    while (!stopping.signal.aborted) {
      const after = fingerprints(await release.caSecret());
      record.steps.push(...stepsBetween(before, after));
      before = after;
      await lookAtLeaves(release, record);
      await sleep(100);
    }
    return record;
  })();
  return {
    record,
    stop: () => {
      stopping.abort();
      return watching;
    },
  };
}

/** How many CAs were staged and promoted, with the one that they replaced retired, all before our eyes. */
export function wholeRotations({ steps }: RotationRecord): number {
  const position = (step: string, ca: string | undefined): number =>
    steps.findIndex((one) => one.step === step && one.ca === ca);
  return steps.filter(({ step, ca, replaced }) => {
    if (step !== 'promoted') return false;
    const promoted = position('promoted', ca);
    const staged = position('staged', ca);
    return staged >= 0 && staged < promoted && position('retired', replaced) > promoted;
  }).length;
}

interface Fingerprints {
  readonly ca: string | undefined;
  readonly next: string | undefined;
  readonly previous: readonly string[];
}

function fingerprints(secret: CaSecret | undefined): Fingerprints {
  const of = (key: string): string[] => certificates(secret?.data[key] ?? '').map((one) => one.fingerprint256);
  return { ca: of('ca.crt')[0], next: of('next.crt')[0], previous: of('previous.crt') };
}

function stepsBetween(before: Fingerprints, after: Fingerprints): RotationStep[] {
  const steps: RotationStep[] = [];
  for (const ca of before.previous) if (!after.previous.includes(ca)) steps.push({ step: 'retired', ca });
  if (after.ca !== undefined && after.ca !== before.ca) {
    steps.push({ step: 'promoted', ca: after.ca, replaced: before.ca });
  }
  if (after.next !== undefined && after.next !== before.next) steps.push({ step: 'staged', ca: after.next });
  return steps;
}

async function lookAtLeaves(
  release: Release,
  record: { leaves: Map<string, Set<string>>; issuers: Map<string, Set<string>>; untrusted: string[] },
): Promise<void> {
  for (const replica of release.replicas) {
    // One that is starting or was killed serves nothing, and nobody is sent to it.
    const leaf = await replica.servedCertificate().catch(() => undefined);
    if (leaf === undefined) continue;
    add(record.leaves, replica.name, leaf.fingerprint256);
    if (leaf.validToDate.getTime() < Date.now()) record.untrusted.push(`${replica.name} serves an expired leaf`);
    for (const [entry, bundle] of await release.bundles()) {
      const issuer = bundle.find((ca) => isIssuer(ca, leaf));
      if (issuer === undefined) record.untrusted.push(`${entry} does not trust the leaf of ${replica.name}`);
      else add(record.issuers, replica.name, issuer.fingerprint256);
    }
  }
}

function isIssuer(ca: X509Certificate, leaf: X509Certificate): boolean {
  return leaf.checkIssued(ca) && leaf.verify(ca.publicKey);
}

function add(sets: Map<string, Set<string>>, key: string, value: string): void {
  sets.set(key, (sets.get(key) ?? new Set()).add(value));
}
