import { manifestsAsSent, workloadIn } from '../input/manifest.ts';
import { strayFields, violationsOfText } from '../check/text-violations.ts';
import type { Inputs } from '../input/inputs.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { Workload } from '../../engine/verdict/judge.ts';

/**
 * The workloads of the inputs, with the violations that only a manifest shows.
 *
 * @param replaced gets the problems of the inputs that such violations replace, when a plan asks for them
 */
export function workloadsOf(inputs: Inputs, replaced: Set<FileProblem>): readonly Workload[] {
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
            ...violationsOfText(manifestAsSent, subject, policies, inputs, replaced),
            ...strayFields(subject, policies, inputs.now),
          ],
        },
      ];
    });
  });
}
