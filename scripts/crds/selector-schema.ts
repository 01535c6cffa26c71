import { BOUNDS } from '../../src/engine/policy/bounds.ts';
import { OPERATORS, type SelectorBounds } from '../../src/engine/policy/label-selector.ts';
import type { OpenApiSchema } from './open-api-schema.ts';

const labelName = '[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const subdomain = '[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
/** A label key needs two patterns: RE2 has no lookahead to count the prefix's characters with. */
const keySyntax = `^(${subdomain}/)?${labelName}$`;
const keyLength = '^([^/]{1,253}/)?[^/]{1,63}$';

const labelValue: OpenApiSchema = { type: 'string', maxLength: 63, pattern: `^(${labelName})?$` };

/**
 * A meta/v1 LabelSelector, held to Kubernetes' own rules for labels.
 *
 * @param bounds those of policies by default
 */
export function selectorSchema(description: string, bounds: SelectorBounds = BOUNDS): OpenApiSchema {
  return {
    description,
    type: 'object',
    // A selector is one thing: two appliers that each own half of it would select what neither meant.
    'x-kubernetes-map-type': 'atomic',
    properties: {
      matchLabels: {
        description:
          'Labels that must be there with exactly these values, e.g. { app: shop, tier: web }. Values that YAML takes for something else (true, 1, no) need quotes.',
        type: 'object',
        maxProperties: bounds.matchLabels.maximum,
        additionalProperties: labelValue,
        'x-kubernetes-validations': [
          {
            rule: `self.all(key, key.matches('${keySyntax}') && key.matches('${keyLength}'))`,
            message:
              'a label key is at most 63 letters, digits, "-", "_" and ".", after an optional DNS prefix and "/": app.kubernetes.io/name',
          },
        ],
      },
      matchExpressions: {
        description: 'Requirements on labels; all of them must hold, together with matchLabels.',
        type: 'array',
        maxItems: bounds.matchExpressions.maximum,
        'x-kubernetes-list-type': 'atomic',
        items: {
          description: 'One requirement on a label, e.g. { key: tier, operator: NotIn, values: [batch] }.',
          type: 'object',
          required: ['key', 'operator'],
          properties: {
            key: {
              description: 'The label, e.g. tier or app.kubernetes.io/name.',
              type: 'string',
              maxLength: 317,
              pattern: keySyntax,
              allOf: [{ pattern: keyLength }],
            },
            operator: {
              description:
                'In: the label has one of the values. NotIn: it has none of them, or is not there. Exists: it is there, whatever its value. DoesNotExist: it is not.',
              type: 'string',
              enum: OPERATORS,
            },
            values: {
              description: 'The values for In and NotIn, at least one. Left out with Exists and DoesNotExist.',
              type: 'array',
              maxItems: bounds.expressionValues.maximum,
              'x-kubernetes-list-type': 'atomic',
              items: labelValue,
            },
          },
          'x-kubernetes-validations': [
            {
              rule: "!(self.operator in ['In', 'NotIn']) || (has(self.values) && size(self.values) > 0)",
              message: 'values must have at least one value with operator In or NotIn',
            },
            {
              rule: "!(self.operator in ['Exists', 'DoesNotExist']) || !has(self.values) || size(self.values) == 0",
              message: 'values must be left out with operator Exists or DoesNotExist',
            },
          ],
        },
      },
    },
  };
}
