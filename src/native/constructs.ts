import { layersWithProbes } from '../engine/policy/container-policy.ts';
import { PROBE_KINDS } from '../engine/probe/probe.ts';
import { forbiddingFloors, handlerProblem, largeNumbers, requiringFloors } from './namespace-layers.ts';
import type { ExportedFloor } from './validating-policy.ts';
import type { ProbePolicy } from '../engine/policy/probe-policy.ts';

/** How the native policy follows the webhook: `fewer` injects less, never more or other. */
export const EXPORT_LEVELS = ['equal', 'fewer', 'not exported'] as const;
export type ExportLevel = (typeof EXPORT_LEVELS)[number];

interface Construct {
  readonly id: string;
  readonly level: ExportLevel;
  /** What it is, and for `fewer` and `not exported` what happens instead. */
  readonly text: string;
  /** The places of a policy that use it. Absent: it concerns Pods, whatever policies say. */
  readonly usedAt?: (policy: ProbePolicy) => readonly string[];
}

const given = (places: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(places).flatMap(([place, value]) => (value === undefined ? [] : [place]));

/** Each construct of policies and of Pods. Tests hold each probe that the native policy lacks to one of these ids. */
export const CONSTRUCTS: readonly Construct[] = [
  {
    id: 'probes',
    level: 'equal',
    text: 'handlers, integers, removed probes and resets',
    usedAt: ({ probes }) => PROBE_KINDS.filter((kind) => probes[kind] !== undefined).map((kind) => `probes.${kind}`),
  },
  {
    id: 'selection',
    level: 'equal',
    text: 'containers, images, selectors, priority and the setting for annotations',
    usedAt: ({ containers, images, workloadSelector, namespaceSelector, annotations, priority }) =>
      given({
        containers: containers === 'main' ? undefined : containers,
        ...{ images, workloadSelector, namespaceSelector, annotations },
        priority: priority === 0 ? undefined : priority,
      }),
  },
  {
    id: 'port',
    level: 'equal',
    text: 'the port for paths without one',
    usedAt: ({ port }) => given({ port }),
  },
  {
    id: 'slow-start',
    level: 'equal',
    text: 'seconds to start, and those that follow from a delay',
    usedAt: ({ slowStart: { startupSeconds, fromInitialDelaySeconds } }) =>
      given({
        'slowStart.startupSeconds': startupSeconds,
        'slowStart.fromInitialDelaySeconds': fromInitialDelaySeconds,
      }),
  },
  {
    id: 'unusable-handler',
    level: 'fewer',
    text: 'a handler with a host or a variable, or a command that is long or cannot work: no container gets it',
    usedAt: ({ probes }) =>
      PROBE_KINDS.filter((kind) => {
        const handler = probes[kind]?.handler;
        return handler !== undefined && handlerProblem(kind, handler) !== undefined;
      }).map((kind) => `probes.${kind}`),
  },
  {
    id: 'required-probe',
    level: 'fewer',
    text: 'a floor Deny that requires a probe: where a namespace has policies, a container gets all probes or none',
    usedAt: (policy) => requiringFloors(policy).map((id) => `checks.${id}.floor`),
  },
  {
    id: 'learned',
    level: 'not exported',
    text: 'learned starts: such containers get no livenessProbe and no startupProbe',
    usedAt: ({ slowStart: { learned } }) => given({ 'slowStart.learned': learned ?? undefined }),
  },
  {
    id: 'closed-layer',
    level: 'not exported',
    text: 'a floor Deny that may forbid an injected probe, or a very large number: Pods that the policy selects get nothing',
    usedAt: (policy) => [
      ...forbiddingFloors(policy).map((id) => `checks.${id}.floor`),
      ...(layersWithProbes([policy]).length > 0 ? largeNumbers(policy) : []),
    ],
  },
  ...(
    [
      ['settings', 'a container whose command line or variables may name a loopback address, TLS or another port'],
      ['product-name', 'a path for a container whose name, image, program or ports may be those of a product'],
      ['port-name', 'a path for a port whose name does not say HTTP, or may mean TLS, a webhook or another protocol'],
      ['schemes', 'a container whose probes may ask by HTTP and by HTTPS'],
      ['own-probe', 'a container whose own probe has a host, a variable, or a malformed or a very large value'],
      ['own-command', "an author's command as the startupProbe, unless the command is on a short list"],
      ['command-in-image', 'a command of a shell or tool in an image that may lack it'],
      ['annotations', 'a Pod with probewright.dev annotations that are not plain text, or with many annotations'],
      ['injected-earlier', 'a Pod that already has the annotation probewright.dev/injected'],
      ['mesh', "a Pod that a mesh's injector has already changed, or that keeps Istio from redirecting probes"],
      ['size', 'a Pod with thousands of elements, with dozens of different containers, or with long commands'],
      ['status', 'a Pod that is created with a status'],
    ] as const
  ).map(([id, text]) => ({ id, text: `${text}: no probe there`, level: 'fewer' as const })),
  {
    id: 'services',
    level: 'not exported',
    text: 'Services that are not among the inputs: where one says that a port speaks another protocol, the webhook gives no path; where one says HTTP, the webhook may give one',
  },
  {
    id: 'reasons',
    level: 'not exported',
    text: 'warnings, reasons, metrics and the dry run of injection: a native policy is silent',
  },
];

/** A construct with the policies that use it. */
export interface ExportedConstruct extends Omit<Construct, 'usedAt'> {
  /** `ProbePolicy/apps/web: slowStart.learned`. Undefined for a construct that concerns every Pod. */
  readonly uses: readonly string[] | undefined;
}

/** The constructs that policies use, and those that concern every Pod. */
export function constructsOf(policies: readonly ProbePolicy[]): readonly ExportedConstruct[] {
  return CONSTRUCTS.flatMap(({ usedAt, ...construct }): ExportedConstruct[] => {
    if (usedAt === undefined) return [{ ...construct, uses: undefined }];
    const uses = policies.flatMap((policy) => usedAt(policy).map((place) => `${policy.source}: ${place}`));
    return uses.length === 0 ? [] : [{ ...construct, uses }];
  });
}

/** What becomes of the floors Deny where the native policy denies, too. */
export function constructsOfFloors(floors: readonly ExportedFloor[]): readonly ExportedConstruct[] {
  const uses = ({ id, policies, why }: ExportedFloor): readonly string[] =>
    policies
      .filter(({ checks }) => checks.get(id)?.floor === 'Deny')
      .map(({ source }) => `${source}: checks.${id}.floor${why === undefined ? '' : ` (${why})`}`);
  const all = [
    {
      id: 'floor',
      level: 'fewer' as const,
      text:
        "floors Deny that the API server enforces: but for Pods with a mesh's proxy, hosts in the network of the node, " +
        'long texts, custom kinds, trusted accounts, and probes that annotations ask for',
      uses: floors.filter(({ check }) => check !== undefined).flatMap(uses),
    },
    {
      id: 'floor-of-webhook',
      level: 'not exported' as const,
      text: 'floors Deny that only the webhook enforces',
      uses: floors.filter(({ check }) => check === undefined).flatMap(uses),
    },
  ];
  return all.filter((construct) => construct.uses.length > 0);
}

/** True when a policy needs what is not exported. */
export function needsMore(constructs: readonly ExportedConstruct[]): boolean {
  return constructs.some(({ level, uses }) => level === 'not exported' && uses !== undefined);
}
