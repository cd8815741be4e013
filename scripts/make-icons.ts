/**
 * Renders the icons of every platform from the five drawings in `assets/icons/source`.
 * Run it after changing a drawing: `node scripts/make-icons.ts`. The icons are committed, so that a build doesn't have to render
 * them.
 *
 * macOS: template images, black and alpha, 16 px and @2x. Windows: ICO in black and in white for the two taskbar themes. Linux:
 * 22, 24 and 32 px, in black and in white.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import sharp from 'sharp'

const icons = resolve(import.meta.dirname, '../assets/icons')
const TRAY = ['idle', 'attention', 'offline'] as const
/** The three heights of the photo while a job runs, in the drawing's units. */
const BUSY_HEIGHTS = [5, 3.5, 2] as const
const INKS = { black: '#000', white: '#fff' } as const

const source = (name: string): Promise<string> => readFile(resolve(icons, 'source', `${name}.svg`), 'utf8')

/** Recolors only the visible shapes; the masks keep their color. */
function inked(svg: string, ink: string): string {
  const [head = '', ...tail] = svg.split('</mask>')
  const outer = head.replace(/(<svg[^>]*stroke=")#000/, `$1${ink}`)
  if (tail.length === 0) return recolor(outer, ink)
  return `${outer}</mask>${recolor(tail.join('</mask>'), ink)}`
}

const recolor = (svg: string, ink: string): string => svg.replaceAll('fill="#000"', `fill="${ink}"`)

/** Returns the drawing's width in its own units. */
const unitsOf = (svg: string): number => Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1] ?? 16)

const png = (svg: string, size: number): Promise<Buffer> =>
  sharp(Buffer.from(svg), { density: Math.max(1, (72 * size) / unitsOf(svg)) })
    .resize(size, size)
    .png({ compressionLevel: 9, palette: false })
    .toBuffer()

/** Returns an ICO with PNG images, which Windows has supported since Vista. */
function ico(pictures: readonly { readonly size: number; readonly png: Buffer }[]): Buffer {
  const header = Buffer.alloc(6 + 16 * pictures.length)
  header.writeUInt16LE(1, 2)
  header.writeUInt16LE(pictures.length, 4)
  let offset = header.length
  pictures.forEach((picture, index) => {
    const entry = 6 + 16 * index
    header.writeUInt8(picture.size % 256, entry)
    header.writeUInt8(picture.size % 256, entry + 1)
    header.writeUInt16LE(1, entry + 4)
    header.writeUInt16LE(32, entry + 6)
    header.writeUInt32LE(picture.png.length, entry + 8)
    header.writeUInt32LE(offset, entry + 12)
    offset += picture.png.length
  })
  return Buffer.concat([header, ...pictures.map((picture) => picture.png)])
}

const ICNS_TYPES = {
  ic07: 128,
  ic08: 256,
  ic09: 512,
  ic10: 1024,
  ic11: 32,
  ic12: 64,
  ic13: 256,
  ic14: 512,
} as const

async function icns(svg: string): Promise<Buffer> {
  const entries = await Promise.all(
    Object.entries(ICNS_TYPES).map(async ([type, size]) => {
      const picture = await png(svg, size)
      const head = Buffer.alloc(8)
      head.write(type, 'latin1')
      head.writeUInt32BE(picture.length + 8, 4)
      return Buffer.concat([head, picture])
    }),
  )
  const body = Buffer.concat(entries)
  const head = Buffer.alloc(8)
  head.write('icns', 'latin1')
  head.writeUInt32BE(body.length + 8, 4)
  return Buffer.concat([head, body])
}

async function drawTray(name: string, svg: string): Promise<void> {
  const folder = resolve(icons, 'tray')
  await mkdir(folder, { recursive: true })
  const save = (file: string, bytes: Buffer) => writeFile(resolve(folder, file), bytes)
  const black = inked(svg, INKS.black)
  await save(`${name}Template.png`, await png(black, 16))
  await save(`${name}Template@2x.png`, await png(black, 32))
  for (const [ink, value] of Object.entries(INKS)) {
    const drawn = inked(svg, value)
    const sizes = await Promise.all(
      [16, 20, 24, 32].map(async (size) => ({ size, png: await png(drawn, size) })),
    )
    await save(`${name}-${ink}.ico`, ico(sizes))
    for (const size of [22, 24, 32]) await save(`${name}-${ink}-${size}.png`, await png(drawn, size))
  }
}

async function drawApp(svg: string): Promise<void> {
  const folder = resolve(icons, 'app')
  await mkdir(folder, { recursive: true })
  for (const size of [16, 24, 32, 48, 64, 128, 256, 512]) {
    await writeFile(resolve(folder, `${size}x${size}.png`), await png(svg, size))
  }
  const sizes = await Promise.all(
    [16, 24, 32, 48, 64, 256].map(async (size) => ({ size, png: await png(svg, size) })),
  )
  await writeFile(resolve(icons, 'icon.ico'), ico(sizes))
  await writeFile(resolve(icons, 'icon.icns'), await icns(svg))
}

for (const name of TRAY) await drawTray(name, await source(`tray-${name}`))
const busy = await source('tray-busy')
for (const [step, height] of BUSY_HEIGHTS.entries()) {
  await drawTray(`busy-${step + 1}`, busy.replace('y="5"', `y="${height}"`))
}
await drawApp(await source('app'))
