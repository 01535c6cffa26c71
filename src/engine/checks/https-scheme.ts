import { HANDLER_DEFAULTS } from '../probe/api-defaults.ts';
import { isNamedForHttps } from '../workload/port-protocol.ts';
import { handlerEdits } from './lib/endpoint.ts';
import { askedPort } from './lib/probe-port.ts';
import { containerPhrase, defineCheck, located } from './check.ts';
import { quote } from '../../base/text/cut.ts';

/**
 * A TLS server answers a plain HTTP request with an error, or not at all. The API server's default scheme is HTTP.
 */
export const httpsScheme = defineCheck({
  id: 'https-scheme',
  summary: 'The probe sends plain HTTP to a port that is named for HTTPS.',
  action: 'Warn',
  cannotWork: true,
  judgesByName: true,
  handlers: ['httpGet'],
  // The port's name is in the policy too.
  judgesProbeAlone: true,
  eachProbe: (probe) => {
    const { handler } = probe;
    const port = askedPort(probe)?.declared;
    if (handler.scheme !== HANDLER_DEFAULTS.scheme) return undefined;
    if (port?.name === undefined || !isNamedForHttps(port)) return undefined;
    const isNewer = handler.protocol !== HANDLER_DEFAULTS.protocol;
    return {
      ...located(probe, 'httpGet', 'scheme'),
      message: `${containerPhrase(probe.container)} gets plain HTTP on its port ${quote(port.name)} (${port.number}); a TLS server rejects such a request`,
      remedy: `write scheme: HTTPS${isNewer ? ', and remove protocol' : ''}`,
      // The API server rejects HTTPS beside protocol HTTP2.
      ...(!isNewer && handlerEdits(probe, { scheme: 'HTTPS' })),
    };
  },
});
