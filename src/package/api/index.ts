/** The exports of `import 'probewright'`. docs/api.md explains every name. */
export { fix } from './fix.ts';
export { InvalidInputError } from './engine-options.ts';
export { judge } from './judge.ts';
export { plan } from './plan.ts';
export type { Fixed, FixOptions } from './fix.ts';
export type { InputProblem } from './engine-options.ts';
export type { Verdict } from './judge.ts';
export type { PlanOptions } from './plan.ts';
export type { CustomKind, EngineOptions, KubernetesObject, KubernetesObjects } from './engine-options.ts';
export type * from '../../cli/output/json-outputs.ts';
