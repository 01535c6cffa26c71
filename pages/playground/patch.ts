import { count } from '../../src/base/text/cut.ts';
import { visible } from '../../src/base/text/visible.ts';
import { element, find } from './find.ts';
import type { Patch } from '../../src/package/playground/judged-texts.ts';

/** More lines of a diff make the page slow. */
const MOST_LINES = 2000;

/** Shows what `fix` does. Signs at the begin of lines say what the colours say. */
export function showPatch({ diff, probes, advice, remarks }: Patch): void {
  const parts = [
    ...(probes > 0 ? [`Policies add ${count(probes, 'probe')}.`] : ['Policies add no probe.']),
    ...(advice > 0 ? [`The advice for ${count(advice, 'finding')} is applied.`] : []),
  ];
  find('patch-status', HTMLElement).textContent = parts.join(' ');
  find('apply', HTMLButtonElement).disabled = diff.length === 0;
  find('remarks', HTMLElement).replaceChildren(...remarks.map((remark) => element('li', visible(remark))));
  const lines = diff.slice(0, MOST_LINES).map(({ kind, text }) => element('span', visible(text), kind));
  if (diff.length > MOST_LINES) lines.push(element('span', `${diff.length - MOST_LINES} more lines`, 'note'));
  find('diff', HTMLElement).replaceChildren(...lines);
}
