import { readPathUrl, type PathUrl } from '../probe/handler-values.ts';
import { handlerEdits } from './lib/endpoint.ts';
import { containerPhrase, defineCheck, located, yamlFlow } from './check.ts';
import { quoted } from '../../base/json/quoted-value.ts';

/** The kubelet keeps path and query, and overwrites scheme and host (pkg/probe/http/request.go, formatURL). */
export const pathUrl = defineCheck({
  id: 'path-url',
  summary: 'The path of the probe is a URL, and the kubelet ignores its scheme and host.',
  action: 'Warn',
  cannotWork: true,
  handlers: ['httpGet'],
  judgesProbeAlone: true,
  eachProbe: (probe) => {
    const { path } = probe.handler;
    // A path almost always begins with a slash.
    const url = path === undefined || path.startsWith('/') ? undefined : readPathUrl(path);
    if (path === undefined || url === undefined) return undefined;
    const meaning =
      url.path === undefined
        ? `the kubelet reads ${quoted(`${url.scheme}:`)} as a scheme and overwrites it`
        : 'the kubelet overwrites its scheme and host';
    return {
      ...located(probe, 'httpGet', 'path'),
      message: `${containerPhrase(probe.container)} has the URL ${quoted(path)} as path; ${meaning}`,
      remedy: whatToWrite(path, url),
      // The kubelet sends the same request after the edit.
      ...(url.path !== undefined && handlerEdits(probe, { path: url.path })),
    };
  },
});

function whatToWrite(path: string, { path: asked }: PathUrl): string {
  const alone = asked ?? /^[\w.-]+:\d+(\/[^/].*)$/.exec(path)?.[1];
  const written = alone === undefined ? 'write the path alone' : `write path: ${yamlFlow(alone)}`;
  return /^https:/i.test(path) ? `${written}, and scheme: HTTPS if the port speaks TLS` : written;
}
