/** The MCP server: serves one assistant over stdin and stdout until it closes them. */
import { EXIT, OWNER_ENDS } from '../../../shared/command-end.ts'
import { Readable, Writable } from 'node:stream'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import type { CliCommand } from '../context.ts'
import { createAccess } from './access.ts'
import { limitedMessages } from './limited-messages.ts'
import { createSessionLimits } from './session-limits.ts'
import { createAssistantServer } from './assistant-server.ts'

export const mcp: CliCommand = async (context) => {
  const { environment } = context
  const session = {
    context,
    access: createAccess(environment, context.line),
    limits: createSessionLimits(environment.timing),
  }
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const { stdin, stdout } = environment
  if (stdin === null) {
    environment.stderr.write('error: stdin is a terminal. An assistant starts this command.\n')
    return EXIT.usage
  }
  const ready = stdout.ready ?? (() => Promise.resolve())
  const messages = Readable.from(
    limitedMessages({ input: stdin(), write: (line) => stdout.write(line), ready }),
  )
  const answers = new Writable({
    decodeStrings: false,
    write(text: string | Uint8Array, _encoding, done) {
      stdout.write(text.toString())
      ready().then(() => done(), done)
    },
  })
  class Transport extends StdioServerTransport {
    override async close(): Promise<void> {
      await super.close()
      messages.destroy()
      end()
    }
  }
  environment.onStored?.('submissions')
  const server = serveStdio(() => createAssistantServer(session), {
    transport: new Transport(messages, answers),
    // An invalid message from the client must not end the server. It gets an answer if it has an ID.
    onerror: (error) => environment.stderr.write(`${error.message}\n`),
  })
  const stopping = AbortSignal.any([environment.interrupted, environment.stdout.closed])
  stopping.addEventListener('abort', () => end(), { once: true })
  if (stopping.aborted) end()
  await ended
  await server.close()
  // The next owner answers the messages that follow.
  if (environment.interrupted.reason === OWNER_ENDS) environment.continueWith?.(environment.argv)
  return EXIT.done
}
