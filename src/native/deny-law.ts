import { INJECTED_ANNOTATION, ANNOTATION_PREFIX } from '../engine/policy/annotations.ts';
import { layersWithProbes } from '../engine/policy/container-policy.ts';
import { DEFAULT_TIMING } from '../engine/probe/api-defaults.ts';
import { LONGEST_PORT_NAME } from '../engine/probe/handler-values.ts';
import { HANDLER_KINDS, PROBE_INTEGERS, PROBE_KINDS, type ProbeKind } from '../engine/probe/probe.ts';
import { MOST_TEXT_CHARACTERS } from '../engine/workload/bounded-container.ts';
import { celList, celMap, celText } from './cel.ts';
import { guaranteed } from './handler-law.ts';
import type { Limits, ParameterValues, ProbeBounds } from '../engine/policy/check-parameters.ts';
import type { ProbePolicy } from '../engine/policy/probe-policy.ts';

/**
 * A condition for what CEL reads as the webhook does. Of an object before an update, what CEL may not know counts as a
 * violation: it then excuses the same violation of the new object.
 */
export type Known = (condition: string) => string;
export const KNOWN_ALONE: Known = (condition) => condition;
export const ALSO_UNKNOWN: Known = () => 'true';

/**
 * A check as CEL. `x.c` is the container, `x.k` the kind of the probe, `x.p` the probe after API defaulting, and `x.f`
 * the fields of its only handler, of kind `x.h`.
 */
interface DenyRule {
  /** True for a probe that violates the check. */
  readonly eachProbe?: (parameters: ParameterValues, known: Known) => string;
  /** The probe that a container lacks. */
  readonly lacks?: ProbeKind;
  /** The finding in words, behind the container: a CEL expression. */
  readonly message: string;
  /** Why the webhook would deny another set with these parameters, or beside these policies. */
  readonly unless?: (parameters: ParameterValues, policies: readonly ProbePolicy[]) => string | undefined;
}

const at = (probe: string, field: keyof typeof DEFAULT_TIMING): string =>
  `(${celText(field)} in ${probe} ? ${probe}[${celText(field)}] : ${DEFAULT_TIMING[field]})`;
const isKind = (...kinds: readonly ProbeKind[]): string => `x.k in ${celList(kinds)}`;

/** The webhook judges a template with the probes that policies add to it. CEL sees the author's alone. */
const injects = (_: ParameterValues, policies: readonly ProbePolicy[]): string | undefined =>
  layersWithProbes(policies).length > 0 ? 'policies add probes, and the webhook judges workloads with them' : undefined;

const requires = (lacks: ProbeKind, harm: string): DenyRule => ({
  lacks,
  message: celText(` has no ${lacks}${harm}`),
  unless: (parameters, policies) =>
    injects(parameters, policies) ??
    (parameters['containers'] === 'main' || parameters['sidecars'] === true || parameters['whenLiveness'] === true
      ? 'its parameters select containers'
      : undefined),
});

/** A value outside of the bounds of its kind. */
function outside(bounds: Readonly<Record<ProbeKind, ProbeBounds>>): string {
  const beyond = (value: string, { minimum = 0, maximum }: Limits): string =>
    [`${value} < ${minimum}`, ...(maximum === undefined ? [] : [`${value} > ${maximum}`])].join(' || ');
  const parts = PROBE_KINDS.flatMap((kind) =>
    PROBE_INTEGERS.flatMap((field) => {
      const limits = bounds[kind][field];
      if (limits === undefined) return [];
      if (field !== 'terminationGracePeriodSeconds')
        return [`(${isKind(kind)} && (${beyond(at('x.p', field), limits)}))`];
      return [`(${isKind(kind)} && has(x.p.${field}) && (${beyond(`x.p.${field}`, limits)}))`];
    }),
  );
  return parts.length === 0 ? 'false' : parts.join(' || ');
}

