import { objectMember } from '../../base/json/json-value.ts';
import { localClient } from '../command/asks.ts';
import { requestedPath } from '../probe/handler-values.ts';
import { readHandler } from '../workload/read-probe.ts';
import { containerPhrase, defineCheck, located, quotedValue, yamlFlow } from './check.ts';
import type { Handler, ProbeWith } from '../workload/pod.ts';

/**
 * The last segment says that a scraper reads the path: `/metrics`, `/actuator/prometheus`, `/_prometheus/metrics`,
 * `/api/v1/metrics`, and `/federate` of Prometheus. The others are pages below `/metrics`: of the kubelet, Kubernetes,
 * RabbitMQ and MinIO. `/metrics/health` may be anything.
 */
const SCRAPED =
  /\/(?:metrics|prometheus|federate|metrics\/(?:cadvisor|probes|resource|slis|detailed|per-object|cluster|node|bucket))\/?$/;

/** A scrape renders every series, and answers 200 whatever they say. A startup probe asks until it succeeds only. */
export const metricsProbe = defineCheck({
  id: 'metrics-probe',
  summary: 'A probe asks for metrics, which cost work and say nothing about health.',
  action: 'Audit',
  handlers: ['httpGet', 'exec'],
  kinds: ['livenessProbe', 'readinessProbe'],
  // The endpoint answers, so a copy of its handler works too.
  acceptsHandler: true,
  judgesProbeAlone: true,
  eachProbe: (probe) => {
    const { kind, container, handler } = probe;
    const asked = handler.kind === 'httpGet' ? handler : askedByCommand(probe);
    if (asked?.kind !== 'httpGet' || asked.path === undefined || asked.port === undefined) return undefined;
    if (!SCRAPED.test(requestedPath(asked.path).split(/[?#]/, 1)[0] ?? '')) return undefined;
    return {
      ...located(probe, handler.kind, handler.kind === 'httpGet' ? 'path' : 'command'),
      message: `${containerPhrase(container)} renders its metrics at ${quotedValue(asked.path)} for each ${kind}, and they say nothing about its health`,
      remedy: `ask for its health; a program without health gets tcpSocket: { port: ${yamlFlow(asked.port)} }`,
    };
  },
});

function askedByCommand({ command }: ProbeWith<'httpGet' | 'exec'>): Handler | undefined {
  const client = localClient(command);
  const httpGet = client && objectMember(client.handler, 'httpGet');
  return httpGet && readHandler('httpGet', httpGet);
}
