/**
 * Creates assets/samples: small photos and a video drawn for this project, free of third-party rights.
 * Each tests something different: an orientation, transparency, audio. They are committed; this script documents how they were
 * created. Needs the ffmpeg command for the video and heif-enc for the HEIC, which sharp can't write.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import sharp from 'sharp'

const folder = resolve(import.meta.dirname, '..', 'assets', 'samples')

/** Returns a pseudorandom generator that repeats the same sequence. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Returns the outline of a mountain range across the image, filled to its lower edge. */
function ridge(width: number, height: number, base: number, rise: number, seed: number): string {
  const random = seeded(seed)
  const waves = Array.from({ length: 6 }, (_, octave) => ({
    amplitude: rise / 1.8 ** octave,
    length: width / (1.3 * 2 ** octave),
    phase: random() * Math.PI * 2,
  }))
  const points = Array.from({ length: 161 }, (_, step) => {
    const x = (step / 160) * width
    const lift = waves.reduce(
      (sum, wave) => sum + wave.amplitude * Math.sin((x / wave.length) * Math.PI * 2 + wave.phase),
      0,
    )
    return `${x.toFixed(1)},${(base - lift).toFixed(1)}`
  })
  return `M0,${height} L${points.join(' L')} L${width},${height} Z`
}

type Light = { readonly high: string; readonly low: string; readonly near: string; readonly sun: string }

