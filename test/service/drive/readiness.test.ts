/** What `GET /drive/status` reports, and when it queries the drive. */
import type { Failure } from '../../../src/shared/failure/failure.ts'
import { inEnglish } from '../../../src/shared/i18n/in-english.ts'
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { createRcloneDrive, type Drive } from '../../../src/service/drive/index.ts'
import { DRIVE_TIMING } from '../../../src/service/drive/rclone-drive.ts'
import type { DriveChoice } from '../../../src/node/rclone/index.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'
import { type Gate, openGate } from './gate.ts'
import { type Remotes, startRemotes } from './remotes.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

/** Matches a failure whose English text contains these words. */
const says = (words: string) =>
  expect.toSatisfy((failed: Failure) => inEnglish(failed).includes(words), `a failure with “${words}”`)

let remotes: Remotes
let gate: Gate
let dataDir: string
let drive: Drive | undefined
let clock = 0
let logged: string[] = []

beforeAll(async () => {
  remotes = await startRemotes()
  gate = await openGate(remotes.davPort)
  await remotes.add('gated', { type: 'webdav', url: gate.url, vendor: 'other' })
  await remotes.add('google', { type: 'drive', scope: 'drive.readonly', token: '{"access_token":"t0ken"}' })
})
afterAll(async () => {
  await gate.close()
  await remotes.stop()
})
beforeEach(() => {
  dataDir = temporaryFolder()
  clock = 1_000_000
  logged = []
  gate.rule(() => 'pass')
})
afterEach(() => drive?.close())

function openDrive(override: DriveChoice = {}, env: Record<string, string> = {}, patience = 60_000): Drive {
  drive = createRcloneDrive({
    dataDir,
    override,
    env: { PATH: process.env['PATH'], HOME: dataDir, RCLONE_CONFIG: remotes.config, ...env },
    platform: process.platform,
    now: () => clock,
    log: (message) => logged.push(message),
    // The first query may wait for a slow computer, but not for a drive that never responds.
    timing: { ...DRIVE_TIMING, patience },
  })
  return drive
}

const choose = (choice: DriveChoice) => writeFile(join(dataDir, 'drive.json'), JSON.stringify(choice))
const questions = () => gate.seen.filter((line) => line.startsWith('PROPFIND')).length

it('the drive isn’t configured without a selected remote, and the message explains how to select one', async () => {
  const readiness = await openDrive().readiness()
  expect(readiness).toMatchObject({
    ready: false,
    status: { clientConfigured: false, connected: false, email: null, scope: null },
    notReady: says('mediatray-cli drive remotes'),
  })
})

it('the drive isn’t configured without rclone, even if a remote is selected', async () => {
  await choose({ remote: 'gated' })
  expect(await openDrive({}, { PATH: dataDir }).readiness()).toMatchObject({
    ready: false,
    status: { clientConfigured: false },
    notReady: says('rclone isn’t installed'),
  })
  const missing = join(dataDir, 'rclone')
  expect(await openDrive({ rclonePath: missing }).readiness()).toMatchObject({
    status: { clientConfigured: false },
    notReady: says(missing),
  })
})

it('a choice made while the service runs takes effect immediately, and so does its removal', async () => {
  const opened = openDrive()
  expect((await opened.readiness()).ready).toBe(false)
  await choose({ remote: 'gated' })
  expect(await opened.readiness()).toMatchObject({ ready: true, status: { connected: true } })
  await choose({ remote: 'disk' })
  expect((await opened.readiness()).ready).toBe(true)
  await choose({ remote: 'missing' })
  expect(await opened.readiness()).toMatchObject({
    status: { clientConfigured: false },
    notReady: says('missing'),
  })
  await rm(join(dataDir, 'drive.json'))
  expect((await opened.readiness()).status.clientConfigured).toBe(false)
})

