import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import type { Job } from '../../src/shared/api/resources.ts'
import { type PosedService, startPosedService } from './support/posed-service.ts'
import {
  picture,
  pollNow,
  row,
  type RunningApp,
  startButton,
  startWith,
  stateOf,
  trayLines,
  WITHIN,
} from './support/start-app.ts'

let service: PosedService
let app: RunningApp
let page: Page

beforeAll(async () => {
  service = await startPosedService()
  app = await startWith(service)
  page = await app.page()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await app.blurWindow()
  await page.evaluate(() => window.mediatray.draft.clear())
})

const COMMON = ['', 'Open Mediatray', 'Settings…', 'Quit Mediatray'] as const

/** Starts a job through the window. @returns its number for the service */
async function start(...names: readonly string[]): Promise<number> {
  const before = service.jobs.length
  await page.keyboard.press('Control+n')
  await app.dropFiles('.stage', names.map((name) => app.files.photo(name)))
  await startButton(page).click()
  await expect.poll(() => service.jobs.length, WITHIN).toBe(before + 1)
  return service.jobs.length
}

async function pose(number: number, change: Partial<Job>): Promise<void> {
  service.pose(number, change)
  await pollNow(app)
}

const results = (...names: readonly string[]) =>
  names.map((name) => ({ file: name, outputPath: `${app.files.output}/${name}` }))
const END = { status: 'completed', completedAt: '2026-11-20T13:00:00.000Z' } as const
const newest = () => app.notifications.all().at(-1)
const trayShows = (icon: string, toolTip: string, lines: readonly string[]) =>
  app.until(`the tray of "${toolTip}"`, ({ trays }) => {
    const [tray] = trays
    return (
      tray?.icon.includes(`/${icon}`) === true &&
      tray.toolTip === toolTip &&
      JSON.stringify(trayLines(app)) === JSON.stringify([...lines, ...COMMON])
    )
  })

describe('the tray', () => {
  test('has nothing to do, then shows the job that runs, and what the last one made', async () => {
    const address = service.baseUrl.replace(/^http:\/\/(.*)\/api$/, '$1')
    await trayShows('idle', 'Mediatray, nothing to do', [
      `Connected, ${address}`,
      '',
      'New job…',
      'Paste image',
    ])

    const first = await start('DSC_4821.jpg', 'DSC_4822.jpg')
    const second = await start('later.jpg')
    await pose(first, { status: 'processing', progress: { totalProgress: 29, phase: 'resizing' } })
    await trayShows('busy', '29 %, 1 up next', [
      'DSC_4821.jpg + 1 more, 29 %',
      '1 up next',
      '',
      'Cancel this job',
      'New job…',
      'Paste image',
    ])
    expect(app.progressBar()).toBeCloseTo(0.29)
    await picture(page, 'busy')

    await pose(first, { ...END, results: results('DSC_4821.jpg', 'DSC_4822.jpg') })
    await pose(second, { status: 'processing', progress: {} })
    await expect.poll(() => app.progressBar(), WITHIN).toBeGreaterThan(1)
    await pose(second, { ...END, result: { outputPath: `${app.files.output}/later.jpg` } })
    await trayShows('idle', 'Mediatray, nothing to do', [
      `Connected, ${address}`,
      '',
      'New job…',
      'Paste image',
      '',
      'Show last result   (later.jpg)',
    ])
    expect(app.progressBar()).toBe(-1)
    expect(app.badge()).toBe(0)
    await app.tray.choose('Show last result   (later.jpg)')
    await app.until('the result', ({ shellCalls }) =>
      shellCalls.some(({ target }) => target === `${app.files.output}/later.jpg`),
    )
  })
})
