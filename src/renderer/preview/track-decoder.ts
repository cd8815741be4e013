/** Decodes one side of a video in a loop, slightly ahead of the playback position. */
import type { VideoTrack } from '../../shared/model/preview.ts'

export type TrackDecoder = ReturnType<typeof openTrack>

/** Number of frames decoded in advance: enough to bridge a short stall, but not more, because each takes several megabytes. */
const FRAMES_AHEAD = 8
const MICROSECONDS = 1e6

/**
 * Opens a decoder for a video track.
 * @param length seconds after which the video repeats
 * @param onDecoded called when new frames are available
 */
export function openTrack(
  track: VideoTrack,
  length: number,
  { onDecoded, onFailed }: { readonly onDecoded: () => void; readonly onFailed: () => void },
) {
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
    // Software decoding produces identical results for both sides on every computer.
    hardwareAcceleration: 'prefer-software',
    optimizeForLatency: true,
    colorSpace: { matrix: track.colors, primaries: 'bt709', transfer: 'bt709', fullRange: false },
  })

  function goOn(): void {
    while (decoder.state === 'configured' && decoded.length + decoder.decodeQueueSize < FRAMES_AHEAD) {
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
    /** Position up to which all frames are decoded, on the same clock as `frameAt`. */
    decodedTo: (): number => (decoded.at(-1)?.timestamp ?? -MICROSECONDS) / MICROSECONDS,
    /**
     * Returns the frame at a position, or the last decoded frame if decoding lags behind; undefined until the first frame is decoded. The
     * decoder owns the frame.
     * @param seconds since the start of playback; must not decrease
     */
    frameAt(seconds: number): VideoFrame | undefined {
      const now = Math.round(seconds * MICROSECONDS)
      while ((decoded[1]?.timestamp ?? Infinity) <= now) decoded.shift()?.close()
      goOn()
      return decoded[0]
    },
    close(): void {
      if (decoder.state !== 'closed') decoder.close()
      for (const frame of decoded.splice(0)) frame.close()
    },
  }
}

type Chunk = { readonly seconds: number; readonly data: Uint8Array<ArrayBuffer> }

function chunksOf({ pictures, bytes }: VideoTrack): readonly Chunk[] {
  let begin = 0
  return pictures.map((picture) => {
    const data = bytes.subarray(begin, begin + picture.bytes)
    begin += picture.bytes
    return { seconds: picture.seconds, data }
  })
}
