import { expect, it } from 'vitest';
import { runProbewright } from '../run-probewright.ts';
import { http } from './probe-servers.ts';
import { podOf, tryOne } from './run-try.ts';

/** A server whose requests fail with a status, as the list says; requests after the list have 200. */
const answering = (...statuses: readonly number[]): Promise<number> => {
  let requests = 0;
  return http((_request, response) => response.writeHead(statuses[requests++] ?? 200).end());
};
const readiness = (port: number) => ({ readinessProbe: { httpGet: { path: '/', port } } });

it.each([
  [[503], 'It failed 1 time of 5. '],
  [[200, 503, 200, 503], 'It failed 2 times of 5. '],
])('a probe that fails now and then says how often: %j', async (statuses, often) => {
  const { result, remedy } = await tryOne(readiness(await answering(...statuses)));
  expect(result).toBe('fails');
  expect(remedy.startsWith(often), remedy).toBe(true);
});

it('a probe that always fails needs no count, and keeps the status that was seen', async () => {
  const probe = await tryOne(readiness(await answering(...Array<number>(9).fill(503))));
  expect(probe).toMatchObject({ cause: 'http-5xx', code: 503 });
  expect(probe.event).toBe('Readiness probe failed: HTTP probe failed with statuscode: 503');
  expect(probe.remedy).not.toContain('It failed');
});

it('the first answer that fails is the one that is told, also where a later one passes', async () => {
  expect(await tryOne(readiness(await answering(200, 500, 200, 404)))).toMatchObject({ code: 500, cause: 'http-5xx' });
});

it('the text has the times of the answers beside the timeout', async () => {
  const stdin = podOf({ readinessProbe: { httpGet: { path: '/', port: await answering() }, timeoutSeconds: 3 } });
  const { stdout } = await runProbewright(['try', '-', '--address', '127.0.0.1'], { stdin, monotonic: Date.now });
  expect(stdout).toMatch(/: median [\d.]+ ms, longest [\d.]+ ms of 3 s$/m);
});
