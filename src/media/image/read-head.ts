/** Reads the start of an image file, which shows its format. */
import { closeSync, openSync, readSync } from 'node:fs'
import { FailureError } from '../../shared/failure/failure-error.ts'
import { failure } from '../../shared/failure/failure.ts'

const HEAD_BYTES = 64

/** @throws FailureError if the file is empty */
export function readHead(inputPath: string): Buffer {
  const file = openSync(inputPath, 'r')
  try {
    const head = Buffer.alloc(HEAD_BYTES)
    const length = readSync(file, head, 0, head.length, 0)
    if (length === 0) throw new FailureError(failure('fileEmpty'))
    return head.subarray(0, length)
  } finally {
    closeSync(file)
  }
}
