import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MOST_ATTEMPTS, PatientClient } from '../../../src/cluster/client/patient-client.ts';
import { startFakeApiServer, type FakeApiServer, type Fault } from './fake-api-server.ts';

let api: FakeApiServer;
let pauses: number[];
let client: PatientClient;

beforeEach(async () => {
  api = await startFakeApiServer();
  pauses = [];
  const pause = (milliseconds: number): Promise<void> => {
    pauses.push(milliseconds);
    return Promise.resolve();
  };
  client = new PatientClient(api.access, 'test', { random: () => 1, pause });
});
afterEach(async () => {
  await api.stop();
});

/** The first requests fail with these faults. */
function failFirst(...faults: readonly Fault[]): void {
  const left = [...faults];
  api.intercept(() => left.shift());
}

const request = { method: 'GET', path: '/api/v1/pods' } as const;

describe('a patient client', () => {
  it.each([429, 500, 503])('sends a request again that failed with HTTP %d, after growing pauses', async (status) => {
    failFirst({ status }, { status }, { status });
    await expect(client.request(request)).resolves.toMatchObject({ kind: 'PodList' });
    expect(pauses).toEqual([250, 500, 1000]);
  });

  it('gives up after the last attempt', async () => {
    api.intercept(() => ({ status: 503 }));
    await expect(client.request(request)).rejects.toThrow('GET /api/v1/pods: HTTP 503');
    expect([api.requests.length, MOST_ATTEMPTS, pauses]).toEqual([5, 5, [250, 500, 1000, 2000]]);
  });

  it('waits for as long as the server asks, up to 30 s, and gives up before a longer pause', async () => {
    failFirst({ status: 503, headers: { 'retry-after': '30' } });
    await expect(client.request(request)).resolves.toMatchObject({ kind: 'PodList' });
    failFirst({ status: 503, headers: { 'retry-after': '31' } });
    await expect(client.request(request)).rejects.toThrow('HTTP 503');
    expect([api.requests.length, pauses]).toEqual([3, [30_000]]);
  });

  it.each([400, 401, 403, 404, 410])('sends a request once that failed with HTTP %d', async (status) => {
    api.intercept(() => ({ status }));
    await expect(client.request(request)).rejects.toThrow(`HTTP ${status}`);
    expect({ requests: api.requests.length, pauses }).toEqual({ requests: 1, pauses: [] });
  });

  it('sends a request again whose connection broke, once the server has answered before', async () => {
    failFirst('cut');
    await expect(client.request(request)).rejects.toThrow('GET /api/v1/pods: ');
    expect(pauses).toEqual([]);
    await client.request(request);
    failFirst('cut');
    await expect(client.request(request)).resolves.toMatchObject({ kind: 'PodList' });
    expect(pauses).toEqual([250]);
  });
});
