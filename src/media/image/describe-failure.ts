import { ProcessingError } from '../protocol.ts'

/** Says in plain words why a picture could not be processed, from what the decoder or the file system said. */
export function describeFailure(error: unknown): ProcessingError {
  if (error instanceof ProcessingError) return error
  const said = error instanceof Error ? error.message.trim() : String(error)
  return new ProcessingError(plainReason(said), { cause: error })
}

function plainReason(said: string): string {
  if (/ENOENT|Input file is missing/i.test(said)) return 'The file is not there any more.'
  if (/EACCES|EPERM|permission denied/i.test(said)) return 'The file may not be read by this user.'
  if (/ENOSPC|EDQUOT|no space left|write error|wbuffer_write/i.test(said))
    return 'There is no room left on the disk for the result.'
  if (/unsupported image format|unknown file/i.test(said))
    return 'The file is not a picture of a kind that can be read here, or its very beginning is damaged.'
  if (/exceeds pixel limit/i.test(said)) return 'The picture is too large: it has more pixels than the limit.'
  if (/too large|exceed/i.test(said) && /jpeg|webp|png|heif|dimension/i.test(said))
    return `The result would be larger than its format allows: ${oneLine(said)}`
  if (/out of memory|unable to allocate/i.test(said))
    return 'There is not enough memory for a picture of this size.'
  return `The file is damaged or incomplete: ${oneLine(said)}`
}

function oneLine(said: string): string {
  return said
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(0, 3)
    .join('; ')
}
