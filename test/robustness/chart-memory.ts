import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const CHART = 'charts/probewright';

/** What the chart gives to a container. */
export const CHART_LIMIT_BYTES = 384 * 1024 * 1024;

/** Node's flags as the chart's Deployment sets them with the chart's own memory limit. */
export function chartNodeArgs(): string[] {
  const values = parse(readFileSync(`${CHART}/values.yaml`, 'utf8')) as { resources: { limits: { memory: string } } };
  const mebibytes = Number(/^(\d+)Mi$/.exec(values.resources.limits.memory)?.[1]);
  const template = readFileSync(`${CHART}/templates/deployment.yaml`, 'utf8');
  const flags = /value: (--max-old-space-size=.*)$/m.exec(template)?.[1] ?? '';
  // As probewright.heapMegabytes works it out; test/chart holds that to the rendered Deployment.
  return flags.replace('{{ $heap }}', String(mebibytes / 2)).split(' ');
}
