import { describe, expect, it } from 'vitest';
import { averageWidth, element, picture, textElement, textWidth } from '../../../src/explain/drawing/svg-elements.ts';

describe('an element', () => {
  it('has its attributes in order, without those that are absent', () =>
    expect(element('rect', { x: 1, class: undefined, fill: 'red' })).toBe('<rect x="1" fill="red"/>'));

  it('has its children, which are markup already', () => {
    expect(element('g', {}, '<a/>', '<b/>')).toBe('<g><a/><b/></g>');
    expect(element('title', {}, '')).toBe('<title></title>');
  });

  it('has numbers to a tenth of a pixel', () =>
    expect(element('rect', { a: 1.26, b: 1.24, c: 0, d: -0.05, e: 2 / 3, f: 10 })).toBe(
      '<rect a="1.3" b="1.2" c="0" d="0" e="0.7" f="10"/>',
    ));

  it('has texts escaped, also empty ones', () => {
    expect(element('rect', { label: '"a" & <b>', empty: '' })).toBe(
      '<rect label="&quot;a&quot; &amp; &lt;b&gt;" empty=""/>',
    );
    expect(textElement(1.25, 2, '<&>', { fill: 'red' })).toBe('<text x="1.3" y="2" fill="red">&lt;&amp;&gt;</text>');
    expect(textElement(0, 0, 'a')).toBe('<text x="0" y="0">a</text>');
  });
});

it('a picture is an image of its size, with a part on each line', () =>
  expect(picture({ width: 20, height: 10, 'font-family': 'Arial' }, ['<a/>', '<b/>'])).toBe(
    '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10" viewBox="0 0 20 10" role="img" font-family="Arial">' +
      '\n<a/>\n<b/>\n</svg>\n',
  ));

it('the width of a text counts characters, also of more than 16 bits, for a wide font', () => {
  expect(textWidth('abcd', 10)).toBeCloseTo(24.4);
  expect(textWidth('\u{1f600}', 10)).toBeCloseTo(6.1);
  expect(textWidth('', 10)).toBe(0);
  expect(averageWidth(10)).toBeCloseTo(5.8);
});
