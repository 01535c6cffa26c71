import { once } from 'node:events';
import { ApiClient } from '../../../src/cluster/client/api-client.ts';
import { Reflector } from '../../../src/cluster/client/reflector.ts';

/** A process of its own, which ends by itself only when the reflector leaves nothing behind. Told to stop by a message. */
const [server = ''] = process.argv.slice(2);
const access = { server, namespace: undefined, requestOptions: () => Promise.resolve({}) };
const told = (): void => undefined;
const reflector = new Reflector(
  {
    client: new ApiClient(access, 'child'),
    now: Date.now,
    random: Math.random,
    retry: { minimum: 60_000, maximum: 60_000 },
  },
  { path: '/api/v1/namespaces' },
  { seen: told, troubled: told },
);
void reflector.start();
await once(process, 'message');
reflector.stop();
process.disconnect();
