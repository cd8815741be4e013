import { copyFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { findServiceRun, startServiceRun } from '../../../src/main/connection/service-run.ts'
import { linkOver } from '../../../src/node/owner-link/link.ts'
import { proofOf, writeAddress } from '../../../src/node/owner-link/proof.ts'
import { socketPlace } from '../../../src/node/owner-link/socket-place.ts'
import { OWN_MARK } from '../../../src/node/owner-mark.ts'
import { PROGRAM_VERSION } from '../../../src/node/version.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { holdTime } from '../watch/held-time.ts'
import { scriptedProcesses, SERVING } from './scripted-process.ts'

/** A service run whose process is controlled by the test, in virtual time. */
function run() {
  const time = holdTime()
  const dataDir = temporaryFolder()
  const { processes, spawn } = scriptedProcesses(dataDir)
  const { after } = time.timing
  const service = startServiceRun({ spawn, dataDir, patience: 30_000, after })
  const [process] = processes
  if (process === undefined) throw new Error('nothing was started')
  const heard: unknown[] = []
  void service.listening.then(({ serving }) => heard.push(serving))
  return { ...time, dataDir, service, process, heard }
}

it('the service process receives its data folder and the version of its owner, and no key', () => {
  const { process, dataDir } = run()
  expect(process.args).toEqual(['--port', '0', '--data-dir', dataDir, '--owner', PROGRAM_VERSION])
})

it('the service process has no startup timeout once it is connected', async () => {
  const { process, heard, dueWithin } = run()
  expect(dueWithin(30_000)).toBe(1)
  await process.listen()
  await expect.poll(() => heard).toEqual([SERVING])
  expect([process.asked, dueWithin(60_000)]).toEqual([['stdin closed'], 0])
})

it('a process that can’t be reached once it has written a line is killed', async () => {
  const { process, heard } = run()
  process.print('hello')
  await expect.poll(() => process.asked).toEqual(['kill'])
  expect(heard).toEqual([])
})

it('a process that prints nothing before the timeout is killed', () => {
  const { process, pass } = run()
  pass(29_999)
  expect(process.asked).toEqual([])
  pass(1)
  expect(process.asked).toEqual(['kill'])
})

it('the reason for the end contains the last line of output, shortened', async () => {
  const { service, process, dueWithin } = run()
  await process.end({ code: 7, stderrTail: `first\nno luck ${'x'.repeat(900)}` })
  const reason = await service.ended
  expect(reason).toMatch(/7.*: no luck x+$/)
  expect(reason).not.toContain('first')
  expect(reason.length).toBeLessThan(600)
  expect(dueWithin(60_000)).toBe(0)
})

it('without any output, the reason describes how the process ended', async () => {
  const { service, process } = run()
  await process.end({ code: 7, stderrTail: ' \n' })
  expect(await service.ended).not.toMatch(/:\s*$/)
})

it('the service process is asked to exit first, and killed if it takes too long', async () => {
  const { service, process, heard, pass } = run()
  await process.listen()
  await expect.poll(() => heard).toHaveLength(1)
  service.stop(200)
  await expect.poll(() => process.asked.at(-1)).toBe('end')
  pass(199)
  expect(process.asked).not.toContain('kill')
  pass(1)
  expect(process.asked.at(-1)).toBe('kill')
})

it('the service process is not killed if it exits in time', async () => {
  const { service, process, dueWithin } = run()
  service.stop(200)
  await process.end()
  await service.ended
  await new Promise(setImmediate)
  expect([process.asked, dueWithin(60_000)]).toEqual([['stdin closed'], 0])
})

/**
 * Lets a program listen where a service did.
 * @param knows what it believes the secret to be; undefined if it never answers
 * @returns what it was sent
 */
function listenInstead(dataDir: string, knows: string | undefined, pid = '1-dead'): readonly unknown[] {
  const path = socketPlace(dataDir, process)
  writeAddress(dataDir, path, pid)
  const heard: { type?: string; challenge?: string }[] = []
  const server = createServer((socket) => {
    const link = linkOver(
      socket,
      (raw) => {
        const message = raw as (typeof heard)[number]
        heard.push(message)
        if (message.type !== 'hello' || knows === undefined) return
        const proof = proofOf(knows, 'owner', [message.challenge ?? '', 'mine'])
        link.send({ type: 'proof', version: PROGRAM_VERSION, challenge: 'mine', proof, pid: 1 })
      },
      () => undefined,
    )
    onTestFinished(() => link.close())
  }).listen(path)
  onTestFinished(() => void server.close())
  return heard
}

it('a program that listens in place of a service that has ended learns nothing', async () => {
  const dataDir = temporaryFolder()
  const heard = listenInstead(dataDir, 'guessed')
  const { after } = holdTime().timing
  expect(await findServiceRun({ dataDir, after })).toBeUndefined()
  expect(heard).toMatchObject([{ type: 'hello', version: PROGRAM_VERSION }])
})

it('a service that doesn’t answer within 20 s isn’t used, and a file that names a process that has ended kills none', async () => {
  const dataDir = temporaryFolder()
  // The mark of an earlier process with the ID of this one.
  const heard = listenInstead(dataDir, undefined, OWN_MARK.replace(/-[0-9a-f]{16}/, `-${'0'.repeat(16)}`))
  const { timing, pass, dueWithin } = holdTime()
  const finding = findServiceRun({ dataDir, after: timing.after })
  await expect.poll(() => heard).toHaveLength(1)
  expect(dueWithin(19_999)).toBe(0)
  pass(20_000)
  expect(await finding).toBeUndefined()
})

it('a service isn’t used by the owner of a copy of its folder', async () => {
  const { dataDir, process, timing } = run()
  await process.listen()
  const copy = temporaryFolder()
  copyFileSync(join(dataDir, 'owner.key'), join(copy, 'owner.key'))
  expect(await findServiceRun({ dataDir: copy, after: timing.after })).toBeUndefined()
  expect(process.asked).not.toContain('end')
})
