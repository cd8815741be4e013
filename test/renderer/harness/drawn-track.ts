import type { VideoTrack } from '../../../src/shared/model/preview.ts'

export const DRAWN_SIZE = { width: 1_280, height: 720 }

const drawn = new Map<number, Promise<VideoTrack>>()

/** A few frames of mountains. Each page draws them only once, because that takes longer than most tests. */
export function drawnTrack(blur: number): Promise<VideoTrack> {
  const track = drawn.get(blur) ?? drawTrack(blur)
  drawn.set(blur, track)
  return track
}

async function drawTrack(blur: number): Promise<VideoTrack> {
  const chunks: Uint8Array[] = []
  const encoder = new VideoEncoder({
    output(chunk) {
      const bytes = new Uint8Array(chunk.byteLength)
      chunk.copyTo(bytes)
      chunks.push(bytes)
    },
    error: (reason) => console.error(reason),
  })
  encoder.configure({ codec: 'vp09.00.51.08', ...DRAWN_SIZE, bitrate: 9_000_000 })
  const canvas = new OffscreenCanvas(DRAWN_SIZE.width, DRAWN_SIZE.height)
  const context = canvas.getContext('2d')
  const seconds = [0, 0.5, 1, 1.5, 2]
  for (const at of seconds) {
    if (context === null) break
    const sky = context.createLinearGradient(0, 0, 0, 720)
    sky.addColorStop(0, '#1d3a6e')
    sky.addColorStop(1, '#d8a07a')
    context.filter = 'none'
    context.fillStyle = sky
    context.fillRect(0, 0, 1_280, 720)
    context.filter = `blur(${blur}px)`
    context.fillStyle = '#152238'
    // One shape, because blurring each mountain separately takes nine times as long.
    context.beginPath()
    for (let peak = 0; peak < 9; peak += 1) {
      const x = peak * 160 - 40 + at * 20
      context.moveTo(x - 130, 720)
      context.lineTo(x, 320 + ((peak * 83) % 160))
      context.lineTo(x + 130, 720)
    }
    context.fill()
    const frame = new VideoFrame(canvas, { timestamp: at * 1e6 })
    encoder.encode(frame, { keyFrame: at === 0 })
    frame.close()
  }
  await encoder.flush()
  const bytes = new Uint8Array(await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer())
  const pictures = chunks.map((chunk, index) => ({ seconds: seconds[index] ?? 0, bytes: chunk.byteLength }))
  return { ...DRAWN_SIZE, pictures, bytes, colors: 'bt709' }
}
