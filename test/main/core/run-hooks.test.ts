import { existsSync, mkdirSync, copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { hookRules } from '../../../src/main/core/run-hooks.ts'
import { Hooks, HOOK_OUTCOMES, NO_HOOKS } from '../../../src/shared/model/after-job.ts'
import { DEFAULT_SETTINGS } from '../../default-settings.ts'
import type { Settings } from '../../../src/shared/model/settings.ts'
import { JobReport } from '../../../src/shared/model/job-report.ts'
import { programIn } from '../hooks/hooked.ts'
import { draftOfFiles } from '../outbox/drafts.ts'
import { openUntilEnd, samples, useBuiltIn } from './open-core.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { watchFolder } from '../../watch-folder.ts'

it('a program gets one report about a job with two presets in two folders, with its originals, results and problems', async () => {
  const folder = temporaryFolder()
  const [dawn, broken] = ['1', '2'].map((name) => {
    mkdirSync(join(folder, 'in', name), { recursive: true })
    return join(folder, 'in', name, 'photo.jpg')
  })
  if (dawn === undefined || broken === undefined) throw new Error('impossible')
  copyFileSync(join(samples, 'dawn-upright.jpg'), dawn)
  writeFileSync(broken, readFileSync(dawn).subarray(0, 500))
  const core = await openUntilEnd(folder)
  const reports = join(folder, 'reports')
  core.settings.update({
    afterJob: { program: programIn(folder, 'hook', `cat >> ${reports}; echo >> ${reports}`), url: null },
  })
  await useBuiltIn(core)
  const presets = core.connection.view().presets?.image.slice(0, 2) ?? []
  const draft = draftOfFiles([dawn, broken], {
    presets,
    output: { kind: 'beside', subfolder: 'web' },
    done: 'again',
  })
  const started = await core.drafts.startDraft(draft, { split: false, grace: 0 })
  const [id] = started.ok ? started.jobs : []
  if (id === undefined) throw new Error('nothing was started')
  await expect.poll(() => core.history.hooks.of(id)[0]?.nextAt).toBeNull()
  expect(existsSync(reports)).toBe(true)
  const [text = '', ...more] = readFileSync(reports, 'utf8').trim().split('\n')
  expect(more).toEqual([])
  const { job, test } = JobReport.parse(JSON.parse(text))
  expect([test, job.id, job.outcome, job.presets]).toEqual([false, id, 'problems', presets])
  expect(job.originals.map(({ path }) => path)).toEqual([dawn, broken])
  expect(job.results).toHaveLength(2)
  for (const { path, original, preset, bytes } of job.results) {
    expect([original, presets.includes(preset ?? '')]).toEqual([dawn, true])
    expect(bytes).toBe(statSync(path).size)
  }
  expect(job.problems.map(({ file }) => file)).toEqual([broken, broken])
  expect(job.problems.every(({ code }) => code !== undefined)).toBe(true)
})

it('actions follow only the chosen outcomes, which a watched folder chooses separately, and all if none were stored', () => {
  const [program, url] = ['/bin/true', 'https://hooks.example/']
  const settings: Settings = {
    ...DEFAULT_SETTINGS,
    receivers: [{ id: 'phone', format: 'ntfy', host: 'ntfy.sh', on: ['failed'] }],
    watchFolders: [
      watchFolder('/in', '/out', {
        output: { kind: 'replace' },
        afterJob: { program: null, url, on: ['failed'] },
      }),
      { ...watchFolder('/quiet', '/out', { afterJob: NO_HOOKS }), id: 'quiet' },
    ],
  }
  const followed = (afterJob: Hooks, from: string | null) => {
    const view = () => ({ ...settings, afterJob })
    const { actionsAfter } = hookRules({ settings: { view }, outbox: { partsOf: () => [] } })
    return HOOK_OUTCOMES.map((outcome) =>
      actionsAfter(from, outcome).map(({ action, receiver }) => receiver || action),
    )
  }
  const both = ['program', 'url']
  expect(followed({ program, url }, null)).toEqual([both, both, [...both, 'phone']])
  expect(followed({ program, url, on: ['problems', 'failed'] }, null)).toEqual([[], both, [...both, 'phone']])
  expect(followed({ program, url, on: [] }, null)).toEqual([[], [], ['phone']])
  // The folder has a URL instead of the program. Messages don't depend on that, unless nothing follows the folder's jobs.
  expect(followed({ program, url }, 'w')).toEqual([[], [], ['url', 'phone']])
  expect(followed({ program, url }, 'quiet')).toEqual([[], [], []])
  expect(Hooks.parse({ program, url, on: ['unknown'] })).toEqual({ program, url })
})
