/** A folder whose new files become jobs by themselves. The schemas are those of the settings file. */
import * as z from 'zod'

export const StoredOutput = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('folder'), path: z.string() }),
  z.object({ kind: z.literal('drive'), folderId: z.string() }),
])

export const WatchFolder = z.object({
  id: z.string(),
  path: z.string(),
  enabled: z.boolean(),
  recursive: z.boolean(),
  preset: z.string().nullable(),
  output: StoredOutput,
  variations: z.int().min(1),
  grouping: z.enum(['together', 'separate']),
  /** Files that come within this many ms are one job, where they go together. */
  windowMs: z.int().min(0),
})
export type WatchFolder = z.infer<typeof WatchFolder>

/** @property id null: a folder that is not watched yet */
export type WatchFolderChange = { readonly id: string | null; readonly folder: Omit<WatchFolder, 'id'> }

export type WatchFolderView = Readonly<WatchFolder> & {
  /** It was switched on, or is back, and its first scan since then is not over. */
  readonly scanning: boolean
  readonly trouble: 'missing' | 'unreadable' | null
  /** Files that came while nobody watched and that are many: waiting for an answer. */
  readonly question: number | null
  readonly taken: number
}
