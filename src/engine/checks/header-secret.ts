import { quote } from '../../base/text/cut.ts';
import { containerPhrase, defineCheck, located } from './check.ts';

/** The headers of HTTP that carry credentials (RFC 9110, sections 11.6.2 and 11.7.2), in lower case. */
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization']);

/** The kubelet sends the value as written (pkg/probe/http/request.go), so no Secret can hold it. */
export const headerSecret = defineCheck({
  id: 'header-secret',
  summary: 'A probe header holds credentials, which everyone who may read the Pod sees.',
  action: 'Audit',
  handlers: ['httpGet'],
  judgesProbeAlone: true,
  eachProbe: (probe) =>
    probe.handler.headers
      .filter(({ name, value }) => CREDENTIALS.has(name.toLowerCase()) && value.trim() !== '')
      .map(({ name, index }) => ({
        ...located(probe, 'httpGet', 'httpHeaders', index, 'value'),
        message:
          `${containerPhrase(probe.container)} has the credentials of the header ${quote(name)} in its ${probe.kind}, ` +
          'where everyone who may read the Pod sees them',
        remedy:
          'let the endpoint answer without credentials, or write an exec probe that reads them from an environment ' +
          'variable of a Secret',
      })),
});