/** Draws layers of mountains. `day` goes from 0 (the sun below the ridge) to 1 (high up). */
function mountains(width: number, height: number, light: Light, day: number): string {
  const sunY = height * (0.62 - 0.38 * day)
  const layers = [0.55, 0.65, 0.76, 0.89].map((base, layer) => {
    const color = mix(light.low, light.near, (layer + 1) / 4)
    return `<path d="${ridge(width, height, height * base, height * (0.075 - layer * 0.008), 11 + layer * 7)}" fill="${color}"/>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <defs>
      <linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${light.high}"/><stop offset="0.7" stop-color="${light.low}"/></linearGradient>
      <radialGradient id="glow"><stop offset="0" stop-color="${light.sun}" stop-opacity="0.95"/><stop offset="0.12" stop-color="${light.sun}" stop-opacity="0.8"/><stop offset="0.2" stop-color="${light.sun}" stop-opacity="0.28"/><stop offset="1" stop-color="${light.sun}" stop-opacity="0"/></radialGradient>
    </defs>
    <rect width="${width}" height="${height}" fill="url(#sky)"/>
    <circle cx="${width * 0.64}" cy="${sunY}" r="${height * 0.55}" fill="url(#glow)"/>
    ${layers.join('\n')}
  </svg>`
}

function mix(from: string, to: string, share: number): string {
  const channels = [1, 3, 5].map((at) => {
    const a = Number.parseInt(from.slice(at, at + 2), 16)
    const b = Number.parseInt(to.slice(at, at + 2), 16)
    return Math.round(a + (b - a) * share)
      .toString(16)
      .padStart(2, '0')
  })
  return `#${channels.join('')}`
}

const DAWN: Light = { high: '#27365f', low: '#f2a98b', near: '#1d2238', sun: '#fff1cf' }
const NOON: Light = { high: '#3f86c9', low: '#cfe6ee', near: '#1f4a45', sun: '#fffbe8' }

/** Draws a flower of translucent petals on a transparent background. */
function flower(size: number): string {
  const center = size / 2
  const petals = [0, 1].flatMap((ring) =>
    Array.from({ length: 9 }, (_, index) => {
      const angle = (index / 9) * 360 + ring * 20
      const length = size * (ring === 0 ? 0.44 : 0.32)
      return `<path d="M0,0 C${length * 0.36},${-length * 0.3} ${length * 0.3},${-length * 0.9} 0,${-length} C${-length * 0.3},${-length * 0.9} ${-length * 0.36},${-length * 0.3} 0,0" transform="translate(${center} ${center}) rotate(${angle})" fill="url(#petal${ring})" opacity="0.82"/>`
    }),
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}">
    <defs>
      <linearGradient id="petal0" x1="0" y1="1" x2="0" y2="0"><stop offset="0" stop-color="#7a2a8f"/><stop offset="1" stop-color="#f08bc4"/></linearGradient>
      <linearGradient id="petal1" x1="0" y1="1" x2="0" y2="0"><stop offset="0" stop-color="#b23a6f"/><stop offset="1" stop-color="#ffd0b8"/></linearGradient>
      <radialGradient id="heart"><stop offset="0" stop-color="#fff3b0"/><stop offset="1" stop-color="#e59a2f"/></radialGradient>
    </defs>
    ${petals.join('')}
    <circle cx="${center}" cy="${center}" r="${size * 0.07}" fill="url(#heart)"/>
  </svg>`
}

/** Draws still water under the sky: the upper half, mirrored and darkened. */
async function lake(width: number, height: number): Promise<Buffer> {
  const half = await sharp(Buffer.from(mountains(width, height / 2, NOON, 0.7)))
    .png()
    .toBuffer()
  const mirrored = await sharp(half).flip().modulate({ brightness: 0.78 }).blur(2.2).png().toBuffer()
  return sharp({ create: { width, height, channels: 3, background: '#000000' } })
    .composite([
      { input: half, top: 0, left: 0 },
      { input: mirrored, top: height / 2, left: 0 },
    ])
    .png()
    .toBuffer()
}

/** Renders a three-second sunrise with a swelling chord. */
async function sunrise(path: string): Promise<void> {
  const [width, height, rate, frames] = [640, 360, 24, 72]
  const chord = [220, 277.18, 329.63, 440].map(
    (hertz, voice) => `0.09*sin(2*PI*${hertz}*t)*min(1\\,t/${1 + voice * 0.4})`,
  )
  const pictures = `-f rawvideo -pix_fmt rgb24 -s ${width}x${height} -r ${rate} -i -`
  const sound = `aevalsrc=${chord.join('+')}:s=44100:d=${frames / rate}`
  const encoding =
    '-c:v libx264 -crf 24 -preset slow -pix_fmt yuv420p -c:a aac -b:a 64k -shortest -movflags +faststart'
  const encoder = spawn(
    'ffmpeg',
    `-v error -y ${pictures} -f lavfi -i ${sound} ${encoding}`.split(' ').concat(path),
    { stdio: ['pipe', 'inherit', 'inherit'] },
  )
  const ended = once(encoder, 'close')
  encoder.stdin.on('error', () => undefined)
  for (let frame = 0; frame < frames; frame++) {
    const day = frame / (frames - 1)
    const light: Light = {
      high: mix(DAWN.high, NOON.high, day),
      low: mix(DAWN.low, NOON.low, day),
      near: mix(DAWN.near, NOON.near, day),
      sun: mix(DAWN.sun, NOON.sun, day),
    }
    const picture = await sharp(Buffer.from(mountains(width, height, light, day)))
      .removeAlpha()
      .raw()
      .toBuffer()
    if (!encoder.stdin.write(picture)) await Promise.race([once(encoder.stdin, 'drain'), ended])
  }
  encoder.stdin.end()
  await ended
  if (encoder.exitCode !== 0) throw new Error(`ffmpeg exited with code ${encoder.exitCode}`)
}

// Stored rotated, like a photo from a phone held upright; the tag gives the orientation.
await sharp(Buffer.from(mountains(900, 1200, DAWN, 0.35)))
  .removeAlpha()
  .rotate(270)
  .withMetadata({ orientation: 6 })
  .jpeg({ quality: 86 })
  .toFile(join(folder, 'dawn-upright.jpg'))

await sharp(await lake(1200, 800))
  .webp({ quality: 84 })
  .toFile(join(folder, 'mountain-lake.webp'))

await sharp(Buffer.from(flower(480)))
  .png({ compressionLevel: 9, palette: false })
  .toFile(join(folder, 'flower-on-nothing.png'))

await sunrise(join(folder, 'sunrise.mp4'))

await heic(await lake(960, 720), join(folder, 'evening-lake.heic'))

/** Encodes a HEIC like a phone's with libheif's command, because no library here may encode HEVC. */
async function heic(picture: Buffer, path: string): Promise<void> {
  const plain = `${path}.png`
  await sharp(picture).modulate({ hue: 25, saturation: 1.1, brightness: 0.85 }).png().toFile(plain)
  const encoder = spawn('heif-enc', ['-q', '55', '-o', path, plain], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await once(encoder, 'close')
  await rm(plain)
  if (encoder.exitCode !== 0) throw new Error(`heif-enc exited with code ${encoder.exitCode}`)
}
