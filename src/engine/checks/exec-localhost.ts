import { localClient } from '../command/asks.ts';
import { quote } from '../../base/text/cut.ts';
import { loopbackSetting } from './listen-address.ts';
import { listeningOf } from '../port/listening.ts';
import { containerPhrase, defineCheck, located, yamlFlow } from './check.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/**
 * Clients that send a body, credentials or headers are accepted, and a port that the container binds to loopback. No
 * edits: only the author knows whether the application listens on the Pod's IP.
 */
export const execLocalhost = defineCheck({
  id: 'exec-localhost',
  summary: 'A probe starts an HTTP or TCP client where the kubelet can ask the address itself.',
  action: 'Audit',
  handlers: ['exec'],
  readsCommand: true,
  // The probe works, so a copy of its handler works too.
  acceptsHandler: true,
  judgesProbeAlone: true,
  eachProbe: (probe) => {
    const client = localClient(probe.command);
    const [inner] = Object.values(client?.handler ?? {}) as JsonObject[];
    if (client === undefined || loopbackSetting(probe.container.once(listeningOf), Number(inner?.['port'])))
      return undefined;
    return {
      ...located(probe, 'exec', 'command'),
      message: `${containerPhrase(probe.container)} starts ${quote(client.program)} for each ${probe.kind}, to ask an address that the kubelet can ask without a process`,
      remedy: `write ${yamlFlow(client.handler).slice(2, -2)} if the application listens on the Pod's IP`,
    };
  },
});
