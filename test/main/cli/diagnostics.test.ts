import { mkdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openLog } from '../../../src/node/log.ts'
import { realTiming, run, temporaryFolder } from './command.ts'

it('“diagnostics” prints the report without querying a service, and without private data', async () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'logs'), { recursive: true })
  writeFileSync(
    join(folder, 'settings.json'),
    JSON.stringify({ settings: { recentOutputs: ['/home/somebody/Very private'], whenDone: 'sound' } }),
  )
  const log = openLog(join(folder, 'logs'))
  log.log('job over', { path: '/home/somebody/secret holiday.jpg', user: userInfo().username })
  log.log('odd \u009b31m and \u202egpj')
  log.close()
  const { code, stdout, stderr } = await run(['diagnostics'], {
    env: { MEDIATRAY_DATA_DIR: folder, MEDIATRAY_API_KEY: 'mt-key' },
    timing: realTiming,
  })
  expect(stderr).toBe('')
  expect(code).toBe(0)
  expect(stdout).toContain('"whenDone": "sound"')
  expect(stdout).toContain('job over')
  expect(stdout).toContain('odd �31m and �gpj')
  for (const word of ['Very private', 'secret holiday', 'mt-key', 'somebody'])
    expect(stdout).not.toContain(word)
})
