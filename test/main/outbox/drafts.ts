import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { openOutbox, type Outbox, type PlannedSubmission } from '../../../src/main/outbox/index.ts'
import type { SendAttempt } from '../../../src/main/outbox/submission-state.ts'
import type { Draft } from '../../../src/shared/model/draft.ts'
import type { MediaItem } from '../../../src/shared/model/media-item.ts'
import { mediaKindOf } from '../../../src/shared/media-types.ts'

export const mediaItem = (path: string, size = 1000): MediaItem => ({
  path,
  name: path.replace(/^.*[\\/]/, ''),
  kind: mediaKindOf(path) ?? 'image',
  size,
})

/** IDs of jobs. */
export const newJobId = () => asRecordId(`r_${randomUUID()}`)

/** Opens a folder's outbox. */
export const openOutboxIn = (folder: string): Outbox =>
  openOutbox({ file: join(folder, 'outbox.db'), clock: Date.now, ids: newJobId })

export const draftOfFiles = (paths: readonly string[], more: Partial<Draft> = {}): Draft => ({
  source: { kind: 'files', items: paths.map((path) => mediaItem(path)) },
  rejected: [],
  presets: ['Web 2048'],
  presetFolders: true,
  done: 'again',
  output: { kind: 'folder', path: '/home/me/out' },
  variations: 1,
  grouping: 'together',
  editing: null,
  ...more,
})

export const planOfFiles = (
  paths: readonly string[],
  more: Partial<PlannedSubmission> = {},
): PlannedSubmission => ({
  items: paths.map((path) => mediaItem(path)),
  driveInput: null,
  preset: 'Web 2048',
  output: { kind: 'folder', path: '/out' },
  variations: 1,
  grouping: 'together',
  ...more,
})

/** Plans of all submissions that haven't been accepted, in sending order. */
export const plansIn = (outbox: Pick<Outbox, 'list'>): readonly PlannedSubmission[] =>
  outbox.list().map(({ plan }) => plan)

/** An attempt to send to this service, before which it listed no jobs. */
export const attempt: SendAttempt = {
  at: 1,
  service: 'http://s',
  baseUrl: 'http://s',
  connection: 'external',
  known: [],
  uploaded: null,
}

/** A service that also receives submissions that aren't addressed to a specific service. */
export const ANY = { service: 'http://s', unaddressed: true }

export const namesOf = ({ items }: PlannedSubmission): string[] => items.map(({ name }) => name)
