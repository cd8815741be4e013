/** What the app shows outside its windows on the real runtime, and how a spec uses it: the spec's side of desktop-port.cjs. */
import { setTimeout as delay } from 'node:timers/promises'
import type { ElectronApplication } from 'playwright-core'
import { type App, LONG_ENOUGH_MS } from '../../stand-in/driver.ts'
import { type Argument, type CommandName, nothingRecorded, type Recorded } from '../../stand-in/recorded.ts'
import { userActs } from '../../stand-in/user-acts.ts'

type DesktopPort = {
  snapshot(): Partial<Recorded>
  act(name: CommandName, argument: unknown): void
}

declare global {
  var mediatrayDesktopPort: DesktopPort
}

const INTERVAL_MS = 100

export type ElectronDesktop = Awaited<ReturnType<typeof followDesktop>>

/**
 * @param leave ends a spec that reads what the port doesn't record
 * @param ended resolves when the app has exited
 */
export async function followDesktop(
  electron: ElectronApplication,
  leave: (reason: string) => never,
  { ended, log }: { readonly ended: Promise<unknown>; readonly log: () => string },
) {
  const exit = { happened: false }
  let recorded: Recorded = onlyRecorded({}, leave)
  void ended.then(() => {
    exit.happened = true
  })
  const refresh = async () => {
    const found = await electron.evaluate(() => globalThis.mediatrayDesktopPort.snapshot())
    recorded = onlyRecorded(found, leave)
  }
  const follow = async () => {
    while (!exit.happened) {
      await delay(INTERVAL_MS, undefined, { ref: false })
      // It fails when the app is about to exit.
      await refresh().catch(() => {})
    }
  }
  // An app that finds another one running exits at once.
  await refresh().catch((error: unknown) => {
    if (!exit.happened) throw error
  })
  void follow()

  const tell = async <Name extends CommandName>(name: Name, argument: Argument<Name>) => {
    await electron.evaluate(
      (_modules, given) => globalThis.mediatrayDesktopPort.act(given.name, given.argument),
      { name, argument },
    )
  }
  const until: App['until'] = async (what, match) => {
    const deadline = performance.now() + LONG_ENOUGH_MS
    for (;;) {
      const found = match(recorded)
      if (found !== undefined && found !== null && found !== false) return found
      if (exit.happened) throw new Error(`The app exited while waiting for ${what}.\n${log()}`)
      if (performance.now() > deadline) throw new Error(`Waited ${LONG_ENOUGH_MS} ms for ${what}.\n${log()}`)
      await delay(INTERVAL_MS / 2)
    }
  }
  const acts = userActs(tell, () => recorded)
  return {
    ...acts,
    recorded: () => recorded,
    until,
    windows: () => recorded.windows,
    tray: {
      now: () => {
        const [shown] = recorded.trays
        return shown === undefined ? null : Object.assign(Object.create(shown), { menu: shown.menu ?? [] })
      },
      ...acts.tray,
    },
    badge: () => recorded.badge,
    progressBar: () =>
      process.platform === 'win32' ? (recorded.windows[0]?.progress ?? -1) : recorded.progress,
  }
}

/** Skips a spec that reads something that the stand-in records but the port doesn't. */
export function onlyRecorded(found: Partial<Recorded>, leave: (reason: string) => never): Recorded {
  const limited = (object: object, all: object, name: string): unknown =>
    new Proxy(object, {
      get(target, key, receiver) {
        if (!(key in target) && key in all) return leave(`${name}.${String(key)}`)
        return Reflect.get(target, key, receiver)
      },
    })
  const trays = (found.trays ?? []).map((tray) => limited(tray, { id: 0 }, 'tray'))
  const windows = (found.windows ?? []).map((window) =>
    limited(window, { badge: 0, blackSpace: false, targetId: null, webPreferences: {} }, 'window'),
  )
  return limited({ ...found, trays, windows }, nothingRecorded(), 'recorded') as Recorded
}
