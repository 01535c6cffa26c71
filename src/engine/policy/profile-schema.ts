import { START_BASES } from '../time/learned-start.ts';
import { PROFILE_BOUNDS } from './bounds.ts';
import type { Field, Fields, ObjectField } from './field.ts';

const text = (description: string, maximum: number = PROFILE_BOUNDS.reference): Field => ({
  type: 'text',
  text: description,
  bound: { maximum, unit: 'characters', at: '' },
});

const seconds = (description: string): Field => ({
  type: 'integer',
  text: description,
  maximum: PROFILE_BOUNDS.seconds,
});

const count = (description: string): Field => ({ type: 'integer', text: description, maximum: Infinity });

const FIGURES: Fields = {
  starts: count('Measured starts of new Pods, of the last 30 starts.'),
  restarts: count('Measured restarts in place, of the last 30 starts.'),
  p50Seconds: seconds('Half of the measured starts took at most this long.'),
  p90Seconds: seconds('Nine of ten measured starts took at most this long.'),
  maxSeconds: seconds('The longest measured start.'),
  budgetSeconds: seconds(
    'What slowStart.learned with its defaults guarantees an injected startup probe of the latest image. Absent: too few starts are known.',
  ),
};

const SAMPLE: Field = {
  type: 'object',
  text: 'One measured start.',
  fields: {
    seconds: {
      ...seconds('From the start of the container until its probe passed. Never below the truth.'),
      required: true,
    },
    within: seconds('The truth is at most this many seconds below.'),
    basis: {
      type: 'choice',
      required: true,
      text: 'The probe that showed the end of the start. A readiness probe may also wait for other services.',
      choices: START_BASES,
    },
    restart: { type: 'boolean', text: 'The container was restarted in place: image and caches were warm.' },
    node: text('Hash of the name of the node.', PROFILE_BOUNDS.text),
    at: { type: 'time', required: true, text: 'When the container was started.' },
    id: { ...text('Identifies the start, so that each start counts once.', PROFILE_BOUNDS.text), required: true },
    image: text(
      'The image that started, with tag and digest. A budget counts for this image only.',
      PROFILE_BOUNDS.image,
    ),
  },
};

const CONTAINER: Field = {
  type: 'object',
  text: 'What is known of one container.',
  fields: {
    name: { ...text('Name of the container.', PROFILE_BOUNDS.name), required: true },
    image: text(
      'Image of the latest start. Another repository begins a new profile of the container.',
      PROFILE_BOUNDS.image,
    ),
    ...FIGURES,
    censored: count('Starts that a probe ended. The container needs more time than that probe granted.'),
    censoredBoundSeconds: seconds('The largest time that such a probe granted. 0: 30 later starts have passed.'),
    censoredAt: { type: 'time', text: 'When a probe last ended a start.' },
    censoredIds: {
      type: 'list',
      text: 'Identifies these starts, so that each counts once.',
      count: { maximum: PROFILE_BOUNDS.killedIds, unit: 'starts', at: '' },
      items: text('Identifies one start.', PROFILE_BOUNDS.text),
    },
    samples: {
      type: 'list',
      text: 'The last measured starts, oldest first.',
      count: { maximum: PROFILE_BOUNDS.samples, unit: 'starts', at: '' },
      items: SAMPLE,
    },
  },
};

/** The status of a StartupProfile. It has no spec: nobody wishes for start times. */
export const PROFILE_STATUS: ObjectField = {
  type: 'object',
  text: 'What the observer has measured. Figures without a container are those of the slowest container.',
  fields: {
    workload: {
      type: 'object',
      text: 'The workload whose Pods were measured.',
      fields: {
        apiVersion: { ...text('API version of the workload.'), required: true },
        kind: { ...text('Kind of the workload.'), required: true },
        name: { ...text('Name of the workload.'), required: true },
      },
    },
    container: text('The slowest container, which the columns of kubectl get are about.', PROFILE_BOUNDS.name),
    ...FIGURES,
    containers: {
      type: 'list',
      text: 'Each container that has a startup probe or a readiness probe.',
      count: { maximum: PROFILE_BOUNDS.containers, unit: 'containers', at: '' },
      key: 'name',
      items: CONTAINER,
    },
  },
};
