/**
 * Why a request is decided without the labels of its new namespace. `no-room`: too many wait already. `timeout`: the labels did not come in time.
 * `no-contact`: nor could they, as there was no contact with the API server.
 */
export const MISSED_NAMESPACES = ['no-room', 'timeout', 'no-contact'] as const;
export type MissedNamespace = (typeof MISSED_NAMESPACES)[number];
