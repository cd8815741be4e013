import { MAX_JSON_BYTES } from '../../shared/api/limits.ts'
import type { SpoofJobRequest } from '../../shared/api/resources.ts'

export type Target = { readonly outputFolder: string } | { readonly driveOutputFolder: string }

export type Wanted = {
  /** Absolute paths as the service sees them, or a Drive folder. */
  readonly input: { readonly files: readonly string[] } | { readonly driveInputFolder: string }
  readonly target: Target
  readonly preset?: string
  readonly batchCount?: number
  /** One job for each file. */
  readonly separate: boolean
}

/** The jobs to ask for (section 2, rules 1 and 2), none with a body above 64 KiB (section 8). */
export function planRequests(wanted: Wanted): SpoofJobRequest[] {
  const common = {
    ...wanted.target,
    ...(wanted.preset === undefined ? {} : { preset: wanted.preset }),
    ...(wanted.batchCount === undefined ? {} : { batchCount: wanted.batchCount }),
  }
  if ('driveInputFolder' in wanted.input)
    return [{ driveInputFolder: wanted.input.driveInputFolder, ...common }]

  const room = MAX_JSON_BYTES - Buffer.byteLength(JSON.stringify({ files: [], ...common }))
  const groups = wanted.separate ? wanted.input.files.map((file) => [file]) : inRoom(wanted.input.files, room)
  return groups.map((files) => {
    const [only, ...others] = files
    return only !== undefined && others.length === 0 ? { filePath: only, ...common } : { files, ...common }
  })
}

/** As many in each group as fit, in order. */
function inRoom(files: readonly string[], room: number): string[][] {
  const groups: string[][] = []
  let left = 0
  for (const file of files) {
    const size = Buffer.byteLength(JSON.stringify(file)) + 1
    const group = groups.at(-1)
    if (group !== undefined && size <= left) {
      group.push(file)
      left -= size
    } else {
      groups.push([file])
      left = room - size
    }
  }
  return groups
}
