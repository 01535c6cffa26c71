import { describe } from 'vitest';
import { parseServe } from './parse-serve.ts';
import { describeCases } from '../support/recorded-cases.ts';
import type { Environment } from '../../src/cli/flags/parse-command-line.ts';

describe('the settings of serve', () =>
  describeCases(
    'test/fixtures/serve-flags.yaml',
    ['policies', 'port', 'cluster', 'denialContact', 'problems'],
    ({ args, env }) => {
      const parsed = parseServe(args as readonly string[], (env ?? {}) as Environment);
      if ('problems' in parsed) return { problems: parsed.problems };
      const { policies, port, cluster, denialContact } = parsed.config;
      return { policies, port, cluster, denialContact };
    },
  ));
