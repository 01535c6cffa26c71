import { PAGE_SCENE_WIDTH, pageScene, sceneInWords } from '../drawing/page-scene.ts';
import { pageHatchings } from '../drawing/page-colours.ts';
import { utf8Length } from '../../base/text/utf8.ts';
import { escapeXml } from '../../base/text/xml.ts';
import type { Markup } from '../../base/text/xml.ts';
import type { Scene } from '../timeline/scene.ts';
import type { SceneView } from './page-view.ts';

/** The scenes of a page. Containers with the same times share a drawing: a fleet of thousands has a few dozen. */
export class SceneDrawings {
  readonly #known = new Map<string, SceneView>();
  readonly #markup: Markup[] = [];
  #size = 0;

  /** A reference to the drawing of a scene. */
  add(scene: Scene): SceneView {
    const { markup, height } = pageScene(scene);
    const words = sceneInWords(scene);
    const key = words + markup;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const id = `s${this.#known.size}`;
    const view = { id, width: PAGE_SCENE_WIDTH, height: Math.ceil(height) };
    this.#known.set(key, view);
    const drawing = `<g id=${id}><title id=${id}t>${escapeXml(words)}</title>${markup}</g>`;
    this.#markup.push(drawing);
    this.#size += utf8Length(drawing);
    return view;
  }

  /** Bytes of all drawings in UTF-8. */
  get size(): number {
    return this.#size;
  }

  /** All drawings and the hatchings that they use. */
  get markup(): Markup {
    return `<defs>${pageHatchings()}${this.#markup.join('\n')}</defs>`;
  }
}
