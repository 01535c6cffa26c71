import { isInCluster, type Origin } from '../input/cluster-object.ts';
import { count } from '../../base/text/cut.ts';
import { COVERED_PROBES, type LackReason } from '../../engine/verdict/coverage.ts';
import { paragraph, type Screen } from '../output/screen.ts';
import type { ListedProbeCounts } from '../output/json-outputs.ts';
import type { Coverage, NoMainContainer } from './coverage.ts';

/** The reasons in words. docs/defaulting.md and docs/commands.md say what helps. */
const REASON_TEXTS: Readonly<Record<LackReason, string>> = {
  'no-policy': 'no policy asks for probes',
  'not-selected': 'the policies select other containers',
  'run-to-completion': 'the containers run to completion',
  'no-main-container': 'no main container can be determined',
  'container-not-found': 'the annotation names a container that does not exist',
  'init-container': 'init containers may have no probes',
  'mesh-container': 'the service mesh probes the container',
  'skipped-by-annotation': 'the annotation probewright.dev/skip names the probe',
  'removed-by-policy': 'a policy removes the probe',
  'no-endpoint': 'no policy names an endpoint or another handler',
  'no-port': 'no port, or several and none is named "http"',
  'no-http-port': 'no port that may answer HTTP',
  'port-not-declared': "the policy's port is not declared",
  'port-not-tcp': "the policy's port is not a TCP port",
  'no-liveness-probe': 'there is no liveness probe',
  'liveness-cannot-work': 'the liveness probe cannot work',
  'own-handler-differs': 'the own probes ask in another way than the policy',
  'own-handler-acts': 'the command of the liveness probe acts',
  'startup-period-too-long': 'the own startup probe asks too seldom',
  'opted-out': 'a label keeps the Pod from the webhook',
  'forbidden-by-floor': 'a floor of a cluster policy forbids the probe',
  'too-few-starts': 'too few starts are known for a learned startup probe',
};

/** How many containers have, get and lack probes, with the reasons. */
export function coverageLines({ containers, ...counts }: Coverage, screen: Screen): string[] {
  if (containers === 0) return [];
  return [
    screen.paint('heading', `Coverage of ${count(containers, 'container')}:`),
    ...COVERED_PROBES.flatMap((probe) => probeLines(probe, counts[probe], screen)),
  ];
}

function probeLines(probe: string, { have, get, lack, reasons }: ListedProbeCounts, screen: Screen): string[] {
  const parts = [
    [have, have === 1 ? 'has one' : 'have one'],
    [get, `${get === 1 ? 'gets' : 'get'} one from a policy`],
    [lack, lack === 1 ? 'lacks one' : 'lack one'],
  ] as const;
  const text = parts.flatMap(([number, verb]) => (number === 0 ? [] : [`${number} ${verb}`])).join(', ');
  const width = String(lack).length;
  return [
    ...paragraph(screen, { text: `${probe}: ${text}`, indent: 2 }),
    ...Object.entries(reasons).flatMap(([reason, number]) => {
      const label = { text: `${String(number).padStart(width)}  `, style: 'heading' } as const;
      return paragraph(screen, { text: `${REASON_TEXTS[reason as LackReason]} (${reason})`, indent: 4, label });
    }),
  ];
}

/** The workloads that get no probes because no main container can be determined, with the policies that want one. */
export function noMainContainerLines(
  workloads: readonly NoMainContainer[],
  screen: Screen,
  origin: Origin = {},
): string[] {
  if (workloads.length === 0) return [];
  return [
    screen.paint('heading', 'No main container:'),
    ...workloads.flatMap(({ file, line, column, kind, namespace, name, policies, message }) => {
      const place = isInCluster(file, origin) ? '' : `${file}:${line}:${column}: `;
      const text = `${place}${kind} ${namespace}/${name}: ${message} (wanted by ${policies.join(', ')})`;
      return paragraph(screen, { text, indent: 2 });
    }),
  ];
}
