import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Core } from '../../../src/main/core/index.ts'
import type { RecordId } from '../../../src/shared/model/ids.ts'
import { OUTCOME_KINDS } from '../../../src/shared/model/job.ts'
import { sumOf } from '../../../src/shared/sum.ts'
import { draftOfFiles } from '../outbox/drafts.ts'
import { openTestCore, samples, useBuiltIn } from './open-core.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

/** Returns the samples in the file, by name and labels. */
const figuresIn = (file: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [
        line.slice(0, line.lastIndexOf(' ')).replace('mediatray_', ''),
        Number(line.slice(line.lastIndexOf(' ') + 1)),
      ]),
  )

const sizeIn = (folder: string): number =>
  readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)

const endedJobs = (core: Core): number => sumOf(core.history.endedJobs().map(({ jobs }) => jobs))

async function processAll(
  core: Core,
  paths: readonly string[],
  to: string,
  presets: readonly string[] = ['Web 2048'],
): Promise<RecordId> {
  const draft = draftOfFiles(paths, { output: { kind: 'folder', path: to }, done: 'again', presets })
  const before = endedJobs(core)
  const started = await core.drafts.startDraft(draft, { split: false, grace: 0 })
  const [id] = started.ok ? started.jobs : []
  if (id === undefined) throw new Error('nothing was started')
  await expect.poll(() => endedJobs(core)).toBe(before + 1)
  await core.measured()
  return id
}

async function openWithMetrics(folder: string, metricsFile: string): Promise<Core> {
  const core = await openTestCore(folder)
  core.settings.update({ metricsFile })
  await useBuiltIn(core)
  return core
}

it('writes figures that others can read, and counts on after a restart and after jobs were deleted', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'metrics', 'mediatray.prom')
  mkdirSync(join(folder, 'in'))
  const [good, broken] = [join(folder, 'in', 'good.jpg'), join(folder, 'in', 'broken.jpg')]
  copyFileSync(join(samples, 'dawn-upright.jpg'), good)
  writeFileSync(broken, readFileSync(good).subarray(0, 500))

  const first = await openWithMetrics(folder, file)
  const ended = await processAll(first, [good, broken], join(folder, 'one'))
  await first.close()
  expect(figuresIn(file)).toMatchObject({
    'jobs_total{outcome="problems"}': 1,
    'job_files_total{outcome="problems"}': 2,
    'failed_files_total{outcome="problems"}': 1,
    'queue_jobs{state="running"}': 0,
    measured_files: 1,
    result_bytes: sizeIn(join(folder, 'one')),
  })
  expect(figuresIn(file)['processing_seconds_total{outcome="problems"}']).toBeGreaterThan(0)
  expect((statSync(file).mode & 0o444).toString(8)).toBe('444')

  const dashboard = readFileSync('build/linux/grafana-dashboard.json', 'utf8')
  const shown = new Set(dashboard.match(/mediatray_\w+/g))
  expect(shown.size).toBeGreaterThan(5)
  for (const name of shown) expect(readFileSync(file, 'utf8')).toContain(`# TYPE ${name} `)

  const second = await openWithMetrics(folder, file)
  second.history.remove(ended)
  await processAll(second, [good], join(folder, 'two'))
  await second.close()
  expect(figuresIn(file)).toMatchObject({
    'jobs_total{outcome="problems"}': 1,
    'jobs_total{outcome="done"}': 1,
    measured_files: 2,
  })
})

itInLongSuite(
  'starts every outcome at 0, so that the first failure is an increase, and counts files once for each preset',
  async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'mediatray.prom')
    const photo = join(folder, 'dawn.jpg')
    copyFileSync(join(samples, 'dawn-upright.jpg'), photo)
    const fresh = await openWithMetrics(folder, file)
    await fresh.close()
    const counters = ['jobs', 'job_files', 'failed_files', 'processing_seconds']
    const atStart = figuresIn(file)
    for (const outcome of OUTCOME_KINDS)
      for (const name of counters) expect(atStart[`${name}_total{outcome="${outcome}"}`]).toBe(0)

    const core = await openWithMetrics(folder, file)
    await processAll(core, [photo], join(folder, 'out'), ['Web 2048', 'Thumbnail'])
    await core.close()
    expect(figuresIn(file)).toMatchObject({
      'jobs_total{outcome="done"}': 1,
      'job_files_total{outcome="done"}': 2,
      measured_files: 1,
    })
  },
)

itInLongSuite(
  'a file that can’t be written doesn’t affect jobs, and it is written as soon as it can be',
  async () => {
    const folder = temporaryFolder()
    const blocked = join(folder, 'blocked')
    writeFileSync(blocked, '')
    const photo = join(folder, 'dawn.jpg')
    copyFileSync(join(samples, 'dawn-upright.jpg'), photo)
    const core = await openWithMetrics(folder, join(blocked, 'mediatray.prom'))
    await processAll(core, [photo], join(folder, 'out'))
    expect(readdirSync(join(folder, 'out'))).toHaveLength(1)
    rmSync(blocked)
    await core.close()
    expect(figuresIn(join(blocked, 'mediatray.prom'))).toMatchObject({ 'jobs_total{outcome="done"}': 1 })
  },
)

it('a path that isn’t absolute is refused', async () => {
  const core = await openTestCore(temporaryFolder())
  expect(() => core.settings.update({ metricsFile: 'mediatray.prom' })).toThrow('metricsFile')
  await core.close()
})
