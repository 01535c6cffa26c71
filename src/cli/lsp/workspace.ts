import { hash } from 'node:crypto';
import { basename, relative, resolve } from 'node:path';
import { isWithin } from '../../base/files/yaml-files.ts';
import { LEVELS, type Level } from '../../engine/verdict/levels.ts';
import { NOTHING_LEFT_OUT, type Selection } from '../check/report.ts';
import { findInputs, noInputFiles, readPolicyTexts, unreadable } from '../input/input-files.ts';
import { plannedInputs } from '../input/kustomizations.ts';
import { NO_TEXTS, type Manifests, type ReadTexts } from '../input/manifests.ts';
import { PROJECT_FILE, readProjectFile } from '../input/project-file.ts';
import { readManifestTexts } from '../input/read-inputs.ts';
import { worldOf, type World } from '../input/world.ts';
import { piecesOf, type Piece } from './open-text.ts';
import { PolicyFilesError } from '../../cluster/sources/policy-source.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { ProjectSettings } from '../input/charts.ts';
import type { ManifestText } from '../input/manifest.ts';
import type { WorkloadKind } from '../../engine/workload/kinds.ts';

/** What the command line of the server says. */
export interface WorkspaceSettings {
  readonly policies: string | undefined;
  readonly minLevel: Level | undefined;
  readonly kinds: readonly WorkloadKind[];
  readonly now: () => number;
  /** False where an editor has opened a file without a folder: then no directory is read. */
  readonly hasFolder: boolean;
}

/** What the files of the workspace tell, and what is wrong with their policies and facts. */
export interface KnownWorld {
  readonly world: World;
  readonly problems: readonly FileProblem[];
  /** Those of the problems of which a YAML extension tells, too, in a file that is open. */
  readonly ofSyntax: ReadonlySet<FileProblem>;
}

/** In milliseconds. */
const HOUR = 3_600_000;

/** How a file takes part: judged alone, as a template of a chart, or not at all. */
export type FilePart = { readonly kind: 'manifest' | 'other' } | { readonly kind: 'chart'; readonly directory: string };

/** The files of a folder, as the disk has them, and over them the texts of open files. */
export class Workspace {
  readonly open = new Map<string, string>();
  /** Why the project file, or what `--policies` names, counts for nothing. */
  problems: readonly FileProblem[] = [];
  readonly #settings: WorkspaceSettings;
  #project: ProjectSettings | undefined;
  /** The policies and facts of each file of the disk, by absolute path, as long as the file is the same. */
  #disk: ReadonlyMap<string, { readonly digest: string; readonly facts: readonly ManifestText[] }> = new Map();
  #policies: string | undefined;
  #parts = new Map<string, FilePart>();
  /** The pieces of each open file, by the text that they were cut from. */
  readonly #pieces = new Map<string, { readonly text: string; readonly pieces: readonly Piece[] }>();
  #world: (KnownWorld & { readonly key: string }) | undefined;

  constructor(settings: WorkspaceSettings) {
    this.#settings = settings;
  }

