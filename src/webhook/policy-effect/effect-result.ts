/**
 * `incomplete`: the time ended the computation, or a kind could not be listed. `busy`: another effect was being
 * computed. `not-loaded`: the policies are not known.
 */
export const EFFECT_RESULTS = ['complete', 'incomplete', 'busy', 'not-loaded', 'abandoned'] as const;
export type EffectResult = (typeof EFFECT_RESULTS)[number];
