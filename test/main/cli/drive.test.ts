/** The commands for the cloud drive, with a real rclone. Also checks that the service can read the settings that they write. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRcloneDrive } from '../../../src/service/drive/index.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'
import { type Remotes, startRemotes } from '../../service/drive/remotes.ts'
import { run, temporaryFolder } from './command.ts'

let remotes: Remotes
beforeAll(async () => {
  remotes = await startRemotes()
})
afterAll(() => remotes.stop())

const environment = () => {
  const dataDir = temporaryFolder()
  const env = {
    PATH: process.env['PATH'],
    HOME: dataDir,
    RCLONE_CONFIG: remotes.config,
    MEDIATRAY_DATA_DIR: dataDir,
  }
  return { dataDir, env, choice: join(dataDir, 'service', 'drive.json') }
}

it('lists rclone’s remotes, chooses one for the service, and shows whether it responds', async () => {
  const { dataDir, env, choice } = environment()
  const before = await run(['--json', 'drive', 'remotes'], { env })
  expect(before).toMatchObject({ code: 0 })
  expect(before.events).toEqual([
    {
      event: 'driveSetup',
      rclone: { found: true, version: expect.stringMatching(/^\d+\./) },
      remotes: [
        { name: 'dav', type: 'webdav' },
        { name: 'disk', type: 'alias' },
      ],
      chosen: null,
    },
  ])
  expect(await run(['drive', 'status'], { env })).toMatchObject({ code: 4 })

  expect(await run(['drive', 'use', 'dav:'], { env })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('now uses dav'),
  })
  expect((await stat(choice)).mode & 0o777).toBe(0o600)
  expect((await run(['drive', 'remotes'], { env })).stdout).toContain('* dav  webdav')
  expect(await run(['drive', 'status'], { env })).toMatchObject({ code: 0, stdout: 'dav is connected.\n' })

  const drive = createRcloneDrive({
    dataDir: join(dataDir, 'service'),
    override: {},
    env,
    platform: process.platform,
    now: () => Date.now(),
    log: () => {},
  })
  while (!(await drive.readiness()).ready) await new Promise((done) => setTimeout(done, 50))
  await run(['drive', 'use', '--none'], { env })
  expect((await drive.readiness()).status.clientConfigured).toBe(false)
  await drive.close()
})

itInLongSuite('refuses a name that rclone does not have, and keeps the choice', async () => {
  const { env, choice } = environment()
  await run(['drive', 'use', 'disk'], { env })
  for (const name of ['missing', ':local:', '--config=x']) {
    const { code, stderr } = await run(['drive', 'use', '--', name], { env })
    expect({ name, code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining('no remote') })
  }
  expect(JSON.parse(await readFile(choice, 'utf8'))).toEqual({ remote: 'disk' })
})

it('explains what to do if rclone is missing', async () => {
  const { dataDir, env } = environment()
  const result = await run(['drive', 'remotes'], { env: { ...env, PATH: dataDir } })
  expect(result).toMatchObject({ code: 4, stderr: expect.stringContaining('rclone.org/install') })
})

it.each([[['drive', 'use']], [['drive', 'use', 'x', '--none']], [['drive', 'dance']]])(
  '%j is wrong usage',
  async (argv) => {
    expect((await run(argv)).code).toBe(2)
  },
)
