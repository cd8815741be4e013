import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { openHistory } from '../../../src/main/history/index.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { acceptance, submissionOf } from '../history/sample-records.ts'
import { jsonLines, keepOwner, runHere, temporaryFolder } from './command.ts'
import { withoutDelays } from './without-delays.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

const sample = (name: string) => resolve(import.meta.dirname, '../../../assets/samples', name)

test('an estimate matches the results, even with a default preset before the service has ever run', async () => {
  const folder = temporaryFolder()
  const options = { env: { MEDIATRAY_DATA_DIR: join(folder, 'data') }, cwd: folder }
  keepOwner(options)
  const photos = ['dawn-upright.jpg', 'flower-on-nothing.png'].map(sample)
  const said = await runHere(['estimate', ...photos, '--preset', 'Web 2048', '--json'], options)
  expect([said.code, withoutDelays(said.stderr)]).toEqual([0, ''])
  const [event] = said.events
  expect(event).toMatchObject({ event: 'forecast', forecast: { kind: 'known', isGrowing: false } })
  expect(await readdir(folder)).toEqual(['data'])

  await runHere(['submit', ...photos, '--preset', 'Web 2048'], options)
  const results = await readdir(join(folder, 'mediatray-output'))
  const sizes = await Promise.all(
    results.map(async (name) => (await stat(join(folder, 'mediatray-output', name))).size),
  )
  expect(sizes).toHaveLength(2)
  expect(event).toMatchObject({ forecast: { bytes: { likely: sizes.reduce((sum, size) => sum + size, 0) } } })
})

itInLongSuite(
  'several presets have one total: of files that are counted once, and at most what their limits allow',
  async () => {
    const folder = temporaryFolder()
    const options = { env: { MEDIATRAY_DATA_DIR: join(folder, 'data') }, cwd: folder }
    const photo = sample('dawn-upright.jpg')
    const { size } = await stat(photo)
    const own = join(folder, 'data', 'service', 'presets')
    await mkdir(own, { recursive: true })
    for (const name of ['Small', 'Smaller']) {
      const preset = JSON.stringify({ name, image: { format: 'jpeg', maxBytes: 40_000 } })
      await writeFile(join(own, `${name}.json`), preset)
    }
    const presets = ['--preset', 'Small', '--preset', 'Smaller']
    const said = await runHere(['estimate', photo, ...presets, '--json'], options)
    expect(said.events).toHaveLength(3)
    expect(said.events[2]).toMatchObject({
      isMultiplied: true,
      forecast: { kind: 'known', inputBytes: size, atMostBytes: 80_000 },
    })
    const words = await runHere(['estimate', photo, ...presets], options)
    expect(words.stdout.split('\n').slice(0, 3)).toEqual([
      expect.stringMatching(/^Small: At most 40 kB of .*s\.$/),
      expect.stringMatching(/^Smaller: At most 40 kB of .*s\.$/),
      expect.stringMatching(/^At most 80 kB from .*s\.$/),
    ])
  },
)

test('files that already fit have at most their own size', async () => {
  const folder = temporaryFolder()
  const options = { env: { MEDIATRAY_DATA_DIR: join(folder, 'data') }, cwd: folder }
  keepOwner(options)
  const photos = ['dawn-upright.jpg', 'flower-on-nothing.png'].map(sample)
  const sizes = await Promise.all(photos.map(async (photo) => (await stat(photo)).size))
  const inputBytes = sizes.reduce((sum, size) => sum + size, 0)
  const task = ['estimate', ...photos, '--preset', 'Under a size']
  const said = await runHere([...task, '--json'], options)
  expect(said.events[0]).toMatchObject({ forecast: { inputBytes, atMostBytes: inputBytes } })
  const words = await runHere(task, options)
  expect(words.stdout).toMatch(/^At most (\d+) kB of \1(\.\d)? kB, .*s\.\n$/)
})

test('inputs that can’t be estimated are reported, and the exit code is not 0', async () => {
  const folder = temporaryFolder()
  const env = { MEDIATRAY_DATA_DIR: join(folder, 'data') }
  const photo = sample('dawn-upright.jpg')
  const unknown = await runHere(['estimate', photo, '--preset', 'Missing'], { env, cwd: folder })
  expect(unknown.code).not.toBe(0)
  expect(unknown.stderr).toContain('Missing')
  const elsewhere = await runHere(['--base-url', 'http://127.0.0.1:9/api', 'estimate', photo], {
    env: { ...env, MEDIATRAY_API_KEY: 'a-key' },
    cwd: folder,
  })
  expect(elsewhere.code).not.toBe(0)
  expect(elsewhere.stderr).toContain('until three jobs have used this preset')
})

test('an estimate for another service is based on its past jobs, without querying it', async () => {
  const folder = temporaryFolder()
  const data = join(folder, 'data')
  const photo = sample('dawn-upright.jpg')
  const { size } = await stat(photo)
  const baseUrl = 'http://127.0.0.1:9/api'
  const history = openHistory({ file: join(data, 'history.db'), clock: Date.now, log: () => {} })
  for (const id of ['one', 'two', 'three'].map(asRecordId)) {
    void history.recordAcceptedSubmission(submissionOf(id, ['/in/a.jpg'], { preset: 'Theirs' }), {
      ...acceptance,
      jobId: id,
      baseUrl,
    })
    history.recordResults(id, [{ file: 'a.jpg', outputPath: '/out/a.jpg', index: 0 }], [])
    history.recordOutcome(id, { kind: 'done', results: 1, uploaded: null }, 2_000)
    history.recordMeasured(id, { sizes: [], resultBytes: 400, entries: [] })
  }
  history.close()
  const said = await runHere(['--base-url', baseUrl, 'estimate', photo, '--preset', 'Theirs', '--json'], {
    env: { MEDIATRAY_DATA_DIR: data, MEDIATRAY_API_KEY: 'a-key' },
    cwd: folder,
  })
  expect([said.code, withoutDelays(said.stderr)]).toEqual([0, ''])
  expect(jsonLines(said.stdout)).toMatchObject([
    { event: 'forecast', forecast: { kind: 'known', inputBytes: size, milliseconds: null } },
  ])
})
