import { without } from '../../src/base/json/json-value.ts';
import { createLogger } from '../../src/process/log.ts';
import type { Logger } from 'pino';

/** A logger, and its lines: level, message and fields. */
export function recordedLog(): { readonly log: Logger; readonly lines: readonly unknown[] } {
  const lines: unknown[] = [];
  const write = (line: string): void => {
    const { level, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
    lines.push([level, msg, without(rest, 'time')]);
  };
  return { log: createLogger('info', { write }), lines };
}
