import type { Outbox, PlannedSubmission } from '../../../src/main/outbox/index.ts'
import type { Draft } from '../../../src/shared/model/draft.ts'
import type { MediaItem } from '../../../src/shared/model/media-item.ts'
import { mediaKindOf } from '../../../src/shared/media-types.ts'

export const mediaItem = (path: string, size = 1000): MediaItem => ({
  path,
  name: path.replace(/^.*[\\/]/, ''),
  kind: mediaKindOf(path) ?? 'image',
  size,
})

export const draftOfFiles = (paths: readonly string[], more: Partial<Draft> = {}): Draft => ({
  source: { kind: 'files', items: paths.map((path) => mediaItem(path)) },
  rejected: [],
  preset: 'Web 2048',
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

/** Of all that have not been accepted, in the order of sending. */
export const plansIn = (outbox: Pick<Outbox, 'list' | 'whole'>): readonly PlannedSubmission[] =>
  outbox.list().flatMap(({ id }) => outbox.whole(id)?.plan ?? [])

export const namesOf = ({ items }: PlannedSubmission): string[] => items.map(({ name }) => name)
