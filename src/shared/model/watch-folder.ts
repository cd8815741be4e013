/** Folders whose new files automatically become jobs. These schemas are also used to parse the settings file. */
import * as z from 'zod'
import { Hooks } from './after-job.ts'
import { MAX_PRESETS } from './draft.ts'
import { type FolderRules, NO_RULES, type RuleAction } from './folder-rules.ts'
import { WatchedOutput } from './stored-output.ts'

export const WatchFolder = z.object({
  id: z.string(),
  path: z.string(),
  enabled: z.boolean(),
  recursive: z.boolean(),
  /** ID of the service that gets its files. Missing means the service selected in the settings. */
  service: z.string().optional(),
  /** In the order chosen. Empty means the service's basic defaults. */
  presets: z.array(z.string()).max(MAX_PRESETS),
  output: WatchedOutput,
  variations: z.int().min(1),
  grouping: z.enum(['together', 'separate']),
  /** What to do with files that are already done. Missing means `skip`. */
  done: z.enum(['skip', 'again']).optional(),
  /** What runs after its jobs. Missing means the same as after all other jobs. */
  afterJob: Hooks.optional(),
  /** With grouping, files that arrive within this many ms become one job. */
  windowMs: z.int().min(0).max(3_600_000),
})
export type WatchFolder = z.infer<typeof WatchFolder>

/** IDs must be unique, because rules and the record of processed files refer to them. */
export const WatchFolders = z
  .array(WatchFolder)
  .refine((folders) => new Set(folders.map(({ id }) => id)).size === folders.length)

/** The presets and the output that a watched folder uses for files that match no rule, unless it ignores these files. */
export type RuledFolder = Pick<WatchFolder, 'presets' | 'output'>

/** Returns the actions of the rules in order, followed by the action for files that match no rule. */
export const actionsOf = (folder: RuledFolder, { rules, rest }: FolderRules): readonly RuleAction[] => [
  ...rules.map(({ action }) => action),
  rest === 'ignore' ? { do: 'ignore' } : { do: 'process', presets: folder.presets, output: folder.output },
]

/** Returns the ways in which a folder processes its files. */
const processingIn = (folder: RuledFolder, rules: FolderRules) =>
  actionsOf(folder, rules).filter((action) => action.do === 'process')

export const presetsIn = (folder: RuledFolder, rules: FolderRules = NO_RULES): readonly string[] =>
  processingIn(folder, rules).flatMap(({ presets }) => presets)

export const placesIn = (folder: RuledFolder, rules: FolderRules = NO_RULES): readonly WatchedOutput[] =>
  processingIn(folder, rules).map(({ output }) => output)

/** `id` is null for a new watched folder. */
export type WatchFolderChange = { readonly id: string | null; readonly folder: Omit<WatchFolder, 'id'> }

export type WatchFolderView = Readonly<WatchFolder> & {
  /** Whether the first scan since the folder was enabled or reconnected is still in progress. */
  readonly scanning: boolean
  /** `repeated`: the folder is already watched under another path. */
  readonly trouble: 'missing' | 'notFolder' | 'unreadable' | 'foreignLink' | 'repeated' | null
  /** Number of files that arrived while watching was off. The user decides whether to process them. */
  readonly question: number | null
  readonly taken: number
  /** Files that wait because their preset doesn't exist. */
  readonly waiting: readonly { readonly preset: string; readonly files: number }[]
  /** The folder's rules: `none` if its preset processes everything, and `unreadable` if this version can't read them. */
  readonly rules: FolderRules | 'none' | 'unreadable'
  /** Number of files that a running dry run of the rules has read; null if none is running. */
  readonly trying: number | null
  /** Files, subfolders and names that can't be read: how many, and the first ones. */
  readonly unprocessed: { readonly count: number; readonly paths: readonly string[] }
  /** Files that failed for a possibly temporary reason, such as a full disk, and will be retried: how many, and the first ones. */
  readonly retried: { readonly count: number; readonly paths: readonly string[] }
  /**
   * Files that wait because a program has them open for writing: how many, the first ones, and whether one of them has waited for more
   * than five seconds.
   */
  readonly open: { readonly count: number; readonly paths: readonly string[]; readonly isLong: boolean }
  /** Links that lead out of the folder and aren't followed: how many, and the first ones. */
  readonly links: { readonly count: number; readonly paths: readonly string[] }
  /** Pipes, sockets and devices that are named like photos or videos: how many, and the first ones. */
  readonly special: { readonly count: number; readonly paths: readonly string[] }
  /** Photos and videos that are hidden, or still have the name of an unfinished file: how many, and the first ones. */
  readonly ignored: { readonly count: number; readonly paths: readonly string[] }
  /** Photos and videos that are still empty: how many, and the first ones. */
  readonly empty: { readonly count: number; readonly paths: readonly string[] }
}
