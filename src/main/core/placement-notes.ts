/** Reads the built-in services' logs of saved results, for services that ended without reporting their jobs. */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import { isTakenAwaySync } from '../../node/mounted-disk.ts'
import { isOwnerAlive } from '../../node/owner-mark.ts'
import type { Placement } from '../../node/placement-notes.ts'

/** What a service noted about a job when it accepted it. Earlier versions noted only the ID. */
export type NotedJob = { readonly preset?: string | undefined; readonly folder?: string | undefined }

/** The log of one process. */
export type NotesOfService = {
  readonly file: string
  readonly isAlive: boolean
  /** Whether the process ended in good order. */
  readonly isOrderly: boolean
  /** When the process started; ms since 1970. */
  readonly begunAt: number
  /** When the process last wrote to the log; ms since 1970. */
  readonly notedAt: number
  readonly jobs: ReadonlyMap<string, NotedJob>
  readonly placements: readonly Placement[]
}

const BeginNote = z.object({ begun: z.number() })
const EndNote = z.object({ ended: z.number() })
const JobNote = z
  .object({ job: z.string(), preset: z.string().optional(), folder: z.string().optional() })
  .transform(({ job, ...facts }): [string, NotedJob] => [job, facts])
const PlacementNote = z.object({
  jobId: z.string(),
  input: z.string(),
  variation: z.number(),
  path: z.string(),
  inode: z.string(),
  size: z.number(),
})

export const readPlacementNotes = (folder: string): readonly NotesOfService[] =>
  namesIn(folder).map((name) => {
    const file = join(folder, name)
    // Check this before reading, so that the log of a process that has ended is complete.
    const isAlive = isOwnerAlive(name)
    const lines = linesOf(file)
    const found = statSync(file, { throwIfNoEntry: false })
    return {
      file,
      isAlive,
      isOrderly: lines.some((line) => EndNote.safeParse(line).success),
      begunAt: lines.flatMap((line) => BeginNote.safeParse(line).data?.begun ?? [])[0] ?? 0,
      notedAt: found?.mtimeMs ?? 0,
      jobs: new Map(
        lines.flatMap((line) => {
          const { data } = JobNote.safeParse(line)
          return data === undefined ? [] : [data]
        }),
      ),
      placements: lines.flatMap((line) => PlacementNote.safeParse(line).data ?? []),
    }
  })

/** Deletes the logs of services that have ended, once they have been processed. */
export function forgetPlacementNotes(notes: readonly NotesOfService[]): void {
  for (const { file, isAlive } of notes) if (!isAlive) rmSync(file, { force: true })
}

/**
 * Whether the file at this path is the result itself, not an older or newer file with the same name.
 *
 * @param behind the device that becomes visible when the result's disk is removed; undefined if the result is on the root file
 * system
 * @returns undefined if the path can't be accessed now: its share is offline, or its disk has been removed
 */
export function isPlaced({ path, inode, size }: Placement, behind: string | undefined): boolean | undefined {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    if (found !== undefined) return String(found.ino) === inode && Number(found.size) === size
    return behind !== undefined && isTakenAwaySync(dirname(path), BigInt(behind)) ? undefined : false
  } catch {
    return undefined
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The last line may be truncated. */
function linesOf(file: string): readonly unknown[] {
  let text = ''
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return []
  }
  return text.split('\n').flatMap((line): unknown[] => {
    try {
      return line === '' ? [] : [JSON.parse(line)]
    } catch {
      return []
    }
  })
}
