import { appContainer } from '../../support/worlds.ts';
import { CRON_JOB, DEPLOYMENT, objectOf, POD, ROLLOUT, type Disguise, type Type } from './disguise.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const readinessProbe = { httpGet: { path: '/', port: 'http' } };
const words = (count: number): string[] => Array.from({ length: count }, () => 'x');
const containers = (count: number, members: JsonObject = {}): JsonObject[] =>
  Array.from({ length: count }, (_, index) => appContainer({ name: `c${index}`, ...members }));

/** What makes an object too large to be judged, and the containers of the object. */
const PADDINGS: readonly (readonly [what: string, containers: (members: JsonObject) => readonly JsonObject[]])[] = [
  ['5,001 arguments', (members) => [appContainer({ ...members, args: words(5001) })]],
  [
    'a hook of 5,001 words',
    (members) => [appContainer({ ...members, lifecycle: { preStop: { exec: { command: words(5001) } } } })],
  ],
  ['301 containers', (members) => [...containers(300, { readinessProbe }), appContainer(members)]],
];

/** Objects that pretend to be too large to be judged, or to have been so before. */
export const OF_SIZES: readonly Disguise[] = [POD, DEPLOYMENT, CRON_JOB, ROLLOUT].flatMap((of: Type) =>
  PADDINGS.flatMap(([what, padded]): Disguise[] => {
    const lacking = objectOf(of, {});
    const honest = objectOf(of, { containers: [appContainer({ readinessProbe })] });
    const large = objectOf(of, { containers: padded({}) });
    const update = (oldObject: JsonObject): Pick<Disguise, 'request'> => ({
      request: { operation: 'UPDATE', oldObject },
    });
    const floors = { 'required-any': {} };
    const named = (pretends: string): Pick<Disguise, 'pretends' | 'answer' | 'floors'> => ({
      ...{ pretends: `a ${of[1]} with ${what} ${pretends}`, answer: 'denied', floors },
    });
    const isPod = of === POD;
    const probed = (probe: JsonObject): JsonObject =>
      objectOf(of, { containers: [appContainer({ livenessProbe: probe })] });
    return [
      { ...named('is nobody to be judged'), object: large, honest },
      // The probes of a stored Pod cannot change, so an update of a Pod has nothing new.
      ...(isPod
        ? []
        : [
            {
              ...named('was stored, so it may stay so'),
              object: objectOf(of, { containers: padded({ image: 'new' }) }),
              ...update(large),
            },
            // What runs to completion owes no probe.
            ...(of === CRON_JOB
              ? []
              : [{ ...named('was stored, so its violation is old'), object: lacking, honest, ...update(large) }]),

            {
              ...named('was stored, so its probe is old'),
              floors: { 'probe-handler': { allowed: ['httpGet'] } },
              object: probed({ tcpSocket: { port: 'http' } }),
              honest: probed(readinessProbe),
              ...update(objectOf(of, { containers: padded({ livenessProbe: { tcpSocket: { port: 'http' } } }) })),
            },
          ]),
    ];
  }),
);
