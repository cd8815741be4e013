/** An owner and a service whose program files are deleted while they run. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, cpSync, mkdirSync, renameSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { resultsIn, SAMPLE } from '../faults/photo-folders.ts'
import { environmentForNode, killOwner, temporaryFolder } from '../main/cli/command.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** A copy of the program, which can be deleted and restored. */
function installation() {
  const folder = temporaryFolder()
  const [program, data] = [join(folder, 'program'), join(folder, 'data')]
  mkdirSync(join(program, 'dist'), { recursive: true })
  for (const name of ['package.json', 'dist/built.json', 'src'])
    cpSync(join(ROOT, name), join(program, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(program, 'node_modules'))
  const options = {
    cwd: folder,
    env: { ...environmentForNode(), HOME: folder, MEDIATRAY_DATA_DIR: data, MEDIATRAY_API_KEY: 'key' },
  }
  onTestFinished(() => killOwner(data))
  return {
    folder,
    run: async (...argv: readonly string[]) => {
      const script = join(program, 'src/client/mediatray.ts')
      const child = spawn(process.execPath, [script, ...argv], options)
      const [stdout, stderr] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ])
      return { code: child.exitCode, output: stdout + stderr }
    },
    /** @returns a function that installs it again */
    remove: (part: string) => {
      const removed = join(program, 'removed')
      renameSync(join(program, part), removed)
      return () => cpSync(removed, join(program, part), { recursive: true })
    },
  }
}

test('photos wait for the next command if a running job can’t load the rest of the program, and none counts as failed', async ({
  skip,
}) => {
  skip(process.platform === 'win32')
  const { folder, run, remove } = installation()
  const folders = Array.from({ length: 6 }, (_, n) => join(folder, `photos-${n}`))
  for (const one of folders) {
    mkdirSync(one)
    for (let n = 0; n < 5; n++) copyFileSync(SAMPLE, join(one, `${n}.jpg`))
  }
  const results = () => folders.flatMap((one) => resultsIn(join(one, 'web')))
  const ran = run('submit', ...folders, '--beside', 'web', '--preset', 'Thumbnail')
  await expect.poll(() => results().length, { interval: 5, timeout: 60_000 }).toBeGreaterThan(0)
  // Another folder needs another worker.
  const restore = remove('src')
  const { code, output } = await ran
  expect(output).not.toContain('crashed')
  expect(code).toBe(5)
  restore()
  expect(await run('outbox', 'send')).toMatchObject({ code: 0 })
  expect(results()).toHaveLength(30)
})

test.skipIf(process.platform === 'win32')(
  'a command that the owner can no longer load says that the program was updated or removed',
  async () => {
    const { run, remove } = installation()
    remove('src/main/conformance')
    const { code, output } = await run('check-service', '--base-url', 'http://127.0.0.1:9/api')
    expect([code, output]).toEqual([4, expect.stringContaining('updated or removed')])
  },
)
