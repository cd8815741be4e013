/** Creates a draft from the copied content. */
import { lstat } from 'node:fs/promises'
import { forEachLimited } from '../../../node/limited.ts'
import { type Draft, presetsOf } from '../../../shared/model/draft.ts'
import { knownPreset } from '../../../shared/preset/known-preset.ts'
import type { MediaItem } from '../../../shared/model/media-item.ts'
import type { Core } from '../../core/index.ts'
import { findMedia, savePastedImage } from '../../intake/index.ts'
import type { Copied } from './copied.ts'

export type MediaOptions = Pick<Core, 'connection' | 'drafts' | 'settings'> & {
  /** For the originals of images that have no file; absolute. */
  readonly folder: string
  /** Where results go unless the user has chosen a folder; absolute. */
  readonly defaultOutput: string
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/**
 * Saves and returns a copied image, or returns the copied photos and videos that the preset handles. Leaves out copied folders.
 * @param preset null for the service's basic defaults
 * @throws Error if a copied image can't be saved
 */
export async function mediaIn(
  copied: Copied,
  preset: string | null,
  options: MediaOptions,
): Promise<readonly MediaItem[]> {
  switch (copied.kind) {
    case 'nothing':
      return []
    case 'image':
      return saveOriginal(copied.bytes, options)
    case 'files': {
      const found = await filesAmong(copied.paths, options)
      const service = options.connection.view()
      if (preset === null || service.presets === null) return found
      const known = knownPreset(service, preset)
      return found.filter(({ kind }) => known?.[kind] === true)
    }
  }
}

async function saveOriginal(
  bytes: Uint8Array,
  { folder, clock }: MediaOptions,
): Promise<readonly MediaItem[]> {
  const saved = await savePastedImage({ bytes, name: '' }, { folder, now: clock() })
  if (!('reason' in saved)) return [saved]
  if (saved.reason === 'unreadable') throw new Error(`couldn’t save the image (${saved.detail ?? ''})`)
  return []
}

async function filesAmong(
  paths: readonly string[],
  { connection }: MediaOptions,
): Promise<readonly MediaItem[]> {
  const files = new Set<string>()
  await forEachLimited(paths, async (path) => {
    if ((await lstat(path).catch(() => undefined))?.isDirectory() === false) files.add(path)
  })
  const takesBuiltInFormats = connection.view().kind !== 'external'
  const found: MediaItem[] = []
  const inOrder = paths.filter((path) => files.has(path))
  for await (const { items } of findMedia(inOrder, { takesBuiltInFormats })) found.push(...items)
  return found
}

export function draftOf(
  items: readonly MediaItem[],
  preset: string | null,
  { drafts, settings, defaultOutput }: MediaOptions,
): Draft {
  const chosen = settings.view().defaultOutput
  return {
    ...drafts.defaultDraft(),
    source: { kind: 'files', items },
    presets: presetsOf(preset),
    presetFolders: false,
    // Never replaces originals. The folder of a copied file may belong to someone else.
    output: chosen?.kind === 'folder' ? chosen : { kind: 'folder', path: defaultOutput },
    variations: 1,
    grouping: 'together',
    done: 'again',
  }
}
