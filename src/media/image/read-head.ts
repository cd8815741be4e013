/** Reads the start of an image file, which shows its format. */
import { readSync } from 'node:fs'
import { failed } from '../../shared/failure/failure-error.ts'
import { withOpenFile } from '../with-open-file.ts'

const HEAD_BYTES = 64

/** @throws FailureError if the file is empty */
export function readHead(inputPath: string): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  const length = withOpenFile(inputPath, (file) => readSync(file, head, 0, head.length, 0))
  if (length === 0) throw failed('fileEmpty')
  return head.subarray(0, length)
}
