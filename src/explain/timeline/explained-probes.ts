import { SAFETY_SOURCE } from '../../engine/defaulting/startup.ts';
import { ANNOTATION_SOURCE } from '../../engine/policy/annotations.ts';
import { fieldOrigin } from '../../engine/defaulting/field-origin.ts';
import { PROBE_INTEGERS, type ProbeKind } from '../../engine/probe/probe.ts';
import { timingLetters, type FormulaInputs } from './figures.ts';
import { giverOfLiveProbe, injectedBy, type InjectedBy } from '../../engine/defaulting/injected-by.ts';
import { injectionAt, type Injection, type StartBudget } from '../../engine/defaulting/injection.ts';
import { handlerText } from '../../engine/probe/handler-text.ts';
import { writtenProbe } from '../../engine/workload/pod.ts';
import { explainedFields, type Decided } from './explained-fields.ts';
import type { ContainerTimings } from './container-timings.ts';
import type { ProbeExplanation } from './explanation.ts';

/** In the order in which they matter in a container's life. */
export const LIFE_ORDER: readonly ProbeKind[] = ['startupProbe', 'livenessProbe', 'readinessProbe'];

export const OWN_PROBE = 'the manifest';

export function explainedProbes(decided: Decided, timings: ContainerTimings): ProbeExplanation[] {
  const { container, injections, injectedEarlier } = decided;
  return LIFE_ORDER.flatMap((kind): ProbeExplanation[] => {
    const probe = writtenProbe(container, kind);
    const timing = timings[kind];
    if (probe === undefined || timing === undefined) return [];
    const letters = { ...timingLetters(timing), ...(kind !== 'readinessProbe' && { G: timing.kill.graceSeconds }) };
    const injection = injectionAt(injections, container, kind);
    const from = providerOf(injection, injectedBy(injectedEarlier, kind));
    const rule = injection?.budget?.rule;
    const isWritten = rule === 'failureThreshold' || rule === 'startupSeconds';
    const budget = rule && { budget: { text: BUDGET_TEXTS[rule], isWritten } };
    const fields = explainedFields(decided, probe, injection);
    return [{ kind, handler: handlerText(probe.whole), from, ...budget, letters, fields }];
  });
}

/** What gives an injected startup probe its time to start (docs/defaulting.md). */
const BUDGET_TEXTS: Readonly<Record<StartBudget['rule'], string>> = {
  learned: 'by past starts',
  startupSeconds: 'by startupSeconds',
  fromInitialDelaySeconds: "by its livenessProbe's delay",
  failureThreshold: 'by failureThreshold',
  livenessProbe: 'by its livenessProbe',
  readinessProbe: 'by its readinessProbe',
  safety: 'by default',
};

function providerOf(injection: Injection | undefined, earlier: InjectedBy | undefined): string {
  if (injection === undefined) return earlier === undefined ? OWN_PROBE : giverOfLiveProbe(earlier);
  return injection.isLikeOwn === true
    ? `${giverText(injection)}, with the handler of the own livenessProbe`
    : giverText(injection);
}

function giverText(injection: Injection): string {
  if (injection.source !== SAFETY_SOURCE) return layerText(injection.source);
  const numbers = PROBE_INTEGERS.map((name) => fieldOrigin(injection, [name]));
  const layers = new Set(
    numbers.flatMap(({ by, setting }) => (by === 'policy' && setting ? [setting.layer.source] : [])),
  );
  const given = layers.size === 0 ? '' : `, with numbers of ${[...layers].map(layerText).join(' and ')}`;
  return `Probewright's safety, for the liveness probe that it adds${given}`;
}

function layerText(source: string): string {
  return source === ANNOTATION_SOURCE ? 'an annotation of the workload' : source;
}

/** The numbers of a probe in words: `every 10 s, timeout 1 s, 3 failures in a row`. */
export function probeTimes(letters: FormulaInputs): string {
  const { D = 0, P = 0, T = 0, F = 0, S = 1 } = letters;
  return [
    ...(D > 0 ? [`after ${D} s`] : []),
    `every ${P} s`,
    `timeout ${T} s`,
    F === 1 ? '1 failure' : `${F} failures in a row`,
    ...(S > 1 ? [`${S} successes in a row`] : []),
  ].join(', ');
}
