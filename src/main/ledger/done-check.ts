/** Compares drafts with the ledger, and identifies their files and presets for later entries. */
import { forEachLimited } from '../../node/limited.ts'
import type { DoneFile } from '../../shared/model/done-files.ts'
import { serviceIdOf } from '../../shared/model/connection.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import type { Connection } from '../connection/index.ts'
import type { History } from '../history/index.ts'
import { findDone } from './find-done.ts'
import { builtInPresetKeys, presetKeysOf } from './preset-keys.ts'
import { printFile } from './print.ts'

export type DoneCheckOptions = {
  /** The only service that may receive the draft; by default, the service in use. */
  readonly target?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** Called with the number of files compared so far. */
  readonly onProgress?: ((checked: number) => void) | undefined
}

export type DoneCheck = {
  /** Returns the draft's files that are done with its presets or are results. Incomplete if the signal aborts. */
  find(draft: Draft, options?: DoneCheckOptions): Promise<readonly DoneFile[]>
  /** Adds prints to files that are about to be submitted. A file without a print never enters the ledger. */
  withPrints(items: readonly MediaItem[]): Promise<readonly MediaItem[]>
  /** Returns the hash of the built-in service's document for each preset. */
  presetHashes(): Promise<(preset: string | null) => string | undefined>
}

const AT_ONCE = 64

export function createDoneCheck({
  history,
  connection,
  presetFolder,
  clock,
}: {
  readonly history: Pick<History, 'ledger'>
  readonly connection: Pick<Connection, 'view'>
  readonly presetFolder: string
  readonly clock: () => number
}): DoneCheck {
  /** Returns the draft's presets that handle files of a kind. */
  function presetsFor(kind: MediaItem['kind'], { presets }: Draft): readonly (string | null)[] {
    const available = connection.view().presets
    const chosen = presets.length === 0 ? [null] : presets
    const other = kind === 'image' ? 'video' : 'image'
    return chosen.filter(
      (preset) =>
        preset === null ||
        available === null ||
        available[kind].includes(preset) ||
        !available[other].includes(preset),
    )
  }

  return {
    async find(draft, { target, ...options } = {}) {
      if (draft.source.kind !== 'files') return []
      const keys = await presetKeysOf(target ?? serviceIdOf(connection.view()), presetFolder)
      const { items } = draft.source
      const presets = { image: presetsFor('image', draft), video: presetsFor('video', draft) }
      return findDone({ history, clock }, { items, presets, keys, variations: draft.variations }, options)
    },

    async withPrints(items) {
      const printed: MediaItem[] = [...items]
      const add = async (item: MediaItem, index: number): Promise<void> => {
        const print = (await printFile(item.path, clock))?.print
        if (print !== undefined) printed[index] = { ...item, print }
      }
      await forEachLimited(items, add, { atOnce: AT_ONCE })
      return printed
    },

    presetHashes: () => builtInPresetKeys(presetFolder),
  }
}
