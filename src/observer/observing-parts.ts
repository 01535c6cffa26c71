import { FailingPart } from './failing/failing-part.ts';
import { MissedPart } from './missed/missed-part.ts';
import { StartsPart } from './starts/starts-part.ts';
import { Scan } from './scan/scan.ts';
import type { Snapshot } from '../engine/facts/snapshot.ts';
import type { ObserverPart } from './observer-part.ts';
import type { ObservingInputs } from './observer-inputs.ts';

/** Builds a part that observes the cluster; undefined when the part is switched off. */
type BuildPart = (inputs: ObservingInputs) => ObserverPart | undefined;

/** The parts that observe the cluster, in the order in which they start. To add a part, add its function. */
const OBSERVING_PARTS: readonly BuildPart[] = [scanPart, failingPart, missedPart, startsPart];

/** Judges live workloads and writes reports. */
function scanPart(inputs: ObservingInputs): ObserverPart {
  const { config, connection, store, kinds, isExempt, extraResults, podWatch, log, now, monotonic } = inputs;
  const dependencies = {
    client: connection.client,
    kinds,
    store,
    isExempt,
    extraResults,
    settings: { enforcement: config.enforcement, addsProbes: config.mutation === 'On' },
    reportSettings: { setting: config.reports, includeClean: config.reportsIncludeClean },
    scanInterval: config.scanInterval,
    watchRenewal: config.cluster.watchRenewal,
    log,
    now,
    monotonic,
    random: Math.random,
  };
  return new Scan(dependencies, podWatch);
}

/** Builds all parts that observe the cluster; nothing is started. */
export function observingParts(inputs: ObservingInputs): readonly ObserverPart[] {
  return OBSERVING_PARTS.map((build) => build(inputs)).filter((part) => part !== undefined);
}

function failingPart(inputs: ObservingInputs): ObserverPart {
  const { connection, log, now, podWatch, extraResults, isExempt } = inputs;
  const { client, config } = connection;
  return new FailingPart(
    client,
    { log, now, podWatch, extraResults, isExempt },
    { renewalMilliseconds: config.watchRenewal },
  );
}

function missedPart(inputs: ObservingInputs): ObserverPart {
  const { connection, config, store, log, now, podWatch, extraResults, isExempt } = inputs;
  const { webhookConfiguration } = config;
  // A webhook that injects nothing misses no Pod.
  const snapshot = (): Snapshot | undefined => (config.mutation === 'On' ? store.current : undefined);
  return new MissedPart(connection.client, {
    log,
    now,
    podWatch,
    extraResults,
    isExempt,
    snapshot,
    webhookConfiguration,
  });
}

function startsPart({ config, connection, kinds, log, now, podWatch }: ObservingInputs): ObserverPart | undefined {
  if (!config.learnsStarts) return undefined;
  return new StartsPart(connection.client, { log, now, random: Math.random, podWatch, kinds });
}
