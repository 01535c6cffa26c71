import { CHECKS } from '../../../src/engine/checks/catalogue.ts';
import { BOUNDS } from '../../../src/engine/policy/bounds.ts';
import type { Bound } from '../../../src/engine/policy/bound.ts';
import { quoted } from '../../../src/base/json/quoted-value.ts';

export type BoundName = keyof typeof BOUNDS;

/** A spec with so many of what a bound counts in one place, and nothing else wrong with it. */
interface BoundedPlace {
  readonly path: string;
  readonly spec: (count: number) => object;
}

const letters = (count: number): string => 'a'.repeat(count);
const numbered = (count: number, prefix = 'a'): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);
const probe = (handler: object): object => ({ probes: { livenessProbe: handler } });
const httpGet = (fields: object): object => probe({ httpGet: fields });
const expression = (values: string[]): object => ({
  workloadSelector: { matchExpressions: [{ key: 'a', operator: 'In', values }] },
});
const liveness = 'probes.livenessProbe';

/** Every place that each bound is for. A bound without a place does not compile. */
export const PLACES: Readonly<Record<BoundName, readonly BoundedPlace[]>> = {
  containers: [{ path: 'containers', spec: (count) => ({ containers: numbered(count) }) }],
  containerName: [{ path: 'containers[0]', spec: (count) => ({ containers: [letters(count)] }) }],
  images: [{ path: 'images', spec: (count) => ({ images: numbered(count) }) }],
  imagePattern: [{ path: 'images[0]', spec: (count) => ({ images: [letters(count)] }) }],
  matchLabels: [
    {
      path: 'workloadSelector.matchLabels',
      spec: (count) => ({
        workloadSelector: { matchLabels: Object.fromEntries(numbered(count).map((key) => [key, 'b'])) },
      }),
    },
  ],
  matchExpressions: [
    {
      path: 'workloadSelector.matchExpressions',
      spec: (count) => ({
        workloadSelector: { matchExpressions: numbered(count).map((key) => ({ key, operator: 'Exists' })) },
      }),
    },
  ],
  expressionValues: [
    { path: 'workloadSelector.matchExpressions[0].values', spec: (count) => expression(numbered(count)) },
  ],
  path: [
    {
      path: 'kubernetesProbeEndpoints.livenessProbe',
      spec: (count) => ({ kubernetesProbeEndpoints: { livenessProbe: `/${letters(count - 1)}` } }),
    },
    { path: `${liveness}.httpGet.path`, spec: (count) => httpGet({ path: `/${letters(count - 1)}` }) },
  ],
  headers: [
    {
      path: `${liveness}.httpGet.httpHeaders`,
      spec: (count) => httpGet({ httpHeaders: numbered(count).map((name) => ({ name, value: 'b' })) }),
    },
  ],
  headerName: [
    {
      path: `${liveness}.httpGet.httpHeaders[0].name`,
      spec: (count) => httpGet({ httpHeaders: [{ name: letters(count), value: 'b' }] }),
    },
  ],
  headerValue: [
    {
      path: `${liveness}.httpGet.httpHeaders[0].value`,
      spec: (count) => httpGet({ httpHeaders: [{ name: 'a', value: letters(count) }] }),
    },
  ],
  host: [
    { path: `${liveness}.httpGet.host`, spec: (count) => httpGet({ host: letters(count) }) },
    { path: `${liveness}.tcpSocket.host`, spec: (count) => probe({ tcpSocket: { port: 1, host: letters(count) } }) },
  ],
  service: [
    { path: `${liveness}.grpc.service`, spec: (count) => probe({ grpc: { port: 1, service: letters(count) } }) },
  ],
  command: [{ path: `${liveness}.exec.command`, spec: (count) => probe({ exec: { command: numbered(count) } }) }],
  commandWord: [
    { path: `${liveness}.exec.command[1]`, spec: (count) => probe({ exec: { command: ['a', letters(count)] } }) },
  ],
};

/** The lists of texts among the parameters of the checks. */
const LISTS_OF_CHECKS = CHECKS.flatMap(({ id, parameters }) =>
  Object.entries(parameters).flatMap(([name, parameter]): [Bound, BoundedPlace][] => {
    if (parameter.type !== 'strings') return [];
    const setting = (list: string[]): object => ({ checks: { [id]: { [name]: list } } });
    return [
      [parameter.count, { path: `checks.${id}.${name}`, spec: (count) => setting(numbered(count)) }],
      [parameter.length, { path: `checks.${id}.${name}[0]`, spec: (count) => setting([letters(count)]) }],
    ];
  }),
);

const ALL_PLACES: readonly (readonly [Bound, BoundedPlace])[] = [
  ...(Object.keys(PLACES) as BoundName[]).flatMap((name) =>
    PLACES[name].map((place) => [BOUNDS[name], place] as const),
  ),
  ...LISTS_OF_CHECKS,
];

/** Specs that are exactly at a bound, each in another place. */
export const SPECS_AT_BOUNDS: readonly object[] = ALL_PLACES.map(([{ maximum }, { spec }]) => spec(maximum));

/** Specs that are one over a bound, and what is said about them. */
export const OVERSIZED_SPECS: readonly (readonly [spec: object, problem: string])[] = ALL_PLACES.map(
  ([{ maximum, unit }, { path, spec }]): [object, string] => {
    const isText = unit === 'characters';
    const text = path.includes('ndpoints') || path.endsWith('httpGet.path') ? `/${letters(99)}` : letters(100);
    const value = isText ? `: ${quoted(text)}` : '';
    return [spec(maximum + 1), `spec.${path}: must have at most ${maximum} ${unit}, not ${maximum + 1}${value}`];
  },
);

/** Within every bound, and too large all the same. */
export const HEAVY_SPEC: object = {
  checks: { 'dependency-liveness': { paths: numbered(16).map((path) => path.padEnd(4096, 'x')) } },
};
