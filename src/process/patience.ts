/**
 * A request or an answer that takes longer, in milliseconds, is slow. An honest request comes in one piece and is
 * answered in milliseconds, or in seconds if its namespace is new.
 */
export const PATIENCE_MILLISECONDS = 5000;
