/** Runs one command of one client. The terminal's input and output go over the connection. */
import { EXIT, OWNER_ENDS, USER_CANCEL } from '../../shared/command-end.ts'
import { stackOf } from '../../node/errors.ts'
import type { Link } from '../../node/owner-link/link.ts'
import type { ClientMessage, Command, Continued, FromOwner, Widths } from '../../node/owner-link/messages.ts'
import { english } from '../../shared/i18n/english.ts'
import type { Texts } from '../../shared/i18n/texts.ts'
import { translate } from '../../shared/i18n/translate.ts'
import type { Terminal } from '../cli/index.ts'

/** Runs a command of a client with this umask. @returns its exit code */
export type RunCommand = (terminal: Terminal, umask: number) => Promise<number>

/** The session's own messages are always in English. */
const t = translate<Texts['client']>(english.client, { language: 'en', locale: 'en' })

/** The exit code of a Node program that has crashed. */
const CRASHED = 1

/** Maximum length of the text in one message, in UTF-16 units. In JSON, each unit takes at most six bytes. */
const LONGEST_TEXT = 1024 * 1024

/** Maximum size of the unread output in bytes. While there is more, the command waits for the client to read it. */
const MOST_WAITING = 4 * 1024 * 1024

export function createSession(link: Link<FromOwner>, run: RunCommand) {
  const interruption = new AbortController()
  const outputClosed = new AbortController()
  const answers = new Answers()
  const input = new Input(() => link.send({ type: 'read' }))
  let running: Promise<boolean> | undefined
  /** Resolves when the client has sent its command or has disconnected. */
  const begun = Promise.withResolvers<void>()
  let widths: Widths = { stdout: null, stderr: null }
  let continued: readonly string[] | undefined
  let stored: Continued | undefined
  /** Whether the owner ends because the program's files are about to be replaced. */
  let isUpdate = false

  function write(type: 'out' | 'err', text: string): void {
    for (const part of partsOf(text)) link.send({ type, text: part })
  }

  async function begin(command: Command): Promise<boolean> {
    const isLate = interruption.signal.reason === OWNER_ENDS
    const ran = isLate ? Promise.resolve(EXIT.interrupted) : run(terminalOf(command), command.umask)
    const code = await ran.catch((error: unknown) => {
      write('err', `${stackOf(error)}\n`)
      return CRASHED
    })
    const hasMoved = interruption.signal.reason === OWNER_ENDS
    // A command that has written its results by then isn't repeated.
    const repeats = hasMoved && continued === undefined && code === EXIT.interrupted
    const isUnfinished = repeats || (hasMoved && continued !== undefined)
    const isContinued = isUnfinished && !isUpdate && (continued !== undefined || !input.wasRead)
    if (isContinued) link.send({ type: 'moved', argv: continued ?? command.argv })
    else {
      if (isUnfinished) link.send({ type: 'err', text: `${whyEnded(isUpdate, stored, input)}\n` })
      link.send({ type: 'exit', code: isUnfinished ? EXIT.failed : code })
    }
    link.end()
    return isContinued
  }

  function terminalOf({ argv, env, cwd, home, stdout, ...client }: Command): Terminal {
    widths = client.widths
    return {
      argv,
      env,
      cwd,
      home,
      stdout: {
        write: (text) => write('out', text),
        get columns() {
          return widths.stdout ?? undefined
        },
        binary: stdout === 'pipe' ? (content) => writeBinary(content, link, answers) : null,
        closed: outputClosed.signal,
        ready: () => (link.waiting() > MOST_WAITING ? link.drained() : Promise.resolve()),
      },
      stderr: {
        write: (text) => write('err', text),
        get columns() {
          return widths.stderr ?? undefined
        },
      },
      stdin: client.hasTerminal ? null : () => input.read(interruption.signal),
      async readKey() {
        link.send({ type: 'readLine' })
        return (await answers.next('line')) ?? undefined
      },
      confirm: client.canConfirm
        ? async (question) => {
            link.send({ type: 'ask', question })
            return (await answers.next('answer')) === true
          }
        : null,
      interrupted: interruption.signal,
      continueWith: (next) => void (continued = next),
      onStored(what) {
        stored = what
        link.send({ type: 'stored', continued: what })
      },
    }
  }

  return {
    hear(message: ClientMessage): void {
      switch (message.type) {
        case 'run':
          running ??= begin(message)
          return begun.resolve()
        case 'resized':
          widths = message.widths
          return
        case 'stdin':
          return input.take(message.bytes)
        case 'line':
          return answers.give('line', message.text)
        case 'answer':
          return answers.give('answer', message.isYes)
        case 'written':
          return answers.give('written', message)
        case 'interrupt':
          return interruption.abort(message.isUsers ? USER_CANCEL : undefined)
        case 'closed':
          return outputClosed.abort()
        case 'ping':
          return link.send({ type: 'pong' })
        default:
          throw new Error('an unexpected message')
      }
    },
    /** Call this when the client has disconnected. Interrupts the command. Jobs that it has started continue. */
    left(): void {
      outputClosed.abort()
      interruption.abort()
      input.take(null)
      answers.end()
      begun.resolve()
    },
    /**
     * Ends the command because another process becomes the owner, or because the program's files are about to be replaced.
     * Resolves when the command has ended here.
     * @returns whether the client continues the command at another owner
     */
    async end(forUpdate: boolean): Promise<boolean> {
      isUpdate = forUpdate
      interruption.abort(OWNER_ENDS)
      await begun.promise
      return (await running) === true
    },
  }
}

