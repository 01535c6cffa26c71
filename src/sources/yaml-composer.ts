import { Composer } from 'yaml';
import type { CST, Document } from 'yaml';

/**
 * More errors than these are not made: only the first by its place is ever told, errors come nearly in that order, and a text may have
 * one in every byte, each with a stack trace and a line of its own.
 */
const MOST_ERRORS = 100;

/** The documents that tokens make. Every scalar's value is its text, and keys may be there twice. */
export function composeDocuments(tokens: readonly CST.Token[], keepSourceTokens: boolean): Document.Parsed[] {
  // Failsafe: scalars stay text, which yaml-scalars reads as kubectl would. Keys are compared there, too: the library's
  // comparison takes quadratic time.
  const composer = new Composer({ schema: 'failsafe', uniqueKeys: false, keepSourceTokens, resolveKnownTags: false });
  limitErrors(composer);
  return [...composer.compose(firstErrors(tokens))] as Document.Parsed[];
}

function* firstErrors(tokens: readonly CST.Token[]): Generator<CST.Token> {
  let errors = 0;
  for (const token of tokens) if (token.type !== 'error' || ++errors <= MOST_ERRORS) yield token;
}

/** What the library's composer has but does not publish. A version that names it otherwise makes all errors again. */
interface ComposerParts {
  onError?: (...error: unknown[]) => void;
}

function limitErrors(composer: Composer): void {
  const parts = composer as unknown as ComposerParts;
  const { onError } = parts;
  if (onError === undefined) return;
  let errors = 0;
  parts.onError = (...error) => {
    if (++errors <= MOST_ERRORS) onError(...error);
  };
}
