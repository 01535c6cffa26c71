/**
 * `incomplete`: a limit ended the computation, or a kind could not be listed. `busy`: another effect was being
 * computed. `allowance`: reviews of the namespace had used their time. `not-loaded`: the policies are not known.
 */
export const EFFECT_RESULTS = ['complete', 'incomplete', 'busy', 'allowance', 'not-loaded', 'abandoned'] as const;
export type EffectResult = (typeof EFFECT_RESULTS)[number];
