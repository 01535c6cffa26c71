import { Composer } from 'yaml';
import type { CST, Document } from 'yaml';

/**
 * Highest number of errors that the composer creates. Only the first error by position is reported, and errors are
 * created almost in this order. A text may have an error in every byte, and each error costs a stack trace and a line
 * of text.
 */
const MOST_ERRORS = 100;

/** Composes documents from tokens. The value of every scalar is its text, and duplicate keys are allowed. */
export function composeDocuments(tokens: readonly CST.Token[], keepSourceTokens: boolean): Document.Parsed[] {
  // With the failsafe schema, scalars stay text, and scalars.ts then reads them as kubectl does. Duplicate keys are
  // found later, because the library's comparison takes quadratic time.
  const composer = new Composer({ schema: 'failsafe', uniqueKeys: false, keepSourceTokens, resolveKnownTags: false });
  limitErrors(composer);
  return [...composer.compose(firstErrors(tokens))] as Document.Parsed[];
}

function* firstErrors(tokens: readonly CST.Token[]): Generator<CST.Token> {
  let errors = 0;
  for (const token of tokens) if (token.type !== 'error' || ++errors <= MOST_ERRORS) yield token;
}

/**
 * A member of the library's composer that is not public. If a release renames the member, all errors are created again.
 */
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
