/**
 * Removes what follows the end of a parameter set of H.264 or HEVC. Decoders ignore such data. FFmpeg finds the end: it reads a set and
 * writes it again.
 */
import { AV_CODEC_ID_H264, AV_CODEC_ID_HEVC } from 'node-av/constants'
import { BitStreamFilter, BitStreamFilterContext } from 'node-av/lib'
import { START_CODE } from './start-codes.ts'
import { withoutZeros } from './change-parts.ts'

const FILTERS = {
  h264: { name: 'h264_metadata', id: AV_CODEC_ID_H264 },
  hevc: { name: 'hevc_metadata', id: AV_CODEC_ID_HEVC },
} as const

/** Maximum number of sets to remember. A stream has fewer at a time. */
const MOST_SETS = 64

export function createParameterSets(codec: keyof typeof FILTERS) {
  // Some sets refer to earlier ones.
  const known = new Map<string, Buffer>()
  let isUnclear = false
  return {
    /** Removes what follows the end of a set. Returns the same buffer if nothing follows, or if FFmpeg can't read the set. */
    cut(unit: Buffer): Buffer {
      const content = withoutZeros(unit)
      const key = content.toString('latin1')
      const cut = known.get(key) ?? rewritten(codec, [...known.values(), content])
      if (cut === undefined) {
        isUnclear = true
        return unit
      }
      known.set(key, cut)
      const [oldest] = known.keys()
      if (known.size > MOST_SETS && oldest !== undefined) known.delete(oldest)
      return cut.equals(content) ? unit : cut
    },
    isUnclear: (): boolean => isUnclear,
  }
}

/** Returns the last of the units as FFmpeg writes it; undefined if FFmpeg can't read it. */
function rewritten(codec: keyof typeof FILTERS, units: readonly Buffer[]): Buffer | undefined {
  const { name, id } = FILTERS[codec]
  const filter = BitStreamFilter.getByName(name)
  using context = new BitStreamFilterContext()
  if (filter === null || context.alloc(filter) < 0) return undefined
  const { inputCodecParameters: parameters } = context
  if (parameters === null) return undefined
  parameters.codecId = id
  parameters.extradata = Buffer.concat(units.flatMap((unit) => [START_CODE, unit]))
  if (context.init() < 0) return undefined
  const written = context.outputCodecParameters?.extradata ?? undefined
  return written && withoutZeros(Buffer.from(written.subarray(written.lastIndexOf(START_CODE) + 3)))
}
