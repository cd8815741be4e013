/** Copies the tracks of a file into another one, with changes and additional tracks. */
import type { AVDisposition } from 'node-av/constants'
import { Dictionary, FormatContext, Rational, type Stream } from 'node-av/lib'
import { newPacket } from '../../../src/media/ffmpeg/ffmpeg.ts'
import { check, openClip, packetsIn, secondsOf } from './open-clip.ts'

/** What a copy of a track has. */
export type Marks = {
  readonly tags?: Readonly<Record<string, string>>
  readonly disposition?: AVDisposition
  /** Leaves out packets by their times in seconds. Default: keeps all. */
  readonly keeps?: (seconds: number) => boolean
}

/** Times are in seconds. */
export type Sample = { readonly start: number; readonly end: number; readonly data: Buffer }

export type AddedTrack = {
  readonly samples: readonly Sample[]
  readonly describe: (stream: Stream) => void
}

export type Changes = {
  /** Returns the copies of a track. Default: one without tags. */
  readonly copiesOf?: (source: Stream) => readonly Marks[]
  readonly added?: readonly AddedTrack[]
  /** Called when all tracks are described. */
  readonly describe?: (output: FormatContext) => void
  /** Options of the muxer. */
  readonly options?: Readonly<Record<string, string>>
}

const TICKS = 10_000

export async function remux(
  sourcePath: string,
  path: string,
  { copiesOf = () => [{}], added = [], describe, options: more = {} }: Changes,
): Promise<void> {
  await using input = await openClip(sourcePath)
  await using output = new FormatContext()
  check(output.allocOutputContext2(null, null, `file:${path}`))
  check(await output.openOutput())
  const copies = input.streams.map((source) =>
    copiesOf(source).map((marks) => ({ stream: copied(source, marks, output), ...marks })),
  )
  const additions = added.map(({ samples, describe: describeTrack }) => {
    const stream = output.newStream()
    stream.timeBase = new Rational(1, TICKS)
    describeTrack(stream)
    return { stream, samples }
  })
  describe?.(output)
  using options = Dictionary.fromObject({ default_mode: 'passthrough', strict: 'unofficial', ...more })
  check(await output.writeHeader(options))
  for (const { stream, samples } of additions)
    for (const { start, end, data } of samples) {
      using packet = newPacket()
      packet.data = data
      packet.pts = packet.dts = BigInt(Math.round(start * TICKS))
      packet.duration = BigInt(Math.round((end - start) * TICKS))
      packet.rescaleTs({ num: 1, den: TICKS }, stream.timeBase)
      packet.streamIndex = stream.index
      check(output.interleavedWriteFrameSync(packet))
    }
  for (const packet of packetsIn(input)) {
    const { timeBase = { num: 1, den: 1 } } = input.streams[packet.streamIndex] ?? {}
    for (const { stream, keeps } of copies[packet.streamIndex] ?? []) {
      using copy = packet.clone()
      if (copy === null || keeps?.(secondsOf(copy, { timeBase })) === false) continue
      copy.rescaleTs(timeBase, stream.timeBase)
      copy.streamIndex = stream.index
      check(output.interleavedWriteFrameSync(copy))
    }
  }
  check(await output.writeTrailer())
}

function copied(source: Stream, { tags = {}, disposition }: Marks, output: FormatContext): Stream {
  const stream = output.newStream()
  check(source.codecpar.copy(stream.codecpar))
  stream.codecpar.codecTag = 0
  stream.metadata = Dictionary.fromObject({ ...tags })
  if (disposition !== undefined) stream.disposition = disposition
  stream.timeBase = source.timeBase
  return stream
}
