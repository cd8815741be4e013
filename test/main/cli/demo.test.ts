import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..', '..', '..')

test('the demo processes the samples for real, names where they are, and ends with 0', async () => {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'scripts/demo.ts'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  await once(child, 'close')
  expect(said).toMatch(/All \d+ results were decoded/)
  expect(child.exitCode).toBe(0)
  const folder = /They are in (.+)$/m.exec(said)?.[1]
  expect(folder).toBeDefined()
  if (folder) await rm(dirname(folder.trim()), { recursive: true, force: true })
})
