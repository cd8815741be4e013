/** Divides a draft's files among its presets, and recombines the parts of a started draft. */
import type { Presets } from '../api/resources.ts'
import type { Draft, OtherFormat, PresetAndFile } from './draft.ts'
import type { MediaItem } from './media-item.ts'

export type PresetItems = { readonly preset: string | null; readonly items: readonly MediaItem[] }

/**
 * Returns the files of each preset, in the order of the presets. Several presets get only the kinds that they handle; a single preset gets
 * all files. Each preset omits its files in `except`, and the files in `otherFormat` get a separate part. Omits presets without files.
 * If the draft has no presets and no `otherFormat`, returns one part with all files, even if it is empty.
 * If the draft has no presets and no `otherFormat`, returns one part with all files, even if it is empty.
 * @param presets null if not loaded; each preset then gets files of all kinds
 */
export function partsOf(
  draft: Pick<Draft, 'source' | 'presets' | 'except' | 'otherFormat'>,
  presets: Presets | null,
): readonly PresetItems[] {
  const items = draft.source.kind === 'files' ? draft.source.items : []
  if (draft.otherFormat !== undefined)
    return partsByFormat(draft.presets[0] ?? null, draft.otherFormat, items)
  if (draft.presets.length === 0) return [{ preset: null, items }]
  const isSingle = draft.presets.length === 1
  const excepted = new Set(draft.except?.map(keyOf))
  return draft.presets
    .map((preset) => ({
      preset,
      items: items.filter(({ kind, path }) =>
        presets === null || presets[kind].includes(preset)
          ? excepted.size === 0 || !excepted.has(keyOf({ preset, path }))
          : isSingle,
      ),
    }))
    .filter((part) => part.items.length > 0)
}

function partsByFormat(
  preset: string | null,
  { preset: changed, paths }: OtherFormat,
  items: readonly MediaItem[],
): readonly PresetItems[] {
  const others = new Set(paths)
  return [
    { preset, items: items.filter(({ path }) => !others.has(path)) },
    { preset: changed, items: items.filter(({ path }) => others.has(path)) },
  ].filter((part) => part.items.length > 0)
}

/** Returns the files that none of several presets handles. With a single preset, they are a problem of the draft instead. */
export function unhandledItems(
  { source, presets }: Pick<Draft, 'source' | 'presets'>,
  known: Presets | null,
): readonly MediaItem[] {
  if (source.kind !== 'files' || presets.length < 2 || known === null) return []
  return source.items.filter(({ kind }) => !presets.some((preset) => known[kind].includes(preset)))
}

/** Returns the files, presets and exceptions of a draft that has these parts. */
export function draftOfParts(parts: readonly PresetItems[]): Pick<Draft, 'source' | 'presets' | 'except'> {
  const items = new Map(parts.flatMap((part) => part.items.map((item) => [item.path, item])))
  const byPreset = new Map<string, MediaItem[]>()
  for (const { preset, items: own } of parts)
    if (preset !== null) byPreset.set(preset, [...(byPreset.get(preset) ?? []), ...own])
  const except = byPreset.size < 2 ? [] : [...byPreset].flatMap((part) => missingIn(part, [...items.keys()]))
  return {
    source: { kind: 'files', items: [...items.values()] },
    presets: [...byPreset.keys()],
    ...(except.length === 0 ? {} : { except }),
  }
}

/**
 * Returns the files that a preset doesn't process. Includes files of kinds that the preset may not handle, because a retry can't tell them
 * apart.
 */
function missingIn(
  [preset, own]: readonly [string, readonly MediaItem[]],
  all: readonly string[],
): readonly PresetAndFile[] {
  const paths = new Set(own.map(({ path }) => path))
  return all.filter((path) => !paths.has(path)).map((path) => ({ preset, path }))
}

const keyOf = ({ preset, path }: PresetAndFile): string => `${preset}\n${path}`
