/** A program and a URL that follow jobs, chosen in the settings: what they get, and what the window shows when the URL fails. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { JobReport } from '../../src/shared/model/job-report.ts'
import { MOST_TRIES } from '../../src/shared/model/hook-state.ts'
import { programIn } from '../main/hooks/hooked.ts'
import { makeHome } from './support/home.ts'
import { testInLongSuite } from './support/long-suite.ts'
import { share } from './support/share-app.ts'
import { leaveForJobs, openSettings } from './support/settings.ts'
import { doneRow, row, startWithBuiltIn, submitPhoto, WITHIN } from './support/start-app.ts'

/** A server that answers with a status that the test changes. */
async function openReceiver() {
  let status = 503
  const reports: JobReport[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (part: string) => (body += part))
    request.on('end', () => {
      reports.push(JobReport.parse(JSON.parse(body)))
      response.writeHead(status).end()
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    host: `127.0.0.1:${port}`,
    reports,
    setStatus: (next: number) => void (status = next),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

const shared = share(async () => {
  const home = makeHome({ connection: 'builtIn' })
  const receiver = await openReceiver()
  const app = await startWithBuiltIn({ in: home })
  return {
    home,
    receiver,
    app,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      receiver.close()
      home[Symbol.dispose]()
    },
  }
})

const lastResults = (page: Page) => page.locator('.last-result').allTextContents()

test('a program and a URL get each job', async ({ expect }) => {
  const { home, receiver, app } = await shared()
  const tools = join(home.path, 'tools')
  mkdirSync(tools)
  const received = join(tools, 'report.json')
  const program = programIn(
    tools,
    'publish',
    `cat > '${received}.part' && mv '${received}.part' '${received}'`,
  )
  const page = await app.page()

  await openSettings(page, 'Automation > After a job')
  await page.getByRole('button', { name: 'Choose… Run a program' }).click()
  const url = page.getByRole('textbox', { name: 'Send to a URL' })
  await url.fill(`http://${receiver.host}/hook`)
  await url.press('Enter')
  await expect.poll(() => lastResults(page), WITHIN).toEqual(['Not used yet'])
  // The URL stays, although it was entered while the dialog was open.
  await app.dialogs.answerOpen([program])
  await expect.poll(() => lastResults(page), WITHIN).toEqual(['Not used yet', 'Not used yet'])

  await leaveForJobs(page)
  await submitPhoto(app, 'harbour.jpg')
  await doneRow(page, 'harbour.jpg').waitFor()
  await expect.poll(() => existsSync(received), WITHIN).toBe(true)
  const report = JobReport.parse(JSON.parse(readFileSync(received, 'utf8')))
  expect(report).toMatchObject({ test: false, job: { outcome: 'done', problems: [] } })
  expect(report.job.results.map(({ path }) => existsSync(path))).toEqual([true])

  await openSettings(page, 'Automation > After a job')
  await expect.poll(async () => (await lastResults(page))[0], WITHIN).toContain('Ended with exit code 0')
  await expect.poll(() => receiver.reports.length, WITHIN).toBeGreaterThan(0)
  expect(receiver.reports[0]?.job).toEqual(report.job)
})

testInLongSuite('a job shows that the URL failed until it is tried again', async ({ expect }) => {
  const { receiver, app } = await shared()
  const page = await app.page()
  // Each press uses one of the tries, which otherwise take half an hour.
  for (let tries = 1; tries < MOST_TRIES; tries += 1) {
    await expect.poll(() => receiver.reports.length, WITHIN).toBeGreaterThanOrEqual(tries)
    const [, shown] = await lastResults(page)
    if (shown?.includes('Gave up') === true) break
    await page.getByRole('button', { name: 'Try now' }).click()
    await expect.poll(() => receiver.reports.length, WITHIN).toBeGreaterThan(tries)
  }
  await expect
    .poll(async () => (await lastResults(page))[1], WITHIN)
    .toMatch(/^Returned 503 \(Service Unavailable\), today .* Gave up after 5 attempts\.$/)
  expect(new Set(receiver.reports.map(({ id }) => id)).size).toBe(1)
  expect(receiver.reports).toHaveLength(MOST_TRIES)

  await leaveForJobs(page)
  await row(page, 'harbour.jpg').click()
  const note = page.getByRole('status').filter({ hasText: 'Couldn’t send the result to' })
  await expect.poll(() => note.textContent(), WITHIN).toContain(receiver.host)
  expect(await note.textContent()).toContain('The job itself is done.')
  receiver.setStatus(200)
  await note.getByRole('button', { name: 'Try again' }).click()
  await note.waitFor({ state: 'detached' })
  expect(receiver.reports).toHaveLength(MOST_TRIES + 1)
  await doneRow(page, 'harbour.jpg').waitFor()
})
