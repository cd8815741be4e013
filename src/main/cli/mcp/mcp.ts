/** The MCP server: serves one assistant over stdin and stdout until it closes them. */
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { Readable } from 'node:stream'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import type { CliCommand, Context } from '../context.ts'
import { outboxFile } from '../context.ts'
import { dataFolder } from '../environment.ts'
import { EXIT } from '../exit-code.ts'
import { isUnsent } from '../commands/send-for-assistants.ts'
import { isDrainedElsewhere } from '../../outbox/index.ts'
import type { Core } from '../../core/index.ts'
import { createAccess } from './access.ts'
import { limitedMessages } from './limited-messages.ts'
import { createSessionLimits } from './session-limits.ts'
import { createAssistantServer } from './assistant-server.ts'

/** How often to check, in ms, whether anything that assistants submitted isn't sent, because the app has ended for example. */
const CHECK_MS = 30_000

export const mcp: CliCommand = async (context) => {
  const { environment } = context
  mkdirSync(dataFolder(environment), { recursive: true, mode: 0o700 })
  const core = await context.openCore({ connected: false, sends: false })
  const sending = ensureSending(context, core)
  const session = {
    context,
    core,
    access: createAccess(environment, core),
    limits: createSessionLimits(environment.timing),
    ensureSent: sending.now,
  }
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const { stdin, stdout } = process
  const messages = Readable.from(
    limitedMessages({
      input: stdin,
      write: (line) => void stdout.write(line),
      async ready() {
        if (stdout.writableNeedDrain) await once(stdout, 'drain')
      },
    }),
  )
  class Transport extends StdioServerTransport {
    override async close(): Promise<void> {
      await super.close()
      messages.destroy()
      end()
    }
  }
  const server = serveStdio(() => createAssistantServer(session), {
    transport: new Transport(messages, stdout),
    // A faulty message of the client must not end the server. It gets an answer if it had an ID.
    onerror: (error) => environment.stderr.write(`${error.message}\n`),
  })
  const stopping = AbortSignal.any([environment.interrupted, environment.stdout.closed])
  stopping.addEventListener('abort', () => end(), { once: true })
  if (stopping.aborted) end()
  await ended
  sending.stop()
  await server.close()
  return EXIT.done
}

/**
 * Starts a separate process that sends what assistants submitted, unless the app does. Separate, because the client ends this one whenever
 * it likes, and jobs must continue. If such a process is already running, a second one ends immediately.
 */
function ensureSending(context: Context, core: Core): { now: () => void; stop: () => void } {
  const { environment, service } = context
  let cancel = environment.timing.after(CHECK_MS, check)

  function now(): void {
    if (isDrainedElsewhere(outboxFile(environment))) return
    const named = service.isApps || service.kind === 'builtIn' ? [] : ['--base-url', service.identity]
    environment.startDetached([...named, 'outbox', 'send', '--assistants'])
  }

  function check(): void {
    if (isUnsent(context, core)) now()
    cancel = environment.timing.after(CHECK_MS, check)
  }
  return { now, stop: () => cancel() }
}
