import { isLoopbackHost } from '../probe/handler-values.ts';
import { containerPhrase, defineCheck, located, quotedValue } from './check.ts';
import { mayNameVariable } from './http-variable.ts';
import { quote } from '../../base/text/cut.ts';
import { isAddressNamed } from '../command/settings.ts';

/**
 * The kubelet connects from the node and resolves no Services (documentation, "HTTP probes"). With hostNetwork, a
 * server on loopback needs a loopback address (static Pods of the control plane), and one that listens on another
 * address of the node, which its arguments name, needs that (deliveryhero/helm-charts#676).
 */
export const probeHost = defineCheck({
  id: 'probe-host',
  summary: 'The probe asks another host than the Pod.',
  action: 'Warn',
  cannotWork: true,
  judgesProbeAlone: true,
  eachProbe: (probe) => {
    const { container, handler } = probe;
    const host = handler.kind === 'httpGet' || handler.kind === 'tcpSocket' ? handler.host : undefined;
    // What host a variable means is the matter of http-variable.
    if (host === undefined || host === '' || mayNameVariable(host)) return undefined;
    const isLoopback = isLoopbackHost(host) || UNSPECIFIED.test(host);
    if (container.pod.hostNetwork && (isLoopback || isAddressNamed(container.settings(), host))) return undefined;
    const place = located(probe, handler.kind, 'host');
    const subject = `the ${probe.kind} of ${containerPhrase(container)}`;
    if (isLoopback)
      return {
        ...place,
        message: `${subject} asks the node, not the Pod: for the kubelet, ${quotedValue(host)} is the node`,
        remedy: 'remove host',
        edits: [{ path: place.path, value: null }],
      };
    const header = `; for a virtual host, write httpHeaders: [{ name: Host, value: ${quote(host)} }]`;
    return {
      ...place,
      message: `${subject} asks ${quotedValue(host)} instead of the Pod's IP; the kubelet resolves no names of Services`,
      remedy: `remove host${handler.kind === 'httpGet' ? header : ''}`,
    };
  },
});

/** Unspecified addresses also mean the node when the kubelet connects. */
const UNSPECIFIED = /^(?:0\.0\.0\.0|::|\[::\])$/;
