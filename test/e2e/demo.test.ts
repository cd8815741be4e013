import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { testInLongSuite } from './support/long-suite.ts'

const root = resolve(import.meta.dirname, '../..')

async function runDemo(env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'scripts/demo.ts'], {
    cwd: root,
    env: { ...process.env, MEDIATRAY_BUILT: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (said += text))
  }
  await once(child, 'close')
  return { said, code: child.exitCode }
}

testInLongSuite('the demo uses the app like a user, checks every result and exits with 0', async () => {
  const { said, code } = await runDemo()
  expect(said).toMatch(/All \d+ results decode/)
  expect(said).toContain('files are ready')
  expect(code).toBe(0)
  const shots = /Screenshots are in (.+)$/m.exec(said)?.[1]?.trim() ?? ''
  expect((await readdir(shots)).toSorted()).toEqual(['1-ready.png', '2-composed.png', '3-done.png'])
  await rm(dirname(shots), { recursive: true, force: true })
})

test('without Chromium, the demo says in one line how to install it', async () => {
  expect(await runDemo({ PATH: '/nowhere' })).toEqual({
    said: 'Chromium isn’t installed. On Debian: sudo apt-get install -y chromium\n',
    code: 1,
  })
})
