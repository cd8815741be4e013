import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { beforeEach, describe, expect, it } from 'vitest'
import { describeEnd, startNode, startProgram, startWorker } from '../../src/node/child-process.ts'
import { isRunning } from '../child-processes.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { itInLongSuite } from '../faults/long-suite.ts'

let folder: string

beforeEach(() => {
  folder = temporaryFolder()
})

async function script(source: string): Promise<string> {
  const path = join(folder, 'child.mjs')
  await writeFile(path, source)
  return path
}

const program = (source: string) => startProgram(process.execPath, { args: ['-e', source] })

describe('a program', () => {
  it('ends once all its output has been read', async () => {
    const child = program(
      'process.stdout.write("x".repeat(300_000)); console.error("warning"); process.exitCode = 3',
    )
    const [stdout, end] = await Promise.all([text(child.stdout), child.ended])
    expect(stdout).toHaveLength(300_000)
    expect(end).toEqual({ code: 3, signal: null, stderrTail: 'warning' })
    expect(describeEnd(end)).toBe('exit code 3')
  })

  it('reports each line of its stderr, of which only the end is kept', async () => {
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

  it('that doesn’t exist ends with the reason', async () => {
    const end = await startProgram(join(folder, 'no-such-program')).ended
    expect(end).toMatchObject({ code: null, signal: null, startError: { code: 'ENOENT' } })
    expect(describeEnd(end)).toContain('ENOENT')
  })

  it('that ignores a request to exit is killed', async () => {
    const child = program('process.on("SIGTERM", () => {}); console.log("up"); setInterval(() => {}, 1000)')
    await once(createInterface({ input: child.stdout }), 'line')
    child.terminate()
    child.kill()
    expect(describeEnd(await child.ended)).toBe('signal SIGKILL')
  })

  itInLongSuite('doesn’t outlive the process that started it', async () => {
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

describe('one of our scripts', () => {
  it('receives its arguments, and exits when its stdin is closed', async () => {
    const child = startNode(
      await script('console.log(process.argv[2]); process.stdin.on("end", () => {}).resume()'),
      { args: ['--here'] },
    )
    const [line] = await once(createInterface({ input: child.stdout }), 'line')
    expect(line).toBe('--here')
    child.terminate()
    expect(await child.ended).toMatchObject({ code: 0, signal: null })
  })

  it('runs without preloaded code, keys from the environment, or an inspector', async () => {
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

  it('responds to messages as a worker, and its output is dropped', async () => {
    const line = new URL('../../src/media/parent-process.ts', import.meta.url).href
    const child = startWorker(
      await script(
        `import { connectToParent } from ${JSON.stringify(line)}
         const send = connectToParent((got) => {
           console.log('noise')
           send({ got, pictures: [Buffer.from('ab'), new Uint8Array([1, 2])] })
         })`,
      ),
    )
    const answers: unknown[] = []
    child.onMessage((message) => answers.push(message))
    child.send({ path: 'ä\u2028\n', missing: undefined })
    const pictures = [new Uint8Array([97, 98]), new Uint8Array([1, 2])]
    await expect.poll(() => answers).toEqual([{ got: { path: 'ä\u2028\n' }, pictures }])
    child.kill()
    await child.ended
    child.send({ late: true })
  })

  it.each([
    ['bytes that aren’t a message', '[255, 15, 5, 99, 1, 2, 3, 4, 5, 6, 7, 8]'],
    ['a message without an end', '[255, 255, 255, 255, 255, 255, 255, 255]'],
    ['no JSON', '[1, 0, 0, 0, 0, 0, 0, 0, 33]'],
    ['more bytes than it has', '[13, 0, 0, 0, 1, 0, 0, 0, ...Buffer.from(`{"$bytes":99}`), 1]'],
  ])('is terminated without other effects if it sends %s', async (_what, bytes) => {
    const child = startWorker(
      await script(
        `process.getBuiltinModule('node:fs').writeSync(3, Buffer.from(${bytes})); process.stdin.resume()`,
      ),
    )
    child.onMessage(() => expect.unreachable())
    expect(await child.ended).toMatchObject({
      code: null,
      signal: null,
      stderrTail: expect.stringMatching(/./),
    })
  })
})
