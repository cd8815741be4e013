import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../temporary-folder.ts'

/** Instead of making and processing files, creates those that the script expects. Instead of calling sharp, prints its threads. */
const NODE = `#!/bin/sh
case $4 in
  submit) ;;
  */photos) printf %s "$UV_THREADPOOL_SIZE" ;;
  *) mkdir "$4/source" "$4/videos" "$4/both"; touch "$4/source/video.mp4" ;;
esac
`

/** A computer on which this process may use the processors 4 to 7 and 12 to 23. Reports those on which a command runs. */
const TASKSET = `#!/bin/sh
if [ "$1" = -cp ]; then echo "pid $2's current affinity list: 4-7,12-23"; exit; fi
echo "$2" >>"$RUN_ON"
shift 2
exec "$@"
`

const SCRIPT = join(import.meta.dirname, '../../bench/many-cores.sh')

function measure(...cores: readonly string[]) {
  const folder = temporaryFolder()
  const resources = join(folder, 'the app/resources')
  mkdirSync(join(resources, 'app.asar.unpacked'), { recursive: true })
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(resources, 'node'), NODE, { mode: 0o755 })
  writeFileSync(join(folder, 'bin/taskset'), TASKSET, { mode: 0o755 })
  const RUN_ON = join(folder, 'processors')
  const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, RUN_ON }
  const args = [SCRIPT, relative(folder, resources), ...cores]
  const table = execFileSync('sh', args, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' })
  return { table, processors: () => execFileSync('sort', ['-u', RUN_ON], { encoding: 'utf8' }).split('\n') }
}

describe.runIf(process.platform === 'linux')('the measurement of many cores', () => {
  it('runs on as many of the allowed processors, and lets sharp called directly use a thread for each', () => {
    const { table, processors } = measure('2', '6')
    const threads = [...table.matchAll(/^\| \d+ \| [\d.]+ \| (\d*) \|/gm)].map(([, count]) => count)
    expect(threads).toEqual(['2', '6'])
    expect(processors()).toEqual(expect.arrayContaining(['4,5', '4,5,6,7,12,13']))
  })

  it('refuses more cores than there are', () => {
    expect(() => measure('17')).toThrow('fewer than 17')
  })
})
