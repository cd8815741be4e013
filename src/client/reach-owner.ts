import { spawn } from 'node:child_process'
import { parse } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { dataFolder, type Places } from '../node/data-folder.ts'
import { messageOf } from '../node/errors.ts'
import { ifPossible } from '../node/if-possible.ts'
import { makeFolder } from '../node/make-folder.ts'
import { readAddress } from '../node/owner-link/proof.ts'
import { terminalLocale } from '../node/terminal-locale.ts'
import { catalogOf, languages } from '../node/translation.ts'
import type { Spoken } from '../shared/i18n/catalog.ts'
import { spokenFor } from '../shared/i18n/format.ts'
import type { Texts } from '../shared/i18n/texts.ts'
import { translate } from '../shared/i18n/translate.ts'
import { once } from '../shared/once.ts'
import { connectOwner, NotReached, type Listener, type Reached } from '../node/owner-link/connect-owner.ts'

/**
 * The client's messages, in the language of the commands' output. They are loaded on first use, because most commands print none and finding
 * the language takes time. If the program's files are gone by then, they are in English.
 */
export const t = once(() => ifPossible(() => clientTexts(ownSpoken())) ?? clientTexts(ENGLISH))

const ENGLISH: Spoken = { language: 'en', locale: 'en' }

const ownSpoken = (): Spoken =>
  spokenFor(
    process.argv.includes('--json') ? 'en' : terminalLocale(process.env, process.platform),
    languages(),
  )

const clientTexts = (spoken: Spoken) =>
  translate<Texts['client']>(catalogOf(spoken.language).client, { ...spoken, isPlain: true })

/** How long to wait until an owner can be reached, in ms. The owner may be starting or handing over. */
const PATIENCE_MS = 15_000
const RETRY_MS = 100
/** How long the owner may be silent before the user sees a message, in ms. */
const SILENCE_MS = 5_000
const SILENCE_TICKS = 5
/** Exit code for a failure; see docs/cli.md. */
const FAILED = 4

/**
 * Connects to the owner of the data folder, which is the app or a host. Starts a host in the background if there is no owner.
 * @param host path of the host's script
 * @param say shows the user why connecting takes so long
 * @throws NotReached
 */
export async function reachOwner(
  place: Places,
  host: string,
  listener: Listener,
  say: (words: string) => void,
): Promise<Reached> {
  const dataDir = dataFolder(place)
  try {
    makeFolder(dataDir)
  } catch (error) {
    throw new NotReached(t().client.dataFolderFailed({ detail: messageOf(error) }))
  }
  let isConnecting = false
  const { stop } = watchSilence(() =>
    say(isConnecting ? silentWords(readAddress(dataDir)?.pid) : t().client.waiting),
  )
  try {
    let until = performance.now() + PATIENCE_MS
    for (let isFirst = true; ; isFirst = false) {
      const began = performance.now()
      isConnecting = true
      const reached = await connectOwner(dataDir, listener)
      isConnecting = false
      if (reached !== undefined) return reached
      // The duration of the attempt doesn't count: a suspended owner may have blocked it until that owner was killed.
      until += performance.now() - began
      if (performance.now() > until) {
        const pid = readAddress(dataDir)?.pid ?? '?'
        throw new NotReached(t().client.dataUsed({ pid, folder: dataDir }))
      }
      await start(host, dataDir)
      if (!isFirst) await sleep(RETRY_MS)
    }
  } finally {
    stop()
  }
}

/** How long to wait for the owner to end, in ms. */
const ENDING_MS = 20_000

/**
 * Asks the owner to return its work to the outbox and to end. Waits up to 20 seconds for that.
 * @param reason why: the first process of a container ends, or the program's files are about to be replaced
 */
export async function endOwner(place: Places, reason: 'end' | 'update'): Promise<void> {
  const owner = await connectOwner(dataFolder(place), { hear: () => undefined, closed: () => undefined })
  if (owner === undefined) return
  owner.link.send({ type: reason })
  const until = performance.now() + ENDING_MS
  while (isRunning(owner.pid) && performance.now() < until) await sleep(RETRY_MS)
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Returns the message for an owner that doesn't respond, for example because its process was stopped. */
export const silentWords = (pid: number | string = '?'): string => t().client.silent({ pid: String(pid) })

/**
 * Counts the seconds in which this process ran but heard nothing. Time in which the system suspends this process doesn't count.
 * @param say called once, after five seconds
 * @param tick called once per second; returns false if that second doesn't count
 */
export function watchSilence(say: () => void, tick: () => boolean = () => true) {
  let ticks = 0
  let wasTold = false
  const timer = setInterval(() => {
    if (!tick() || ++ticks < SILENCE_TICKS || wasTold) return
    wasTold = true
    say()
  }, SILENCE_MS / SILENCE_TICKS)
  return { heard: () => void (ticks = 0), stop: () => clearInterval(timer) }
}

/** Variables that apply to a single command, or that would make the host run other code. */
const NOT_INHERITED = new Set([
  'MEDIATRAY_API_KEY',
  'MEDIATRAY_SIGNING_KEY',
  'MEDIATRAY_RECEIVERS',
  'MEDIATRAY_BASE_URL',
  'NODE_OPTIONS',
])

type News =
  | { readonly kind: 'listening' | 'elsewhere' | 'ended' }
  | { readonly kind: 'failed'; readonly message: string; readonly code: number }

/** `--max-semi-space-size=1` saves about 5 MB of memory while the host waits. */
const HOST_OPTIONS = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=1']

/** Starts a host. Resolves when it listens or has ended, or when another process owns the folder. @throws NotReached if it can't start */
async function start(host: string, dataDir: string): Promise<void> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !NOT_INHERITED.has(name)))
  const child = spawn(process.execPath, [...HOST_OPTIONS, host], {
    detached: true,
    // The user may remove this command's folder while the host runs.
    cwd: parse(dataDir).root,
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...env, MEDIATRAY_DATA_DIR: dataDir },
  })
  const lines = createInterface({ input: child.stdout })
  const news = await new Promise<News>((resolve) => {
    child.once('error', ({ message }) => resolve({ kind: 'failed', message, code: FAILED }))
    lines.once('line', (line) => resolve(JSON.parse(line)))
    lines.once('close', () => resolve({ kind: 'ended' }))
  })
  lines.close()
  child.stdout.destroy()
  child.unref()
  if (news.kind === 'failed') throw new NotReached(news.message, news.code)
}
