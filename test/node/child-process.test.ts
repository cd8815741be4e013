import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeEnd, startNode, startProgram, startWorker } from '../../src/node/child-process.ts'
import { isRunning } from '../child-processes.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-child-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function script(source: string): Promise<string> {
  const path = join(folder, 'child.mjs')
  await writeFile(path, source)
  return path
}

const program = (source: string) => startProgram(process.execPath, { args: ['-e', source] })

describe('a program', () => {
  it('ends once everything that it wrote has been read', async () => {
    const child = program(
      'process.stdout.write("x".repeat(300_000)); console.error("warning"); process.exitCode = 3',
    )
    const [stdout, end] = await Promise.all([text(child.stdout), child.ended])
    expect(stdout).toHaveLength(300_000)
    expect(end).toEqual({ code: 3, signal: null, stderrTail: 'warning' })
    expect(describeEnd(end)).toBe('exit code 3')
  })

  it('tells each line of its stderr, and only the end of it is kept', async () => {
    const lines: string[] = []
    const child = startProgram(process.execPath, {
      args: ['-e', 'for (let i = 0; i < 2000; i++) console.error("line", i)'],
      onStderrLine: (line) => lines.push(line),
    })
    child.stdout.resume()
    const { stderrTail } = await child.ended
    expect(lines).toHaveLength(2_000)
    expect(stderrTail.length).toBeLessThanOrEqual(4_096)
    expect(stderrTail.endsWith('line 1999')).toBe(true)
  })

  it('that is not there ends with the reason', async () => {
    const end = await startProgram(join(folder, 'no-such-program')).ended
    expect(end).toMatchObject({ code: null, signal: null, startError: { code: 'ENOENT' } })
    expect(describeEnd(end)).toContain('ENOENT')
  })

  it('does not hear a request to end, but is ended at once', async () => {
    const child = program('process.on("SIGTERM", () => {}); console.log("up"); setInterval(() => {}, 1000)')
    await once(createInterface({ input: child.stdout }), 'line')
    child.terminate()
    child.kill()
    expect(describeEnd(await child.ended)).toBe('signal SIGKILL')
  })

  it('does not outlive the process that started it', async () => {
    const starter = await script(
      `import { startProgram } from ${JSON.stringify(new URL('../../src/node/child-process.ts', import.meta.url).href)}
       import { createInterface } from 'node:readline'
       const child = startProgram(process.execPath, { args: ['-e', 'console.log(process.pid); setInterval(() => {}, 1000)'] })
       createInterface({ input: child.stdout }).once('line', (pid) => { console.log(pid); process.exit(0) })`,
    )
    const parent = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', starter])
    const [pid] = await once(createInterface({ input: parent.stdout }), 'line')
    await once(parent, 'close')
    await expect.poll(() => isRunning(Number(pid))).toBe(false)
  })
})

describe('a script of ours', () => {
  it('gets its arguments and notices by its stdin that we are gone', async () => {
    const child = startNode(
      await script('console.log(process.argv[2]); process.stdin.on("end", () => {}).resume()'),
      { args: ['--here'] },
    )
    const [line] = await once(createInterface({ input: child.stdout }), 'line')
    expect(line).toBe('--here')
    child.terminate()
    expect(await child.ended).toMatchObject({ code: 0, signal: null })
  })

  it('runs only what we start, and no inspector opens in it', async () => {
    const stranger = join(folder, 'stranger.cjs')
    await writeFile(stranger, 'console.log("stranger")')
    const env = { ...process.env, NODE_OPTIONS: `--require ${stranger}`, MEDIATRAY_API_KEY: 'secret' }
    const child = startNode(
      await script(
        `console.log(JSON.stringify({ key: process.env.MEDIATRAY_API_KEY, proto: '__proto__' in {} }))
         process.kill(process.pid, 'SIGUSR1'); process.stdin.resume()`,
      ),
      { env },
    )
    const [line] = await once(createInterface({ input: child.stdout }), 'line')
    expect(JSON.parse(String(line))).toEqual({ proto: false })
    child.terminate()
    expect(await child.ended).toEqual({ code: 0, signal: null, stderrTail: '' })
  })

  it('answers messages when it is a worker, and what it prints is dropped', async () => {
    const child = startWorker(
      await script(
        'process.on("message", (m) => { console.log("noise"); process.send(new Map([["got", m]])) })',
      ),
    )
    const answers: unknown[] = []
    child.onMessage((message) => answers.push(message))
    child.send({ bytes: new Uint8Array([1, 2]) })
    await expect.poll(() => answers).toEqual([new Map([['got', { bytes: new Uint8Array([1, 2]) }]])])
    child.kill()
    await child.ended
    child.send({ late: true })
  })
})
