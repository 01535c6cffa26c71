import { containerPhrase, defineCheck, listed, located } from './check.ts';

const HANDLERS = ['httpGet', 'tcpSocket', 'grpc', 'exec'] as const;
const HANDLERS_TEXT = 'Handlers that may be used, out of httpGet, tcpSocket, grpc and exec';

/** The list for one probe kind. The common list applies when no policy sets this list. */
const fields = { allowed: { type: 'choices', choices: HANDLERS, text: `${HANDLERS_TEXT}.` } } as const;

/** `<probe>.allowed` counts, else `allowed` (Gatekeeper, probeTypes). */
export const probeHandler = defineCheck({
  id: 'probe-handler',
  summary: 'The probe uses a handler that is not allowed.',
  action: 'Off',
  judgesProbeAlone: true,
  parameters: {
    allowed: {
      type: 'choices',
      choices: HANDLERS,
      default: HANDLERS,
      text: `${HANDLERS_TEXT}. Default: all four, which finds nothing.`,
    },
    livenessProbe: { type: 'group', fields, text: 'For liveness probes, in place of the common list.' },
    readinessProbe: { type: 'group', fields, text: 'For readiness probes, in place of the common list.' },
    startupProbe: { type: 'group', fields, text: 'For startup probes, in place of the common list.' },
  },
  eachProbe: (probe, parameters) => {
    const allowed = parameters[probe.kind].allowed ?? parameters.allowed;
    if (allowed.includes(probe.handler.kind)) return undefined;
    const message = `${containerPhrase(probe.container)} uses ${probe.handler.kind} as its ${probe.kind}, which a policy forbids`;
    return { ...located(probe, probe.handler.kind), message, remedy: `write ${listed(allowed, 'or')} instead` };
  },
});
