/** Folders whose new files automatically become jobs. These schemas are also used to parse the settings file. */
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
  /** With grouping, files that arrive within this many ms become one job. */
  windowMs: z.int().min(0),
})
export type WatchFolder = z.infer<typeof WatchFolder>

/** `id` is null for a new watched folder. */
export type WatchFolderChange = { readonly id: string | null; readonly folder: Omit<WatchFolder, 'id'> }

export type WatchFolderView = Readonly<WatchFolder> & {
  /** Whether the first scan since the folder was enabled or reconnected is still in progress. */
  readonly scanning: boolean
  readonly trouble: 'missing' | 'unreadable' | null
  /** Number of files that arrived while watching was off. The user decides whether to process them. */
  readonly question: number | null
  readonly taken: number
  /** Number of links that lead out of the folder. They aren't followed. */
  readonly links: number
}
