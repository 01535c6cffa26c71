import { Ajv } from 'ajv';
import { expect } from 'vitest';

/**
 * What GitLab reads of a Code Quality report, by its documentation ("Code Quality report format"): no other member, paths
 * that are relative and begin without `./`, and a fingerprint of its own for each entry.
 */
const SHAPE = {
  type: 'array',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['description', 'check_name', 'fingerprint', 'severity', 'location'],
    properties: {
      description: { type: 'string', minLength: 1 },
      check_name: { type: 'string', minLength: 1 },
      fingerprint: { type: 'string', minLength: 1 },
      severity: { enum: ['info', 'minor', 'major', 'critical', 'blocker'] },
      location: {
        type: 'object',
        additionalProperties: false,
        required: ['path', 'lines'],
        properties: {
          path: { type: 'string', pattern: '^(?!/|\\./)' },
          lines: {
            type: 'object',
            additionalProperties: false,
            required: ['begin'],
            properties: { begin: { type: 'integer', minimum: 1 } },
          },
        },
      },
    },
  },
};

const validate = new Ajv({ strict: true, allErrors: true }).compile<readonly { fingerprint: string }[]>(SHAPE);

/** Holds a report to the shape, and returns its entries. */
export function expectCodeQuality(text: string): readonly { fingerprint: string }[] {
  // GitLab refuses a file that begins with a byte order mark.
  expect(text.startsWith('[')).toBe(true);
  const report: unknown = JSON.parse(text);
  if (!validate(report)) throw new Error(JSON.stringify(validate.errors));
  expect(new Set(report.map(({ fingerprint }) => fingerprint)).size).toBe(report.length);
  return report;
}
