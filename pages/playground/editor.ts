import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import { EditorView, highlightActiveLine, keymap, lineNumbers, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Diagnostic } from '@codemirror/lint';

/** A finding at a line of an editor. Lines and columns count from 1. */
export interface Mark {
  readonly line: number;
  readonly column: number;
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
}

const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--link)' },
  { tag: [tags.string, tags.content, tags.attributeValue], color: 'var(--ink)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--muted)', fontStyle: 'italic' },
  { tag: [tags.keyword, tags.meta, tags.separator, tags.punctuation], color: 'var(--muted)' },
]);

const THEME = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'transparent', fontSize: '13px' },
  '&.cm-focused': { outline: '2px solid var(--link)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-placeholder': { color: 'var(--muted)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--muted)', border: '0' },
  '.cm-activeLine': { backgroundColor: 'var(--note-ground)' },
  '.cm-tooltip, .cm-panels': { backgroundColor: 'var(--paper)', color: 'var(--ink)', borderColor: 'var(--rule)' },
  // CodeMirror draws these marks with images, which a browser treats as requests. Text needs no image.
  '.cm-lintRange, .cm-lintRange-active': { backgroundImage: 'none', backgroundColor: 'transparent' },
  '.cm-lintRange-error': { textDecoration: 'underline wavy var(--deny)', textDecorationSkipInk: 'none' },
  '.cm-lintRange-warning': { textDecoration: 'underline wavy var(--warn)', textDecorationSkipInk: 'none' },
  '.cm-lintRange-info': { textDecoration: 'underline dotted var(--note)' },
  '.cm-lint-marker': { textAlign: 'center', fontWeight: '700' },
  '.cm-lint-marker-error': { content: 'normal', color: 'var(--deny)', '&::before': { content: '"×"' } },
  '.cm-lint-marker-warning': { content: 'normal', color: 'var(--warn)', '&::before': { content: '"!"' } },
  '.cm-lint-marker-info': { content: 'normal', color: 'var(--note)', '&::before': { content: '"i"' } },
  '.cm-tooltip-lint': { maxWidth: '520px' },
});

/** An editor of YAML. */
export class Editor {
  readonly #view: EditorView;
  readonly #extensions;

  /** @param label the name of the editor for screen readers */
  constructor(parent: HTMLElement, label: string, onChange: () => void) {
    this.#extensions = [
      lineNumbers(),
      lintGutter(),
      history(),
      highlightActiveLine(),
      highlightSelectionMatches(),
      indentOnInput(),
      bracketMatching(),
      yaml(),
      syntaxHighlighting(COLOURS),
      THEME,
      EditorView.lineWrapping,
      placeholder('Paste YAML here, or choose an example.'),
      // The text is the only way for a keyboard to scroll the editor.
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) onChange();
      }),
      // Tab leaves the editor, because a keyboard is the only way out for some people.
      keymap.of([...defaultKeymap, ...searchKeymap, ...historyKeymap, ...lintKeymap]),
    ];
    // CodeMirror adopts style sheets in a shadow root. Elsewhere it adds style elements, which the page's policy forbids.
    const root = parent.attachShadow({ mode: 'open' });
    this.#view = new EditorView({ parent: root, root, state: this.#stateOf('') });
    // The host is as high as the page gives it room for; its content follows.
    this.#view.dom.style.height = '100%';
  }

  get text(): string {
    return this.#view.state.doc.toString();
  }

  /** Shows another text, without a history. */
  open(text: string): void {
    this.#view.setState(this.#stateOf(text));
  }

  /** Replaces the text. Undo brings the text before back. */
  replace(text: string): void {
    this.#view.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: text } });
  }

  mark(marks: readonly Mark[]): void {
    const { doc } = this.#view.state;
    const diagnostics = marks.map(({ line: number, column, severity, message }): Diagnostic => {
      const line = doc.line(Math.min(Math.max(number, 1), doc.lines));
      const from = Math.min(line.from + column - 1, line.to);
      return { from, to: Math.max(from, line.to), severity, message };
    });
    this.#view.dispatch(setDiagnostics(this.#view.state, diagnostics));
  }

  /** Moves the cursor to a place, and the focus into the editor. */
  goTo(number: number, column: number): void {
    const { doc } = this.#view.state;
    const line = doc.line(Math.min(Math.max(number, 1), doc.lines));
    const anchor = Math.min(line.from + column - 1, line.to);
    this.#view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
    this.#view.focus();
  }

  /** To be called when the editor becomes visible. */
  measure(): void {
    this.#view.requestMeasure();
  }

  #stateOf(doc: string): EditorState {
    return EditorState.create({ doc, extensions: this.#extensions });
  }
}
