import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { goJson } from '../support/go-json.ts';
import { expectValidReply } from '../support/protocol.ts';
import { appContainer, deploymentOf, pod, reviewOf } from '../support/worlds.ts';
import { besideCaller } from './beside-caller.ts';
import { chartNodeArgs } from './chart-memory.ts';
import { ask, UID, type Answer } from './client.ts';
import { mebibytes, readable, report } from './figures.ts';
import { Program } from './program.ts';
import { MACHINE_FACTOR } from './settings.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const MIB = 1024 * 1024;
/** The chart's timeout of a call is 5 s. */
const TIMEOUT = '?timeout=5s';
/** Small reviews beside a flood of the same API server are answered in a fifth of it. */
const SMALL_MILLISECONDS = 1000;
/** What the process may have resident beyond what it has at rest, and for each connection of TLS. */
const MORE_BYTES = 60 * MIB;
const CONNECTION_BYTES = 0.2 * MIB;

let program: Program;
let atRest: number;
beforeAll(async () => {
  program = await Program.start({ nodeArgs: chartNodeArgs(), args: ['--log-level', 'error'] });
  for (let count = 0; count < 50; count += 1) await ask(program.port, { path: `/validate${TIMEOUT}` });
  atRest = memory('VmRSS');
});
afterAll(() => program.stop());

function memory(field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${program.process.pid ?? 0}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024;
}

/** A Deployment that the policy forbids, with a hook whose text gives its review so many bytes. */
function padded(bytes: number): JsonObject {
  const livenessProbe = { exec: { command: ['ls'] } };
  const lifecycle = { preStop: { exec: { command: ['echo', '<'.repeat((bytes - 1000) / 6)] } } };
  return { ...deploymentOf(pod([appContainer({ livenessProbe, lifecycle })])), kind: 'Deployment' };
}

type Operation = 'CREATE' | 'UPDATE';

/** The review of a creation, or of an update of an object that is as long, with so many bytes. */
function review(bytes: number, operation: Operation): Buffer {
  const object = padded(operation === 'CREATE' ? bytes : bytes / 2);
  const old = operation === 'UPDATE' && { oldObject: { ...object, metadata: { name: 'web', namespace: 'flood' } } };
  return Buffer.from(goJson(reviewOf(object, { name: 'web', namespace: 'flood', operation, ...old })));
}

const askAtOnce = (count: number, path: string, body: Buffer): Promise<readonly Answer[]> =>
  Promise.all(Array.from({ length: count }, () => ask(program.port, { path: `${path}${TIMEOUT}`, body })));

/** Each answer is a verdict. Resolves with the messages of denials; undefined where the object is allowed. */
function messagesOf(answers: readonly Answer[]): readonly (string | undefined)[] {
  return answers.map(({ code, body }) => {
    expect([code, body]).toEqual([200, expect.any(String)]);
    const reply = JSON.parse(body) as { response: { allowed: boolean; status?: { message: string } } };
    expectValidReply('validate', UID, reply);
    return reply.response.allowed ? undefined : reply.response.status?.message;
  });
}

/** The sizes of reviews in MiB, and whether all of the object is read, of a creation and of an update. */
const SIZES: readonly (readonly [size: number, CREATE: boolean, UPDATE: boolean])[] = [
  [1, true, true],
  [6.99, true, true],
  [7.5, false, true],
  [18, false, false],
  [36, false, false],
];
const CASES = SIZES.flatMap(([size, created, updated]) => [
  { size, operation: 'CREATE', message: created ? '(exec-forbidden)' : 'more than 7 MiB' } as const,
  // The violation of an old object that is read is tolerated; one that is too long excuses nothing.
  {
    size,
    operation: 'UPDATE',
    message: updated ? (size < 7 ? undefined : '(exec-forbidden)') : 'more than 7 MiB',
  } as const,
]);

describe('an object that is padded with characters that Go writes in six bytes', () => {
  it.each(CASES)('is judged, or denied as too long: $operation, $size MiB', async ({ size, operation, message }) => {
    const body = review(size * MIB, operation);
    const [denial] = messagesOf(await askAtOnce(1, '/validate', body));
    if (message === undefined) expect(denial).toBeUndefined();
    else expect(denial).toContain(message);
    const [mutated] = await askAtOnce(1, '/mutate', body);
    expect([mutated?.code, mutated?.body]).toEqual([200, expect.stringContaining('"allowed":true')]);
  });

  it.each([8, 20, 100])(
    'is judged or denied, %d at a time, beside small reviews',
    { timeout: 300_000 },
    async (count) => {
      let [most, slowest, again] = [0, 0, 0];
      for (const { size, operation, message } of CASES) {
        const body = review(size * MIB, operation);
        // Resets the peak that the kernel remembers.
        writeFileSync(`/proc/${program.process.pid ?? 0}/clear_refs`, '5');
        const { failures, delay } = await besideCaller(program, 500, async () => {
          for (const denial of messagesOf(await askAtOnce(count, '/validate', body))) {
            if (denial?.includes('try again') === true) again += 1;
            else if (message === undefined) expect(denial).toBeUndefined();
            else expect(denial).toContain(message);
          }
        });
        expect(failures).toEqual([]);
        slowest = Math.max(slowest, delay);
        most = Math.max(most, memory('VmHWM') - atRest);
      }
      const figure = `all answered, ${again} with "try again"; small ones within ${readable(slowest)}; ${mebibytes(most)} more`;
      report('Long reviews', `${count} of 1 to 36 MiB at a time`, figure);
      expect(slowest).toBeLessThan(SMALL_MILLISECONDS * MACHINE_FACTOR);
      expect(most).toBeLessThan(MORE_BYTES + count * CONNECTION_BYTES);
    },
  );
});
