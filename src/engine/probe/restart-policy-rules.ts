import { causesOfEach, inOrder, NO_CAUSES, notSupported, required, tooMany } from './api-cause.ts';
import { goLength, goObjects, goPointer, goString, isSet } from './go-values.ts';
import type { FieldPlace } from '../../base/json/field-place.ts';
import type { ApiCause } from './api-cause.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

const POLICIES = ['Always', 'Never', 'OnFailure'];
const ACTIONS = ['Restart', 'RestartAllContainers'];
const OPERATORS = ['In', 'NotIn'];
const MOST_RULES = 20;
const MOST_EXIT_CODES = 255;

/**
 * A container's own restartPolicy and the rules beside it (validation.go, validateContainerRestartPolicy). All three
 * policies are legal on every container since Kubernetes 1.35. An init container may have probes only with Always.
 */
export function containerRestartPolicyCauses(container: JsonObject, place: FieldPlace): readonly ApiCause[] {
  return inOrder(policyCauses(container, place), rulesCauses(container, place));
}

function policyCauses(container: JsonObject, place: FieldPlace): readonly ApiCause[] {
  if (!isSet(container, 'restartPolicy')) {
    const rules = goLength(container, 'restartPolicyRules');
    return rules === 0
      ? NO_CAUSES
      : [required(place.at('restartPolicy'), 'must specify restartPolicy when restart rules are used')];
  }
  return oneOf(goString(container, 'restartPolicy'), POLICIES, place.at('restartPolicy'));
}

function rulesCauses(container: JsonObject, place: FieldPlace): readonly ApiCause[] {
  const rules = goObjects(container, 'restartPolicyRules');
  if (rules.length === 0) return NO_CAUSES;
  return inOrder(
    rules.length > MOST_RULES ? [tooMany(place.at('restartPolicyRules'), rules.length, MOST_RULES)] : NO_CAUSES,
    causesOfEach(rules, (rule, index) => ruleCauses(rule, place.at('restartPolicyRules').at(index))),
  );
}

function ruleCauses(rule: JsonObject, place: FieldPlace): ApiCause[] {
  const exitCodes = goPointer(rule, 'exitCodes');
  return [
    ...oneOf(goString(rule, 'action'), ACTIONS, place.at('action')),
    ...(exitCodes === undefined
      ? [required(place.at('exitCodes'), 'must be specified')]
      : exitCodesCauses(exitCodes, place.at('exitCodes'))),
  ];
}

function exitCodesCauses(exitCodes: JsonObject, place: FieldPlace): ApiCause[] {
  const count = goLength(exitCodes, 'values');
  return [
    ...oneOf(goString(exitCodes, 'operator'), OPERATORS, place.at('operator')),
    ...(count > MOST_EXIT_CODES ? [tooMany(place.at('values'), count, MOST_EXIT_CODES)] : []),
  ];
}

function oneOf(value: string, supported: readonly string[], place: FieldPlace): ApiCause[] {
  return supported.includes(value) ? [] : [notSupported(place, value, supported)];
}
