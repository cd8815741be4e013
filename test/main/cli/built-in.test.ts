/** The whole command as a user runs it: a process, the real built-in service, real files. */
import { once } from 'node:events'
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import sharp from 'sharp'
import { beforeEach, expect, test } from 'vitest'
import { ownerInApp } from '../../../src/main/cli/index.ts'
import { createSettings, openSettingsFile } from '../../../src/main/settings/settings.ts'
import { schemaFields } from '../../../src/shared/preset/schema-fields.ts'
import { openTestApp } from '../core/open-core.ts'
import {
  commandFolder,
  jsonLines,
  killOwner,
  killService,
  ownerOf,
  type ProcessOptions,
  realTiming,
  run,
  runHere,
  runProcess,
  startCommand,
  temporaryFolder,
} from './command.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

const sample = (name: string) => resolve(import.meta.dirname, '../../../assets/samples', name)
let folder = ''
let held: ProcessOptions
beforeEach(() => void ({ folder, held } = commandFolder()))
const command = (...argv: readonly string[]) => runProcess(argv, held)
const shown = (name: string) => runHere(['presets', name], held)

test('without --base-url, the built-in service processes photos and a video, and ends with the command', async () => {
  const files = ['dawn-upright.jpg', 'flower-on-nothing.png', 'sunrise.mp4'].map(sample)
  const { code, stdout } = await command('submit', ...files, '--preset', 'Web 720p', '--json')
  expect(code).toBe(0)
  // On a busy machine, the service can take so long to start that the command explains the wait.
  const events = jsonLines(stdout).filter(({ event }) => event !== 'waiting' && event !== 'foreseen')
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
  const isThere = () =>
    fetch(`${String(events[0]?.['baseUrl'])}/health`).then(
      () => true,
      () => false,
    )
  // The owner ends it while the command exits.
  await expect.poll(isThere, { timeout: 10_000 }).toBe(false)
})

itInLongSuite('a result has the score that the search for a visual quality has measured', async () => {
  const { code, stdout } = await command(
    'submit',
    sample('dawn-upright.jpg'),
    '--preset',
    'Make smaller',
    '--json',
  )
  expect(code).toBe(0)
  const quality = { score: expect.any(Number), isSampled: expect.any(Boolean) }
  expect(jsonLines(stdout).at(-1)).toMatchObject({ event: 'finished', results: [{ quality }] })
})

/** Returns what the service notes about the results that it has placed. */
async function notesIn(placed: string): Promise<string> {
  const names = await readdir(placed).catch(() => [])
  const texts = await Promise.all(names.map((name) => readFile(join(placed, name), 'utf8').catch(() => '')))
  return texts.join('')
}

itInLongSuite(
  'an original is kept if the quality of its result would be below the preset’s limit',
  async () => {
    const photo = join(folder, 'dawn.jpg')
    await sharp(sample('dawn-upright.jpg')).resize(240).toFile(photo)
    const settings = [
      '--format',
      'webp',
      '--quality',
      '5',
      '--metadata',
      'keep',
      '--set',
      'results.keepBelowQuality=95',
    ]
    const submitting = command('submit', photo, ...settings, '--json')
    // If the service is killed, --replace still leaves the original alone. The note is deleted once the job is recorded.
    await expect
      .poll(() => notesIn(join(folder, 'data', 'service', 'placed')), { interval: 5 })
      .toMatch(/"quality":\{"score":\d+,.*"below":95\}/)
    const { code, stdout } = await submitting
    expect(code).toBe(0)
    expect(jsonLines(stdout).at(-1)).toMatchObject({
      event: 'finished',
      results: [{ quality: { score: expect.any(Number), below: 95 } }],
      notes: [{ note: 'quality-too-low', results: 1 }],
    })
    const output = join(folder, 'mediatray-output')
    const [name = ''] = await readdir(output)
    expect(name).toMatch(/\.jpg$/)
    expect(await readFile(join(output, name))).toEqual(await readFile(photo))
  },
)

test('with --upload, files are sent and results downloaded, and a damaged file is reported by name', async () => {
  const broken = join(folder, 'bröken.jpg')
  await writeFile(broken, 'not a photo')
  const argv = [
    'submit',
    sample('mountain-lake.webp'),
    broken,
    '--upload',
    '--separate',
    '--output',
    'fetched',
  ]
  const { code, stdout, stderr } = await runHere(argv, held)
  expect(code).toBe(3)
  expect(stdout + stderr).toContain('bröken.jpg')
  expect(await readdir(join(folder, 'fetched'))).toEqual(['mountain-lake-basic.webp'])
})

