import { find } from './find.ts';

/** Shows one of several panels. Arrow keys move between the tabs, as screen readers announce it. */
export class Tabs {
  readonly #tabs: readonly HTMLElement[];
  readonly #onShow: (name: string) => void;

  /** @param names the ids of the panels. The id of a tab is `tab-` and the id of the panel. */
  constructor(names: readonly string[], onShow: (name: string) => void) {
    this.#onShow = onShow;
    this.#tabs = names.map((name) => find(`tab-${name}`, HTMLElement));
    this.#tabs.forEach((tab, index) => {
      tab.addEventListener('click', () => this.show(names[index] ?? ''));
      tab.addEventListener('keydown', ({ key }) => {
        const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
        const next = this.#tabs.at((index + step) % this.#tabs.length);
        if (step === 0 || next === undefined) return;
        this.show(panelOf(next).id);
        next.focus();
      });
    });
  }

  show(name: string): void {
    for (const tab of this.#tabs) {
      const isShown = panelOf(tab).id === name;
      tab.setAttribute('aria-selected', String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
      panelOf(tab).hidden = !isShown;
    }
    this.#onShow(name);
  }
}

function panelOf(tab: HTMLElement): HTMLElement {
  return find(tab.getAttribute('aria-controls') ?? '', HTMLElement);
}