function whyEnded(isUpdate: boolean, stored: Continued | undefined, { wasRead }: Input): string {
  const next = t.continued[stored ?? 'nothing']
  return t.client[isUpdate ? 'replaced' : 'ended']({
    next: stored === undefined && wasRead ? t.client.inputLost({ next }) : next,
  })
}

/** @returns false if the program that reads the output has closed it */
async function writeBinary(
  content: AsyncIterable<Uint8Array>,
  link: Link<FromOwner>,
  answers: Answers,
): Promise<boolean> {
  for await (const bytes of content) {
    link.send({ type: 'bytes', bytes })
    const { failed } = (await answers.next('written')) ?? { failed: { code: 'EPIPE', message: '' } }
    if (failed?.code === 'EPIPE') return false
    if (failed !== null) throw Object.assign(new Error(failed.message), { code: failed.code })
  }
  return true
}

/** Splits text only between characters. */
function* partsOf(text: string): Generator<string> {
  for (let from = 0, to; from < text.length; from = to) {
    to = Math.min(from + LONGEST_TEXT, text.length)
    if (to < text.length && text.codePointAt(to - 1) !== text.charCodeAt(to - 1)) to--
    yield text.slice(from, to)
  }
}

type Answer = {
  readonly line: string | null
  readonly answer: boolean
  readonly written: Pick<Extract<ClientMessage, { type: 'written' }>, 'failed'>
}

/** The client's answers for which the command is waiting, at most one of each kind. */
class Answers {
  #waiting = new Map<keyof Answer, (value: never) => void>()
  #hasEnded = false

  next<Kind extends keyof Answer>(kind: Kind): Promise<Answer[Kind] | null> {
    if (this.#hasEnded) return Promise.resolve(null)
    return new Promise((resolve) => void this.#waiting.set(kind, resolve))
  }

  give<Kind extends keyof Answer>(kind: Kind, value: Answer[Kind] | null): void {
    this.#waiting.get(kind)?.(value as never)
    this.#waiting.delete(kind)
  }

  end(): void {
    this.#hasEnded = true
    for (const kind of this.#waiting.keys()) this.give(kind, null)
  }
}

/** The client's stdin. The next part is requested only when the command wants it. */
class Input {
  #request: () => void
  wasRead = false
  #next: ((part: Uint8Array | null) => void) | undefined

  constructor(request: () => void) {
    this.#request = request
  }

  take(part: Uint8Array | null): void {
    this.wasRead ||= part !== null
    this.#next?.(part)
    this.#next = undefined
  }

  async *read(interrupted: AbortSignal): AsyncGenerator<Uint8Array> {
    while (!interrupted.aborted) {
      const part = await new Promise<Uint8Array | null>((resolve) => {
        this.#next = resolve
        interrupted.addEventListener('abort', () => resolve(null), { once: true })
        this.#request()
      })
      if (part === null) return
      yield part
    }
  }
}
