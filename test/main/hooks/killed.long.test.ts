import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { NO_HOOKS, type Hooks } from '../../../src/shared/model/after-job.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { startDoomed } from '../../doomed.ts'
import { listenUntilEnd } from '../../listen-until-end.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { openHooked, programIn, type Hooked } from './hooked.ts'

const startRunner = (folder: string, hooks: Hooks) =>
  startDoomed(join(import.meta.dirname, 'doomed-runner.ts'), folder, JSON.stringify(hooks))

const idsIn = (file: string): string[] =>
  existsSync(file)
    ? (readFileSync(file, 'utf8')
        .match(/(?<="id":")[\w-]{36}(?=")/g)
        ?.map(String) ?? [])
    : []

/** Opens the same history later, when the next try is due. */
function reopen(folder: string, hooks: Hooks): Hooked {
  const hooked = openHooked(folder, hooks)
  hooked.setClock(Date.now() + 60_000)
  return hooked
}

it('a program that was running when Mediatray was killed is run again, with the same ID', async () => {
  const folder = temporaryFolder()
  const reports = join(folder, 'reports')
  const hooks = { ...NO_HOOKS, program: programIn(folder, 'hook', `cat >> ${reports}; kill -9 $PPID`) }
  expect(await startRunner(folder, hooks).ended).toMatchObject({ killed: true })

  const again = { ...NO_HOOKS, program: programIn(folder, 'again', `cat >> ${reports}`) }
  const { history, runner } = reopen(folder, again)
  expect(history.hooks.of(asRecordId('a'))).toMatchObject([{ tries: 1, result: { kind: 'interrupted' } }])
  runner.start()
  await expect.poll(() => history.hooks.of(asRecordId('a'))[0]?.nextAt).toBeNull()
  expect(history.hooks.of(asRecordId('a'))).toMatchObject([{ tries: 2, result: { kind: 'exited', code: 0 } }])
  const ids = idsIn(reports)
  expect([ids.length, new Set(ids).size]).toEqual([2, 1])
})

it('a request whose answer Mediatray was killed before is sent again, with the same ID', async () => {
  const folder = temporaryFolder()
  const ids: (string | string[] | undefined)[] = []
  let doomed: ReturnType<typeof startRunner> | undefined
  const server = createServer((request, response) => {
    void text(request).then(() => {
      ids.push(request.headers['mediatray-delivery'])
      if (ids.length === 1) doomed?.kill()
      else response.end()
    })
  })
  const hooks = { ...NO_HOOKS, url: `${await listenUntilEnd(server)}/` }
  doomed = startRunner(folder, hooks)
  await doomed.ended

  const { history, runner } = reopen(folder, hooks)
  expect(history.hooks.of(asRecordId('a'))).toMatchObject([{ tries: 1, result: { kind: 'interrupted' } }])
  runner.start()
  await expect.poll(() => history.hooks.of(asRecordId('a'))[0]?.nextAt).toBeNull()
  expect([ids.length, new Set(ids).size]).toEqual([2, 1])
})
