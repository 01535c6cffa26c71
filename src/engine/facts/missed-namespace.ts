/**
 * The reason for a decision without the labels of a new namespace. `no-room`: too many requests are already waiting.
 * `timeout`: the labels did not arrive in time. `no-contact`: the labels could not arrive, because there was no contact
 * with the API server.
 */
export const MISSED_NAMESPACES = ['no-room', 'timeout', 'no-contact'] as const;
export type MissedNamespace = (typeof MISSED_NAMESPACES)[number];
