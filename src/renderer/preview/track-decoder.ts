/** One side of a film, decoded a little ahead of the moment that is shown, over and over again. */
import type { FilmTrack } from '../../shared/model/preview.ts'

export type TrackDecoder = {
  /** The moment up to which everything is decoded, on the clock of `pictureAt`. */
  decodedTo(): number
  /** @param seconds since the first beginning, and never less than before; it stays the decoder's */
  pictureAt(seconds: number): VideoFrame | undefined
  close(): void
}

/** Enough to bridge a moment in which the computer does something else; each has several megabytes. */
const PICTURES_AHEAD = 8
const MICROSECONDS = 1e6

/**
 * @param length seconds after which it begins anew
 * @param onDecoded there is more to show
 */
export function openTrack(
  track: FilmTrack,
  length: number,
  { onDecoded, onFailed }: { readonly onDecoded: () => void; readonly onFailed: () => void },
): TrackDecoder {
  const chunks = chunksOf(track)
  const decoded: VideoFrame[] = []
  let given = 0
  const decoder = new VideoDecoder({
    output(frame) {
      decoded.push(frame)
      onDecoded()
    },
    error: onFailed,
  })
  decoder.configure({
    codec: 'vp09.00.51.08',
    // Both sides are decoded alike on every computer.
    hardwareAcceleration: 'prefer-software',
    optimizeForLatency: true,
    colorSpace: { matrix: track.colours, primaries: 'bt709', transfer: 'bt709', fullRange: false },
  })

  function goOn(): void {
    while (decoder.state === 'configured' && decoded.length + decoder.decodeQueueSize < PICTURES_AHEAD) {
      const round = Math.floor(given / chunks.length)
      const chunk = chunks[given % chunks.length]
      if (chunk === undefined) return
      const isFirst = given % chunks.length === 0
      given += 1
      decoder.decode(
        new EncodedVideoChunk({
          type: isFirst ? 'key' : 'delta',
          timestamp: Math.round((round * length + chunk.seconds) * MICROSECONDS),
          data: chunk.data,
        }),
      )
    }
  }

  return {
    decodedTo: () => (decoded.at(-1)?.timestamp ?? -MICROSECONDS) / MICROSECONDS,
    pictureAt(seconds) {
      const now = Math.round(seconds * MICROSECONDS)
      while ((decoded[1]?.timestamp ?? Infinity) <= now) decoded.shift()?.close()
      goOn()
      return decoded[0]
    },
    close() {
      if (decoder.state !== 'closed') decoder.close()
      for (const frame of decoded.splice(0)) frame.close()
    },
  }
}

type Chunk = { readonly seconds: number; readonly data: Uint8Array<ArrayBuffer> }

function chunksOf({ pictures, bytes }: FilmTrack): readonly Chunk[] {
  let begin = 0
  return pictures.map((picture) => {
    const data = bytes.subarray(begin, begin + picture.bytes)
    begin += picture.bytes
    return { seconds: picture.seconds, data }
  })
}
