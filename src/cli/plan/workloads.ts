import { workloadIn } from '../input/manifest.ts';
import { manifestsAsSent, type Manifests } from '../input/manifests.ts';
import { strayFields, violationsOfText } from '../check/text-violations.ts';
import type { World } from '../input/world.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { Workload } from '../../engine/verdict/judge.ts';

/**
 * The workloads of the inputs, with the violations that only a manifest shows.
 *
 * @param replaced gets the problems of the inputs that such violations replace, when a plan asks for them
 */
export function workloadsOf(
  { texts }: Pick<Manifests, 'texts'>,
  world: World,
  replaced: FileProblem[],
): readonly Workload[] {
  return texts.flatMap((text) => {
    const sent = manifestsAsSent(text);
    return text.manifests.flatMap((manifest, index): readonly Workload[] => {
      const manifestAsSent = sent[index] ?? manifest;
      const [workload, subject] = [workloadIn(manifest.object, world), workloadIn(manifestAsSent.object, world)];
      if (workload === undefined || subject === undefined) return [];
      return [
        {
          ...workload,
          ...(manifestAsSent !== manifest && { asSent: subject }),
          violationsOfText: (policies) => [
            ...violationsOfText(manifestAsSent, text, subject, policies, world.now, replaced),
            ...strayFields(subject, policies, world.now),
          ],
        },
      ];
    });
  });
}
