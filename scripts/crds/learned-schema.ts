import { LEARNED_BOUNDS } from '../../src/engine/policy/slow-start.ts';
import { DEFAULT_LEARNED, type LearnedSettings } from '../../src/engine/probe/startup-budget.ts';
import type { OpenApiSchema } from './open-api-schema.ts';

const MEANINGS: Readonly<Record<keyof LearnedSettings, string>> = {
  margin: 'The longest known start is multiplied by this number.',
  minimumStarts: 'Starts of new Pods that must be known before a learned time has an effect.',
  minimumSeconds: 'A learned time is at least this long, in seconds.',
  maximumSeconds: 'A learned time is at most this long, in seconds.',
};

const LEARNED_FIELDS = Object.keys(LEARNED_BOUNDS) as readonly (keyof LearnedSettings)[];

/** `spec.slowStart.learned`. */
export const learnedSchema: OpenApiSchema = {
  description:
    'Injected startup probes get the time that the starts of the same workload needed, as the observer saw them: margin * longest start + period + 2 s, or twice the time after which a probe killed a start. Never less than startupSeconds, or than the liveness probe of the author guarantees. {} takes the defaults. null: no learned times, whatever lower layers say.',
  type: 'object',
  nullable: true,
  properties: Object.fromEntries(LEARNED_FIELDS.map((field) => [field, fieldSchema(field)])),
  'x-kubernetes-validations': [
    {
      rule: '!has(self.minimumSeconds) || !has(self.maximumSeconds) || self.minimumSeconds <= self.maximumSeconds',
      message: 'minimumSeconds must be at most maximumSeconds',
    },
  ],
};

function fieldSchema(field: keyof LearnedSettings): OpenApiSchema {
  const { minimum, maximum, isWhole } = LEARNED_BOUNDS[field];
  return {
    description: `${MEANINGS[field]} Absent: what a lower layer says, else ${DEFAULT_LEARNED[field]}.`,
    ...(isWhole ? { type: 'integer', format: 'int32' } : { type: 'number' }),
    minimum,
    maximum,
  };
}
