import { Ajv } from 'ajv';
import { expect } from 'vitest';

const text = { type: 'string', minLength: 1, maxLength: 1024 };
const message = object({ text });
const artifactLocation = object(
  { uri: { type: 'string', pattern: '^(?:file:///|[^/:]+(?:/|$))' } },
  { uriBaseId: { const: '%SRCROOT%' } },
);
const line = { type: 'integer', minimum: 1 };
const region = object({ startLine: line, startColumn: line }, { endLine: line, endColumn: line });
const physicalLocation = object({ artifactLocation, region });
const location = object({ physicalLocation }, { logicalLocations: list(object({ fullyQualifiedName: text })) });
const level = { enum: ['none', 'note', 'warning', 'error'] };
const url = { type: 'string', pattern: '^https://' };
const replacement = object({ deletedRegion: region }, { insertedContent: object({ text: { type: 'string' } }) });
const fix = object(
  { artifactChanges: list(object({ artifactLocation, replacements: list(replacement) })) },
  { description: message },
);

const rule = object({
  id: text,
  shortDescription: message,
  fullDescription: message,
  helpUri: url,
  help: object({ text, markdown: { type: 'string', minLength: 1 } }),
  defaultConfiguration: object({ level }),
  properties: { type: 'object' },
});

const result = object(
  {
    ruleId: text,
    level,
    message: object({ text: { type: 'string' } }),
    locations: list(location),
    partialFingerprints: { type: 'object', minProperties: 1, additionalProperties: text },
  },
  { ruleIndex: { type: 'integer', minimum: 0 }, fixes: list(fix) },
);

const notification = object({ level, message: object({ text: { type: 'string' } }), locations: list(location) });

/** The part of SARIF 2.1.0 that reports use, with the members that GitHub requires. Nothing else may be written. */
const SHAPE = object({
  $schema: url,
  version: { const: '2.1.0' },
  runs: list(
    object({
      tool: object({
        driver: object({ name: text, informationUri: url, semanticVersion: text, rules: list(rule, 0) }),
      }),
      invocations: list(
        object({ executionSuccessful: { type: 'boolean' }, toolExecutionNotifications: list(notification, 0) }),
      ),
      originalUriBaseIds: object({ '%SRCROOT%': object({ description: message }) }),
      columnKind: { const: 'utf16CodeUnits' },
      results: list(result, 0),
    }),
  ),
});

function object(required: Record<string, unknown>, optional: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    type: 'object',
    additionalProperties: false,
    required: Object.keys(required),
    properties: { ...required, ...optional },
  };
}

function list(items: unknown, minItems = 1): Record<string, unknown> {
  return { type: 'array', minItems, items };
}

const validate = new Ajv({ strict: true, allErrors: true }).compile<SarifLog>(SHAPE);

export interface SarifLog {
  readonly runs: readonly [
    {
      readonly tool: {
        readonly driver: { readonly rules: readonly { readonly id: string; readonly helpUri: string }[] };
      };
      readonly invocations: readonly {
        readonly executionSuccessful: boolean;
        readonly toolExecutionNotifications: readonly unknown[];
      }[];
      readonly results: readonly SarifResult[];
    },
  ];
}

export interface SarifResult {
  readonly ruleId: string;
  readonly ruleIndex?: number;
  readonly locations: readonly [
    {
      readonly physicalLocation: {
        readonly artifactLocation: { readonly uri: string; readonly uriBaseId?: string };
        readonly region: { readonly startLine: number };
      };
    },
  ];
  readonly partialFingerprints: Readonly<Record<string, string>>;
  readonly fixes?: readonly SarifFix[];
}

export interface SarifFix {
  readonly artifactChanges: readonly {
    readonly artifactLocation: { readonly uri: string };
    readonly replacements: readonly {
      readonly deletedRegion: {
        readonly startLine: number;
        readonly startColumn: number;
        readonly endLine: number;
        readonly endColumn: number;
      };
      readonly insertedContent?: { readonly text: string };
    }[];
  }[];
}

/** The log in a text, which must have the shape that code scanning accepts. */
export function sarifLog(report: string): SarifLog {
  const log: unknown = JSON.parse(report);
  if (!validate(log)) expect.fail(JSON.stringify(validate.errors, undefined, 2));
  return log;
}
