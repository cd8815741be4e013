import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { startNode } from '../../../src/node/child-process.ts'
import { createStandby, startsService } from '../../../src/main/cli/standby-service.ts'
import { SERVICE } from '../../entries.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const place = (dataDir: string, env: NodeJS.ProcessEnv = {}) => ({
  env: { MEDIATRAY_DATA_DIR: dataDir, ...env },
  cwd: '/',
  home: '/home/user',
  platform: process.platform,
})

test.each([
  ['submit a.jpg --output out', true],
  ['--json submit a.jpg', true],
  ['submit a.jpg --output -', false],
  ['submit -', false],
  ['submit --help', false],
  ['submit a.jpg --base-url http://127.0.0.1:1/api', false],
  ['--base-url=http://127.0.0.1:1/api submit a.jpg', false],
  ['history --search submit', false],
  ['', false],
])('“%s” starts a service on standby: %s', (command, expected) => {
  expect(startsService(command.split(' '), place(temporaryFolder()))).toBe(expected)
})

test('no service is on standby if another one is used', () => {
  const dataDir = temporaryFolder()
  const argv = ['submit', 'a.jpg']
  const named = place(dataDir, { MEDIATRAY_BASE_URL: 'http://127.0.0.1:1/api' })
  expect(startsService(argv, named)).toBe(false)
  writeFileSync(join(dataDir, 'settings.json'), '{ "settings": { "connection": "external" } }')
  expect(startsService(argv, place(dataDir))).toBe(false)
  writeFileSync(join(dataDir, 'settings.json'), '{ "settings": { "connection": "builtIn" } }')
  expect(startsService(argv, place(dataDir))).toBe(true)
})

test('a service on standby starts once, when it gets its arguments', async () => {
  const standby = createStandby(SERVICE)
  if (standby === undefined) throw new Error('The process is missing')
  const args = ['--port', '0', '--data-dir', temporaryFolder(), '--exit-with-parent']
  const child = standby.take({ args, key: 'a-key' })
  if (child === undefined) throw new Error('The process is missing')
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  expect(JSON.parse(String(line))).toMatchObject({ event: 'listening' })
  expect(standby.take({ args, key: 'a-key' })).toBeUndefined()
  standby.end()
  child.terminate()
  expect(await child.ended).toMatchObject({ code: 0 })
})

test('a service on standby ends if nothing needs it', async () => {
  const standby = createStandby(SERVICE)
  standby?.end()
  expect(standby?.take({ args: [], key: 'a-key' })).toBeUndefined()
})

test('a process that the system refuses to start is not on standby', () => {
  // Node throws here, as it does without enough memory.
  expect(createStandby('\0')).toBeUndefined()
})

test('a service on standby that has ended isn’t used', async () => {
  const entry = join(temporaryFolder(), 'ends.js')
  writeFileSync(entry, '')
  await expect
    .poll(async () => {
      const standby = createStandby(entry)
      // Usually ends after the other one.
      await startNode(entry, {}).ended
      return standby?.take({ args: [], key: 'a-key' })
    })
    .toBeUndefined()
})
