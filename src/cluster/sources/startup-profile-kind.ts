import { PROFILE_LIMITS } from '../../engine/facts/fact-budget.ts';
import { LearnedStarts, memoryOfStarts, withoutSeconds, workloadStarts } from '../../engine/facts/learned-starts.ts';
import { profileProblem } from '../../engine/facts/profile-problem.ts';
import { readStartupProfile, STARTUP_PROFILE_KIND } from '../../engine/facts/startup-profile.ts';
import { stringMember, objectMember } from '../../base/json/json-value.ts';
import { POLICY_API_VERSION } from '../../engine/policy/api-version.ts';
import type { WorkloadStarts } from '../../engine/facts/learned-starts.ts';
import type { FactKind } from './fact-kind.ts';

/** StartupProfiles: learned start times. */
export const STARTUP_PROFILES: FactKind<WorkloadStarts> = {
  kind: STARTUP_PROFILE_KIND,
  group: 'probewright.dev',
  apiVersion: POLICY_API_VERSION,
  resource: 'startupprofiles',
  omit: ['annotations', 'labels', 'ownerReferences'],
  isRequired: false,
  isInStatus: true,
  read: (object) => {
    const problem = profileProblem(object);
    if (problem !== undefined) return { problems: [problem] };
    const name = stringMember(objectMember(object, 'metadata') ?? {}, 'name');
    const profile = readStartupProfile(object);
    return name === undefined || profile === undefined ? undefined : { fact: workloadStarts(name, profile) };
  },
  mirrored: withoutSeconds,
  limits: PROFILE_LIMITS,
  bytes: memoryOfStarts,
  facts: (objects) => (objects === undefined ? {} : { starts: new LearnedStarts(objects) }),
};
