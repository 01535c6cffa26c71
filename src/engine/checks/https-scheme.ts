import { HANDLER_DEFAULTS } from '../probe/api-defaults.ts';
import { isNamedForHttp, isNamedForHttps, mentionsTls, tlsWordOf } from '../port/tls.ts';
import { handlerEdits } from './lib/endpoint.ts';
import { askedPort } from './lib/probe-port.ts';
import { containerPhrase, defineCheck, located, quotedValue, type Finding } from './check.ts';
import { quote } from '../../base/text/cut.ts';
import type { Probe, ProbeWith } from '../workload/pod.ts';

/**
 * A TLS server answers a plain HTTP request with an error, or not at all, and a plain server no TLS handshake. The API
 * server's default scheme is HTTP. The port's name counts, and the flags and variables of the container.
 */
export const httpsScheme = defineCheck({
  id: 'https-scheme',
  summary: 'The probe sends plain HTTP to a port for HTTPS, or the other way round.',
  action: 'Warn',
  cannotWork: true,
  judgesByName: true,
  handlers: ['httpGet'],
  // The port's name is in the policy too.
  judgesProbeAlone: true,
  eachProbe: (probe, _, workload) => {
    const { handler, container } = probe;
    const asked = askedPort(probe);
    if (asked === undefined) return undefined;
    const { number, declared } = asked;
    const port = `port ${declared?.name === undefined ? number : `${quote(declared.name)} (${number})`}`;
    const place = located(probe, 'httpGet', 'scheme');
    if (handler.scheme === 'HTTPS') {
      const isPlain = declared !== undefined && isNamedForHttp(declared) && !mentionsTls(container);
      if (!isPlain || workload.services.say(declared).some(({ text }) => /https|tls/i.test(text)))
        return contradiction(probe, number);
      return {
        ...place,
        message: `${containerPhrase(container)} gets HTTPS on its ${port}; a server of plain HTTP rejects such a request`,
        remedy: 'write scheme: HTTP',
        ...handlerEdits(probe, { scheme: 'HTTP' }),
      };
    }
    if (handler.scheme !== HANDLER_DEFAULTS.scheme) return undefined;
    const isNamed = declared !== undefined && isNamedForHttps(declared);
    const word = isNamed ? undefined : tlsWordOf(container, number, declared);
    if (!isNamed && word === undefined) return contradiction(probe, number);
    const isNewer = handler.protocol !== HANDLER_DEFAULTS.protocol;
    const because = word === undefined ? '' : `, but ${quotedValue(word)} says TLS`;
    return {
      ...place,
      message: `${containerPhrase(container)} gets plain HTTP on its ${port}${because}; a TLS server rejects such a request`,
      remedy: `write scheme: HTTPS${isNewer ? ', and remove protocol' : ''}`,
      // The API server rejects HTTPS beside protocol HTTP2.
      ...(!isNewer && handlerEdits(probe, { scheme: 'HTTPS' })),
    };
  },
});

/**
 * Of two probes that ask one port, one by HTTP and one by HTTPS, one fails every time. The later one is reported,
 * unless a sign tells which is wrong.
 */
function contradiction(probe: ProbeWith<'httpGet'>, number: number): Finding | undefined {
  const { container, handler, kind } = probe;
  const before = container.probes.slice(0, container.probes.indexOf(probe)).find((other) => {
    if (other.handler.kind !== 'httpGet' || askedPort(other)?.number !== number) return false;
    return isScheme(other.handler.scheme) && isScheme(handler.scheme) && other.handler.scheme !== handler.scheme;
  });
  if (before?.handler.kind !== 'httpGet' || isSigned(before) || isSigned(probe)) return undefined;
  return {
    ...located(probe, 'httpGet', 'scheme'),
    message: `the ${kind} of ${containerPhrase(container)} asks port ${number} by ${handler.scheme ?? ''}, and its ${before.kind} by ${before.handler.scheme ?? ''}; a server answers one of them`,
    remedy: 'write the same scheme in both',
  };
}

const isScheme = (scheme: string | undefined): boolean => scheme === 'HTTP' || scheme === 'HTTPS';

/** True where the port's name or the settings tell which scheme is right. */
function isSigned(probe: Probe): boolean {
  const { container, handler } = probe;
  const asked = askedPort(probe);
  if (asked === undefined || handler.kind !== 'httpGet') return false;
  const { number, declared } = asked;
  if (declared !== undefined && isNamedForHttps(declared)) return handler.scheme === HANDLER_DEFAULTS.scheme;
  if (tlsWordOf(container, number, declared) !== undefined) return handler.scheme === HANDLER_DEFAULTS.scheme;
  const isPlain = declared !== undefined && isNamedForHttp(declared) && !mentionsTls(container);
  return isPlain && handler.scheme === 'HTTPS';
}
