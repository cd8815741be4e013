import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../temporary-folder.ts'

/** Instead of making and processing files, creates those that the script expects. Instead of calling sharp, prints its threads. */
const NODE = `#!/bin/sh
case $4 in
  submit) ;;
  */photos) printf %s "$UV_THREADPOOL_SIZE" ;;
  *) mkdir "$4/source" "$4/videos" "$4/both"; touch "$4/source/video.mp4" ;;
esac
`

it.runIf(process.platform === 'linux')('lets sharp called directly use a thread for each core', () => {
  const resources = temporaryFolder()
  mkdirSync(join(resources, 'app.asar.unpacked'))
  writeFileSync(join(resources, 'node'), NODE, { mode: 0o755 })
  const script = join(import.meta.dirname, '../../bench/many-cores.sh')
  const table = execFileSync('sh', [script, resources, '2', '16'], { encoding: 'utf8', stdio: 'pipe' })
  const threads = [...table.matchAll(/^\| \d+ \| [\d.]+ \| (\d*) \|/gm)].map(([, count]) => count)
  expect(threads).toEqual(['2', '16'])
})
