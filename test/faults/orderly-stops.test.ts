/** The end of a process isn't a cancel: what a stopped process hasn't finished continues at the next start, as after a kill. */
import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { signalUnlessEnded, treeOf } from '../child-processes.ts'
import { createSettings, openSettingsFile } from '../../src/main/settings/settings.ts'
import type { SettingsPatch } from '../../src/shared/model/settings.ts'
import type { PartAt } from '../../src/shared/model/job.ts'
import { sumOf } from '../../src/shared/sum.ts'
import { followCommand } from '../main/cli/follow-command.ts'
import { jsonLines, ownerOf, serviceOf } from '../main/cli/command.ts'
import { openUntilEnd, startDraft, stateWhen, useBuiltIn } from '../main/core/open-core.ts'
import { programIn } from '../main/hooks/hooked.ts'
import { draftOfFiles } from '../main/outbox/drafts.ts'
import { describeInLongSuite, isLongSuite } from './long-suite.ts'
import { photoFolders, type PhotoFolders, resultsIn, SAMPLE, someResultsIn } from './photo-folders.ts'
import { seededRandom } from './seeded-random.ts'
import { watchFolder } from '../watch-folder.ts'

const PHOTOS = 24
/** Too many to finish before the request to stop, even if a busy computer makes it late. */
const MANY = 80
const SIGNALS = ['SIGTERM', 'SIGTERM', 'SIGINT', 'SIGKILL'] as const
const PRESETS = ['Web 2048', 'Thumbnail']

type Event = Record<string, unknown>

/** Starts `submit --replace`, and waits until some originals have been replaced. */
async function replaceSome({ files, startSubmit }: PhotoFolders) {
  const original = readFileSync(SAMPLE).byteLength
  const replaced = () => files.filter((file) => sizeOf(file) < original).length
  const started = startSubmit(files, null, '--replace', '--preset', 'Thumbnail')
  await expect.poll(replaced, { interval: 2, timeout: 60_000 }).toBeGreaterThan(1)
  return { ...started, replaced }
}

/** @returns Infinity for an original that is being replaced right now */
const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? Infinity

/** The outcomes of all jobs in the history. */
async function outcomesOf({ command }: PhotoFolders): Promise<readonly (string | undefined)[]> {
  const { events } = await command('history', '--limit', '100')
  return events.flatMap(({ record }) => {
    if (record === undefined) return []
    return [(record as PartAt<'history'>).outcome?.kind]
  })
}

/** Sets up watching of the photos' folder. @returns a function that starts `watch` */
function watchPhotos({ data, folder, out }: PhotoFolders, more: SettingsPatch = {}) {
  const inbox = watchFolder(join(folder, 'photos'), out, {
    presets: PRESETS,
    grouping: 'together',
    done: 'again',
  })
  createSettings(openSettingsFile(join(data, 'settings.json'))).update({ watchFolders: [inbox], ...more })
  return () => followCommand(['watch', '--json'], { env: { MEDIATRAY_DATA_DIR: data }, cwd: folder })
}

const sourcesOf = (results: readonly string[]) =>
  results.map((name) => /^photo-\d+/.exec(name)?.[0] ?? name).toSorted()

function expectEachOnce({ out, onceEach }: PhotoFolders): void {
  for (const preset of PRESETS)
    // Nothing else remains either, such as unfinished files of processes that were killed.
    expect(sourcesOf(readdirSync(join(out, preset))), preset).toEqual(sourcesOf(onceEach))
}

describeInLongSuite('“watch”', () => {
  it('stopped with SIGTERM continues at the next start: each photo is processed once with each preset, and hooks run', async () => {
    const at = photoFolders(PHOTOS)
    const program = programIn(at.folder, 'hook', `echo ended >> ${at.folder}/hooks.txt`)
    const first = watchPhotos(at, { afterJob: { program, url: null } })()
    await someResultsIn(join(at.out, 'Web 2048'))
    first.child.kill('SIGTERM')
    expect(await first.ended).toBe(0)
    expect(resultsIn(join(at.out, 'Web 2048')).length).toBeLessThan(PHOTOS)
    const { code, output } = await at.command('watch', '--once')
    expect(code, output).toBe(0)
    expectEachOnce(at)
    // A job has both presets, and is followed by its hook once. On a busy machine, the first scan may make two jobs.
    const outcomes = await outcomesOf(at)
    expect(new Set(outcomes)).toEqual(new Set(['done']))
    expect(readFileSync(join(at.folder, 'hooks.txt'), 'utf8')).toBe('ended\n'.repeat(outcomes.length))
  })

  it('stopped and killed again and again processes each photo once', async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const random = seededRandom(seed)
      const at = photoFolders(PHOTOS)
      const start = watchPhotos(at)
      let stops = 0
      for (
        const made = () => PRESETS.flatMap((preset) => resultsIn(join(at.out, preset))).length;
        stops < 4;
        stops++
      ) {
        const before = made()
        const { child, ended } = start()
        const enough = before + Math.floor(random() * 12)
        await expect
          .poll(made, { interval: 5, timeout: 60_000 })
          .toBeGreaterThanOrEqual(Math.min(enough, 2 * PHOTOS))
        child.kill(SIGNALS[Math.floor(random() * SIGNALS.length)])
        await ended
      }
      const { code, output } = await at.command('watch', '--once')
      expect(code, `seed ${seed}: ${output}`).toBe(0)
      expectEachOnce(at)
      expect(await outcomesOf(at), `seed ${seed}`).not.toContain('cancelled')
    }
  })
})