itInLongSuite(
  'the status comes from a cache: many queries share one request to the drive, and a refresh runs in the background',
  async () => {
    const opened = openDrive({ remote: 'gated' })
    const before = questions()
    await Promise.all(Array.from({ length: 20 }, () => opened.readiness()))
    const first = questions() - before
    expect(first).toBeGreaterThan(0)
    for (let count = 0; count < 20; count++) await opened.readiness()
    expect(questions() - before).toBe(first)

    gate.rule((method) => (method === 'PROPFIND' ? 'hold' : 'pass'))
    clock += DRIVE_TIMING.fresh
    expect((await opened.readiness()).ready).toBe(true)
    await gate.held()
    gate.rule(() => 'cut')
    while ((await opened.readiness()).ready) await new Promise((done) => setTimeout(done, 20))
    expect(await opened.readiness()).toMatchObject({
      status: { clientConfigured: true, connected: false },
      notReady: says('couldn’t be reached'),
    })
  },
)

it('a drive that never responds doesn’t block the status, which is not connected without a response', async () => {
  gate.rule((method) => (method === 'PROPFIND' ? 'hold' : 'pass'))
  expect(await openDrive({ remote: 'gated' }, {}, 50).readiness()).toMatchObject({
    status: { clientConfigured: true, connected: false },
    notReady: says('hasn’t responded yet'),
  })
})

itInLongSuite(
  'an account that may not list the root is connected; one whose sign-in is rejected isn’t',
  async () => {
    gate.rule(() => ({ status: 403, body: 'Forbidden' }))
    expect((await openDrive({ remote: 'gated' }).readiness()).status.connected).toBe(true)
    gate.rule(() => ({ status: 401, body: 'Unauthorized' }))
    expect(await openDrive({ remote: 'gated' }).readiness()).toMatchObject({
      status: { connected: false },
      notReady: says('sign-in'),
    })
  },
)

/** An rclone that responds like the Google back-end, which isn't available without a network. */
async function scriptedRclone(): Promise<string> {
  const folder = join(dataDir, 'bin')
  await mkdir(folder)
  const program = join(folder, 'rclone')
  await writeFile(
    program,
    `#!/bin/sh
env > '${dataDir}/env'
echo "$@" >> '${dataDir}/asked'
case "$1 $2" in
  'listremotes '*) echo 'google: drive' ;;
  'config userinfo') echo '{"name":"Ada","email":"ada@example.com"}' ;;
  'config dump') echo '{"google":{"type":"drive","scope":"drive.readonly","token":"t0ken"}}' ;;
  *) echo '[]' ;;
esac
`,
  )
  await chmod(program, 0o755)
  return program
}

it('the account’s address and scope are reported if available, and rclone receives only the variables that it needs', async () => {
  const opened = openDrive(
    { remote: 'google', rclonePath: await scriptedRclone() },
    {
      RCLONE_CONFIG_PASS: 'word',
      RCLONE_DRIVE_TRASHED_ONLY: 'true',
      MEDIATRAY_API_KEY: 'key',
      AWS_SECRET: 's',
    },
  )
  while ((await opened.readiness()).status.email === null) await new Promise((done) => setTimeout(done, 20))
  const readiness = await opened.readiness()
  expect(readiness.status).toEqual({
    clientConfigured: true,
    connected: true,
    email: 'ada@example.com',
    scope: 'drive.readonly',
  })
  if (!readiness.ready) throw new Error('not ready')
  expect(readiness.open('a/path')).toMatchObject({ ok: false })
  const opening = readiness.open('-1AbC_d')
  if (!opening.ok) throw new Error(opening.problem.code)
  await opening.folder.list(new AbortController().signal)
  const asked = (await readFile(join(dataDir, 'asked'), 'utf8')).trim().split('\n')
  expect(asked.at(-1)).toMatch(/^lsjson .*--drive-root-folder-id=-1AbC_d .*-- google:$/)
  const environment = await readFile(join(dataDir, 'env'), 'utf8')
  expect(environment).toContain('RCLONE_CONFIG_PASS=word')
  expect(environment).not.toMatch(/TRASHED|API_KEY|AWS/)
  expect(logged.join('\n')).not.toMatch(/t0ken|word/)
})

it('the drive isn’t configured if the configuration’s password is missing, and that reason is reported', async () => {
  const locked = join(dataDir, 'locked.conf')
  await writeFile(locked, `# Encrypted rclone configuration File\n\nRCLONE_ENCRYPT_V0:\n${'A'.repeat(160)}\n`)
  expect(await openDrive({ remote: 'gated' }, { RCLONE_CONFIG: locked }).readiness()).toMatchObject({
    status: { clientConfigured: false },
    notReady: says('RCLONE_CONFIG_PASS'),
  })
})
