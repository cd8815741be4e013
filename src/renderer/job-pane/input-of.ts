import type { MediaItem } from '../../shared/model/media-item.ts'
import type { RecordDetails, ResultFile } from '../../shared/model/work.ts'
import { baseName } from '../../shared/paths.ts'

/** The original that a result was made from; undefined where that can't be told for certain. */
export function inputOf(details: RecordDetails, result: ResultFile): MediaItem | undefined {
  const { inputs } = details
  if (inputs.length === 1) return inputs[0]
  const exact = inputs.find(({ path }) => path === result.file)
  if (exact) return exact
  const named = inputs.filter(({ name }) => name === baseName(result.file))
  // Two folders can hold files of one name.
  return named.length === 1 ? named[0] : undefined
}
