/** Keeps the file managers' entries in step with the starred presets. */
import { isDeepStrictEqual } from 'node:util'
import { messageOf } from '../../../node/errors.ts'
import type { Timing } from '../../../node/timing.ts'
import type { AppState } from '../../../shared/model/app-state.ts'
import { starredOf, type StarredPreset } from '../../../shared/preset/starred.ts'
import type { StateStore } from '../../state/state.ts'
import type { FileManagers } from './file-managers.ts'
import type { EntryTrouble } from './write-entries.ts'

const RETRY_MS = 60_000

export type FollowOptions = {
  readonly state: Pick<StateStore, 'get' | 'onChange'>
  readonly write: FileManagers['write']
  readonly after: Timing['after']
  /** Called once per series of failures. */
  readonly onTrouble: (trouble: EntryTrouble) => void
  readonly log: (message: string) => void
}

/** @returns a function that stops updating the entries, and resolves once nothing is being written */
export function followStars({ state, write, after, onTrouble, log }: FollowOptions): () => Promise<void> {
  let wanted: readonly StarredPreset[] | undefined
  let isDirty = false
  let writing: Promise<void> | undefined
  let hasTrouble = false
  let cancelRetry: (() => void) | undefined
  let isOpen = true

  function update(now: AppState, before?: AppState): void {
    const { starredPresets } = now.settings
    const { presets } = now.connection
    // Until the presets are known, the existing entries stay, unless the user changes the stars.
    const isKnown =
      presets !== null || (before !== undefined && before.settings.starredPresets !== starredPresets)
    if (!isKnown) return
    const next = starredOf(starredPresets, presets)
    if (isDeepStrictEqual(next, wanted)) return
    wanted = next
    begin()
  }

  function begin(): void {
    cancelRetry?.()
    isDirty = true
    writing ??= writeAll().finally(() => (writing = undefined))
  }

  /** Writes one change at a time. Changes that arrive meanwhile are written together afterward. */
  async function writeAll(): Promise<void> {
    while (isDirty) {
      isDirty = false
      const troubles = await write(wanted ?? []).catch((error: unknown) => [
        { path: '', message: messageOf(error) },
      ])
      report(troubles)
    }
  }

  function report(troubles: readonly EntryTrouble[]): void {
    const [first] = troubles
    if (first === undefined) {
      hasTrouble = false
      return
    }
    if (!hasTrouble) {
      for (const { path, message } of troubles) log(`could not update the entry ${path}: ${message}`)
      onTrouble(first)
    }
    hasTrouble = true
    if (isOpen) cancelRetry = after(RETRY_MS, begin)
  }

  const stop = state.onChange(update)
  update(state.get())
  return async () => {
    isOpen = false
    isDirty = false
    stop()
    cancelRetry?.()
    await writing
  }
}
