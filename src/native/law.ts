import { CONTAINER_LAW } from './container-law.ts';
import { HANDLER_LAW } from './handler-law.ts';
import { PATCH_LAW } from './patch-law.ts';
import { POD_LAW } from './pod-law.ts';
import { STARTUP_LAW } from './startup-law.ts';
import { oneLine, type CelVariable } from './cel.ts';

/** The law of injection as CEL, for everybody the same. The layers of a namespace are the param. */
export const LAW: readonly CelVariable[] = [
  ...POD_LAW,
  ...CONTAINER_LAW,
  ...HANDLER_LAW,
  ...STARTUP_LAW,
  ...PATCH_LAW,
].map(({ name, expression }) => ({ name, expression: oneLine(expression) }));
