import { isJsonObject, member, objectMember, stringMember, type JsonObject } from '../base/json/json-value.ts';
import type { Kill } from '../engine/probe/grace-period.ts';
import { PROBE_KINDS, type ProbeKind } from '../engine/probe/probe.ts';
import { probeTiming, type ProbeTiming } from '../engine/probe/timing.ts';
import {
  hasHook,
  killEndsPod,
  mayBeRestarted,
  podGraceSeconds,
  probeGraceSeconds,
} from '../engine/workload/kill-settings.ts';
import { killOf } from '../engine/workload/pod.ts';
import { containersOf, runsForever, type PlacedContainer } from '../engine/workload/read-container.ts';

/** A probe of a live container. */
export interface LiveProbe {
  readonly written: JsonObject;
  readonly timing: ProbeTiming;
  /** Undefined when the grace period is malformed. */
  readonly kill: Kill | undefined;
}

type LiveProbes = Readonly<Partial<Record<ProbeKind, LiveProbe>>>;

/**
 * A container of a live Pod: what the observer reads at each event of a watch. `readPod` reads far more, and a Pod may
 * have thousands of containers, so each part is read when it is asked for.
 */
export class LiveContainer {
  readonly name: string;
  readonly role: PlacedContainer['role'];
  readonly #spec: JsonObject;
  readonly #podSpec: JsonObject;
  #probes: LiveProbes | undefined;

  constructor({ name, role, spec }: Pick<PlacedContainer, 'name' | 'role' | 'spec'>, podSpec: JsonObject) {
    this.name = name;
    this.role = role;
    this.#spec = spec;
    this.#podSpec = podSpec;
  }

  get image(): string {
    return stringMember(this.#spec, 'image') ?? '';
  }

  /** True when the kubelet may start it again after this exit code; undefined when nobody knows the code. */
  mayBeRestarted(exitCode: number | undefined): boolean {
    return mayBeRestarted(this.#spec, this.#podSpec, exitCode);
  }

  get probes(): LiveProbes {
    return (this.#probes ??= this.#read());
  }

  #read(): LiveProbes {
    const [spec, podSpec] = [this.#spec, this.#podSpec];
    const container = {
      killEndsPod: killEndsPod(spec, podSpec),
      hasPreStop: hasHook(spec, 'preStop'),
      pod: { graceSeconds: podGraceSeconds(podSpec) },
    };
    const probes: Partial<Record<ProbeKind, LiveProbe>> = {};
    for (const kind of PROBE_KINDS) {
      const written = member(spec, kind);
      if (!isJsonObject(written)) continue;
      const kill = killOf({ graceSeconds: probeGraceSeconds(written), container });
      probes[kind] = { written, timing: probeTiming(written), kill };
    }
    return probes;
  }
}

/** The containers of a live Pod, in the API server's order. Undefined for an object without a Pod spec. */
export function liveContainersOf(
  pod: JsonObject,
): { readonly containers: readonly LiveContainer[]; readonly runsForever: boolean } | undefined {
  const spec = objectMember(pod, 'spec');
  if (spec === undefined) return undefined;
  return {
    containers: containersOf(spec).map((placed) => new LiveContainer(placed, spec)),
    runsForever: runsForever(spec),
  };
}
