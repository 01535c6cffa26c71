import { PROFILE_BOUNDS, START_BASES } from '../../src/engine/facts/startup-profile.ts';
import type { OpenApiSchema } from './open-api-schema.ts';

function text(description: string, maxLength: number = PROFILE_BOUNDS.reference): OpenApiSchema {
  return { description, type: 'string', maxLength };
}

function seconds(description: string): OpenApiSchema {
  return { description, type: 'integer', format: 'int32', minimum: 0, maximum: PROFILE_BOUNDS.seconds };
}

function count(description: string): OpenApiSchema {
  return { description, type: 'integer', format: 'int32', minimum: 0 };
}

const figures: Readonly<Record<string, OpenApiSchema>> = {
  starts: count('Measured starts of new Pods, of the last 30 starts.'),
  restarts: count('Measured restarts in place, of the last 30 starts.'),
  p50Seconds: seconds('Half of the measured starts took at most this long.'),
  p90Seconds: seconds('Nine of ten measured starts took at most this long.'),
  maxSeconds: seconds('The longest measured start.'),
  budgetSeconds: seconds(
    'What slowStart.learned with its defaults guarantees an injected startup probe. Absent: too few starts are known.',
  ),
};

const sample: OpenApiSchema = {
  description: 'One measured start.',
  type: 'object',
  required: ['seconds', 'basis', 'at', 'id'],
  properties: {
    seconds: seconds('From the start of the container until its probe passed. Never below the truth.'),
    within: seconds('The truth is at most this many seconds below.'),
    basis: {
      description: 'The probe that showed the end of the start. A readiness probe may also wait for other services.',
      type: 'string',
      enum: START_BASES,
    },
    restart: { description: 'The container was restarted in place: image and caches were warm.', type: 'boolean' },
    node: text('Hash of the name of the node.', PROFILE_BOUNDS.text),
    at: { description: 'When the container was started.', type: 'string', format: 'date-time' },
    id: text('Identifies the start, so that each start counts once.', PROFILE_BOUNDS.text),
  },
};

const container: OpenApiSchema = {
  description: 'What is known of one container.',
  type: 'object',
  required: ['name'],
  properties: {
    name: text('Name of the container.', PROFILE_BOUNDS.name),
    image: text(
      'Image of the latest start. Another repository begins a new profile of the container.',
      PROFILE_BOUNDS.image,
    ),
    ...figures,
    censored: count('Starts that a probe ended. The container needs more time than that probe granted.'),
    censoredBoundSeconds: seconds('The largest time that such a probe granted. 0: 30 later starts have passed.'),
    censoredAt: { description: 'When a probe last ended a start.', type: 'string', format: 'date-time' },
    censoredIds: {
      description: 'Identifies these starts, so that each counts once.',
      type: 'array',
      maxItems: PROFILE_BOUNDS.killedIds,
      'x-kubernetes-list-type': 'atomic',
      items: text('Identifies one start.', PROFILE_BOUNDS.text),
    },
    samples: {
      description: 'The last measured starts, oldest first.',
      type: 'array',
      maxItems: PROFILE_BOUNDS.samples,
      'x-kubernetes-list-type': 'atomic',
      items: sample,
    },
  },
};

/** The openAPIV3Schema of StartupProfile. It has a status only: nobody wishes for start times. */
export const profileSchema: OpenApiSchema = {
  description:
    'How long the containers of one workload take to start. The observer writes the object, and the workload owns it.',
  type: 'object',
  properties: {
    apiVersion: { description: 'probewright.dev/v1alpha1.', type: 'string' },
    kind: { description: 'StartupProfile.', type: 'string' },
    metadata: { type: 'object' },
    status: {
      description: 'What the observer has measured. Figures without a container are those of the slowest container.',
      type: 'object',
      properties: {
        workload: {
          description: 'The workload whose Pods were measured.',
          type: 'object',
          required: ['apiVersion', 'kind', 'name'],
          properties: {
            apiVersion: text('API version of the workload.'),
            kind: text('Kind of the workload.'),
            name: text('Name of the workload.'),
          },
        },
        container: text('The slowest container, which the columns of kubectl get are about.', PROFILE_BOUNDS.name),
        ...figures,
        containers: {
          description: 'Each container that has a startup probe or a readiness probe.',
          type: 'array',
          maxItems: PROFILE_BOUNDS.containers,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: container,
        },
      },
    },
  },
};
