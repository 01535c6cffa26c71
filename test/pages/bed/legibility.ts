import type { OpenPage } from './open-page.ts';

/**
 * The bed has one font, Open Sans, because machines have different ones. So a wide font is Open Sans with 0.1 em more
 * between letters, which is as wide as Verdana and DejaVu Sans Mono; a narrow one has 0.08 em less.
 */
const FONTS = {
  plain: '',
  wide: '* { letter-spacing: 0.1em !important }',
  narrow: '* { letter-spacing: -0.08em !important }',
};

/** Forces a font. The page's policy forbids style elements, and allows sheets that a script adopts. */
export async function forceFont({ evaluate }: OpenPage, font: keyof typeof FONTS): Promise<void> {
  await evaluate(
    `{ const sheet = new CSSStyleSheet(); sheet.replaceSync('${FONTS[font]}'); document.adoptedStyleSheets = [sheet]; }`,
  );
}

/** Headings, heads of columns and rows, labels of fields, and the headings of drawings. */
const HEADINGS =
  'h1, h2, h3, h4, caption, th, label, nav a, summary > *, .heads > *, [role=tab], .scene .head, .scene .lane, .scene tspan, .scale text';

/** What a page calls a heading, and can be seen: not hidden, and not for screen readers alone. */
const SEEN = `[...document.querySelectorAll('${HEADINGS}')]
  .filter((element) => element.checkVisibility() && !element.closest('.unseen, thead.unseen') && element.textContent.trim() !== '')`;

/** Replaces each reference to a drawing by a copy of the drawing, because parts of a `use` cannot be measured. */
export const UNFOLD = `for (let use; (use = document.querySelector('.scene use')) !== null; ) {
  const drawing = document.querySelector(use.getAttribute('href')).cloneNode(true);
  drawing.setAttribute('transform', 'translate(0 ' + (use.getAttribute('y') ?? 0) + ')');
  use.replaceWith(drawing);
}`;

/** Headings, and labels of time lines, that do not fit into their box, their drawing or the window. */
export async function cutHeadings({ evaluate }: OpenPage): Promise<unknown> {
  return await evaluate(`{ ${UNFOLD} [...${SEEN}, ...document.querySelectorAll('.scene g text')].filter((element) => {
    const { left, right } = element.getBoundingClientRect();
    const frame = element.closest('.scene')?.getBoundingClientRect() ?? { left: 0, right: innerWidth };
    const fits = element instanceof SVGElement || element.clientWidth === 0 || element.scrollWidth <= element.clientWidth;
    return !fits || left < frame.left - 1 || right > frame.right + 1;
  }).map((element) => element.tagName + ': ' + element.textContent); }`);
}

/** Headings whose letters touch those of the next heading. */
export async function touchingHeadings({ evaluate }: OpenPage): Promise<unknown> {
  return await evaluate(`{ ${UNFOLD}
    const lettersOf = (element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      const rects = element instanceof SVGElement ? [element.getBoundingClientRect()] : [...range.getClientRects()];
      return rects.filter(({ width }) => width > 1);
    };
    const headings = ${SEEN}.map((element) => ({ element, rects: lettersOf(element) }));
    headings.slice(1).filter(({ element, rects }, index) => {
      const before = headings[index];
      if (before.element.contains(element)) return false;
      return rects.some((a) => before.rects.some((b) =>
        a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 3 && b.top < a.bottom - 3));
    }).map(({ element }) => element.textContent); }`);
}

/** How many names of fields a page shows, and those that stand on two lines: `periodSeconds`, `containers[0]`. */
export async function brokenNames({ evaluate }: OpenPage): Promise<{ names: number; broken: string[] }> {
  return (await evaluate(`{
    const names = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (!node.parentElement.checkVisibility() || node.parentElement.closest('svg, script, style, .unseen, #json')) continue;
      for (const { 0: name, index } of node.data.matchAll(/\\b[a-z]+[A-Z][A-Za-z]+(\\[\\d+\\])?|containers\\[\\d+\\]|template/g)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + name.length);
        names.push({ name, lines: new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size });
      }
    }
    ({ names: names.length, broken: names.filter(({ lines }) => lines > 1).map(({ name }) => name) }); }`)) as {
    names: number;
    broken: string[];
  };
}

/** Words of letters and digits that stand on two lines. */
export async function brokenWords({ evaluate }: OpenPage): Promise<unknown> {
  return await evaluate(`{
    const broken = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (!node.parentElement.checkVisibility() || node.parentElement.closest('svg, script, style, .unseen')) continue;
      for (const { 0: word, index } of node.data.matchAll(/[A-Za-z0-9]+/g)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word);
      }
    }
    broken; }`);
}

/** The size of the smallest text of drawings, in pixels of the window. */
export async function smallestText({ evaluate }: OpenPage, selector: string): Promise<number> {
  return Number(
    await evaluate(`{ ${UNFOLD}
      const texts = [...document.querySelectorAll('${selector}')].flatMap((element) =>
        element.tagName === 'text' ? [element] : [...element.querySelectorAll('text')]);
      Math.min(...texts.map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)); }`),
  );
}
