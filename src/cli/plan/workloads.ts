import { manifestsAsSent, workloadIn } from '../input/manifest.ts';
import { strayFields, violationsOfText } from '../check/text-violations.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { Inputs } from '../input/inputs.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { Workload } from '../../engine/verdict/judge.ts';

/**
 * The workloads of the inputs, with the violations that only a manifest shows.
 *
 * @param problemsFor the problems of the inputs, a list for each snapshot. The problem of a doubled key is removed from
 *   the list, because a violation replaces the problem
 */
export function workloadsOf(inputs: Inputs, problemsFor: (policies: Snapshot) => FileProblem[]): readonly Workload[] {
  return inputs.texts.flatMap((text) => {
    const sent = manifestsAsSent(text);
    return text.manifests.flatMap((manifest, index): readonly Workload[] => {
      const manifestAsSent = sent[index] ?? manifest;
      const [workload, subject] = [workloadIn(manifest.object, inputs), workloadIn(manifestAsSent.object, inputs)];
      if (workload === undefined || subject === undefined) return [];
      return [
        {
          ...workload,
          ...(manifestAsSent !== manifest && { asSent: subject }),
          violationsOfText: (policies) => [
            ...violationsOfText(manifestAsSent, subject, policies, inputs.now, problemsFor(policies)),
            ...strayFields(subject, policies, inputs.now),
          ],
        },
      ];
    });
  });
}
