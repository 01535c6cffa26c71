import { sceneScale } from './scene-scale.ts';
import type { Scene } from '../timeline/scene.ts';
import type { SceneScale } from './scene-scale.ts';

/** Where the bars of a scene are drawn. Pixels from the left of the picture. */
export interface Frame {
  readonly left: number;
  readonly length: number;
  readonly scale: SceneScale;
  readonly barHeight: number;
  /** Titles stand to the left of the bars. */
  readonly hasTitles: boolean;
}

/** Pixels from one moment after the break to the next. */
const STEP = 52;

/** The frame of a scene that has the page's width. */
export function wideFrame(scene: Scene): Frame {
  const [left, length] = [200, 700];
  return { left, length, scale: sceneScale(scene, length, STEP, 10), barHeight: 26, hasTitles: true };
}

/** The frame of a scene that shares a row with another scene. */
export function narrowFrame(scene: Scene, left: number, length: number): Frame {
  return { left, length, scale: sceneScale(scene, length, STEP, 10), barHeight: 15, hasTitles: false };
}
