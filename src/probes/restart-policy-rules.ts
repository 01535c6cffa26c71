import { causesOfEach, notSupported, required, tooMany } from './api-cause.ts';
import { goLength, goObjects, goPointer, goString, isSet } from './go-values.ts';
import type { ApiCause } from './api-cause.ts';
import type { JsonObject } from './json.ts';

const POLICIES = ['Always', 'Never', 'OnFailure'];
const ACTIONS = ['Restart', 'RestartAllContainers'];
const OPERATORS = ['In', 'NotIn'];
const MOST_RULES = 20;
const MOST_EXIT_CODES = 255;

/**
 * A container's own restartPolicy and the rules beside it (validation.go, validateContainerRestartPolicy). All three policies are legal
 * on every container since Kubernetes 1.35; on an init container it decides whether it may have probes at all.
 */
export function containerRestartPolicyCauses(container: JsonObject, path: string): ApiCause[] {
  return [...policyCauses(container, `${path}.restartPolicy`), ...rulesCauses(container, `${path}.restartPolicyRules`)];
}

function policyCauses(container: JsonObject, path: string): ApiCause[] {
  if (!isSet(container, 'restartPolicy')) {
    const rules = goLength(container, 'restartPolicyRules');
    return rules === 0 ? [] : [required(path, 'must specify restartPolicy when restart rules are used')];
  }
  return oneOf(goString(container, 'restartPolicy'), POLICIES, path);
}

function rulesCauses(container: JsonObject, path: string): ApiCause[] {
  const rules = goObjects(container, 'restartPolicyRules');
  return [
    ...(rules.length > MOST_RULES ? [tooMany(path, rules.length, MOST_RULES)] : []),
    ...causesOfEach(rules, (rule, index) => ruleCauses(rule, `${path}[${index}]`)),
  ];
}

function ruleCauses(rule: JsonObject, path: string): ApiCause[] {
  const exitCodes = goPointer(rule, 'exitCodes');
  return [
    ...oneOf(goString(rule, 'action'), ACTIONS, `${path}.action`),
    ...(exitCodes === undefined
      ? [required(`${path}.exitCodes`, 'must be specified')]
      : exitCodesCauses(exitCodes, `${path}.exitCodes`)),
  ];
}

function exitCodesCauses(exitCodes: JsonObject, path: string): ApiCause[] {
  const count = goLength(exitCodes, 'values');
  return [
    ...oneOf(goString(exitCodes, 'operator'), OPERATORS, `${path}.operator`),
    ...(count > MOST_EXIT_CODES ? [tooMany(`${path}.values`, count, MOST_EXIT_CODES)] : []),
  ];
}

function oneOf(value: string, supported: readonly string[], path: string): ApiCause[] {
  return supported.includes(value) ? [] : [notSupported(path, value, supported)];
}
