import { once } from 'node:events'
import { appendFile, copyFile, mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import type { DoneFile } from '../../../src/shared/model/done-files.ts'
import { jsonLines, keepOwner, realTiming, run, runHere, startCommand, temporaryFolder } from './command.ts'
import { KEY, type Reading, scriptedService, type ScriptedService } from './scripted-service.ts'
import { describeInLongSuite, itInLongSuite } from '../../faults/long-suite.ts'

const SAMPLE = resolve(import.meta.dirname, '../../../assets/samples/dawn-upright.jpg')

test('a second command skips what the first one has done, without starting the service', async () => {
  const folder = temporaryFolder()
  const data = join(folder, 'data')
  const photo = join(folder, 'a.jpg')
  await copyFile(SAMPLE, photo)
  const longAgo = new Date('2024-05-01T10:00:00Z')
  await utimes(photo, longAgo, longAgo)
  const run = (...args: string[]) =>
    runHere(['--json', ...args], { env: { MEDIATRAY_DATA_DIR: data }, cwd: folder })
  const submit = (...flags: string[]) => run('submit', photo, '--preset', 'Thumbnail', ...flags)

  expect((await submit('--skip-done')).code).toBe(0)
  const second = await submit('--skip-done')
  expect(second.code).toBe(0)
  expect(jsonLines(second.stdout)).toMatchObject([
    { event: 'skipped', files: [{ path: photo, isDone: true, presets: ['Thumbnail'] }], left: 0 },
  ])
  const again = jsonLines((await submit('--again')).stdout)
  expect(again.at(-1)).toMatchObject({ event: 'finished', outcome: { kind: 'done' } })
  expect((await submit('--again', '--skip-done')).code).toBe(2)

  const [stats] = jsonLines((await run('stats')).stdout)
  expect(stats).toMatchObject({ event: 'stats', files: 2, saved: { files: 2 } })
})

const LONG_AGO = new Date('2024-05-01T10:00:00Z')
const NOWHERE = 'http://127.0.0.1:1/api'

/** A data folder and distinct photos for this test. */
async function place(count: number) {
  const folder = temporaryFolder()
  const input = join(folder, 'in')
  await mkdir(input)
  const photos = Array.from({ length: count }, (_, n) => join(input, `photo-${n}.jpg`))
  for (const [n, photo] of photos.entries()) {
    await sharp(SAMPLE).resize(400).toFile(photo)
    await appendFile(photo, String(n))
    await utimes(photo, LONG_AGO, LONG_AGO)
  }
  const env = { MEDIATRAY_DATA_DIR: join(folder, 'data'), MEDIATRAY_API_KEY: KEY }
  return { folder, input, photos, output: join(folder, 'out'), env }
}
type Place = Awaited<ReturnType<typeof place>>

const submitting = ({ photos, output }: Place, ...more: readonly string[]) =>
  ['submit', ...photos, '--preset', 'Web', '--output', output, '--skip-done', '--json'].concat(more)

const at = ({ baseUrl }: Pick<ScriptedService, 'baseUrl'>) => ['--base-url', baseUrl]

/** Runs a command against a service. @returns what it reported as skipped, and its exit code */
async function skippedBy({ env }: Place, argv: readonly string[]) {
  const { events, code } = await run(argv, { env, timing: realTiming })
  const skipped = events.find(({ event }) => event === 'skipped')
  return { code, left: skipped?.['left'], files: (skipped?.['files'] ?? []) as readonly DoneFile[] }
}

const inputsOf = ({ created }: ScriptedService): readonly string[] =>
  created.flatMap(({ filePath, files }) => (files ?? [filePath]) as readonly string[])

describeInLongSuite('a file that a killed command had submitted', () => {
  itInLongSuite('to the built-in service is done or in progress, and is made once', async () => {
    const here = await place(16)
    const { env, folder, output, photos } = here
    const argv = ['submit', ...photos, '--preset', 'Thumbnail', '--output', output, '--skip-done', '--json']
    const child = startCommand(argv, { env, cwd: folder })
    let said = ''
    child.stdout.on('data', (text: string) => (said += text))
    const made = () =>
      readdir(output).then(
        (names) => names.filter((name) => !name.startsWith('.')).length,
        () => 0,
      )
    await expect.poll(made, { interval: 5, timeout: 90_000 }).toBeGreaterThan(2)
    child.kill('SIGKILL')
    await once(child, 'close')
    const health = `${/"event":"service".*"baseUrl":"([^"]+)"/.exec(said)?.[1]}/health`
    const isServiceAlive = () => fetch(health).then(Boolean, () => false)
    await expect.poll(isServiceAlive, { timeout: 60_000 }).toBe(false)
    const { stdout } = await runHere(argv, { env, cwd: folder })
    const events = jsonLines(stdout)
    expect(events).toMatchObject([{ event: 'skipped', left: 0 }])
    const files = events[0]?.['files'] as readonly DoneFile[]
    expect(files.filter(({ isDone, isPending }) => isDone || isPending === true)).toHaveLength(photos.length)
    expect(files.filter(({ isDone }) => isDone).length).toBeLessThanOrEqual(await made())
    await runHere(['outbox', 'send'], { env, cwd: folder })
    expect(await made()).toBe(photos.length)
    expect(jsonLines((await runHere(argv, { env, cwd: folder })).stdout)).toMatchObject([
      { event: 'skipped', left: 0, files: photos.map((path) => ({ path, isDone: true })) },
    ])
  })

  test('to another service is in progress until its job ends, and is then done', async () => {
    const here = await place(1)
    const { env, folder, output, photos } = here
    let reading: Reading = { status: 'processing' }
    const service = await scriptedService({ reading: () => reading })
    const child = startCommand(submitting(here, '--wait', ...at(service)), { env, cwd: folder })
    let said = ''
    child.stdout.on('data', (text: string) => (said += text))
    await expect.poll(() => said, { timeout: 60_000 }).toContain('"event":"accepted"')
    child.kill('SIGKILL')
    await once(child, 'close')

    const again = submitting(here, ...at(service))
    const pending = { path: photos[0], isDone: false, isPending: true, pending: ['Web'] }
    expect(await skippedBy(here, again)).toMatchObject({ code: 0, left: 0, files: [pending] })
    const { stderr } = await run(
      again.filter((one) => one !== '--json'),
      { env, timing: realTiming },
    )
    expect(stderr).toContain('Skipped 1 file already in progress.')

    await mkdir(output)
    await copyFile(SAMPLE, join(output, 'photo-0.jpg'))
    reading = { status: 'completed', result: { outputPath: join(output, 'photo-0.jpg') } }
    // The owner asks for the job's state now and then.
    await expect
      .poll(() => skippedBy(here, again), { timeout: 60_000 })
      .toMatchObject({ left: 0, files: [{ path: photos[0], isDone: true }] })
    expect(inputsOf(service)).toEqual(photos)
  })
})

describe('a file that waits in the outbox', () => {
  test('is in progress for the service that it waits for, and only with the same preset', async () => {
    const here = await place(1)
    const service = await scriptedService({ readings: [{ status: 'processing' }] })
    expect((await skippedBy(here, submitting(here, '--base-url', NOWHERE))).files).toEqual([])
    expect(await skippedBy(here, submitting(here, '--base-url', NOWHERE))).toMatchObject({
      code: 0,
      files: [{ isPending: true }],
    })
    const other = [...submitting(here, '--base-url', NOWHERE), '--preset', 'Video']
    expect(await skippedBy(here, other)).toMatchObject({ files: [] })
    expect(await skippedBy(here, submitting(here, ...at(service)))).toMatchObject({ files: [] })
    expect(inputsOf(service)).toEqual(here.photos)
  })

  itInLongSuite('is not in progress anymore after an edit that keeps size and dates', async () => {
    const here = await place(1)
    const [photo = ''] = here.photos
    await skippedBy(here, submitting(here, '--base-url', NOWHERE))
    const content = await readFile(photo)
    await writeFile(photo, content.fill('x', content.length - 1))
    await utimes(photo, LONG_AGO, LONG_AGO)
    expect((await skippedBy(here, submitting(here, '--base-url', NOWHERE))).files).toEqual([])
  })
})

test('of two commands that are started at once, exactly one submits each file', async () => {
  const here = await place(3)
  const service = await scriptedService({ readings: [{ status: 'processing' }] })
  const both = await Promise.all([
    skippedBy(here, submitting(here, ...at(service))),
    skippedBy(here, submitting(here, ...at(service))),
  ])
  expect(inputsOf(service)).toEqual(here.photos)
  const skipped = both.flatMap(({ files }) => files)
  expect(skipped.map(({ path, isPending }) => [path, isPending])).toEqual(
    here.photos.map((path) => [path, true]),
  )
})

itInLongSuite(
  'a damaged entry or a missing table counts as not done, and doesn’t end the command',
  async () => {
    const here = await place(1)
    const service = await scriptedService({
      readings: [{ status: 'completed', result: { outputPath: join(here.output, 'photo-0.jpg') } }],
    })
    await mkdir(here.output)
    await copyFile(SAMPLE, join(here.output, 'photo-0.jpg'))
    const argv = submitting(here, '--wait', ...at(service))
    const change = (sql: string) => {
      const connection = new DatabaseSync(join(here.env.MEDIATRAY_DATA_DIR, 'history.db'))
      connection.exec(sql)
      connection.close()
    }
    await skippedBy(here, argv)
    expect(await skippedBy(here, argv)).toMatchObject({ code: 0, left: 0 })
    for (const sql of [
      `UPDATE ledger SET results = 'no JSON'`,
      `UPDATE ledger SET role = 'neither'`,
      'DROP TABLE ledger',
      'DROP TABLE content_hashes',
      'DROP TABLE ledger; DROP TABLE IF EXISTS content_hashes',
    ]) {
      change(sql)
      const { code, files } = await skippedBy(here, argv)
      expect({ sql, code, files }).toEqual({ sql, code: 0, files: sql.includes('ledger') ? [] : files })
      // The job has entered the file again, and the earlier records are still there.
      expect(await skippedBy(here, argv)).toMatchObject({ left: 0, files: [{ isDone: true }] })
    }
    expect((await run(['history', '--json', ...at(service)], { env: here.env })).events.at(-1)).toMatchObject(
      {
        total: service.created.length,
      },
    )
  },
)

describe('results of the same preset', () => {
  test('are left out of a folder, and are processed if they are named or with --again', async () => {
    const here = await place(2)
    const { env, folder, input } = here
    keepOwner({ env, cwd: folder })
    const submit = async (path: string, ...more: readonly string[]) =>
      jsonLines(
        (
          await runHere(['submit', path, '--preset', 'Thumbnail', '--beside', '--json', ...more], {
            env,
            cwd: folder,
          })
        ).stdout,
      )
    const acceptedBy = (events: Awaited<ReturnType<typeof submit>>) => {
      const accepted = events.find(({ event }) => event === 'accepted')?.['inputs'] as
        | { readonly files: readonly string[] }
        | undefined
      return accepted?.files.length
    }
    expect(acceptedBy(await submit(input))).toBe(2)
    const results = (await readdir(input)).filter((name) => !here.photos.includes(join(input, name)))
    expect(results).toHaveLength(2)

    const again = await submit(input)
    expect(again[0]).toMatchObject({ event: 'skipped', left: 2 })
    expect(again[0]?.['files']).toMatchObject(
      results.map((name) => ({ path: join(input, name), resultOf: { preset: 'Thumbnail' } })),
    )
    expect(acceptedBy(again)).toBe(2)
    expect(acceptedBy(await submit(join(input, results[0] ?? '')))).toBe(1)
    const files = (await readdir(input)).length
    expect(acceptedBy(await submit(input, '--again'))).toBe(files)
  })
})
