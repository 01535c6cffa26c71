import { pageHatchings } from '../../explain/drawing/colours.ts';
import { PAGE_SCENE_WIDTH, pageScene, sceneInWords } from '../../explain/drawing/page-scene.ts';
import { count } from '../../base/text/cut.ts';
import { escapeXml, type Markup } from '../../base/text/visible.ts';
import type { Scene } from '../../explain/timeline/scene.ts';
import type { ContainerExplanation, WorkloadExplanation } from '../../explain/timeline/explanation.ts';

/** More workloads have no time line, because a page with thousands of drawings is slow. */
const MOST_WORKLOADS = 50;

/** The time lines of workloads as HTML. Every text is escaped. */
export function timelineMarkup(workloads: readonly WorkloadExplanation[]): Markup {
  const shown = workloads.slice(0, MOST_WORKLOADS).map(workloadMarkup);
  const left = workloads.length - shown.length;
  if (left > 0) shown.push(`<p class=muted>${count(left, 'more workload')} without a time line here.</p>`);
  if (shown.length === 0) return '<p class=muted>There is no workload in the manifests.</p>';
  return `<svg class=hatchings aria-hidden=true width=0 height=0><defs>${pageHatchings()}</defs></svg>${shown.join('')}`;
}

function workloadMarkup({ kind, namespace, name, containers, notInjected }: WorkloadExplanation): Markup {
  const reasons = notInjected.map((reason) => `<li>${escapeXml(reason)}</li>`).join('');
  const why = reasons === '' ? '' : `<p>Why policies added no other probes:</p><ul>${reasons}</ul>`;
  return (
    `<article><h3>${escapeXml(kind)} <bdi>${escapeXml(`${namespace}/${name}`)}</bdi></h3>` +
    `${containers.map(containerMarkup).join('')}${why}</article>`
  );
}

function containerMarkup({ name, role, headline, caveats, probes, scenes }: ContainerExplanation): Markup {
  const sidecar = role === 'sidecar' ? ' (native sidecar)' : '';
  const list = probes
    .map(({ kind, handler, from }) => `<li>${kind}: <code>${escapeXml(handler)}</code>, from ${escapeXml(from)}</li>`)
    .join('');
  return (
    `<h4><bdi>${escapeXml(name)}</bdi>${sidecar}</h4><p>${escapeXml(headline)}</p>` +
    caveats.map((caveat) => `<p class=caveat>${escapeXml(caveat)}</p>`).join('') +
    (list === '' ? '<p class=muted>The container has no probes.</p>' : `<ul class=probes>${list}</ul>`) +
    scenes.map(sceneMarkup).join('')
  );
}

function sceneMarkup(scene: Scene): Markup {
  const { markup, height } = pageScene(scene);
  const words = escapeXml(sceneInWords(scene));
  return `<svg class=scene role=img aria-label="${words}" viewBox="0 0 ${PAGE_SCENE_WIDTH} ${Math.ceil(height)}"><g>${markup}</g></svg>`;
}