describeInLongSuite('“submit”', () => {
  it('stopped with SIGTERM leaves its job to the owner and reports it, and “outbox send” follows it', async () => {
    const at = photoFolders(PHOTOS)
    const { stop } = at.startSubmit(at.files, at.out)
    await someResultsIn(at.out)
    const { code, stdout } = await stop('SIGTERM')
    expect(code).toBe(130)
    expect(stdout).toContain('The jobs continue in Mediatray')
    expect((await at.command('outbox', 'send')).code).toBe(0)
    expect(resultsIn(at.out)).toEqual(at.onceEach)
    expect(await outcomesOf(at)).toEqual(['done'])
  })

  it('canceled with Ctrl-C ends its job, and “retry” processes the other files', async () => {
    const at = photoFolders(MANY)
    const { stop } = at.startSubmit(at.files, at.out)
    await someResultsIn(at.out)
    const { code, stdout } = await stop('SIGINT')
    expect(code).toBe(130)
    const finished = jsonLines(stdout).find(({ event }) => event === 'finished')
    const made = resultsIn(at.out).length
    expect(finished).toMatchObject({ outcome: { kind: 'cancelled' }, results: { length: made } })
    expect((await at.command('outbox')).output).toContain('The outbox is empty.')
    expect((await at.command('retry', String(finished?.['id']))).code).toBe(0)
    expect(resultsIn(at.out)).toEqual(at.onceEach)
  })

  it('canceled with Ctrl-C reports the outcome of all its parts', async () => {
    const at = photoFolders(PHOTOS)
    const options = PRESETS.flatMap((preset) => ['--preset', preset])
    const { stop } = at.startSubmit(at.files, at.out, ...options)
    await someResultsIn(join(at.out, 'Web 2048'))
    const { stdout } = await stop('SIGINT')
    const group: Event | undefined = jsonLines(stdout).find(({ event }) => event === 'group')
    expect(group).toMatchObject({ outcome: { kind: 'cancelled' } })
    expect(JSON.stringify(group)).not.toContain('accepted')
  })

  it('canceled with Ctrl-C ends its job as canceled even if the service doesn’t respond', async () => {
    if (process.platform !== 'linux') return
    const at = photoFolders(PHOTOS)
    const { stop } = at.startSubmit(at.files, at.out)
    await someResultsIn(at.out)
    for (const pid of treeOf(serviceOf(at.data) ?? 0)) process.kill(pid, 'SIGSTOP')
    const { code, stdout } = await stop('SIGINT')
    expect(code).toBe(130)
    expect(jsonLines(stdout).at(-1)).toMatchObject({
      message: expect.stringContaining('hasn’t confirmed that the jobs are canceled'),
    })
    // The owner waits a minute for the service, and then ends it.
    await expect.poll(() => ownerOf(at.data), { timeout: 120_000 }).toBeUndefined()
    expect((await at.command('outbox')).output).toContain('The outbox is empty.')
    expect(await outcomesOf(at)).toEqual(['cancelled'])
  })

  it('--replace canceled with Ctrl-C leaves all originals, and “retry” replaces each once', async () => {
    const at = photoFolders(PHOTOS)
    const original = readFileSync(SAMPLE).byteLength
    const replaced = () => at.files.filter((file) => readFileSync(file).byteLength !== original).length
    const { stop, until } = at.startSubmit(at.files, null, '--replace', '--preset', 'Thumbnail')
    await until((events) => events.some(({ event, share }) => event === 'progress' && Number(share) > 0.1))
    const { code, stdout } = await stop('SIGINT')
    expect(code).toBe(130)
    expect(replaced()).toBe(0)
    const id = String(jsonLines(stdout).find(({ event }) => event === 'finished')?.['id'])
    const again = await at.command('retry', id)
    expect(again.code, again.output).toBe(0)
    expect(replaced()).toBe(PHOTOS)
    expect(resultsIn(join(at.folder, 'photos'))).toHaveLength(PHOTOS)

    const sizes = at.files.map((file) => readFileSync(file).byteLength)
    const third = await at.command('retry', id)
    expect(
      third.events.find(({ event }) => event === 'skipped'),
      third.output,
    ).toMatchObject({ left: 0 })
    expect([third.code, third.events.some(({ event }) => event === 'accepted')]).toEqual([0, false])
    expect(at.files.map((file) => readFileSync(file).byteLength)).toEqual(sizes)
  })
})

