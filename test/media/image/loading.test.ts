import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { ImageRecipe } from '../../../src/shared/preset/preset.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const run = promisify(execFile)

test('processing a JPEG loads no decoder that it doesn’t need, nor the checks of presets', async () => {
  // In a separate process, so that modules loaded by other tests don't count.
  const program = join(import.meta.dirname, 'modules-of-a-photo.ts')
  const recipe = JSON.stringify(ImageRecipe.parse({}))
  const { stdout } = await run(process.execPath, [program, temporaryFolder(), recipe])
  const loaded = z.array(z.string()).parse(JSON.parse(stdout))
  const isLoaded = (name: string): boolean => loaded.some((url) => url.includes(`/node_modules/${name}/`))
  expect(loaded.some((url) => url.endsWith('/process-image.ts'))).toBe(true)
  expect(['libheif-js', 'node-av', 'zod'].filter(isLoaded)).toEqual([])
})
