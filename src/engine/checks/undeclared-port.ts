import { distance } from 'fastest-levenshtein';
import { describePort, isTcp } from '../workload/ports.ts';
import { namesNumber } from '../workload/read-container.ts';
import { askedPort, mayAnswer } from './lib/probe-port.ts';
import { containerPhrase, defineCheck, firstListed, located } from './check.ts';
import { oncePerWorkload } from './checked-workload.ts';

/**
 * Such a probe works, so the finding is a note: of 71 in public charts, no number was wrong (issue 30). A warning if
 * the number looks like a slip: one typo from a declared port that may answer, and nowhere else in the Pod. No edits: a
 * newly declared port can change which probes policies add.
 */
export const undeclaredPort = defineCheck({
  id: 'undeclared-port',
  summary: 'The probe asks a port number that its container does not declare.',
  action: 'Audit',
  acceptsHandler: true,
  eachProbe: (probe, _, workload) => {
    const { container } = probe;
    const asked = askedPort(probe);
    if (asked === undefined || asked.declared !== undefined || container.ports === undefined) return undefined;
    const port = asked.number;
    const declared = container.ports.filter(isTcp);
    const meant = declared.filter((other) => isOneTypo(port, other.number) && mayAnswer(probe, other));
    const isSlip = meant.length > 0 && !portsOfPod(workload).has(port) && !namesNumber(container, port);
    const only = isSlip && meant.length === 1 ? meant[0] : undefined;
    const known = declared.length === 0 ? 'no TCP port' : `only ${firstListed(declared.map(describePort))}`;
    return {
      ...located(probe, probe.handler.kind, 'port'),
      message: `the ${probe.kind} asks port ${port}, but ${containerPhrase(container)} declares ${known}`,
      remedy: `${only === undefined ? '' : `write port: ${only.number}, or `}add containerPort: ${port} to its ports`,
      ...(isSlip && { level: 'Warn' }),
    };
  },
});

/** Containers of a Pod share one address. */
const portsOfPod = oncePerWorkload(
  ({ pod }) => new Set(pod.containers.flatMap(({ ports = [] }) => ports.map(({ number }) => number))),
);

/** True when one digit is changed, dropped or added, or when two neighbours are swapped. */
function isOneTypo(written: number, meant: number): boolean {
  const [a, b] = [String(written), String(meant)];
  const swapped = Array.from(a, (digit, at) => a.slice(0, at) + a.charAt(at + 1) + digit + a.slice(at + 2));
  return distance(a, b) <= 1 || swapped.includes(b);
}