/** The checks whose floors are exported. The webhook reads bounded texts, so long ones are left to the webhook. */
export const DENY_RULES: Readonly<Record<string, DenyRule>> = {
  'named-port': {
    eachProbe: () => String.raw`x.h in ['httpGet', 'tcpSocket'] && type(x.f.port) == string &&
      x.f.port.size() <= ${LONGEST_PORT_NAME} && x.f.port.matches('[a-z]') && x.f.port.matches('^[a-z0-9]+(?:-[a-z0-9]+)*$') &&
      !(has(x.c.ports) && x.c.ports.exists(p, has(p.name) && p.name == x.f.port && (!has(p.protocol) || p.protocol in ['TCP', ''])))`,
    message: `' declares no port for TCP with the name "' + x.f.port + '"'`,
  },
  'header-value': {
    eachProbe: (
      _,
      known,
    ) => String.raw`x.h == 'httpGet' && has(x.f.httpHeaders) && ${known('x.f.httpHeaders.size() <= 100')} && x.f.httpHeaders.exists(h, has(h.value) &&
      ${known(`h.value.size() < ${MOST_TEXT_CHARACTERS / 2}`)} && h.value.matches('[\\x00-\\x08\\x0a-\\x1f\\x7f]'))`,
    message: celText(' sends a header with a control character, so every probe fails'),
  },
  'path-url': {
    eachProbe: (
      _,
      known,
    ) => `x.h == 'httpGet' && has(x.f.path) && ${known(`x.f.path.size() < ${MOST_TEXT_CHARACTERS / 2}`)} &&
      x.f.path.matches('^[A-Za-z][A-Za-z0-9+.-]*:')`,
    message: celText(' has a URL as path, and the kubelet ignores its scheme and host'),
  },
  'probe-host': {
    eachProbe: (_, known) => String.raw`x.h in ['httpGet', 'tcpSocket'] && has(x.f.host) && x.f.host != '' &&
      ${known(String.raw`x.f.host.size() < ${MOST_TEXT_CHARACTERS / 2} && x.f.host.matches('^[-A-Za-z0-9_.:\\[\\]]+$') && !x.onNode`)}`,
    message: `' asks "' + x.f.host + '" instead of the Pod in its ' + x.k`,
  },
  'single-failure': {
    eachProbe: () => `${isKind('livenessProbe', 'readinessProbe')} && ${at('x.p', 'failureThreshold')} == 1`,
    message: `(x.k == 'livenessProbe' ? ' is restarted' : ' gets no traffic') + ' after 1 failed ' + x.k`,
  },
  'timeout-over-period': {
    eachProbe: () => `${at('x.p', 'timeoutSeconds')} > ${at('x.p', 'periodSeconds')}`,
    message: `' is probed every ' + string(${at('x.p', 'timeoutSeconds')}) + ' s while it hangs, not every ' + string(${at('x.p', 'periodSeconds')}) + ' s'`,
  },
  'void-initial-delay': {
    eachProbe: () => `${isKind('livenessProbe', 'readinessProbe')} && ${at('x.p', 'initialDelaySeconds')} > 0 &&
      has(x.c.startupProbe) && ${celList(HANDLER_KINDS)}.filter(h, h in x.c.startupProbe).size() == 1 &&
      [{'D': ${at('x.c.startupProbe', 'initialDelaySeconds')}, 'P': ${at('x.c.startupProbe', 'periodSeconds')}, 'F': ${at('x.c.startupProbe', 'failureThreshold')}}]
      .exists(s, ${guaranteed('s')} > ${at('x.p', 'initialDelaySeconds')})`,
    message: `' delays its ' + x.k + ' from its start, which startupProbe already guards'`,
    unless: injects,
  },
  'required-liveness': requires('livenessProbe', ' and is never restarted when it hangs'),
  'required-readiness': requires('readinessProbe', ' and gets traffic as soon as it runs'),
  'required-startup': requires('startupProbe', ' and starts without protection'),
  'probe-handler': {
    eachProbe: (parameters) => {
      const { allowed, ...byKind } = parameters as Record<string, unknown>;
      const of = (kind: ProbeKind) =>
        ((byKind[kind] as { allowed?: string[] }).allowed ?? allowed) as readonly string[];
      return PROBE_KINDS.map((kind) => `(${isKind(kind)} && !(x.h in ${celList(of(kind))}))`).join(' || ');
    },
    message: `' uses ' + x.h + ' as its ' + x.k + ', which a policy forbids'`,
  },
  'probe-bounds': {
    eachProbe: (parameters) => outside(parameters as unknown as Record<ProbeKind, ProbeBounds>),
    message: `' has a number in its ' + x.k + ' outside the bounds of a policy'`,
  },
};

/** A floor as it is exported: its check with the parameters. */
export interface DeniedCheck {
  readonly id: string;
  readonly parameters: ParameterValues;
}

const finding = (id: string, kind: string, message: string): string =>
  celMap({
    check: celText(id),
    name: 'x.c.name',
    kind,
    message: `x.at + '.' + ${kind} + ': container "' + x.c.name + '"' + ${message} + ' (${id})'`,
  });

/**
 * The findings of checks in containers: `containers` is a list of records with `c`, its path `at`, and `onNode`, true
 * for a Pod in the network of its node. `needs` is false where a container needs no probe.
 */
export function celFindings(containers: string, checks: readonly DeniedCheck[], needs: string, known: Known): string {
  const rules = checks.map(({ id, parameters }) => ({ id, parameters, ...(DENY_RULES[id] as DenyRule) }));
  const ofProbes = rules.flatMap(({ id, eachProbe, parameters, message }) =>
    eachProbe === undefined ? [] : [`(${eachProbe(parameters, known)} ? [${finding(id, 'x.k', message)}] : [])`],
  );
  const ofContainers = rules.flatMap(({ id, lacks, message }) =>
    lacks === undefined
      ? []
      : [`(${needs} && !(${celText(lacks)} in x.c) ? [${finding(id, celText(lacks), message)}] : [])`],
  );
  const probes = `${celList(PROBE_KINDS)}.filter(k, k in x.c).map(k, ${celMap({
    c: 'x.c',
    at: 'x.at',
    onNode: 'x.onNode',
    k: 'k',
    p: 'x.c[k]',
    handlers: `${celList(HANDLER_KINDS)}.filter(h, h in x.c[k])`,
  })}).filter(x, x.handlers.size() == 1).map(x, ${celMap({ c: 'x.c', at: 'x.at', onNode: 'x.onNode', k: 'x.k', p: 'x.p', h: 'x.handlers[0]', f: 'x.p[x.handlers[0]]' })})`;
  const each = [
    ...(ofProbes.length > 0 ? [`${probes}.map(x, [${ofProbes.join(', ')}].flatten()).flatten()`] : []),
    ...(ofContainers.length > 0 ? [`[${ofContainers.join(', ')}].flatten()`] : []),
  ].join(' + ');
  return `${containers}.map(x, ${each}).flatten()`;
}

/** Annotations with which an author gets probes from the webhook. */
export const ASKS_FOR_PROBES = `.exists(a, a.startsWith(${celText(ANNOTATION_PREFIX)}) && a != ${celText(INJECTED_ANNOTATION)})`;
