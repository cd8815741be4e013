/** Explains why FFmpeg can't open a file. FFmpeg returns the same code for most of these files. */
import { open } from 'node:fs/promises'
import { failure, reason, type Failure } from '../../shared/failure/failure.ts'
import { damagedFile } from '../damaged-file.ts'
import { readUpTo } from '../read-part.ts'
import { NO_ACCESS, NOT_PERMITTED, NOT_THERE } from '../ffmpeg/ffmpeg.ts'

/** @param code FFmpeg's error code */
export async function whyNotOpened(code: number, path: string): Promise<Failure> {
  if (code === NOT_THERE) return failure('fileUnreadable', { reason: reason('missing') })
  if (code === NO_ACCESS || code === NOT_PERMITTED)
    return failure('fileUnreadable', { reason: reason('denied') })
  const start = await firstBytes(path)
  if (start.length === 0) return failure('fileEmpty')
  const kind = start.toString('latin1')
  if (/^....(ftyp|moov|mdat|wide|free|skip)/s.test(kind)) return damagedFile('indexMissing').failure
  if (/^RIFF....AVI /s.test(kind) || kind.startsWith('\x1a\x45\xdf\xa3'))
    return damagedFile('beginningUnreadable').failure
  return failure('notAVideo')
}

async function firstBytes(path: string): Promise<Buffer> {
  try {
    await using file = await open(path)
    return await readUpTo(file, 0, 12)
  } catch {
    return Buffer.alloc(1)
  }
}
