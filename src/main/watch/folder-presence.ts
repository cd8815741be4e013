/** Checks whether a watched folder is available: still there, not replaced by another folder of the same name, and readable. */
import type { BigIntStats } from 'node:fs'
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

/** `permissions`: mode and owner, which change when the folder becomes unreadable. */
type Known = { readonly kind: 'there'; readonly place: Place; readonly permissions: string }

export type Presence = Known | { readonly kind: 'absent'; readonly why: Absence }

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
    return {
      kind: 'there',
      place: { root, identity: identityOf(found) },
      permissions: permissionsOf(found),
    }
  } catch (error) {
    if (isForeignLink(error)) return { kind: 'absent', why: 'foreignLink' }
    return { kind: 'absent', why: hasCode(error, 'EACCES', 'EPERM') ? 'unreadable' : 'missing' }
  }
}

/**
 * Interval between checks of an available folder, as a multiple of the interval for an absent one. If an available folder disappears, its
 * watcher usually reports that.
 */
const LONGER_WHILE_THERE = 6

/**
 * How many checks in a row may be brief. A complete check of an available folder takes about twelve system calls on other threads, and one
 * more for each folder above it. Each wakes the processor.
 */
const BRIEF_CHECKS = 5

const identityOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`
const permissionsOf = ({ mode, uid, gid }: BigIntStats): string => [mode, uid, gid].join()

/** Whether a path still leads to the same folder with the same permissions. After its disk is removed, the path leads elsewhere. */
async function isSame(path: string, { place, permissions }: Known): Promise<boolean> {
  const found = await stat(path, { bigint: true }).catch(() => undefined)
  return found !== undefined && identityOf(found) === place.identity && permissionsOf(found) === permissions
}

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
  /** What the last complete check found, and how many brief checks may follow it. */
  let known: { readonly path: string; readonly found: Known; briefChecks: number } | undefined

  /** Checks everything immediately, then periodically. Must run in the serial queue. */
  async function check(since: Moment = momentOf(timing)): Promise<void> {
    known = undefined
    await checkAgain(since)
  }

  async function checkAgain(since: Moment = momentOf(timing)): Promise<void> {
    stopTimer?.()
    let delay = options.everyMs
    try {
      const presence = await find(options.path())
      await options.onChecked(presence, since)
      if (presence.kind === 'there') delay *= LONGER_WHILE_THERE
    } finally {
      if (turns.isOpen()) stopTimer = timing.after(delay, () => void turns.next(() => checkAgain()))
    }
  }

  async function find(path: string): Promise<Presence> {
    if (known?.path === path && known.briefChecks-- > 0 && (await isSame(path, known.found)))
      return known.found
    const found = await presenceOf(path, await options.mounts.of(path))
    known = found.kind === 'there' ? { path, found, briefChecks: BRIEF_CHECKS } : undefined
    return found
  }

  return { check, stop: (): void => stopTimer?.() }
}
