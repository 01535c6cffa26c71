import { expect, it } from 'vitest';
import { besidePass } from '../../../src/cli/try/beside-pass.ts';
import { GoError } from '../../../src/cli/try/connection.ts';
import { http } from './probe-servers.ts';
import { plannedOne } from './planned.ts';
import { runTry } from './run-try.ts';
import { without } from '../../../src/base/json/json-value.ts';
import type { Target } from '../../../src/cli/try/target.ts';

const refuses: Target = {
  name: 'a container',
  host: '10.0.0.1',
  connect: (port) => Promise.reject(new GoError(`dial tcp 10.0.0.1:${port}: connect: connection refused`)),
  prove: () => Promise.resolve(undefined),
  exec: () => Promise.resolve({ code: 0, output: '' }),
  isLoopbackOnly: () => Promise.resolve(false),
};
const asking = { target: refuses, monotonic: () => 0, allowsSideEffects: false };
const ports = [{ name: 'http', containerPort: 8080 }, { containerPort: 9000 }];

it('a declared port that refuses, while the probe asks another one, is told', async () => {
  const planned = plannedOne({ ports, livenessProbe: { tcpSocket: { port: 9000 } } });
  expect(await besidePass(planned, [], asking)).toEqual([
    'The container declares the port http (8080), which refuses connections. The probe asks another port.',
  ]);
  // Behind the ports that somebody publishes, nothing is known of the others.
  expect(await besidePass(planned, [], { ...asking, target: without(refuses, 'prove') })).toEqual([]);
});

it.each([
  [['sh', '-c', 'wget -qO- localhost:8080/health || true'], 1],
  [['wget', '-qO-', 'http://localhost:8080/health'], 0],
])('a command that hides a failure is told: %j', async (command, notes) => {
  const found = await besidePass(plannedOne({ livenessProbe: { exec: { command } } }), [], asking);
  expect(found).toHaveLength(notes);
  if (notes > 0) expect(found[0]).toContain('The command cannot tell a failure: "true" hides it.');
});

it('another probe of the container that fails is told, where it is not tried itself', async () => {
  const port = await http((request, response) => {
    response.writeHead(request.url === '/ready' ? 503 : 200).end();
  });
  const container = {
    livenessProbe: { httpGet: { path: '/live', port } },
    readinessProbe: { httpGet: { path: '/ready', port } },
  };
  const { code, probes } = await runTry(container, ['--count', '1', '--probe', 'liveness']);
  expect([code, probes[0]?.result]).toEqual([0, 'passes']);
  expect(probes[0]?.notes).toEqual([
    `Another probe fails, readinessProbe (httpGet /ready on port ${port}): ` +
      'Readiness probe failed: HTTP probe failed with statuscode: 503',
  ]);
  const both = await runTry(container, ['--count', '1']);
  expect(both.probes.find(({ probe }) => probe === 'livenessProbe')?.notes).toEqual([]);
});
