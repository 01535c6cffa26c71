import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One instruction: `COPY`, and what comes after it, continuation lines joined. */
export interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** One stage of a Dockerfile: from FROM to the next FROM. */
export interface Stage {
  readonly base: string;
  /** Undefined for the last, which is the image. */
  readonly alias: string | undefined;
  readonly instructions: readonly Instruction[];
}

/** The stages of the project's Dockerfile. */
export async function readDockerfile(root: string): Promise<readonly Stage[]> {
  const text = (await readFile(join(root, 'Dockerfile'), 'utf8')).replaceAll(/^#.*\n/gm, '').replaceAll('\\\n', ' ');
  const stages: (Stage & { instructions: Instruction[] })[] = [];
  for (const line of text.split('\n').filter((candidate) => candidate.trim() !== '')) {
    const [name = '', ...words] = line.trim().split(/\s+/);
    if (name === 'FROM') stages.push({ base: words[0] ?? '', alias: words[2], instructions: [] });
    else stages.at(-1)?.instructions.push({ name, rest: words.join(' ') });
  }
  return stages;
}

/** The arguments of every instruction of one name, in order. */
export function all(stage: Stage, name: string): readonly string[] {
  return stage.instructions.filter((instruction) => instruction.name === name).map(({ rest }) => rest);
}

/** An instruction that is a JSON list, such as ENTRYPOINT. */
export function words(stage: Stage, name: string): readonly string[] {
  return JSON.parse(all(stage, name)[0] ?? '[]') as string[];
}
