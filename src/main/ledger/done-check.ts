/** Compares drafts with the ledger, and identifies their files and presets for later entries. */
import { mapLimited } from '../../node/limited.ts'
import type { DoneFile } from '../../shared/model/done-files.ts'
import { serviceIdOf } from '../../shared/model/connection.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import type { Connection } from '../connection/index.ts'
import type { History } from '../history/index.ts'
import { type DoneQuestion, findDone, type FindDoneOptions, findResults } from './find-done.ts'
import { builtInPresetKeys, presetKeysOf } from './preset-keys.ts'
import { printFile } from './print.ts'

export type DoneCheckOptions = FindDoneOptions &
  Pick<DoneQuestion, 'mayBeMoved' | 'isPending'> & {
    /** The only service that may receive the draft; by default, the service in use. */
    readonly target?: string | undefined
  }

export type DoneCheck = ReturnType<typeof createDoneCheck>

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
}) {
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

  async function questionOf(draft: Draft, target: string | undefined) {
    // Files with another format use a one-off preset, which hasn't processed any files yet.
    const others = new Set(draft.otherFormat?.paths)
    return {
      items: draft.source.kind === 'files' ? draft.source.items.filter(({ path }) => !others.has(path)) : [],
      presets: { image: presetsFor('image', draft), video: presetsFor('video', draft) },
      keys: await presetKeysOf(target ?? serviceIdOf(connection.view()), presetFolder),
    }
  }

  return {
    /**
     * Returns the draft's files that are done with any of its presets, will be processed by a pending submission, or are results.
     * Incomplete if the signal aborts.
     */
    async find(
      draft: Draft,
      { target, isPending, mayBeMoved, ...options }: DoneCheckOptions = {},
    ): Promise<readonly DoneFile[]> {
      const question = await questionOf(draft, target)
      return findDone(
        { history, clock },
        { ...question, variations: draft.variations, isPending, mayBeMoved },
        options,
      )
    },

    /** Returns the draft's files that are results of one of its presets and are still at the results' paths. */
    async findResults(
      draft: Draft,
      { target, signal }: Pick<DoneCheckOptions, 'target' | 'signal'> = {},
    ): Promise<readonly DoneFile[]> {
      return findResults({ history, clock }, await questionOf(draft, target), { signal })
    },

    /** Adds prints to files that are about to be submitted. A file without a print never enters the ledger. */
    async withPrints(items: readonly MediaItem[]): Promise<readonly MediaItem[]> {
      const printed = await mapLimited(items, ({ path }) => printFile(path, clock), { atOnce: AT_ONCE })
      return items.map((item, index) => {
        const print = printed[index]?.print
        return print === undefined ? item : { ...item, print }
      })
    },

    /** Returns a function that returns the hash of a preset's document in the built-in service. */
    presetHashes: (): Promise<(preset: string | null) => string | undefined> =>
      builtInPresetKeys(presetFolder),
  }
}
