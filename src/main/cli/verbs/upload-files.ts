import { randomUUID } from 'node:crypto'
import { basename, posix, win32 } from 'node:path'
import type { Context } from '../context.ts'
import { exitCodeOfError, EXIT, type ExitCode } from '../exit-code.ts'

export type UploadedFile = {
  /** Here. */
  readonly file: string
  /** There. */
  readonly filePath: string
}

/** One after the other; what can't be uploaded is told and left out, unless it concerns all of them. */
export async function uploadFiles(
  { service, report, surroundings: { clock, interrupted } }: Context,
  files: readonly string[],
): Promise<{ uploaded: UploadedFile[]; codes: ExitCode[] }> {
  const uploaded: UploadedFile[] = []
  const codes: ExitCode[] = []
  for (const file of files) {
    const began = clock.now()
    const result = await service.api.upload(
      { path: file },
      {
        signal: interrupted,
        onProgress: ({ sent, total }) => {
          const share = sent / total
          const elapsed = clock.now() - began
          const remaining = elapsed < 1000 ? null : (elapsed / share) * (1 - share)
          report.progress([
            {
              what: { kind: 'transfer', file },
              label: basename(file),
              share,
              remaining,
              detail: 'Uploading',
            },
          ])
        },
      },
    )
    report.progress([])
    if (result.ok) {
      uploaded.push({ file, filePath: result.value.filePath })
      report.say({ event: 'uploaded', file, filePath: result.value.filePath, size: result.value.size })
      continue
    }
    report.say({ event: 'error', about: file, error: result.error })
    const code = exitCodeOfError(result.error)
    codes.push(code)
    // Without a service, a key or a person who wants it, no file will do better, and no job will either.
    if (code !== EXIT.failed) return { uploaded: [], codes }
  }
  return { uploaded, codes }
}

/** A new folder next to an uploaded file, in the notation of the computer that the service runs on. */
export function outputFolderBeside(filePath: string): string {
  const paths = /^[a-z]:[\\/]|^\\\\/i.test(filePath) ? win32 : posix
  return paths.join(paths.dirname(filePath), `mediatray-${randomUUID()}`)
}
