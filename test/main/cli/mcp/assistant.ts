/** An assistant that uses the real command through the library's own client, in this process or in a separate one. */
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { Client, ReadBuffer, serializeMessage, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished } from 'vitest'
import { takeOwnership } from '../../../../src/main/database/index.ts'
import type { SettingsPatch } from '../../../../src/shared/model/settings.ts'
import { COMMAND } from '../../../entries.ts'
import { temporaryFolder } from '../../../temporary-folder.ts'
import { environmentForNode, runHere } from '../command.ts'

export const PHOTO = resolve(import.meta.dirname, '../../../../assets/samples/dawn-upright.jpg')
export const VIDEO = resolve(import.meta.dirname, '../../../../assets/samples/sunrise.mp4')

/** The two newest versions of the protocol. The client negotiates the first one with a handshake. */
export const VERSIONS = { '2025-11-25': 'legacy', '2026-07-28': { pin: '2026-07-28' } } as const

export type Desk = Awaited<ReturnType<typeof openDesk>>

/** A user's folders: one that assistants may use, one that they may not, and the app's data. */
export async function openDesk() {
  const folder = temporaryFolder()
  const [allowed, hidden, data] = [join(folder, 'allowed'), join(folder, 'private'), join(folder, 'data')]
  for (const path of [allowed, hidden, data]) await mkdir(path)
  await cp(PHOTO, join(allowed, 'photo.jpg'))
  await cp(PHOTO, join(hidden, 'taxes.jpg'))
  const assistants = {
    enabled: true,
    folders: [{ path: allowed, realPath: allowed }],
    usualOutput: join(folder, 'output'),
  }
  /** Changes settings, as the app does. Without arguments, assistants are on and may use `allowed`. */
  const set = (patch: SettingsPatch = {}) =>
    writeFile(join(data, 'settings.json'), JSON.stringify({ settings: { assistants, ...patch } }))
  await set()
  // The host outlives the server. The test's folder must not be removed while it runs.
  onTestFinished(() => expect.poll(() => isIdle(data), { timeout: 60_000 }).toBe(true))
  return { allowed, private: hidden, output: join(folder, 'output'), data, set }
}

function isIdle(data: string): boolean {
  const lock = takeOwnership(data)
  lock?.release()
  return lock !== undefined
}

export type Called = {
  readonly isError: boolean
  readonly text: string
  readonly data: Record<string, unknown>
}

export type Assistant = Awaited<ReturnType<typeof connect>>

type Version = keyof typeof VERSIONS

/** Runs the server in this process, which takes a third of the processor time of a separate one with its host. */
export const openAssistant = (desk: Desk, version?: Version): Promise<Assistant> =>
  connect(serverHere(desk), version)

/** @returns the assistant, and a function that signals the server's process */
export async function openSeparateAssistant({ data, allowed }: Desk, version?: Version) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', COMMAND, 'mcp'],
    env: { ...environmentForNode(), HOME: allowed, MEDIATRAY_DATA_DIR: data },
    stderr: 'ignore',
  })
  const assistant = await connect(transport, version)
  return {
    ...assistant,
    kill(signal: NodeJS.Signals) {
      if (transport.pid === null) throw new Error('The server isn’t running.')
      process.kill(transport.pid, signal)
    },
  }
}

function serverHere({ data, allowed }: Desk): Transport {
  const input = new PassThrough()
  const answers = new ReadBuffer()
  let ran: Promise<unknown> = Promise.resolve()
  const transport: Transport = {
    start() {
      ran = runHere(['mcp'], {
        env: { MEDIATRAY_DATA_DIR: data },
        cwd: allowed,
        stdin: () => input,
        onWrite(text, stream) {
          if (stream === 'stderr') return
          answers.append(Buffer.from(text))
          for (let message = answers.readMessage(); message !== null; message = answers.readMessage())
            transport.onmessage?.(message)
        },
      }).finally(() => transport.onclose?.())
      return Promise.resolve()
    },
    send(message) {
      input.write(serializeMessage(message))
      return Promise.resolve()
    },
    async close() {
      input.end()
      await ran
    },
  }
  return transport
}

async function connect(transport: Transport, version: Version = '2026-07-28') {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: VERSIONS[version] } },
  )
  onTestFinished(() => client.close())
  await client.connect(transport)

  async function call(name: string, args: Record<string, unknown> = {}): Promise<Called> {
    const { isError = false, content, structuredContent } = await client.callTool({ name, arguments: args })
    const [first] = content
    return {
      isError,
      text: first?.type === 'text' ? first.text : '',
      data: { ...(structuredContent as object | undefined) },
    }
  }
  return {
    client,
    call,
    /** Submits files and returns the job's ID. */
    async submit(...files: readonly string[]) {
      const { data: submitted, text } = await call('submit', { files })
      if (typeof submitted['job'] !== 'string') throw new Error(text)
      return submitted['job']
    },
  }
}

/** Waits until a job is over. */
export async function ended({ call }: Assistant, job: string): Promise<Record<string, unknown>> {
  let last: Record<string, unknown> = {}
  await expect
    .poll(
      async () => {
        last = (await call('status', { job })).data
        return last['isOver']
      },
      { timeout: 60_000 },
    )
    .toBe(true)
  return last
}
