import { isJsonObject, listMember, member, objectMember, type JsonObject } from '../../base/json/json-value.ts';
import { PROBE_KINDS } from '../probe/probe.ts';
import { isPortNumber } from '../probe/handler-values.ts';
import { describePorts, isTcp } from '../workload/ports.ts';
import { mayAnswer } from './lib/plausible-port.ts';
import { containerPhrase, defineCheck, firstListed, located } from './check.ts';
import type { CheckedWorkload, CheckedProbe } from './checked-workload.ts';

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
  eachProbe: (probe) => {
    const port = undeclaredNumber(probe);
    if (port === undefined) return undefined;
    const declared = probe.container.ports?.filter(isTcp) ?? [];
    const meant = declared.filter((other) => isOneTypo(port, other.number) && mayAnswer(probe, other));
    const isSlip =
      meant.length > 0 && !isNamed(port, probe.container.spec) && !isOfNeighbour(port, probe.container.workload);
    const only = isSlip && meant.length === 1 ? meant[0] : undefined;
    const known =
      declared.length === 0 ? 'no TCP port' : `only ${firstListed(describePorts(declared), 'and', declared.length)}`;
    return {
      ...located(probe, probe.handlerKind, 'port'),
      message: `the ${probe.kind} asks port ${port}, but ${containerPhrase(probe.container)} declares ${known}`,
      remedy: `${only === undefined ? '' : `write port: ${only.number}, or `}add containerPort: ${port} to its ports`,
      ...(isSlip && { level: 'Warn' }),
    };
  },
});

function undeclaredNumber({ container, handlerKind, handler }: CheckedProbe): number | undefined {
  const port = handlerKind === 'exec' ? undefined : member(handler, 'port');
  if (!isPortNumber(port) || container.ports === undefined) return undefined;
  const asksElsewhere = (member(handler, 'host') ?? '') !== '';
  return asksElsewhere || container.ports.some((other) => other.number === port && isTcp(other)) ? undefined : port;
}

/** True when one digit is changed, dropped or added, or when two neighbours are swapped. */
function isOneTypo(written: number, meant: number): boolean {
  const [a, b] = [String(written), String(meant)];
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  const [restOfA, restOfB] = [a.slice(start), b.slice(start)];
  return (
    restOfA.slice(1) === restOfB.slice(1) ||
    restOfA.slice(1) === restOfB ||
    restOfA === restOfB.slice(1) ||
    (restOfA[0] === restOfB[1] && restOfA[1] === restOfB[0] && restOfA.slice(2) === restOfB.slice(2))
  );
}

/** True when a container of the Pod declares the number: containers of a Pod share one address. */
function isOfNeighbour(port: number, { containers }: CheckedWorkload): boolean {
  return containers.some(({ ports }) => ports?.some(({ number }) => number === port) === true);
}

function isNamed(port: number, container: JsonObject): boolean {
  const commands = PROBE_KINDS.map((kind) => objectMember(objectMember(container, kind) ?? {}, 'exec') ?? {});
  const words = [container, ...commands].flatMap((of) => [...listMember(of, 'command'), ...listMember(of, 'args')]);
  const values = listMember(container, 'env').map((entry) =>
    isJsonObject(entry) ? member(entry, 'value') : undefined,
  );
  // Not as a part of a longer number.
  const number = new RegExp(`(?<!\\d)${port}(?!\\d)`);
  return [...words, ...values].some((text) => typeof text === 'string' && number.test(text));
}
