/** Determines the output folder for each file's results (docs/decisions/parts.md). */
import { comparable } from '../../shared/paths.ts'
import { dirname, join, win32 } from 'node:path'
import { safeFileName } from '../../node/file-name.ts'
import type { Presets } from '../../shared/api/resources.ts'
import { isNextToOriginals, type Draft, type OutputTarget } from '../../shared/model/draft.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'

export type PresetTraits = {
  /** Presets that include their own name in the names of their results. Without subfolders, the results of other presets may collide. */
  readonly namesItself: ReadonlySet<string>
  /** Presets that turn videos into audio files. */
  readonly audioOnly: ReadonlySet<string>
  /** Presets for single jobs, which the service doesn't list. */
  readonly oneOffs: Presets
}

export type FolderFacts = Partial<PresetTraits> & {
  /**
   * The service's presets; null if not loaded yet. In that case any preset is accepted, and the service checks it on submission.
   */
  readonly presets: Presets | null
  /** For each folder of originals to be replaced, the folder in the vault for their results. */
  readonly replacing?: ReadonlyMap<string, string> | undefined
  /** Folders of originals in which results can't be saved. */
  readonly unwritable?: ReadonlySet<string> | undefined
  /** Where the results of files in unwritable folders go. */
  readonly otherwise?: string | undefined
}

type PartOutput = { readonly output: OutputTarget; readonly items: readonly MediaItem[] }

export function outputFolders(draft: Draft, facts: FolderFacts) {
  const { output } = draft
  const folderOf = presetFolders(draft, facts)
  const within = (folder: string, preset: string | null): OutputTarget => {
    const name = preset === null ? undefined : folderOf.get(preset)
    return { kind: 'folder', path: name === undefined ? folder : joined(folder, name) }
  }
  /** Returns the output of a preset whose results all go to the same folder. */
  const shared = (preset: string | null): OutputTarget =>
    output.kind === 'folder' ? within(output.path, preset) : output.kind === 'drive' ? output : NOWHERE

  return {
    shared,
    /** Divides a preset's files by output. The outputs are in the order of their first file. */
    of(preset: string | null, items: readonly MediaItem[]): readonly PartOutput[] {
      if (!isNextToOriginals(output)) return [{ output: shared(preset), items }]
      const [subfolder = '', presetFolder = ''] =
        output.kind === 'beside' ? [output.subfolder ?? '', output.presetFolder] : []
      const folderFor = (parent: string): string => {
        if (facts.otherwise !== undefined && facts.unwritable?.has(parent) === true) return facts.otherwise
        if (output.kind === 'replace') return facts.replacing?.get(parent) ?? ''
        return join(parent, subfolder, presetFolder)
      }
      const byFolder = Map.groupBy(items, ({ path }) => folderFor(dirname(path)))
      return [...byFolder].map(([folder, some]) => ({ output: within(folder, preset), items: some }))
    },
  }
}

/** A placeholder. A draft with this output has a problem and is never planned. */
const NOWHERE: OutputTarget = { kind: 'folder', path: '' }

/**
 * Returns the subfolder of each preset that has one. Without the option for subfolders, the first of several presets for the same kind of
 * files saves to the folder itself. So do the other presets whose results have names that can't collide.
 */
function presetFolders(
  { presets, presetFolders: isWanted }: Draft,
  { presets: known, namesItself }: FolderFacts,
): ReadonlyMap<string, string> {
  if (presets.length < 2) return new Map()
  const kinds = (preset: string) =>
    (['image', 'video'] as const).filter((kind) => known === null || known[kind].includes(preset))
  const taken = new Set<string>()
  const folders = new Map<string, string>()
  presets.forEach((preset, index) => {
    const rivals = presets
      .slice(0, index)
      .filter((other) => kinds(other).some((kind) => kinds(preset).includes(kind)))
    const mayCollide = rivals.some((other) => !(namesItself?.has(other) === true && namesItself.has(preset)))
    if (isWanted || mayCollide) folders.set(preset, freeName(preset, taken))
  })
  return folders
}

/**
 * Returns a folder name for a preset. It differs from the draft's other folder names even on systems that ignore case or Unicode
 * normalization.
 */
function freeName(preset: string, taken: Set<string>): string {
  const name = safeFileName(preset.replaceAll(/[/\\]/g, '_')) ?? 'Preset'
  for (let attempt = 1; ; attempt += 1) {
    const free = attempt === 1 ? name : `${name} (${attempt})`
    const key = comparable(free)
    if (taken.has(key)) continue
    taken.add(key)
    return free
  }
}

/** Joins with the separator of the folder's own system, on which the service may run. */
const joined = (folder: string, name: string): string =>
  /^[a-z]:[\\/]|^\\\\/i.test(folder) ? win32.join(folder, name) : join(folder, name)
