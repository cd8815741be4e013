/** Checks whether a watched folder is available: still there, not replaced by another folder of the same name, and readable. */
import { access, constants, stat } from 'node:fs/promises'
import { hasCode } from '../../node/errors.ts'
import type { Timing } from '../../node/timing.ts'
import { type Moment, momentOf } from './baseline.ts'
import type { SerialQueue } from '../../node/serial-queue.ts'
import { isTakenAway } from '../../node/mounted-disk.ts'
import { isForeignLink, trustedNewPath } from '../../node/trusted-path.ts'
import type { Mounts } from '../mounts/mounts.ts'

/**
 * Why a folder isn't watched. `foreignLink`: another user's link leads elsewhere. It isn't followed, because its owner could choose which
 * files are processed. `repeated`: another watched folder leads to the same folder, through a link, a path in different case, or a second
 * mount.
 */
export type Absence = 'missing' | 'notFolder' | 'unreadable' | 'foreignLink' | 'repeated'

/** An existing folder. `root` has no links. Another folder at the same path has a different identity. */
export type Place = { readonly root: string; readonly identity: string }

export type Presence =
  | { readonly kind: 'there'; readonly place: Place }
  | { readonly kind: 'absent'; readonly why: Absence }

/**
 * @param folder absolute
 * @param mount where its disk is mounted; after unmounting, only the empty mount point remains
 */
export async function presenceOf(folder: string, mount: string | undefined): Promise<Presence> {
  try {
    const root = await trustedNewPath(folder)
    const found = await stat(root, { bigint: true })
    if (!found.isDirectory()) return { kind: 'absent', why: 'notFolder' }
    await access(root, constants.R_OK | constants.X_OK)
    if (await isTakenAway(mount)) return { kind: 'absent', why: 'missing' }
    return { kind: 'there', place: { root, identity: `${found.dev}:${found.ino}` } }
  } catch (error) {
    if (isForeignLink(error)) return { kind: 'absent', why: 'foreignLink' }
    return { kind: 'absent', why: hasCode(error, 'EACCES', 'EPERM') ? 'unreadable' : 'missing' }
  }
}

/**
 * Interval between checks of an available folder, as a multiple of the interval for an absent one. The watcher of an available folder
 * usually reports when it disappears.
 */
const LONGER_WHILE_THERE = 6

export function createPresenceCheck(options: {
  readonly path: () => string
  readonly mounts: Pick<Mounts, 'of'>
  /** How often to check whether an absent folder has returned, in ms. */
  readonly everyMs: number
  readonly timing: Pick<Timing, 'clock' | 'monotonic' | 'after'>
  readonly turns: Pick<SerialQueue, 'next' | 'isOpen'>
  /** @param since any file that arrived after this moment arrived in the folder that exists now */
  readonly onChecked: (presence: Presence, since: Moment) => Promise<void>
}) {
  const { timing, turns } = options
  let stopTimer: (() => void) | undefined

  /** Checks immediately, then periodically. Must run in the serial queue. */
  async function check(since: Moment = momentOf(timing)): Promise<void> {
    stopTimer?.()
    let delay = options.everyMs
    try {
      const path = options.path()
      const presence = await presenceOf(path, await options.mounts.of(path))
      await options.onChecked(presence, since)
      if (presence.kind === 'there') delay *= LONGER_WHILE_THERE
    } finally {
      if (turns.isOpen()) stopTimer = timing.after(delay, () => void turns.next(() => check()))
    }
  }

  return { check, stop: (): void => stopTimer?.() }
}
