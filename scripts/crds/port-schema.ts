import type { OpenApiSchema } from './open-api-schema.ts';

/** A port number, or the name of a container port: the syntax of `isPortName`, without the lookahead that RE2 does not have. */
export const portSchema: OpenApiSchema = {
  'x-kubernetes-int-or-string': true,
  minimum: 1,
  maximum: 65_535,
  maxLength: 15,
  pattern: '^([a-z0-9]-?)*[a-z](-?[a-z0-9])*$',
};
