/** The whole command as a person runs it: a process, the real built-in service, real files. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import sharp from 'sharp'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  createBuiltInService,
  createConnection,
  createSessionKeyStore,
  spawnService,
} from '../../../src/main/connection/index.ts'
import { APP_ROLE, openCore } from '../../../src/main/core/index.ts'
import { createSettings, openSettingsFile } from '../../../src/main/settings/settings.ts'
import { schemaFields } from '../../../src/shared/preset/schema-fields.ts'
import { COMMAND, SERVICE } from '../../entries.ts'
import { jsonLines, realTiming, run, runProcess } from './command.ts'

const sample = (name: string) => resolve(import.meta.dirname, '../../../assets/samples', name)
let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-cli-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const env = () => ({ MEDIATRAY_DATA_DIR: join(folder, 'data') })

test('without a named service, photos and a video go through the built-in one, and it ends with the command', async () => {
  const files = ['dawn-upright.jpg', 'flower-on-nothing.png', 'sunrise.mp4'].map(sample)
  const { code, stdout } = await runProcess(['submit', ...files, '--preset', 'Web 720p', '--json'], {
    env: env(),
    cwd: folder,
  })
  expect(code).toBe(0)
  const events = jsonLines(stdout)
  expect(events[0]).toMatchObject({ event: 'service', kind: 'builtIn' })
  expect(events.at(-1)).toMatchObject({ event: 'finished', outcome: { kind: 'done', results: 3 } })
  const results = await readdir(join(folder, 'mediatray-output'))
  expect(results.toSorted()).toEqual([
    'dawn-upright-web-720p.jpg',
    'flower-on-nothing-web-720p.jpg',
    'sunrise-web-720p.mp4',
  ])
  const { width, height } = await sharp(
    join(folder, 'mediatray-output', 'dawn-upright-web-720p.jpg'),
  ).metadata()
  expect([width, height]).toEqual([540, 720])
  await expect(fetch(`${String(events[0]?.['baseUrl'])}/health`)).rejects.toThrow()
})

test('with --upload the files are sent and the results fetched, and a broken one is told by name', async () => {
  const broken = join(folder, 'bröken.jpg')
  await writeFile(broken, 'this is no photo')
  const argv = [
    'submit',
    sample('mountain-lake.webp'),
    broken,
    '--upload',
    '--separate',
    '--output',
    'fetched',
  ]
  const { code, stdout, stderr } = await runProcess(argv, { env: env(), cwd: folder })
  expect(code).toBe(3)
  expect(stdout + stderr).toContain('bröken.jpg')
  expect(await readdir(join(folder, 'fetched'))).toEqual(['mountain-lake-basic.webp'])
})

test('what a preset of the built-in service does is said, before the service has ever run and after it was changed', async () => {
  const ask = async (...args: string[]) => {
    const { code, stdout, stderr } = await runProcess(['presets', ...args], { env: env(), cwd: folder })
    return { code, stdout, stderr }
  }
  expect(JSON.parse((await ask('Web 2048')).stdout)).toMatchObject({
    name: 'Web 2048',
    image: { quality: 82 },
  })
  const own = join(folder, 'data', 'service', 'presets')
  await mkdir(own, { recursive: true })
  await writeFile(join(own, 'web.json'), '{ "name": "Mine", "image": { "quality": 7 } }')
  expect(JSON.parse((await ask('Mine')).stdout)).toEqual({ name: 'Mine', image: { quality: 7 } })
  const missing = await ask('Web 2048')
  expect([missing.code, missing.stdout + missing.stderr]).toEqual([
    4,
    expect.stringContaining('no preset “Web 2048”'),
  ])
})

test('what a preset may hold is said in full', async () => {
  const { code, stdout } = await runProcess(['presets', '--fields', '--json'], { env: env(), cwd: folder })
  const [said] = jsonLines(stdout)
  expect(code).toBe(0)
  expect(said).toMatchObject({
    event: 'presetFields',
    fields: [...schemaFields().keys()].map((path) => ({ path })),
  })
  const words = await runProcess(['presets', '--fields'], { env: env(), cwd: folder })
  expect(words.stdout).toMatch(/^image\.look +identical, high, medium, low, a whole number from 30 to 100$/m)
  expect(words.stdout).toMatch(/^image\.rotate +0, 90, 180, 270 \(0\)$/m)
})

test('presets of the built-in service are listed without anything left behind', async () => {
  const { code, stdout } = await runProcess(['presets'], { env: env(), cwd: folder })
  expect(code).toBe(0)
  expect(stdout).toContain('Web 1080p')
})

test('a preset that can’t be understood is said, and left as it is', async () => {
  const presets = join(folder, 'data', 'service', 'presets')
  await mkdir(presets, { recursive: true })
  await writeFile(join(presets, 'mine.json'), '{ "name": "Mine", ')
  const { code, stdout, stderr } = await runProcess(['presets'], { env: env(), cwd: folder })
  expect(code).toBe(8)
  expect(stdout + stderr).toMatch(/The preset “mine[^”]*” in .*presets can’t be used/)
  expect(await readFile(join(presets, 'mine.json'), 'utf8')).toBe('{ "name": "Mine", ')
})

test('a built-in service that cannot start is said, with its own words, and ends with 5', async () => {
  const entry = join(folder, 'broken-service.ts')
  await writeFile(entry, 'console.error("no disk today"); process.exit(1)')
  const { code, stderr } = await run(['jobs'], {
    builtInEntry: entry,
    timing: realTiming,
    env: { ...process.env, ...env() },
  })
  expect(code).toBe(5)
  expect(stderr).toContain('no disk today')
})

test('a command that is killed takes its built-in service with it', async () => {
  const argv = ['submit', sample('sunrise.mp4'), '--count', '40', '--json']
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', COMMAND, ...argv], {
    cwd: folder,
    env: { ...process.env, ...env() },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [first] = await once(child.stdout, 'data')
  const health = `${String(jsonLines(String(first))[0]?.['baseUrl'])}/health`
  expect((await fetch(health)).status).toBe(200)
  child.kill('SIGKILL')
  const answers = () =>
    fetch(health).then(
      () => true,
      () => false,
    )
  await expect.poll(answers).toBe(false)
})

test('while the app is running with its built-in service, no second one is started', async () => {
  const data = join(folder, 'data')
  const settings = createSettings(openSettingsFile(join(data, 'settings.json')))
  settings.update({ connection: 'builtIn' })
  const keyStore = createSessionKeyStore()
  const builtIn = createBuiltInService({
    spawn: spawnService(process.execPath, SERVICE, ['--disable-warning=ExperimentalWarning']),
    dataDir: join(data, 'service'),
    keyStore,
    timing: realTiming,
    preferredPort: 0,
  })
  const app = openCore({
    role: APP_ROLE,
    dataDir: data,
    settings,
    connection: createConnection({ settings, keyStore, builtIn, timing: realTiming }),
    defaultOutput: folder,
    newId: () => 'unused',
    timing: realTiming,
    log: () => undefined,
  })
  try {
    const { code, stdout } = await run(['submit', sample('dawn-upright.jpg'), '--wait'], {
      builtInEntry: '/nowhere/main.ts',
      timing: realTiming,
      env: env(),
      cwd: folder,
    })
    expect(stdout).toContain('dawn-upright-basic.jpg')
    expect(code).toBe(0)
    expect(app.history.page({}, { offset: 0, limit: 9 })).toMatchObject({
      total: 1,
      records: [{ outcome: { kind: 'done' } }],
    })
  } finally {
    await app.close()
  }
})
