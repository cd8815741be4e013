import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { boxesIn, boxIn } from '../../../src/node/media-header/heif-boxes.ts'
import { moveData } from '../../../src/media/image/avif-colors.ts'
import { makeBox } from '../../../src/media/make-box.ts'
import { processContent, usePhotoFolder } from './process-photo.ts'

usePhotoFolder()

/** Colors that are premultiplied by an alpha of 120 of 255. */
const STORED = [60, 30, 90, 120] as const
const SHOWN = [128, 64, 191, 120] as const

/** Declares that the first image is premultiplied by the alpha in the second one. */
function multiplied(avif: Buffer): Buffer {
  const meta = boxIn(avif, 0, avif.length, 'meta')
  const parts = meta === undefined ? [] : boxesIn(avif, meta.body + 4, meta.end)
  const references = parts.find(({ type }) => type === 'iref')
  const places = parts.find(({ type }) => type === 'iloc')
  if (meta === undefined || references === undefined || places === undefined)
    throw new Error('The AVIF has no references.')
  const reference = makeBox('prem', Buffer.from([0, 1, 0, 1, 0, 2]))
  const changed = Buffer.from(avif)
  for (const { body, end } of [meta, references])
    changed.writeUInt32BE(end - body + 8 + reference.length, body - 8)
  moveData(changed, places, reference.length, 0)
  return Buffer.concat([changed.subarray(0, references.end), reference, changed.subarray(references.end)])
}

/** A JPEG XL of 8 × 8 pixels that declares the same. */
const JPEG_XL = 'ff0a41c0 00088a0b 01080810 0064004b 188b15c2 41831dbe 800400c3 db67c401 00000000 00000000'

const plain = () => sharp({ create: { width: 8, height: 8, channels: 4, background: '#3c1e5a78' } })

async function middleOf(name: string, content: Buffer): Promise<readonly number[]> {
  const { bytes, losses } = await processContent(name, content, { format: 'png' })
  expect(losses).toEqual([])
  const pixels = await sharp(bytes).raw().toBuffer()
  return [...pixels.subarray(-4)]
}

describe('colors that a file stores premultiplied by alpha', () => {
  it('are shown as they were before, in AVIF and JPEG XL', async () => {
    const avif = await plain().avif({ lossless: true }).toBuffer()
    expect(await middleOf('straight.avif', avif)).toEqual([...STORED])
    expect(await middleOf('multiplied.avif', multiplied(avif))).toEqual([...SHOWN])
    expect(await middleOf('multiplied.jxl', Buffer.from(JPEG_XL.replaceAll(' ', ''), 'hex'))).toEqual([
      ...SHOWN,
    ])
  })
})