describeInLongSuite.runIf(process.platform === 'linux')(
  '“submit --replace”, stopped while it replaces',
  () => {
    it('by Ctrl-C in a terminal keeps the other originals, and “retry” replaces each', async () => {
      const at = photoFolders(PHOTOS)
      const { stopGroup, replaced } = await replaceSome(at)
      const { code, stdout } = await stopGroup('SIGINT')
      expect(code).toBe(130)
      const [done, events] = [replaced(), jsonLines(stdout)]
      expect(done).toBeLessThan(PHOTOS)
      const finished = events.find(({ event }) => event === 'finished')
      expect(finished, stdout).toMatchObject({ outcome: { kind: 'cancelled', results: done } })
      expect(events.find(({ event }) => event === 'originals')).toMatchObject({
        counts: { replaced: done, kept: PHOTOS - done },
      })
      const again = await at.command('retry', String(finished?.['id']))
      expect([again.code, replaced()], again.output).toEqual([0, PHOTOS])
    })

    it('by SIGTERM to all its processes leaves the others to “outbox send”, which reports them', async () => {
      const at = photoFolders(PHOTOS)
      const { pid, ended, replaced } = await replaceSome(at)
      for (const one of treeOf(pid)) signalUnlessEnded(one, 'SIGTERM')
      expect((await ended).code).toBe(130)
      expect(replaced()).toBeLessThan(PHOTOS)
      const sent = await at.command('outbox', 'send')
      expect([sent.code, replaced()], sent.output).toEqual([0, PHOTOS])
      expect(sent.events).toContainEqual(
        expect.objectContaining({ event: 'originals', counts: { replaced: PHOTOS, kept: 0, restored: 0 } }),
      )
    })

    it('makes “outbox send” exit with 3 if it then keeps an original that was edited', async () => {
      const at = photoFolders(PHOTOS)
      const { stop, replaced } = await replaceSome(at)
      await stop('SIGTERM')
      const original = readFileSync(SAMPLE).byteLength
      const left = at.files.find((file) => sizeOf(file) === original) ?? ''
      appendFileSync(left, 'edited')
      const sent = await at.command('outbox', 'send')
      expect([sent.code, replaced()], sent.output).toEqual([3, PHOTOS - 1])
      expect(sent.events.find(({ event }) => event === 'originals')).toMatchObject({
        counts: { replaced: PHOTOS - 1, kept: 1 },
      })
    })
  },
)

describe('the app', () => {
  it.each([...(isLongSuite ? [{ held: false }] : []), { held: true }])(
    'that quits while its job runs continues it at the next start (held by a pause: $held)',
    async ({ held }) => {
      const at = photoFolders(MANY)
      const first = await openUntilEnd(at.data)
      await useBuiltIn(first)
      const output = { kind: 'folder', path: at.out } as const
      const id = await startDraft(first, draftOfFiles(at.files, { presets: [], output }))
      await someResultsIn(at.out)
      if (held) first.quiet.pause('hour')
      await first.close()
      expect(resultsIn(at.out).length).toBeLessThan(MANY)

      const program = programIn(at.folder, 'hook', `echo ended >> ${at.folder}/hooks.txt`)
      const next = await openUntilEnd(at.data)
      next.settings.update({ afterJob: { program, url: null } })
      const notified: number[] = []
      next.events.on('jobFinished', ({ parts }) => notified.push(sumOf(parts.map(({ files }) => files ?? 0))))
      const { outbox } = await stateWhen(next, (state) => state.outbox.length === 1)
      expect(outbox).toMatchObject([{ id }])
      if (held) next.quiet.resume()
      const outcome = () => next.history.details(id)?.outcome?.kind
      await expect.poll(outcome, { timeout: 90_000 }).toBe('done')
      expect(resultsIn(at.out)).toEqual(at.onceEach)
      const { records } = next.history.page({}, { offset: 0, limit: 9 })
      expect(records.map(({ outcome }) => outcome)).toMatchObject([{ kind: 'done', results: MANY }])
      expect(notified).toEqual([MANY])
      await expect.poll(() => next.hooks.busy(), { timeout: 30_000 }).toBe(false)
      expect(readFileSync(join(at.folder, 'hooks.txt'), 'utf8')).toBe('ended\n')
    },
  )
})
