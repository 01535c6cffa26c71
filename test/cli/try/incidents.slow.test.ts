import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startDescribed, type DescribedServer } from './described-servers.ts';
import { closedPort } from './probe-servers.ts';
import { tryOne } from './run-try.ts';

/** An incident whose manifest is silent: a server, the probe of its manifest, and what `try` finds. */
interface Incident {
  readonly name: string;
  /** Absent for a command that asks no server. */
  readonly server?: DescribedServer;
  /** By default a liveness probe that asks /health at the server's port. */
  readonly probe?: 'livenessProbe' | 'readinessProbe';
  readonly handler?: object;
  /** By default one with the name http, the server's. */
  readonly ports?: readonly object[];
  readonly cause: string;
  readonly result?: string;
  readonly event?: string;
  readonly remedy?: string;
  readonly edits?: Readonly<Record<string, unknown>>;
}

const INCIDENTS = parse(readFileSync('test/fixtures/try/incidents.yaml', 'utf8')) as readonly Incident[];

/** A port that takes connections and closes them. */
const CLOSES: DescribedServer = { protocol: 'tcp', closes: 'after the request' };

const HTTP = { httpGet: { path: '/health', port: 'PORT' } };

/** The value with the words of the cases replaced. */
function filled(value: unknown, words: Readonly<Record<string, unknown>>): unknown {
  return JSON.parse(JSON.stringify(value), (_key, part: unknown) =>
    typeof part === 'string' && Object.hasOwn(words, part) ? words[part] : part,
  );
}

function containerOf({ probe = 'livenessProbe', handler = HTTP, ports }: Incident, port: number): object {
  const written = 'exec' in handler || 'grpc' in handler ? undefined : [{ name: 'http', containerPort: port }];
  return { ports: ports ?? written, [probe]: { ...handler, timeoutSeconds: 1 } };
}

describe('an incident', () => {
  it.each(INCIDENTS)('has its cause and its remedy: $name', async (incident) => {
    const port = await startDescribed(incident.server ?? { protocol: 'nothing' });
    const words = {
      PORT: port,
      CLOSED: await closedPort(),
      CLOSING: await startDescribed(CLOSES),
      NODE: process.execPath,
    };
    const container = filled(containerOf(incident, port), words) as object;
    const probe = await tryOne(container, [
      '--count',
      '1',
      ...('exec' in (incident.handler ?? {}) ? ['--exec', 'env', '--allow-side-effects'] : []),
    ]);
    expect({ result: probe.result, cause: probe.cause }).toEqual({
      result: incident.result ?? 'fails',
      cause: incident.cause,
    });
    expect(probe.event).toMatch(new RegExp(incident.event ?? ''));
    expect(probe.remedy).toMatch(new RegExp(incident.remedy ?? '.'));
    const field = (path: string): string => path.replace(/^spec\.containers\[0\]\.\w+\./, '');
    const edits = Object.fromEntries(probe.edits.map(({ path, value }) => [field(path), value]));
    const wanted = filled(incident.edits ?? {}, words) as Record<string, unknown>;
    if (wanted['timeoutSeconds'] === 'ANY') wanted['timeoutSeconds'] = expect.any(Number);
    expect(edits).toEqual(wanted);
  });

  const own = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
  it('has its cause: the application listens on loopback only', async () => {
    // 127.0.0.2 is this machine, and not the address on which the server listens.
    const port = await startDescribed({ status: { '/health': 200 } });
    const args = ['--count', '1', '--address', own ?? '127.0.0.2'];
    const container = { livenessProbe: { httpGet: { path: '/health', port } } };
    const probe = await tryOne({ ports: [{ name: 'http', containerPort: port }], ...container }, args);
    expect(probe).toMatchObject({ result: 'fails', cause: 'loopback-only', edits: [] });
    expect(probe.remedy).toContain('0.0.0.0');
  });
});
