import { validProbe } from './valid-probe.ts';
import { namedPort } from './named-port.ts';
import { probeHost } from './probe-host.ts';
import { headerValue } from './header-value.ts';
import { execCommand } from './exec-command.ts';
import { livenessNeverRestarts } from './liveness-never-restarts.ts';
import { startupBudget } from './startup-budget.ts';
import { delayedLiveness } from './delayed-liveness.ts';
import { sharedEndpoint } from './shared-endpoint.ts';
import { killedBeforeDrained } from './killed-before-drained.ts';
import { dependencyLiveness } from './dependency-liveness.ts';
import { timeoutOverPeriod } from './timeout-over-period.ts';
import { slowDetection } from './slow-detection.ts';
import { gracePeriod } from './grace-period.ts';
import { execCost } from './exec-cost.ts';
import { voidInitialDelay } from './void-initial-delay.ts';
import { progressDeadline } from './progress-deadline.ts';
import { undeclaredPort } from './undeclared-port.ts';
import { requiredLiveness } from './required-liveness.ts';
import { requiredReadiness } from './required-readiness.ts';
import { requiredStartup } from './required-startup.ts';
import { requiredAny } from './required-any.ts';
import { identicalProbes } from './identical-probes.ts';
import { probeHandler } from './probe-handler.ts';
import { probeBounds } from './probe-bounds.ts';
import { execForbidden } from './exec-forbidden.ts';
import type { Check } from './check.ts';

/** Every check there is, in the order of CHECK_CATALOGUE, in which violations are reported. */
export const CHECKS: readonly Check[] = [
  validProbe,
  namedPort,
  probeHost,
  headerValue,
  execCommand,
  livenessNeverRestarts,
  startupBudget,
  delayedLiveness,
  sharedEndpoint,
  killedBeforeDrained,
  dependencyLiveness,
  timeoutOverPeriod,
  slowDetection,
  gracePeriod,
  execCost,
  voidInitialDelay,
  progressDeadline,
  undeclaredPort,
  requiredLiveness,
  requiredReadiness,
  requiredStartup,
  requiredAny,
  identicalProbes,
  probeHandler,
  probeBounds,
  execForbidden,
];