  /** The findings that the command line and the project file select. */
  get selection(): Selection {
    const listed = (name: string): readonly string[] => this.#flag(name)?.split(',') ?? [];
    const ofProject = LEVELS.find((level) => level === this.#flag('min-level'));
    const minLevel = this.#settings.minLevel ?? ofProject ?? NOTHING_LEFT_OUT.minLevel;
    return { minLevel, only: listed('only'), skip: listed('skip') };
  }

  /** Reads the project file, the policies, and the facts of the folder again. */
  async read(): Promise<void> {
    const { project, problems } = await readProject();
    this.#project = project;
    this.#policies = this.#settings.policies ?? this.#flag('policies');
    const policies = await readPolicyTexts(this.#policies);
    this.problems = [...problems, ...policies.problems];
    const read = this.#settings.hasFolder ? await this.texts(['.']) : NO_TEXTS;
    const texts = [...policies.texts, ...read.texts];
    this.#disk = new Map(texts.map(({ file, text }) => [resolve(file), this.#factsOnDisk(file, text)]));
    this.#parts = new Map();
  }

  #factsOnDisk(file: string, text: string) {
    const digest = hash('sha1', text);
    const last = this.#disk.get(resolve(file));
    return last?.digest === digest ? last : { digest, facts: factsIn(piecesOf(file, text, this.#settings.kinds)) };
  }

  /** The manifests below some names, as `check` reads them. */
  async texts(names: readonly string[], rendersCharts = false): Promise<ReadTexts> {
    const flags = {
      namespace: this.#flag('namespace') ?? 'default',
      exclude: this.#project?.flags.get('exclude') ?? [],
      'no-render-charts': !rendersCharts,
      'allow-remote-bases': false,
      'kubernetes-version': this.#flag('kubernetes-version'),
      project: this.#project,
      values: [],
      set: [],
    };
    return await readManifestTexts(names, () => Promise.resolve(''), {
      flags,
      // Of a folder, only the documents that are facts are parsed.
      parsing: rendersCharts ? { kinds: this.#settings.kinds, skipsOtherKinds: true } : undefined,
    });
  }

  /** The open files whose documents are judged as they are. */
  async openManifests(): Promise<readonly string[]> {
    for (const path of this.open.keys()) await this.partOf(path);
    return [...this.open.keys()].filter((path) => this.#isManifest(path));
  }

  /** True for a file that was read, or a directory with one. */
  readsBelow(path: string): boolean {
    return [...this.#disk.keys()].some((file) => isWithin(path, file));
  }

  /** True for a file of which a chart may be rendered with other values: the project file, and those that it names. */
  isOfValues(path: string): boolean {
    const named = this.#project?.charts.flatMap(({ values }) => values) ?? [];
    return basename(path) === PROJECT_FILE || named.some((file) => resolve(file) === path);
  }

  /** How `check` takes a file that is named. A policy, and a file that was never saved, is a manifest. */
  async partOf(path: string): Promise<FilePart> {
    const parts = this.#parts;
    const part = parts.get(path) ?? (await this.#plannedPart(path));
    parts.set(path, part);
    return part;
  }

  #isManifest(path: string): boolean {
    return (this.#parts.get(path)?.kind ?? 'manifest') === 'manifest';
  }

  async #plannedPart(path: string): Promise<FilePart> {
    if (this.#policies !== undefined && isWithin(this.#policies, path)) return { kind: 'manifest' };
    const files = noInputFiles();
    await findInputs(path, this.#project?.flags.get('exclude') ?? [], files);
    if (files.problems.length > 0) return { kind: 'manifest' };
    const [input] = await plannedInputs(files.inputs, files.directoriesAbove);
    if (input === undefined || !('kind' in input)) return { kind: 'other' };
    if (input.kind === 'chart') return { kind: 'chart', directory: input.path };
    return { kind: input.kind === 'file' ? 'manifest' : 'other' };
  }

  #flag(name: string): string | undefined {
    return this.#project?.flags.get(name)?.[0];
  }

  /** The pieces of an open file. */
  piecesOf(path: string): readonly Piece[] {
    const text = this.open.get(path) ?? '';
    const last = this.#pieces.get(path);
    if (last?.text === text) return last.pieces;
    const pieces = piecesOf(fileNameOf(path), text, this.#settings.kinds, last?.pieces);
    this.#pieces.set(path, { text, pieces });
    return pieces;
  }

  close(path: string): void {
    this.open.delete(path);
    this.#pieces.delete(path);
  }

  /** What open and closed files tell now. The same object, as long as they tell the same. */
  world(): KnownWorld {
    const texts = this.#facts();
    const places = texts.map(({ file, text, placeOf }) => [file, text, placeOf?.({ line: 0, column: 0 })]);
    // Exceptions end while an editor is open.
    const hour = Math.floor(this.#settings.now() / HOUR);
    const key = JSON.stringify([...places, this.#flag('namespace'), this.#flag('kubernetes-version'), hour]);
    if (this.#world?.key === key) return this.#world;
    const { world, manifests } = this.#worldOf(texts);
    const ofSyntax = new Set(manifests.texts.flatMap(({ problems }) => problems));
    const problems = [...manifests.problems, ...manifests.warnings];
    this.#world = { key, world, problems, ofSyntax };
    return this.#world;
  }

  /** The manifests of a chart, and what they tell together with the files. */
  worldWith(rendered: ReadTexts['texts']): { readonly world: World; readonly manifests: Manifests } {
    return this.#worldOf([...this.#facts(), ...rendered]);
  }

  #worldOf(texts: ReadTexts['texts']): { readonly world: World; readonly manifests: Manifests } {
    return worldOf({ texts, problems: [] }, NO_TEXTS, {
      kinds: this.#settings.kinds,
      namespace: this.#flag('namespace') ?? 'default',
      kubernetesVersion: this.#flag('kubernetes-version'),
      now: this.#settings.now(),
    });
  }

  #facts(): readonly ManifestText[] {
    // A template and a patch tell nothing before they are rendered, and an excluded file nothing at all.
    const open = new Set([...this.open.keys()].filter((path) => this.#isManifest(path)));
    return [
      ...[...this.#disk].flatMap(([path, { facts }]) => (open.has(path) ? [] : facts)),
      ...[...open].flatMap((path) => factsIn(this.piecesOf(path))),
    ];
  }
}

/** The project file, or why it counts for nothing. */
async function readProject(): Promise<{ project: ProjectSettings | undefined; problems: readonly FileProblem[] }> {
  try {
    return { project: await readProjectFile('policies'), problems: [] };
  } catch (error) {
    const found = error instanceof PolicyFilesError ? error.problems : [unreadable(PROJECT_FILE, error)];
    const until = 'until this is corrected, no line of the file counts';
    return { project: undefined, problems: found.map((each) => ({ ...each, message: `${each.message} (${until})` })) };
  }
}

/** The documents that others depend on, each as a text of its own with the places of the file. */
function factsIn(pieces: readonly Piece[]): ManifestText[] {
  return pieces
    .filter(({ known }) => known.isFact)
    .map(({ text, line: before, known }) => ({
      file: known.parsed.file,
      text,
      placeOf: ({ line, column }) => ({ file: known.parsed.file, line: before + line, column }),
    }));
}

/** The name of a file as `check` prints it in the folder. */
export function fileNameOf(path: string): string {
  return isWithin(resolve(), path) ? relative('', path) : path;
}
