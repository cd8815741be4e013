import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { requireShortIndex } from '../../../src/media/video/index-size.ts'
import { fragment, fragmented, VIDEO_BOMBS } from '../../faults/media-bombs.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

const check = async (content: Buffer): Promise<unknown> => {
  const path = join(temporaryFolder(), 'a.mp4')
  await writeFile(path, content)
  return requireShortIndex(path)
}

it.each(VIDEO_BOMBS.filter(({ name }) => /^(?:samples-(?:170m|20m-x)|fragment|sizes-outside)/.test(name)))(
  'refuses a video that claims hundreds of millions of samples: $name',
  async ({ make }) => {
    await expect(check(await make())).rejects.toMatchObject({ failure: { code: 'fileDamaged' } })
  },
)

itInLongSuite('accepts a long video in many fragments', async () => {
  const one = fragment(30)
  await expect(check(fragmented(...Array.from({ length: 40_000 }, () => one)))).resolves.toMatchObject({
    indexes: [],
  })
})