itInLongSuite.runIf(process.platform === 'linux')(
  'a service killed while jobs are running is not reported as failing to start, and unprocessed files are kept in the outbox',
  async () => {
    const files = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const file = join(folder, `photo-${n}.jpg`)
        await copyFile(sample('dawn-upright.jpg'), file)
        return file
      }),
    )
    const results = join(folder, 'results')
    const child = startCommand(['submit', ...files, '--output', results, '--json'], held)
    const ended = once(child, 'close')
    const said = text(child.stdout)
    const made = () =>
      readdir(results).then(
        (names) => names.filter((name) => !name.startsWith('.')).length,
        () => 0,
      )
    await expect.poll(made, { interval: 5, timeout: 20_000 }).toBeGreaterThan(2)
    const host = await ownerOf(join(folder, 'data'))
    const children = await readFile(`/proc/${host}/task/${host}/children`, 'utf8')
    const [service, ...others] = children.trim().split(' ')
    expect(others).toEqual([])
    process.kill(Number(service), 'SIGKILL')
    expect((await ended)[0]).toBe(5)
    const events = jsonLines(await said)
    expect(events).toContainEqual({
      event: 'notice',
      message:
        'The built-in service stopped unexpectedly: signal SIGKILL. “history” lists the results that it had saved.',
    })
    const kept = events.find(({ event }) => event === 'kept')
    expect(kept).toHaveProperty('inputs.files.length', files.length - (await made()))
    // The finished files and the others are one job.
    expect(events.at(-1)).toMatchObject({ event: 'group' })
  },
)

test('shows the settings of default presets before the service has ever run, and then those of the presets in its folder', async () => {
  expect(JSON.parse((await shown('Web 2048')).stdout)).toMatchObject({
    name: 'Web 2048',
    image: { quality: 82 },
  })
  const own = join(folder, 'data', 'service', 'presets')
  await mkdir(own, { recursive: true })
  await writeFile(join(own, 'web.json'), '{ "name": "Mine", "image": { "quality": 7 } }')
  expect(JSON.parse((await shown('Mine')).stdout)).toEqual({
    name: 'Mine',
    image: { quality: 7 },
  })
  const missing = await shown('Web 2048')
  expect([missing.code, missing.stdout + missing.stderr]).toEqual([
    4,
    expect.stringContaining('no preset named “Web 2048”'),
  ])
})

test('lists all preset fields', async () => {
  const { code, stdout } = await run(['presets', '--fields', '--json'], held)
  const [said] = jsonLines(stdout)
  expect(code).toBe(0)
  expect(said).toMatchObject({
    event: 'presetFields',
    fields: [...schemaFields().keys()].map((path) => ({ path })),
  })
  const words = await run(['presets', '--fields'], held)
  expect(words.stdout).toMatch(/^image\.look +identical, high, medium, low, a whole number from 30 to 100$/m)
  expect(words.stdout).toMatch(/^image\.rotate +0, 90, 180, 270 \(0\)$/m)
})

itInLongSuite('reports an unreadable preset, and leaves it unchanged', async () => {
  const presets = join(folder, 'data', 'service', 'presets')
  await mkdir(presets, { recursive: true })
  await writeFile(join(presets, 'mine.json'), '{ "name": "Mine", ')
  const { code, stdout, stderr } = await command('presets')
  expect(code).toBe(8)
  expect(stdout + stderr).toMatch(/The preset “mine[^”]*” in .*presets can’t be used/)
  expect(await readFile(join(presets, 'mine.json'), 'utf8')).toBe('{ "name": "Mine", ')
})

test('a built-in service that can’t start is reported, with its own message, and exits with 5', async () => {
  const entry = join(folder, 'broken-service.ts')
  await writeFile(entry, 'console.error("no disk today"); process.exit(1)')
  const { code, stderr } = await run(['jobs'], {
    builtInEntry: entry,
    timing: realTiming,
    env: { ...process.env, ...held.env },
  })
  expect(code).toBe(5)
  expect(stderr).toContain('no disk today')
})

itInLongSuite('the built-in service continues when its command and its owner are killed', async () => {
  const child = startCommand(['submit', sample('sunrise.mp4'), '--count', '40', '--json'], held)
  let said = ''
  child.stdout.on('data', (text: string) => (said += text))
  const baseUrl = () => /"event":"service".*"baseUrl":"([^"]+)"/.exec(said)?.[1]
  await expect.poll(baseUrl, { timeout: 60_000 }).toBeDefined()
  const health = `${baseUrl()}/health`
  expect((await fetch(health)).status).toBe(200)
  child.kill('SIGKILL')
  await once(child, 'close')
  expect((await fetch(health)).status).toBe(200)
  await killOwner(join(folder, 'data'))
  expect((await fetch(health)).status).toBe(200)
  killService(join(folder, 'data'))
})

itInLongSuite('doesn’t start a second built-in service while the app is running its own', async () => {
  const data = join(folder, 'data')
  createSettings(openSettingsFile(join(data, 'settings.json'))).update({ connection: 'builtIn' })
  const { core: app, ...parts } = openTestApp(data)
  try {
    const { code, stdout } = await run(['submit', sample('dawn-upright.jpg'), '--wait'], {
      owner: ownerInApp(app, parts),
      builtInEntry: '/nowhere/main.ts',
      timing: realTiming,
      ...held,
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

test('a command that is stopped before it sends says how to send later', async () => {
  const folder = temporaryFolder()
  const silent = join(folder, 'silent.mjs')
  await writeFile(silent, 'process.stdin.resume()')
  const stopping = new AbortController()
  const argv = ['submit', sample('dawn-upright.jpg'), '--output', join(folder, 'out')]
  const { code, stderr } = await run(argv, {
    builtInEntry: silent,
    interrupted: stopping.signal,
    // On a slow computer, the command first reports that it is searching for files.
    onWrite: (text) => void (text.includes('Waiting for the built-in service to start.') && stopping.abort()),
  })
  expect(stderr).toContain('kept in the outbox: dawn-upright.jpg. Run “outbox send” to send it.')
  expect(code).toBe(130)
})
