import { cut } from '../../base/text/cut.ts';
import { ANNOTATION_SOURCE } from '../policy/annotations.ts';
import { OWN_LIVENESS } from './patch.ts';
import { SAFETY_SOURCE } from './startup.ts';
import type { ProbeKind } from '../probe/probe.ts';

/** Who injected a probe of a live Pod, as the annotation `probewright.dev/injected` of the Pod says. */
export interface InjectedBy {
  /** The layer that gave the handler. `safety` only where the annotation does not name that layer. */
  readonly layer: string;
  /** What else decided: the safety, or that the handler is the author's. */
  readonly note?: string;
  /** The seconds to start that were learned when the Pod was created. */
  readonly learnedSeconds?: number;
}

/**
 * Reads one entry of the annotation. Anybody can write the annotation: a text that names no layer counts as absent. A
 * startup probe of the safety has the handler of the injected liveness probe, so the layer of that probe is to blame.
 *
 * @param sources the entries of the container, by probe
 */
export function injectedBy(sources: ReadonlyMap<string, string> | undefined, kind: ProbeKind): InjectedBy | undefined {
  const source = sources?.get(kind) ?? '';
  const layer = layerOf(source);
  if (layer === undefined) return undefined;
  if (layer === SAFETY_SOURCE) return { layer: layerOf(sources?.get('livenessProbe')) ?? layer, note: 'safety' };
  const learned = LEARNED.exec(source)?.[1];
  return {
    layer,
    ...(source.startsWith(OWN_LIVENESS) && { note: 'with the handler of the own livenessProbe' }),
    ...(learned !== undefined && { learnedSeconds: Number(learned) }),
  };
}

/** A learned budget has figures before the layer, and the figures drift. */
function layerOf(source = ''): string | undefined {
  return source.length > LONGEST_SOURCE ? undefined : LAYER.exec(source)?.[1];
}

const LEARNED = /(?:^|; )learned: [^;]* ([0-9]{1,6}) s to start; /;

/** Two names of 253 characters at most, and the figures of a learned budget. */
const LONGEST_SOURCE = 800;
const LAYER = /(?:^|; )(annotation|safety|ClusterProbePolicy\/[a-z0-9.-]+|ProbePolicy\/[a-z0-9-]+\/[a-z0-9.-]+)$/;

/** `the startupProbe (httpGet /livez on port http) that ProbePolicy/apps/static injected (safety)` */
export function injectedProbeText(kind: ProbeKind, by: InjectedBy, asks = ''): string {
  return `the ${kind}${asks} that ${giverOfLiveProbe(by, ' injected')}`;
}

const MOST_SOURCE = 120;

/** `ProbePolicy/apps/static (safety)` */
export function giverOfLiveProbe({ layer, note }: InjectedBy, verb = ''): string {
  const giver = layer === SAFETY_SOURCE ? 'Probewright' : cut(layer, MOST_SOURCE);
  const who = layer === ANNOTATION_SOURCE ? 'an annotation of the workload' : giver;
  return `${who}${verb}${note === undefined ? '' : ` (${note})`}`;
}
