/**
 * A request or an answer that has been under way for longer, in milliseconds, is slow: an honest request comes in one piece and is answered in milliseconds,
 * or in seconds when its namespace is news.
 */
export const PATIENCE_MILLISECONDS = 5000;
